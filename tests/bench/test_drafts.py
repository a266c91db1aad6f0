"""The drafts bench: what became of each sentence is read from the final answer, and told and leaked stand together."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from surefoot.bench.drafts import LabelCritic, Row, fates, read_rows, report, run
from surefoot.core.errors import InputError
from surefoot.core.types import (
    Decision,
    ModelRequest,
    ResultMetadata,
    Revision,
    RuleStatus,
    VerificationResult,
    VerifyInput,
)

SOURCES = ["A yearly card costs R120. Children under 12 join free of charge.", "The room opens at 09:00 on weekdays."]
GREETING = {"text": "Hello Sam!", "label": 0, "silent": True}
CARD = {"text": "You pay R120 for a card each year.", "label": 0}
CHILDREN = {"text": "Children below 12 pay R30 to join.", "label": 1, "wrong": "pay R30"}
FIRST = {"id": "1", "kind": "library", "sources": SOURCES}
ROWS = [
    {**FIRST, "answer": "Hello Sam! You pay R120 for a card each year.", "sentences": [GREETING, CARD]},
    {
        **FIRST,
        "id": "2",
        "answer": "You pay R120 for a card each year. Children below 12 pay R30 to join.",
        "sentences": [CARD, CHILDREN],
    },
]


class Scripted:
    """A gate that gives the texts it is told to give."""

    def __init__(self, *texts: str) -> None:
        self.texts = list(texts)

    async def verify(self, request: VerifyInput, **more: Any) -> VerificationResult:
        text = self.texts.pop(0)
        return result(text, Decision.APPROVED if text == request.draft_answer else Decision.REVISED)


def result(text: str, decision: Decision = Decision.REVISED, *revisions: Revision) -> VerificationResult:
    metadata = ResultMetadata(
        processing_time_ms=1.0,
        stages_completed=(),
        issues_detected=(),
        revisions_applied=revisions,
        sources_used=(),
        llm_model=None,
        fallback_reason=None,
        rule_status=RuleStatus.PASS,
        confidence=1.0,
        certificate={},
    )
    return VerificationResult(success=True, decision=decision, final_answer=text, metadata=metadata)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "drafts.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in ROWS), encoding="utf-8")
    return path


def outcomes(row: Row, text: str, *revisions: Revision) -> list[str]:
    return [fate.outcome for fate in fates(row, result(text, Decision.REVISED, *revisions))]


def test_a_sentence_with_a_marker_added_is_unchanged(file: Path) -> None:
    _, row = read_rows(file)
    assert outcomes(row, "You pay R120 for a card each year [S1].") == ["unchanged", "stopped"]


def test_the_sources_own_sentence_in_its_place_tells_a_right_one(file: Path) -> None:
    _, row = read_rows(file)
    assert outcomes(row, "A yearly card costs R120 [S1].") == ["quoted", "stopped"]


def test_a_quote_of_another_matter_tells_nothing(file: Path) -> None:
    _, row = read_rows(file)
    assert outcomes(row, "The room opens at 09:00 on weekdays [S2].") == ["lost", "stopped"]


def test_a_quote_that_the_revisions_put_in_its_place_needs_fewer_of_its_words(file: Path) -> None:
    _, row = read_rows(file)
    far = replace(row, sentences=row.sentences[:1], sources=("The card is paper. It costs R120 a year.",))
    text = "The card is paper."
    put = Revision(code="evidence_miss", kind="quote", before=row.sentences[0].text, after=text, span=(0, 1))
    assert (outcomes(far, text), outcomes(far, text, put)) == (["lost"], ["quoted"])


def test_a_repaired_sentence_that_brings_in_a_new_figure_is_not_told(file: Path) -> None:
    _, row = read_rows(file)
    assert outcomes(row, "You may pay R120 for a card each year.")[0] == "repaired"
    assert outcomes(row, "You pay R900 for a card each year.")[0] == "lost"


def test_a_wrong_sentence_leaks_in_a_repaired_form_that_holds_its_wrong_words(file: Path) -> None:
    _, row = read_rows(file)
    assert outcomes(row, "Children below 12 may pay R30 to join.")[1] == "leaked"
    assert outcomes(row, "Children below 12 pay nothing to join.")[1] == "stopped"


def test_a_sentence_that_lost_its_opening_is_repaired_or_leaks(file: Path) -> None:
    """What is left of it stands in the draft too, as a part of the whole."""
    first, second = read_rows(file)
    opened = replace(first, answer="According to the passages, you pay R120 for a card each year.")
    labelled = replace(opened.sentences[1], text=opened.answer)
    found = fates(replace(opened, sentences=(labelled,)), result("You pay R120 for a card each year."))
    assert [fate.outcome for fate in found] == ["repaired"]
    wrong = replace(second.sentences[1], text="As far as I know, children below 12 pay R30 to join.")
    found = fates(replace(second, answer=wrong.text, sentences=(wrong,)), result("Children below 12 pay R30 to join."))
    assert [fate.outcome for fate in found] == ["leaked"]


def test_shares_are_reported_with_greetings_apart(file: Path) -> None:
    gate = Scripted(ROWS[0]["answer"], "Children below 12 pay R30 to join.")  # type: ignore[arg-type]
    numbers = report(asyncio.run(run(file, lambda row: gate)))
    assert (numbers["told"], numbers["kept"], numbers["leaked"], numbers["approved"]) == (0.5, 0.6667, 1.0, 1.0)
    assert numbers["silent"] == {"sentences": 1, "kept": 1.0}
    assert numbers["by_kind"] == {
        "library": {"rows": 2, "told": 0.5, "kept": 0.6667, "leaked": 1.0, "approved": 1.0},
    }


def test_the_simulated_critic_names_the_wrong_sentence_and_nothing_else(file: Path) -> None:
    first, second = read_rows(file)
    said = [
        json.loads(asyncio.run(LabelCritic(row).complete(ModelRequest(system="", prompt=row.answer))).text)
        for row in (first, second)
    ]
    assert said[0] == {"approved": True, "issues": [], "doubtful": [], "recommendation": "approve"}
    assert [issue["location"] for issue in said[1]["issues"]] == [CHILDREN["text"]]


def test_the_simulated_critic_settles_the_doubtful_claims_by_their_numbers(file: Path) -> None:
    _, row = read_rows(file)
    listed = f"1. {CARD['text']}\n   nearest: [S1] {SOURCES[0]}\n2. {CHILDREN['text']}"
    prompt = (
        f"{row.answer}\n\nDOUBTFUL CLAIMS (each):\n==========\n{listed}\n==========\n\nTASKS:\n1. Check every claim"
    )
    said = json.loads(asyncio.run(LabelCritic(row).complete(ModelRequest(system="", prompt=prompt))).text)
    assert said["doubtful"] == [{"number": 1, "supported": True}, {"number": 2, "supported": False}]


def test_a_row_without_labels_is_refused_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "drafts.jsonl"
    path.write_text(json.dumps({"answer": "A", "sources": ["A"], "sentences": [{"text": "A"}]}), encoding="utf-8")
    with pytest.raises(InputError, match=r"drafts\.jsonl:1: .*label"):
        list(read_rows(path))
