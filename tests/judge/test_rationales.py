"""Natural sentences of verdicts over sixteen cases, each right one beside a wrong twin: what leaves and what does not.

Written before the code that weighs them was changed: then 10 of the 40 right ones left, and 15 with the grounders
before these. The grounders decide most of them, so the bound below is what code and grounders reach together, and it
may only rise.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from surefoot.core.types import Passage, VerifyInput
from surefoot.settings import Settings
from surefoot.wiring import build

ROWS = [json.loads(line) for line in (Path(__file__).parent / "rationales.jsonl").read_text("utf-8").splitlines()]
LEAKS = {
    "You were asked, as the employer must consult those concerned [1] [case].",
    "Your contract says 6, and now they want you there by 7.30 [case].",
}
"""Wrong sentences that leave: the grounders believe them. The list may only shrink."""
LEAST_KEPT = 22
"""Of 40; 23 here."""


@pytest.fixture(scope="module")
def left() -> set[str]:
    """The sentences that leave the gate as they are, each sent alone."""
    gate = build(Settings(kb=Path("nowhere"), packs_dir=None, deadline_ms=60_000)).rehearsal("judge", "2026-01-15", ())

    async def sent() -> set[str]:
        found = set()
        for row in ROWS:
            chunks = tuple(Passage(id=str(number), text=text) for number, text in enumerate(row["references"], 1))
            for sentence in (said for pair in row["pairs"] for said in pair.values()):
                request = VerifyInput(
                    draft_answer=sentence, chunks=chunks, question=row["question"], case=row["case"], pack="judge"
                )
                if sentence in (await gate.verify(request)).final_answer:
                    found.add(sentence)
        return found

    return asyncio.run(sent())


def test_there_are_forty_pairs() -> None:
    assert sum(len(row["pairs"]) for row in ROWS) == 40
    assert all(pair["right"] != pair["wrong"] for row in ROWS for pair in row["pairs"])


def test_no_wrong_sentence_leaves_but_those_that_are_known(left: set[str]) -> None:
    assert {pair["wrong"] for row in ROWS for pair in row["pairs"]} & left <= LEAKS


def test_so_many_right_sentences_leave(left: set[str]) -> None:
    assert len({pair["right"] for row in ROWS for pair in row["pairs"]} & left) >= LEAST_KEPT


@pytest.mark.parametrize(
    "sentence",
    [
        "Half past eleven is later than the 10 pm that is advised at his age [1] [case].",
        "An hour and a half is three times the 30 minutes that homework should take at most [1] [case].",
        "Eighteen days passed before anybody came, far more than the 24 hours for a door that cannot be locked [1] "
        "[case].",
        "Last Saturday he came home at 11.40 and did not answer his phone [case].",
        "Your contract says 7.30, and now they want you there by 6 [case].",
        "Nobody asked you, although the employer must consult those concerned [1] [case].",
    ],
)
def test_what_code_is_certain_of_leaves(left: set[str], sentence: str) -> None:
    assert sentence in left
