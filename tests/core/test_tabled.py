"""What follows from the rows of a table is known again, and nothing else is."""

from __future__ import annotations

import pytest

from surefoot.core.tabled import CUT_ROWS, Table, follows, tables
from surefoot.core.types import Passage

TOLD = "Station: Harbour; Town: Kiel; Docks: 24.\n\nStation: Market; Town: Kiel; Docks: 40.\n\n" + (
    "Station: Mill; Town: Plön; Docks: 12."
)
MARKDOWN = "| Boat | Berths |\n|---|---|\n| Grebe | 4 |\n| Egret | 10 |"


def table(text: str, **metadata: object) -> Table:
    (found,) = tables([Passage(id="a", text=text, metadata={"title": "list", **metadata})])  # type: ignore[dict-item]
    return found


def test_rows_are_read_with_their_names_and_where_they_stand() -> None:
    told, drawn = table(TOLD).rows, table(MARKDOWN).rows
    assert [row.cells for row in told] == [("Harbour", "Kiel", "24"), ("Market", "Kiel", "40"), ("Mill", "Plön", "12")]
    assert TOLD[slice(*told[1].span)].startswith("Station: Market")
    assert [(row.names, row.cells) for row in drawn] == [
        (("Boat", "Berths"), ("Grebe", "4")),
        (("Boat", "Berths"), ("Egret", "10")),
    ]


@pytest.mark.parametrize(
    ("said", "text", "rests_on"),
    [
        ("Of the 3 listed by station, Market has the highest docks (40)", TOLD, "Market"),
        ("Of the 3 listed by station, Mill has the lowest docks (12)", TOLD, "Mill"),
        ("Of the 3 listed by station, Harbour has the highest docks (24)", TOLD, None),
        ("Of the 4 listed by station, Market has the highest docks (40)", TOLD, None),
        ("Of the 3 listed by station, Market has the highest docks (41)", TOLD, None),
        ("3 stations are listed: Harbour, Market and Mill", TOLD, "Harbour"),
        ("2 stations are listed with Town Kiel: Harbour and Market", TOLD, "Harbour"),
        ("Of the stations 1 is listed with Town Plön: Mill", TOLD, "Mill"),
        ("2 stations are listed: Harbour and Market", TOLD, None),
        ("3 stations are listed with Town Kiel: Harbour, Market and Mill", TOLD, None),
        ("3 towns are listed: Harbour, Market and Mill", TOLD, None),
        ("2 boats are listed: Grebe and Egret", MARKDOWN, "Grebe"),
        ("Of the 2 listed by station with Town Kiel, Harbour has the lowest docks (24)", TOLD, "Harbour"),
        ("Of the 2 listed by station with Town Kiel, Mill has the lowest docks (12)", TOLD, None),
        ("The docks of Harbour and Mill together is 36", TOLD, "Harbour"),
        ("The docks of Harbour and Mill together is 64", TOLD, None),
        ("The docks of Harbour and Market together is 36", TOLD, None),
        ("Of Harbour and Mill, Harbour has the higher docks (24 against 12)", TOLD, "Harbour"),
        ("Of Harbour and Mill, Mill has the higher docks (24 against 12)", TOLD, None),
    ],
)
def test_a_statement_about_a_whole_table_must_follow_from_its_rows(said: str, text: str, rests_on: str | None) -> None:
    row = follows(said, table(text))
    assert (row.cells[0] if row else None) == rests_on


def pages(*cuts: list[str]) -> list[Passage]:
    parts = ["| Hut | Beds |\n|---|---|\n| Ash | 2 |", "| Elm | 6 |\n| Fir | 3 |", "| Oak | 4 |"]
    starts = [0, len(parts[0]) + 1, len(parts[0]) + len(parts[1]) + 2]
    return [
        Passage(id=f"p{n}", text=text, metadata={"title": "Huts", "file": "huts.md", "start": start, CUT_ROWS: [*cut]})
        for n, (text, start, cut) in enumerate(zip(parts, starts, cuts, strict=True))
    ]


def test_a_table_over_several_passages_is_one_where_none_of_them_is_missing() -> None:
    first, second, third = pages(["after"], ["before", "after"], ["before"])
    (whole,) = tables([third, first, second])
    assert [(row.cells[0], row.passage) for row in whole.rows] == [
        ("Ash", "p0"),
        ("Elm", "p1"),
        ("Fir", "p1"),
        ("Oak", "p2"),
    ]
    for some in ([first, second], [first, third], [second, third], [first]):
        assert tables(some) == []


def test_records_make_a_table_where_all_of_them_are_there_and_a_field_left_out_is_an_empty_cell() -> None:
    said = {"type": "json", "title": "lessons", "columns": ["Name", "Days", "Fee"], "rows": 2}
    one, other = (
        Passage(id=name, text=f"Name: {name}; {rest}.", metadata={**said, "file": f"lessons.json#{name}"})
        for name, rest in (("Maps", "Days: Tue; Thu; Fee: £4"), ("Knots", "Days: Wed"))
    )
    (whole,) = tables([one, other])
    assert [row.cells for row in whole.rows] == [("Maps", "Tue; Thu", "£4"), ("Knots", "Wed", "")]
    assert tables([one]) == []


@pytest.mark.parametrize(
    "text",
    [
        "| Hut | Beds |\n|---|---|\n| Ash | 2 |\n| Elm |",
        "| Hut | Beds |\n|---|---|\n| By the river | |\n| Ash | 2 |\n| Elm | 3 |",
        "| Hut | Bed |\n|---|---|\n| Ash | 2 |\n| Elm | 3 |\n\n| Boat | Bunks |\n|---|---|\n| Tern | 4 |\n| Rail | 9 |",
        "Hut: Ash; Beds: 2; View: lake.\n\nHut: Elm; Beds: 3.\n\nHut: Oak; Beds: 4.",
    ],
)
def test_rows_that_are_not_alike_make_no_table(text: str) -> None:
    assert tables([Passage(id="a", text=text, metadata={})]) == []


def test_a_cell_that_is_the_very_thing_wanted_is_no_bound() -> None:
    engines = table("Engine: Kestrel; State: under overhaul.\nEngine: Merlin; State: in traffic.")
    assert [row.cells[0] for row in engines.under([(1, "under overhaul")])] == ["Kestrel"]
    ages = table("Group: Colts; Age: under 12.\nGroup: Seniors; Age: 12, under 12 with leave.")
    assert ages.under([(1, "under 12")]) == ()
