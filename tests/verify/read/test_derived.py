"""A verdict, a superlative and a count are proven by code, and not released where code says otherwise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from surefoot.core.types import Passage
from surefoot.verify.checks.citations import CitationCheck
from surefoot.verify.checks.values import ValueCheck
from surefoot.verify.ground.risk import GroundingCheck
from surefoot.verify.read.submission import Submission

Submit = Callable[..., Submission]
BOX = Passage(id="box", text="Helmets are free. Dogs may not ride in the box.")
STATIONS = Passage(
    id="stations",
    text="Station: Harbour; Docks: 24.\n\nStation: Market; Docks: 40.\n\nStation: Mill; Docks: 12.",
    metadata={"title": "Stations", "file": "stations.csv"},
)
MYTHS = Passage(
    id="myths", text="A myth is that all of this is so:\n\nStation: Harbour; Docks: 24.\n\nStation: Mill; Docks: 12."
)


def judged(submit: Submit, draft: str, question: str, *passages: Passage) -> tuple[list[tuple[str, str]], list[str]]:
    submission = replace(submit(draft, list(passages)), question=question)
    report = GroundingCheck().run(submission)
    codes = [one.issue.code for check in (ValueCheck(), CitationCheck()) for one in check.run(submission).findings]
    return [(one.status.value, one.method) for one in report.judgements], codes


@pytest.mark.parametrize(
    ("draft", "question", "first"),
    [
        ("No [S1]. Dogs may not ride in the box [S1].", "May dogs ride in the box?", ("proven", "derived")),
        ("Yes [S1]. Helmets are free [S1].", "Are helmets free?", ("proven", "derived")),
        ("No [S1]. Helmets are free [S1].", "Are helmets free?", ("doubtful", "nothing")),
        ("Yes [S1]. Dogs may not ride in the box [S1].", "May dogs ride in the box?", ("doubtful", "nothing")),
        ("Yes [S1]. Helmets are free [S1].", "Is the box free?", ("doubtful", "nothing")),
    ],
)
def test_a_bare_verdict_is_what_the_quote_behind_it_says(
    submit: Submit, draft: str, question: str, first: tuple[str, str]
) -> None:
    found, codes = judged(submit, draft, question, BOX)
    assert found[0] == first
    assert found[1] == ("proven", "quote")
    assert not (first[0] == "proven" and codes)


@pytest.mark.parametrize(
    ("draft", "proven"),
    [
        ("Of the 3 listed by station, Market has the highest docks (40) [S1].", True),
        ("3 stations are listed: Harbour, Market and Mill [S1].", True),
        ("Of the 3 listed by station, Harbour has the highest docks (24) [S1].", False),
        ("2 stations are listed: Harbour and Market [S1].", False),
    ],
)
def test_a_statement_about_a_table_is_worked_out_again(submit: Submit, draft: str, proven: bool) -> None:
    found, codes = judged(submit, draft, "Which station has the most docks?", STATIONS)
    assert (found == [("proven", "derived")]) is proven
    assert not (proven and codes)


def test_all_rows_of_the_document_count_whichever_passage_is_cited(submit: Submit) -> None:
    more = Passage(id="more", text="Station: Quay; Docks: 90.\n\nStation: Lock; Docks: 8.", metadata=STATIONS.metadata)
    draft = "Of the 3 listed by station, Market has the highest docks (40) [S1]."
    assert judged(submit, draft, "Which station has the most docks?", STATIONS, more)[0] != [("proven", "derived")]


def test_a_table_that_is_taken_back_proves_nothing(submit: Submit) -> None:
    found, _ = judged(submit, "2 stations are listed: Harbour and Mill [S1].", "How many stations are there?", MYTHS)
    assert found != [("proven", "derived")]


@pytest.mark.parametrize(
    ("below", "proven"),
    [
        ("To cancel, give 30 days' notice in writing.", True),
        ("The yard is open until noon.", True),
        ("Ring us if you plan a longer trip.", True),
        ("These figures were right until 2024.", False),
        ("The docks are no longer in use.", False),
        ("All of the above is cancelled.", False),
        ("The stations were planned and never built.", False),
    ],
)
def test_what_stands_below_a_table_takes_it_back_only_where_it_speaks_of_it(
    submit: Submit, below: str, proven: bool
) -> None:
    table = "| Station | Docks |\n|---|---|\n| Harbour | 24 |\n| Mill | 12 |\n\n"
    draft = "Of the 2 listed by station, Mill has the lowest docks (12) [S1]."
    found, _ = judged(submit, draft, "Which station has the fewest docks?", Passage(id="t", text=table + below))
    assert (found == [("proven", "derived")]) is proven
