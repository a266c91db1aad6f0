"""Where decisions are written down: the run log with its witness, and the line in the log."""

from __future__ import annotations

import sys
from collections.abc import Callable

from surefoot.core.types import VerificationResult, VerifyInput
from surefoot.observe.chain import Head
from surefoot.observe.runlog import RunStore
from surefoot.settings import Settings
from surefoot.store.postgres.database import PostgresDatabase


def build_runlog(settings: Settings, database: PostgresDatabase | None, *, key: Callable[[], bytes]) -> RunStore:
    return RunStore(
        database or settings.kb,
        content=settings.run_content,
        retention_days=settings.run_retention_days,
        key=key,
        witness=_log_head if settings.run_head_to_log else lambda head: None,
    )


def _log_head(head: Head) -> None:
    """Where the log goes to another machine, nobody on this one can take its records back."""
    import structlog

    # Unconfigured, as on a command line, structlog prints to standard output, which is for answers alone.
    to_stderr = structlog.wrap_logger(structlog.PrintLogger(sys.stderr))
    log = structlog.get_logger("surefoot.audit") if structlog.is_configured() else to_stderr
    log.info("run log head", seq=head.seq, hash=head.hash)


def log_result(kind: str, request: VerifyInput, result: VerificationResult) -> None:
    # structlog takes a third of a second to import, and a command line has no use for it.
    from surefoot.observe.logging import decision_line, log_decision

    log_decision(decision_line(result, kind=kind, session_id=request.session_id))
