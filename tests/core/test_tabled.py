"""What follows from the rows of a table is known again, and nothing else is."""

from __future__ import annotations

import pytest

from surefoot.core.tabled import follows, table_rows

TOLD = "Station: Harbour; Town: Kiel; Docks: 24.\n\nStation: Market; Town: Kiel; Docks: 40.\n\n" + (
    "Station: Mill; Town: Plön; Docks: 12."
)
MARKDOWN = "| Boat | Berths |\n|---|---|\n| Grebe | 4 |\n| Egret | 10 |"


def test_rows_are_read_with_their_names_and_where_they_stand() -> None:
    told, drawn = list(table_rows(TOLD)), list(table_rows(MARKDOWN))
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
    ],
)
def test_a_statement_about_a_whole_table_must_follow_from_its_rows(said: str, text: str, rests_on: str | None) -> None:
    row = follows(said, list(table_rows(text)))
    assert (row.cells[0] if row else None) == rests_on
