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
        ("The docks of Harbour and Mill together is 36 [S1].", True),
        ("The docks of Harbour and Mill together is 64 [S1].", False),
        ("Of Harbour and Mill, Harbour has the higher docks (24 against 12) [S1].", True),
        ("Of Harbour and Mill, Mill has the higher docks (24 against 12) [S1].", False),
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


def test_rows_under_a_condition_are_counted_and_ranked_again(submit: Submit) -> None:
    text = (
        "| Trip | Days | Price |\n|---|---|---|\n| Cave | Sun | £24 |\n| Moor | Sat to Mon | £18 |\n| Pond | Sat | £3 |"
    )
    page = Passage(id="t", text=text, metadata={"title": "Trips"})
    for draft, proven in (
        ("2 trips are listed with Days Sunday: Cave and Moor [S1].", True),
        ("2 trips are listed with Days Sunday: Cave and Pond [S1].", False),
        ("Of the 2 listed by trip with Days Sunday, Moor has the lowest price (£18) [S1].", True),
        ("Of the 2 listed by trip with Days Sunday, Pond has the lowest price (£3) [S1].", False),
        ("Of the 3 listed by trip with Days Sunday, Pond has the lowest price (£3) [S1].", False),
    ):
        found, _ = judged(submit, draft, "Which trips run on Sundays?", page)
        assert (found == [("proven", "derived")]) is proven


def test_nothing_follows_from_a_table_of_which_rows_are_missing(submit: Submit) -> None:
    draft = "Of the 3 listed by station, Market has the highest docks (40) [S1]."
    said = {**STATIONS.metadata, "type": "table", "columns": ["Station", "Docks"]}
    for rows, proven in ((3, True), (4, False)):
        page = replace(STATIONS, metadata={**said, "rows": rows})
        found, _ = judged(submit, draft, "Which station has the most docks?", page)
        assert (found == [("proven", "derived")]) is proven
    drawn = Passage(
        id="t", text="| Station | Docks |\n|---|---|\n| Quay | 4 |\n| Mill | 2 |", metadata={"cut_rows": ["after"]}
    )
    highest = "Of the 2 listed by station, Quay has the highest docks (4) [S1]."
    assert judged(submit, highest, "Which station has the most docks?", drawn)[0] != [("proven", "derived")]
