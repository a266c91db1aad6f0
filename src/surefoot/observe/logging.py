"""Log lines as JSON on standard error: what was decided and why, never what was said.

Texts reach a line only where the operator switched `log_content` on. Whatever else is logged passes the redaction,
and an exception is written as its type and its places, because its message may quote a person.
"""

from __future__ import annotations

import copy
import json
import logging
import sys
import traceback
from collections import Counter
from collections.abc import Mapping, MutableMapping
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, TextIO

import structlog

from surefoot.core.errors import InputError
from surefoot.core.hashing import sha256_text
from surefoot.core.redaction import Redactor
from surefoot.core.types import Json, VerificationResult

CONTENT_KEYS = frozenset(
    "question query answer final_answer draft draft_answer rag_draft text chunks sources passages profile context case "
    "content prompt reply note snippet body".split()
)
QUIET = ("httpx", "httpx2", "httpcore", "httpcore2", "openai", "uvicorn.access", "langsmith")
"""Libraries whose lines carry addresses or texts: only their warnings pass."""


def configure(*, level: str = "info", content: bool = False, stream: TextIO | None = None) -> None:
    """Sends our lines and the libraries' lines to one stream, as JSON. Called by entry points only."""
    number = logging.getLevelNamesMapping().get(level.upper())
    if number is None:
        raise InputError(f"log_level: {level!r} is not a level; use debug, info, warning or error")
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
        structlog.stdlib.PositionalArgumentsFormatter(),
        place_of_exception,
        *([] if content else [without_content]),
        redacted,
    ]
    structlog.configure(
        processors=[structlog.stdlib.filter_by_level, *shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(
        _Formatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(default=lambda value: type(value).__name__),
            ],
        )
    )
    logging.root.handlers = [handler]
    logging.root.setLevel(number)
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logging.getLogger(name).handlers = []
        logging.getLogger(name).propagate = True


def log_decision(line: Mapping[str, Json]) -> None:
    """Writes a decision's line. Every answer waits for it, so it is made here and not by the chain of processors."""
    if not _DECISIONS.isEnabledFor(logging.INFO):
        return
    event: dict[str, Any] = {**line, "event": "decision", **structlog.contextvars.get_contextvars()}
    at = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    said = _redacted(without_content(None, "info", event), besides=_CLOSED)
    text = json.dumps({**said, "logger": _DECISIONS.name, "level": "info", "at": at})
    _DECISIONS.handle(logging.LogRecord(_DECISIONS.name, logging.INFO, __file__, 0, _Ready(text), None, None))


class _Ready(str):
    """A line that needs no more work."""


class _Formatter(structlog.stdlib.ProcessorFormatter):
    def format(self, record: logging.LogRecord) -> str:
        return record.msg if isinstance(record.msg, _Ready) else super().format(_without_quotes(record))


def _without_quotes(record: logging.LogRecord) -> logging.LogRecord:
    """A line without the words of an exception, which may be a whole document: UnicodeEncodeError carries its text.

    asyncio puts the repr of a failed task on further lines; a library may pass an exception as an argument.
    """
    if not isinstance(record.msg, str):  # one of ours: structlog's fields, looked after one by one
        return record
    plain = copy.copy(record)
    plain.msg = record.msg.split("\n", 1)[0]
    if record.name == "asyncio":
        plain.args = None
    elif isinstance(record.args, tuple):
        plain.args = tuple(_named(arg) for arg in record.args)
    elif isinstance(record.args, Mapping):
        plain.args = {key: _named(arg) for key, arg in record.args.items()}
    return plain


def _named(argument: object) -> object:
    if isinstance(argument, OSError) and argument.strerror:
        return f"{type(argument).__name__}: {argument.strerror}"
    return type(argument).__name__ if isinstance(argument, BaseException) else argument


def decision_line(
    result: VerificationResult, *, kind: str = "verify", session_id: str | None = None, pack: str | None = None
) -> dict[str, Json]:
    """What a log may know of a decision: hashes, codes, counts and times."""
    metadata = result.metadata
    codes = Counter(issue.code for issue in metadata.issues_detected)
    return {
        "kind": kind,
        "run_id": metadata.run_id,
        "session": sha256_text(session_id)[:16] if session_id else None,
        "decision": result.decision.value,
        "reason": metadata.fallback_reason,
        "times_ms": {stage: round(value, 3) for stage, value in metadata.stage_times_ms.items()},
        "nodes": [node.line for node in metadata.nodes],
        "total_ms": round(metadata.processing_time_ms, 3),
        "issues": dict(sorted(codes.items())),
        "issue_count": sum(codes.values()),
        "revisions": len(metadata.revisions_applied),
        "confidence": round(metadata.confidence, 4),
        "model": metadata.llm_model,
        "pack": pack or _pack(metadata.certificate, "name"),
        "pack_hash": _pack(metadata.certificate, "hash"),
    }


def without_content(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Drops the keys that hold texts of people or sources."""
    for key in CONTENT_KEYS & event.keys():
        del event[key]
    return event


def redacted(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Takes ID numbers, phones, e-mails and addresses out of every string of a line."""
    return _redacted(event)


def _redacted(event: Mapping[str, Any], *, besides: frozenset[str] = frozenset()) -> dict[str, Any]:
    redactor, ours = Redactor(), _OURS | besides
    return {
        key: redactor.json(value) if key not in ours and isinstance(value, str | dict | list) else value
        for key, value in event.items()
    }


def place_of_exception(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Puts type and places where a traceback would be."""
    error = event.pop("exc_info", None)
    event.pop("exception", None)
    event.pop("stack_info", None)
    if error is True:
        error = sys.exc_info()
    if isinstance(error, BaseException):
        error = (type(error), error, error.__traceback__)
    if isinstance(error, tuple) and error[0] is not None:
        event["error"] = error[0].__name__
        event["error_at"] = _places(error[2])
    return event


def _places(trace: TracebackType | None) -> list[Json]:
    frames = traceback.extract_tb(trace)[-6:]
    return [f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno} {frame.name}" for frame in frames]


def _pack(certificate: Mapping[str, Json], key: str) -> Json:
    pack = certificate.get("pack")
    return pack.get(key) if isinstance(pack, dict) else None


_DECISIONS = logging.getLogger("surefoot.decision")
_CLOSED = frozenset("event kind decision times_ms nodes".split())
"""What in a decision's line is one of a few words of this program."""
_OURS = frozenset("at level logger run_id session pack_hash request_id _record _from_structlog".split())
