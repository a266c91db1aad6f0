"""Retries, told where logs belong."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stamina import Attempt


def retried(
    on: type[Exception] | tuple[type[Exception], ...] | Callable[[Exception], bool], **how: Any
) -> AsyncIterator[Attempt]:
    """`stamina.retry_context`, whose lines go to the log and never to standard output, which is for answers alone."""
    import stamina

    _keep_off_standard_output()
    return stamina.retry_context(on=on, **how)


@cache
def _keep_off_standard_output() -> None:
    """stamina tells structlog, and that prints to standard output until somebody configures it: a service does, a
    command line and a script do not."""
    from stamina.instrumentation import LoggingOnRetryHook, set_on_retry_hooks

    structlog = sys.modules.get("structlog")
    if structlog is None or not structlog.is_configured():
        set_on_retry_hooks([LoggingOnRetryHook])
