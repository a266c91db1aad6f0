"""From synchronous code into asynchronous code: for the blocking one-liners and for frameworks that do not await."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def blocking(work: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine to its end in a thread of its own, so that a loop of the caller's is never in the way."""
    outcome: list[T] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(asyncio.run(work))
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=run, name="surefoot-blocking")
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return outcome[0]
