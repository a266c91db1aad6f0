"""The one shape of every error: {error: {code, message, remedy, request_id}}, and which status each kind gets."""

from __future__ import annotations

import errno
import re
from collections.abc import Mapping
from typing import Any

from starlette.responses import JSONResponse

from surefoot.core import errors
from surefoot.core.redaction import redact

STATUSES: tuple[tuple[type[errors.SurefootError], int], ...] = (
    (errors.MissingExtraError, 501),
    (errors.InputError, 400),
    (errors.CertificateError, 400),
    (errors.RateLimitedError, 503),
    (errors.ModelTimeoutError, 504),
    (errors.DeadlineExceededError, 504),
    (errors.ModelError, 502),
    (errors.FetchError, 502),
    (errors.StoreFullError, 507),
    (errors.StoreError, 503),
    (errors.EncoderError, 503),
)
"""First match from the top."""


class Problem(Exception):
    """An answer that is an error. The message never quotes what a person wrote."""

    def __init__(
        self, status: int, code: str, message: str, remedy: str, *, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(code)
        self.status, self.code, self.message, self.remedy = status, code, message, remedy
        self.headers = dict(headers or {})


def problem_of(error: errors.SurefootError) -> Problem:
    """An error of ours as a problem: its sentence up to the last semicolon is the message, the rest the remedy."""
    status = next((status for kind, status in STATUSES if isinstance(error, kind)), 500)
    message, _, remedy = without_values(str(error)).rpartition("; ")
    headers = {}
    if isinstance(error, errors.RateLimitedError):
        headers["Retry-After"] = str(max(1, round(error.retry_after_s or 1)))
    if not message:
        message, remedy = remedy, "see the service's documentation, docs/http-api.md"
    return Problem(status, error.code, message, remedy, headers=headers)


def disk_problem(error: OSError) -> Problem:
    """A disk that is full or cannot be written is the operator's to mend; anything else is our fault."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Problem(507, "store_full", "the disk is full", "ask the operator to make room on it")
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return Problem(503, "store_read_only", "the disk cannot be written", "ask the operator to check permissions")
    return INTERNAL


def without_values(message: str) -> str:
    """Hides quoted values that may be a person's words; names of keys, files and packs stay."""
    return redact(_QUOTED.sub(lambda m: m.group() if _PLAIN.fullmatch(m.group()[1:-1]) else "'…'", message)).text


def shown_key(key: object) -> str:
    """A key of the caller's as far as it looks like one."""
    return str(key) if isinstance(key, int) or _PLAIN.fullmatch(str(key)) else "…"


def error_body(problem: Problem, request_id: str) -> dict[str, Any]:
    return {
        "error": {
            "code": problem.code,
            "message": problem.message,
            "remedy": problem.remedy,
            "request_id": request_id,
        }
    }


def error_response(problem: Problem, request_id: str) -> JSONResponse:
    return JSONResponse(error_body(problem, request_id), status_code=problem.status, headers=problem.headers)


INTERNAL = Problem(
    500, "internal", "the service failed to answer", "retry; if it fails again, report the request id to the operator"
)
_QUOTED = re.compile(r"(?<!\w)'(?:[^'\\]|\\.?)*+(?:'|$)|\"(?:[^\"\\]|\\.?)*+(?:\"|$)", re.DOTALL)
"""As `repr` writes them: a quotation mark behind a backslash ends nothing."""
_PLAIN = re.compile(r"[a-z][A-Za-z0-9_.-]{0,40}|\[\]|\[S?#?n?\]")
