"""Server-sent events: steps while the answer is made, then its proven sentences in order, then the decision.

Nothing is sent before it is decided, so nothing shown is ever taken back.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

from surefoot.core.errors import SurefootError
from surefoot.core.text import sentences
from surefoot.core.types import AskEvent, AskResult
from surefoot.server.problems import INTERNAL, Problem, error_body, problem_of

KEEP_ALIVE_S = 10.0
Asking = Callable[[Callable[[AskEvent], None]], Awaitable[AskResult]]


def frame(event: str, data: Mapping[str, Any]) -> bytes:
    return f"event: {event}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def pieces(text: str) -> list[tuple[str, tuple[int, int]]]:
    """The text cut behind each sentence: joined, the pieces are the text; spans are the sentences' own."""
    cuts: list[tuple[str, tuple[int, int]]] = []
    last = 0
    found = sentences(text)
    for number, sentence in enumerate(found):
        end = len(text) if number == len(found) - 1 else sentence.end
        cuts.append((text[last:end], sentence.span))
        last = end
    return cuts or ([(text, (0, len(text)))] if text else [])


def sentence_events(answer: AskResult) -> list[dict[str, Any]]:
    """One event per sentence, with the verdict and evidence its certificate gives it."""
    entries = answer.result.metadata.certificate.get("sentences")
    proofs = {}
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict) and isinstance(entry.get("span"), list):
            proofs[tuple(entry["span"])] = entry  # type: ignore[arg-type]
    events = []
    for index, (text, span) in enumerate(pieces(answer.result.final_answer)):
        entry = proofs.get(span, {})
        events.append(
            {
                "index": index,
                "text": text,
                "span": list(span),
                "verdict": entry.get("verdict"),
                "evidence": entry.get("evidence", []),
            }
        )
    return events


async def ask_events(
    ask: Asking, *, request_id: str, finish: Callable[[AskResult], Mapping[str, Any]]
) -> AsyncIterator[bytes]:
    """The stream of one question. An error after the start is an `error` event and the end."""
    loop = asyncio.get_running_loop()
    steps: asyncio.Queue[AskEvent | None] = asyncio.Queue()

    def on_event(event: AskEvent) -> None:  # called from the engine's thread
        with suppress(RuntimeError):  # this loop is gone: nobody listens any more
            loop.call_soon_threadsafe(steps.put_nowait, event)

    task = asyncio.ensure_future(ask(on_event))
    task.add_done_callback(lambda _: steps.put_nowait(None))
    try:
        async for data in _steps(steps):
            yield data
        answer = await task
        for event in sentence_events(answer):
            yield frame("sentence", event)
        yield frame("decision", finish(answer))
    except Problem as problem:
        yield frame("error", error_body(problem, request_id))
    except SurefootError as error:
        yield frame("error", error_body(problem_of(error), request_id))
    except asyncio.CancelledError:
        raise
    except Exception:
        yield frame("error", error_body(INTERNAL, request_id))
        raise
    finally:
        task.cancel()


async def _steps(steps: asyncio.Queue[AskEvent | None]) -> AsyncIterator[bytes]:
    while True:
        try:
            async with asyncio.timeout(KEEP_ALIVE_S):
                event = await steps.get()
        except TimeoutError:
            yield b": still working\n\n"
            continue
        if event is None:
            return
        yield frame("step", step(event))


def step(event: AskEvent) -> dict[str, Any]:
    """A step as a client sees it: counts and verdicts, no text."""
    return {
        "node": event.node,
        "state": event.state,
        "round": event.round,
        "elapsedMs": round(event.elapsed_ms, 2),
        "detail": dict(event.detail),
    }
