"""Verdicts in natural words over twenty-four cases: four right sentences of each and three wrong ones, sent one by one.

Written before the code was changed: then 27 of the 96 right ones left as they were, 19 came to nothing, and 5 of the 72
wrong ones left. The last half was measured before and after only (decision 0143).
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path

import pytest

from surefoot.core.types import Passage, VerifyInput
from surefoot.settings import Settings
from surefoot.wiring import build

HALVES = ("first", "last")
LEAKS: dict[str, set[str]] = {
    "first": set(),
    "last": {"You had agreed to work for nothing [case].", "He showed you the figures when you asked [case]."},
}
"""Wrong sentences that leave: the grounders believe them. The list may only shrink."""
LEAST_KEPT = {"first": 19, "last": 12}
"""Of 48 each; 20 and 13 here."""
MOST_LOST = {"first": 1, "last": 6}
"""0 and 5 here."""

Fates = dict[str, dict[str, str]]


@pytest.fixture(scope="module", params=HALVES)
def half(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def fates(half: str) -> Fates:
    """Of right and wrong sentences what became of each: kept, told in a source's own words, or lost."""
    path = Path(__file__).parent / f"verdicts_{half}.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    gate = build(Settings(kb=Path("nowhere"), packs_dir=None, deadline_ms=60_000)).rehearsal("judge", "2026-01-15", ())

    async def sent() -> Fates:
        found: Fates = {"right": {}, "wrong": {}}
        for row in rows:
            chunks = tuple(Passage(id=str(number), text=text) for number, text in enumerate(row["references"], 1))
            for kind, fate in found.items():
                for sentence in row[kind]:
                    request = VerifyInput(
                        draft_answer=sentence, chunks=chunks, question=row["question"], case=row["case"], pack="judge"
                    )
                    result = await gate.verify(request)
                    kept = sentence in result.final_answer
                    fate[sentence] = "kept" if kept else "told" if result.accepted else "lost"
        return found

    return asyncio.run(sent())


def test_there_are_twelve_cases_in_each_half(fates: Fates) -> None:
    assert (len(fates["right"]), len(fates["wrong"])) == (48, 36)


def test_no_wrong_sentence_leaves_but_those_that_are_known(fates: Fates, half: str) -> None:
    assert {sentence for sentence, fate in fates["wrong"].items() if fate == "kept"} <= LEAKS[half]


def test_so_many_right_sentences_leave_and_so_few_come_to_nothing(fates: Fates, half: str) -> None:
    counts = Counter(fates["right"].values())
    assert counts["kept"] >= LEAST_KEPT[half]
    assert counts["lost"] <= MOST_LOST[half]
