"""Superlatives and counts are worked out over all rows."""

from __future__ import annotations

from surefoot.core.kinds import kind_of
from surefoot.core.types import Passage
from surefoot.generate.quotable import quotables
from surefoot.generate.tables import Computed, computed

CSV = Passage(
    id="a",
    text="Office: Head office; City: Sheffield; Staff: 112.\n\nOffice: Studio; City: Leeds; Staff: 23.\n\n"
    "Office: Works; City: Bristol; Staff: 87.",
    metadata={"title": "offices"},
)
MARKDOWN = Passage(
    id="b",
    text="| Boat | Berths | Price per week | Built |\n|---|---|---|---|\n| Grebe | 4 | £980 | 2021 |\n"
    "| Egret | 10 | £1,720 | 2023 |\n| Bittern | 6 | £890 | 2009 |",
    metadata={"title": "boats"},
)


def work_out(question: str, *passages: Passage) -> Computed | None:
    return computed(question, kind_of(question), list(quotables(passages, style="[S#]", rows=True)))


def test_the_row_with_the_most_is_named_with_its_figure() -> None:
    found = work_out("Which office has the most staff?", CSV)
    assert found is not None
    assert found.text == "Of the 3 listed by office, Head office has the highest staff (112) [S1]."
    assert [row.text for row in found.rows] == ["Office: Head office; City: Sheffield; Staff: 112."]


def test_a_word_such_as_cheapest_finds_its_column() -> None:
    found = work_out("Which boat is the cheapest?", MARKDOWN)
    assert found is not None
    assert found.text == "Of the 3 listed by boat, Bittern has the lowest price per week (£890) [S1]."
    oldest = work_out("Which boat is the oldest?", MARKDOWN)
    assert oldest is not None
    assert oldest.text.startswith("Of the 3 listed by boat, Bittern has the lowest built (2009)")


def test_rows_are_counted_where_nothing_restricts_them() -> None:
    found = work_out("How many offices does the company have?", CSV)
    assert found is not None
    assert found.text == "3 offices are listed: Head office, Studio and Works [S1]."
    assert work_out("How many offices are there in France?", CSV) is None
    leeds = work_out("How many offices are in Leeds?", CSV)
    assert leeds is not None
    assert leeds.text == "Of the offices 1 is listed with City Leeds: Studio [S1]."


def test_a_column_with_a_hole_is_not_ranked() -> None:
    holed = Passage(id="c", text="Boat: A; Berths: 4.\n\nBoat: B; Berths: unknown.", metadata={"title": "boats"})
    assert work_out("Which boat has the most berths?", holed) is None


def test_a_table_of_other_things_gives_nothing() -> None:
    assert work_out("Which nurse has the most patients?", CSV) is None


def test_a_winner_stands_in_a_text_by_its_row_and_a_count_only_by_its_words() -> None:
    best, count = work_out("Which office has the most staff?", CSV), work_out("How many offices are there?", CSV)
    assert best is not None
    assert count is not None
    assert best.stands_in("Office: Head office; City: Sheffield; Staff: 112 [S1].")
    assert not count.stands_in(CSV.text)


def test_the_verb_before_the_most_finds_its_column() -> None:
    dearest = work_out("Which boat costs the most?", MARKDOWN)
    assert dearest is not None
    assert "Egret has the highest price per week (£1,720)" in dearest.text
    lightest = work_out("Which kiln weighs the least?", KILNS)
    assert lightest is not None
    assert "Pip has the lowest weight (40 kg)" in lightest.text
    most = work_out("Which kiln can hold the most?", KILNS)
    assert most is not None
    assert "Duchess has the highest capacity (210 l)" in most.text
    assert work_out("Which kiln does the potter like the most?", KILNS) is None


KILNS = Passage(
    id="c",
    text="| Kiln | Weight | Capacity |\n|---|---|---|\n| Pip | 40 kg | 22 l |\n| Duchess | 310 kg | 210 l |",
    metadata={"title": "kilns"},
)
