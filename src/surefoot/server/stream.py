"""Server-sent events: steps while the answer is made, its proven sentences in order, and last the decision.

Proven sentences may come before the decision, while a critic still reads the rest; everything else comes after it.
What was sent stays: an answer that does not begin with it is a fault of ours, and ends the stream as one.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import Any, Protocol

from surefoot.core.errors import SurefootError
from surefoot.core.text import sentences
from surefoot.core.types import AskEvent, AskResult, Json, Shown
from surefoot.server.problems import INTERNAL, Problem, error_body, problem_of

KEEP_ALIVE_S = 10.0
STILL_WORKING = b": still working\n\n"


class Asking(Protocol):
    """A question on its way: it tells its steps, and the start of its answer where that may go ahead."""

    def __call__(
        self, *, on_event: Callable[[AskEvent], None], on_release: Callable[[Shown], None]
    ) -> Awaitable[AskResult]: ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Sentence:
    """One sentence of the answer with the white space before it, and what its certificate says of it."""

    index: int
    text: str
    span: tuple[int, int]
    verdict: str | None
    evidence: list[Json]

    def event(self) -> dict[str, Any]:
        return {
            "index": self.index,
            "text": self.text,
            "span": list(self.span),
            "verdict": self.verdict,
            "evidence": self.evidence,
        }


Heard = AskEvent | Sentence | AskResult | None
"""What a stream is made of, in order; None: nothing for a while."""


async def ask_events(
    ask: Asking, *, request_id: str, finish: Callable[[AskResult], Mapping[str, Any]]
) -> AsyncIterator[bytes]:
    """The stream of one question. An error after the start is an `error` event and the end."""
    try:
        async with aclosing(told(ask)) as stream:
            async for heard in stream:
                if heard is None:
                    yield STILL_WORKING
                elif isinstance(heard, AskEvent):
                    yield frame("step", step(heard))
                elif isinstance(heard, Sentence):
                    yield frame("sentence", heard.event())
                else:
                    yield frame("decision", finish(heard))
    except Problem as problem:
        yield frame("error", error_body(problem, request_id))
    except SurefootError as error:
        yield frame("error", error_body(problem_of(error), request_id))
    except Exception:
        yield frame("error", error_body(INTERNAL, request_id))
        raise


async def told(ask: Asking) -> AsyncGenerator[Heard, None]:
    """Steps and sentences as they come, then the rest of the sentences, then the result."""
    loop = asyncio.get_running_loop()
    news: asyncio.Queue[AskEvent | Shown | None] = asyncio.Queue()

    def on_news(item: AskEvent | Shown) -> None:  # called from the engine's thread
        with suppress(RuntimeError):  # this loop is gone: nobody listens any more
            loop.call_soon_threadsafe(news.put_nowait, item)

    task = asyncio.ensure_future(ask(on_event=on_news, on_release=on_news))
    task.add_done_callback(lambda _: news.put_nowait(None))
    said = ""
    try:
        async for item in _until_done(news):
            if isinstance(item, Shown):
                for sentence in cut(item.text, item.certificate):
                    yield sentence
                said = item.text
            else:
                yield item
        answer = await task
        text = answer.result.final_answer
        if not text.startswith(said):
            raise RuntimeError("the answer does not begin with what was shown")
        for sentence in cut(text, answer.result.metadata.certificate, after=len(said)):
            yield sentence
        yield answer
    finally:
        task.cancel()


def cut(text: str, certificate: Mapping[str, Json], *, after: int = 0) -> list[Sentence]:
    """The text behind each sentence's end, from `after` on: joined, the pieces are the text."""
    entries: Any = certificate.get("sentences", [])
    proofs = {tuple(entry["span"]): entry for entry in entries}
    found = sentences(text)
    spans = [sentence.span for sentence in found] or ([(0, len(text))] if text else [])
    pieces, last = [], after
    for index, span in enumerate(spans):
        end = len(text) if index == len(spans) - 1 else span[1]
        if end <= last:
            continue
        entry = proofs.get(span, {})
        piece = Sentence(
            index=index,
            text=text[last:end],
            span=span,
            verdict=entry.get("verdict"),
            evidence=entry.get("evidence", []),
        )
        pieces.append(piece)
        last = end
    return pieces


def frame(event: str, data: Mapping[str, Any]) -> bytes:
    return f"event: {event}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def step(event: AskEvent) -> dict[str, Any]:
    """A step as a client sees it: counts and verdicts, no text."""
    return {
        "node": event.node,
        "state": event.state,
        "round": event.round,
        "elapsedMs": round(event.elapsed_ms, 2),
        "tookMs": round(event.took_ms, 2),
        "score": event.score,
        "reason": event.reason,
        "detail": dict(event.detail),
    }


async def _until_done(news: asyncio.Queue[AskEvent | Shown | None]) -> AsyncIterator[AskEvent | Shown | None]:
    while True:
        try:
            async with asyncio.timeout(KEEP_ALIVE_S):
                item = await news.get()
        except TimeoutError:
            yield None
            continue
        if item is None:
            return
        yield item
