"""A stream shows proven sentences early, takes nothing back, and stops when nobody listens."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import openai
import pytest
from tests.flows.house import QuoteCheck, Shelf
from tests.server.conftest import served
from tests.server.small_house import PASSAGES, SmallHouse, events_of

from surefoot.core.types import AskEvent, AskResult, Shown, VerifyInput
from surefoot.server.stream import ask_events
from surefoot.settings import Settings
from surefoot.testing.server import Body, LocalModelServer, ServerPlan
from surefoot.verify.prove.recheck import problems_of
from surefoot.wiring import Surefoot

TEXT = "The bursary pays R35 000 per year [S1]. Applications close on 30 September 2026 [S1]."
START = "The bursary pays R35 000 per year [S1]."


@pytest.fixture
def answer(house: SmallHouse) -> AskResult:
    request = VerifyInput(draft_answer=TEXT, chunks=house.passages)
    return AskResult(question="?", result=asyncio.run(house.gate.verify(request)), passages=())


@pytest.fixture
def shown(house: SmallHouse) -> Shown:
    result = asyncio.run(house.gate.verify(VerifyInput(draft_answer=START, chunks=house.passages)))
    return Shown(text=START, claims=(), reports=(), passages=(), certificate=result.metadata.certificate)


class Question:
    """Tells the start, waits to be let go on, and answers."""

    def __init__(self, shown: Shown, answer: AskResult | Exception) -> None:
        self.shown, self.answer = shown, answer
        self.go_on, self.cancelled = asyncio.Event(), False

    async def __call__(self, *, on_event: Callable[[AskEvent], None], on_release: Callable[[Shown], None]) -> AskResult:
        on_event(AskEvent(node="validate", state="started", round=1))
        on_release(self.shown)
        try:
            await self.go_on.wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def events(question: Question) -> AsyncIterator[bytes]:
    return ask_events(question, request_id="r", finish=lambda asked: {"finalAnswer": asked.result.final_answer})


async def until_it_raises(stream: AsyncIterator[bytes], kind: type[Exception]) -> list[bytes]:
    heard: list[bytes] = []
    while True:
        try:
            heard.append(await anext(stream))
        except kind:
            return heard


def test_a_proven_sentence_is_sent_while_the_answer_is_still_being_decided(shown: Shown, answer: AskResult) -> None:
    async def story() -> list[tuple[str, Any]]:
        question = Question(shown, answer)
        stream = events(question)
        early = [await anext(stream), await anext(stream)]
        assert [name for name, _ in events_of(b"".join(early).decode())] == ["step", "sentence"]
        question.go_on.set()
        return events_of(b"".join([*early, *[data async for data in stream]]).decode())

    told = asyncio.run(story())
    assert [name for name, _ in told] == ["step", "sentence", "sentence", "decision"]
    said = [data for name, data in told if name == "sentence"]
    assert "".join(data["text"] for data in said) == told[-1][1]["finalAnswer"] == TEXT
    assert [(data["index"], data["verdict"]) for data in said] == [(0, "proven"), (1, "proven")]
    assert [TEXT[slice(*data["span"])] for data in said] == [data["text"].strip() for data in said]


def test_an_answer_that_does_not_begin_with_what_was_shown_is_never_sent(shown: Shown, house: SmallHouse) -> None:
    other = asyncio.run(
        house.gate.verify(VerifyInput(draft_answer="The library opens at 08:00 [S2].", chunks=house.passages))
    )

    async def story() -> list[bytes]:
        question = Question(shown, AskResult(question="?", result=other, passages=()))
        question.go_on.set()
        return await until_it_raises(events(question), RuntimeError)

    text = b"".join(asyncio.run(story())).decode()
    assert [name for name, _ in events_of(text)] == ["step", "sentence", "error"]
    assert "library" not in text


def test_a_failure_behind_the_first_sentence_is_an_error_event_and_the_end(shown: Shown) -> None:
    async def story() -> list[bytes]:
        question = Question(shown, ValueError("Zola Nkosi"))
        question.go_on.set()
        return await until_it_raises(events(question), ValueError)

    text = b"".join(asyncio.run(story())).decode()
    assert [name for name, _ in events_of(text)] == ["step", "sentence", "error"]
    assert "Zola" not in text


def test_a_client_that_leaves_behind_the_first_sentence_stops_the_work(shown: Shown, answer: AskResult) -> None:
    async def story() -> bool:
        question = Question(shown, answer)
        stream = events(question)
        await anext(stream)
        await anext(stream)
        await stream.aclose()  # type: ignore[attr-defined]
        await asyncio.sleep(0)
        return question.cancelled

    assert asyncio.run(story())


class Model:
    """Writes the draft it is given; as the critic it speaks when it is let, or after ten seconds."""

    def __init__(self) -> None:
        self.draft = ""
        self.verdict: dict[str, Any] = {"approved": True, "issues": [], "recommendation": "approve"}
        self.may_speak = threading.Event()

    def __call__(self, body: Body) -> str:
        if "response_format" not in body:
            return self.draft
        self.may_speak.wait(timeout=10)
        return json.dumps(self.verdict)


class AskingHouse(Surefoot):
    """The real workflow, gate and critic over two passages; a sentence with `perhaps` is neither proven nor wrong."""

    retriever = Shelf(PASSAGES)  # type: ignore[assignment]
    grounding = (QuoteCheck(),)

    async def warm(self) -> None:
        self.pack()


DOUBTFUL = "Perhaps the bursary is generous [S1]."


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def asking(model: Model, tmp_path: Path) -> Iterator[tuple[str, AskingHouse]]:
    with LocalModelServer(ServerPlan(reply=model)) as server:
        settings = Settings(
            kb=tmp_path / "kb",
            rate_limit_per_minute=0,
            cache=False,
            llm="openai:local",
            llm_critic="openai:local",
            llm_base_url=server.base_url,
            llm_api_key="none",
            deadline_ms=30_000,
            critic_timeout_ms=20_000,
        )
        house = AskingHouse(settings)
        with served(house) as url:
            yield url, house
        model.may_speak.set()


def streamed(url: str, model: Model, **more: Any) -> list[tuple[str, dict[str, Any]]]:
    """The events of one question; the critic may speak only once the first sentence is here, or nothing comes."""
    body = {"question": "How much does the bursary pay?", "stream": True, **more}
    heard = ""
    with httpx2.stream("POST", f"{url}/v1/ask", json=body, timeout=30) as response:
        for line in response.iter_lines():
            heard += f"{line}\n"
            if line == "event: sentence":
                model.may_speak.set()
    return events_of(heard)


def test_the_first_sentence_arrives_before_the_critic_has_spoken(asking: tuple[str, AskingHouse], model: Model) -> None:
    model.draft = f"{START} {DOUBTFUL}"
    told = streamed(asking[0], model)
    assert [name for name, _ in told if name != "step"] == ["sentence", "sentence", "decision"]
    first = next(at for at, (name, _) in enumerate(told) if name == "sentence")
    assert any(data.get("node") == "validate" and data["state"] == "finished" for _, data in told[first:])
    assert told[-1][1]["finalAnswer"] == model.draft


@pytest.mark.parametrize(
    ("verdict", "decision"),
    [({"approved": False, "issues": [], "recommendation": "reject"}, "fallback"), ("no JSON at all", "revised")],
)
def test_what_was_shown_stays_whatever_the_critic_says(
    asking: tuple[str, AskingHouse], model: Model, verdict: Any, decision: str
) -> None:
    model.draft, model.verdict = f"{START} {DOUBTFUL}", verdict
    told = streamed(asking[0], model)
    result = told[-1][1]
    assert result["decision"] == decision
    assert "".join(data["text"] for name, data in told if name == "sentence") == result["finalAnswer"]
    assert result["finalAnswer"].startswith(START)
    assert problems_of(result) == []


def test_a_false_sentence_is_never_sent(asking: tuple[str, AskingHouse], model: Model) -> None:
    model.draft = f"{START} The bursary pays for a car [S1]. {DOUBTFUL}"
    told = streamed(asking[0], model)
    assert "car" not in "".join(data["text"] for name, data in told if name == "sentence")
    assert told[-1][1]["finalAnswer"] == f"{START} {DOUBTFUL}"


def test_a_pack_that_looks_at_the_whole_answer_sends_nothing_before_its_decision(
    asking: tuple[str, AskingHouse], model: Model
) -> None:
    model.draft = f"{START} {DOUBTFUL}"
    model.may_speak.set()
    told = streamed(asking[0], model, pack="thandi")
    first = next(at for at, (name, _) in enumerate(told) if name == "sentence")
    assert all(name != "step" for name, _ in told[first:])


def test_an_openai_client_gets_the_first_sentence_early_too(asking: tuple[str, AskingHouse], model: Model) -> None:
    model.draft = f"{START} {DOUBTFUL}"
    client = openai.OpenAI(base_url=f"{asking[0]}/v1", api_key="any")
    question: Any = [{"role": "user", "content": "How much does the bursary pay?"}]
    said, verdict = [], None
    for chunk in client.chat.completions.create(model="surefoot", messages=question, stream=True):
        if chunk.choices and chunk.choices[0].delta.content:
            said.append(chunk.choices[0].delta.content)
            model.may_speak.set()
        verdict = (chunk.model_extra or {}).get("surefoot") or verdict
    assert said == [START, f" {DOUBTFUL}"]
    assert verdict["decision"] == "approved"
