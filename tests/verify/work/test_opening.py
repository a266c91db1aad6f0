"""The models are opened before the first deadline that may need them, and not for a draft of quotes alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from surefoot.core.errors import EncoderError
from surefoot.core.types import Passage, VerifyInput
from surefoot.encoders import session
from surefoot.testing.clock import FakeClock
from surefoot.verify.gate import Gate
from surefoot.verify.work.opening import LARGEST, Opening, quotes_alone
from surefoot.wiring import Surefoot

SOURCE = "The deposit is £60.\nIt is refunded within 14 days.\n\n- Wash the wheel.\n- Dry it."


def _request(draft: str, text: str = SOURCE) -> VerifyInput:
    return VerifyInput(draft_answer=draft, chunks=(Passage(id="S1", text=text),))


@pytest.mark.parametrize(
    "draft",
    [
        "The deposit is £60 [S1].",
        "It is refunded within 14 days. [S1]",
        "- Wash the wheel [S1].\n- Dry it [S1].",
        "Yes. Dry it [S1].",
    ],
)
def test_a_draft_of_quotes_needs_no_model(draft: str) -> None:
    assert quotes_alone(_request(draft))


@pytest.mark.parametrize("draft", ["The deposit is £70 [S1].", "The deposit is £60 [S1]. It comes back soon [S1]."])
def test_a_sentence_of_its_own_needs_them(draft: str) -> None:
    assert not quotes_alone(_request(draft))


def test_very_much_text_is_not_looked_through() -> None:
    assert not quotes_alone(_request("The deposit is £60 [S1].", SOURCE + " " * LARGEST))


def test_they_are_opened_once() -> None:
    opened: list[str] = []
    opening = Opening(lambda: opened.append("models"))

    async def three() -> None:
        for draft in ("The deposit is £60 [S1].", "The deposit is due [S1].", "A deposit is due [S1]."):
            await opening.before(_request(draft))

    asyncio.run(three())
    assert opened == ["models"]


def test_a_house_answers_with_a_quote_and_opens_no_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    load = session._load

    def noted(name: str, *more: object) -> object:
        opened.append(name)
        return load(name, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(session, "_load", noted)
    house = Surefoot(kb=tmp_path)
    assert asyncio.run(house.gate.verify(_request("The deposit is £60 [S1]."))).accepted
    assert opened == []
    asyncio.run(house.gate.verify(_request("A deposit of £60 is taken [S1].")))
    assert {"grounder_accurate", "grounder_fast", "embedder"} <= set(opened)


def test_the_time_of_opening_is_not_taken_from_the_draft(gate_with: Callable[..., Gate]) -> None:
    clock = FakeClock()
    gate = gate_with(clock=clock, open_models=lambda: clock.advance(60))
    result = asyncio.run(gate.verify(_request("A deposit of £60 is taken [S1].")))
    assert result.accepted
    assert result.metadata.processing_time_ms < 60_000


def test_a_model_that_cannot_be_opened_is_said_and_not_taken_for_a_verdict(gate_with: Callable[..., Gate]) -> None:
    def broken() -> None:
        raise EncoderError("cannot open the grounder")

    with pytest.raises(EncoderError, match="cannot open the grounder"):
        asyncio.run(gate_with(open_models=broken).verify(_request("A deposit of £60 is taken [S1].")))
