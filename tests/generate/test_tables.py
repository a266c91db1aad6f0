"""What is asked over rows is worked out over all of them, or not at all."""

from __future__ import annotations

import pytest

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
    return computed(question, kind_of(question), passages, list(quotables(passages, style="[S#]", rows=True)))


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


TRIPS = Passage(
    id="d",
    text="# Guided trips\n\n| Trip | Day | Starts | Lasts | Adult price | Child price | Lunch |\n"
    "|---|---|---|---|---|---|---|\n"
    "| Dawn walk | Saturday | 05:30 | 2 hours | £8 | £4 | no |\n"
    "| Badger watch | Fri and Sat | 8.30 pm | 90 minutes | £12 | £6 | yes |\n"
    "| Cave visit | Sunday | 10:00 | 3 hours | £24 | £15 | no |\n"
    "| Moor crossing | Sat to Sun | 08:00 | 7 hours | £18 | not for children | yes |\n"
    "| Night sky | Friday | 21:15 | 90 minutes | £10 | £5 | no |",
    metadata={"title": "Trips 2026"},
)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Which trip is the longest?", "Of the 5 listed by trip, Moor crossing has the longest lasts (7 hours)"),
        (
            "Which trip is the shortest?",
            "Of the 5 listed by trip, Badger watch and Night sky have the shortest lasts (90 minutes)",
        ),
        ("Which trip starts the latest?", "Of the 5 listed by trip, Night sky has the latest starts (21:15)"),
        (
            "What is the cheapest trip on Sundays for an adult?",
            "Of the 2 listed by trip with Day Sunday, Moor crossing has the lowest adult price (£18)",
        ),
        (
            "Which trip without lunch is the dearest for adults?",
            "Of the 3 listed by trip with Lunch no, Cave visit has the highest adult price (£24)",
        ),
        (
            "Which trips run on Saturdays?",
            "3 trips are listed with Day Saturday: Dawn walk, Badger watch and Moor crossing",
        ),
        ("How many trips with lunch are there?", "2 trips are listed with Lunch yes: Badger watch and Moor crossing"),
        (
            "What is the adult price of the dawn walk and the cave visit together?",
            "The adult price of Dawn walk and Cave visit together is £32",
        ),
        (
            "Which lasts longer, the dawn walk or the cave visit?",
            "Of Dawn walk and Cave visit, Cave visit has the longer lasts (3 hours against 2 hours)",
        ),
        (
            "Is the night sky shorter than the badger watch?",
            "Of Badger watch and Night sky, both have the same lasts (90 minutes)",
        ),
    ],
)
def test_what_is_asked_over_rows_is_worked_out(question: str, said: str) -> None:
    found = work_out(question, TRIPS)
    assert found is not None
    assert found.text == f"{said} [S1]."


@pytest.mark.parametrize(
    "question",
    [
        "Which trip is the cheapest for children?",  # one has no price
        "Which trip was the cheapest in 2019?",
        "Which trip had the most guests?",
        "Which trip is the cheapest for pensioners?",
        "Which trip is the second longest?",
        "Which trips cost less than £12?",
        "Which trips do not run on Sundays or Fridays?",
        "How many guides are there?",  # guided trips are no guides
        "How many trips run on Mondays?",
        "Which lunch is the cheapest for adults?",
        "What do three nights come to in total?",
        "What do the dawn walk and two cave visits come to together for an adult?",
        "Is the night sky dearer than the badger watch in winter?",
    ],
)
def test_a_question_with_a_word_that_no_row_accounts_for_is_not_worked_out(question: str) -> None:
    assert work_out(question, TRIPS) is None


@pytest.mark.parametrize("cell", ["", "n/a", "from £5", "£5-£8", "about £5", "5 €", "£5 per group", "£5 or £6", "free"])
def test_a_column_is_ranked_only_where_every_cell_may_be_compared(cell: str) -> None:
    text = f"| Room | Price |\n|---|---|\n| Attic | £7 |\n| Barn | {cell} |\n| Cellar | £9 |"
    assert work_out("Which room is the dearest?", Passage(id="r", text=text, metadata={"title": "rooms"})) is None


def test_two_tables_that_differ_answer_nothing_and_the_one_of_the_year_asked_for_does() -> None:
    old, new = (
        Passage(
            id=year,
            text=f"| Room | Price |\n|---|---|\n| Attic | £{price} |\n| Barn | £8 |",
            metadata={"title": f"Rooms {year}", "source": year},
        )
        for year, price in (("2024", 7), ("2025", 9))
    )
    assert work_out("Which room is the dearest?", old, new) is None
    found = work_out("Which room is the dearest in 2024?", old, new)
    assert found is not None
    assert "Barn has the highest price (£8) [S1]" in found.text


def test_columns_that_fit_as_well_must_agree() -> None:
    text = "| Room | Hourly rate | Day rate |\n|---|---|---|\n| Attic | £7 | £30 |\n| Barn | £6 | £40 |"
    rooms = Passage(id="r", text=text, metadata={"title": "rooms"})
    assert work_out("Which room is the cheapest?", rooms) is None
    assert work_out("Which is cheaper, the attic or the barn?", rooms) is None
    assert work_out("Is the barn cheaper by the hour than the attic?", rooms) is None
    by_day = work_out("Is the barn cheaper than the attic at the day rate?", rooms)
    assert by_day is not None
    assert by_day.text == "Of Attic and Barn, Barn has the higher day rate (£40 against £30) [S1]."
    found = work_out("Which room has the lowest day rate?", rooms)
    assert found is not None
    assert "Attic has the lowest day rate (£30)" in found.text


def test_a_row_of_totals_is_no_row() -> None:
    text = "| Ward | Complaints |\n|---|---|\n| Elm | 4 |\n| Oak | 9 |\n| Total | 13 |"
    found = work_out("Which ward had the most complaints?", Passage(id="w", text=text, metadata={"title": "wards"}))
    assert found is not None
    assert "Of the 2 listed by ward, Oak has the highest complaints (9)" in found.text


def test_the_cheapest_is_so_by_its_price_and_not_by_its_deposit() -> None:
    text = "| Car | Per day | Deposit |\n|---|---|---|\n| Polo | £28 | £300 |\n| Yaris | £31 | £200 |"
    cars = Passage(id="c", text=text, metadata={"title": "cars"})
    found = work_out("Which car is the cheapest?", cars)
    assert found is not None
    assert "Polo has the lowest per day (£28)" in found.text
    found = work_out("Which car has the lowest deposit?", cars)
    assert found is not None
    assert "Yaris has the lowest deposit (£200)" in found.text


def test_what_stands_under_repair_is_no_bound_and_what_costs_under_five_pounds_is_one() -> None:
    text = (
        "Engine: Kestrel; State: under repair.\n\nEngine: Merlin; State: in use.\n\nEngine: Wren; State: under repair."
    )
    engines = Passage(id="a", text=text, metadata={"title": "engines"})
    found = work_out("Which engines are under repair?", engines)
    assert found is not None
    assert found.text.startswith("2 engines are listed with State under repair: Kestrel and Wren")
    assert work_out("Which engines are under £5?", engines) is None
    assert work_out("Which engines are over ten tonnes?", engines) is None


HOURS = Passage(
    id="h",
    text="# Opening hours\n\n| Day | Hours | Staff |\n|---|---|---|\n| Monday | 9 am to 1 pm | Ann |\n"
    "| Tuesday | 2 to 6 | Bea |\n| Friday | 10 to 4 | Ann |",
    metadata={"title": "Desk"},
)


@pytest.mark.parametrize(
    "question",
    ["What are the hours on Tuesday?", "Which hours are on Tuesday?", "Which hours are held by Bea?"],
)
def test_what_a_column_measures_is_not_what_its_rows_are(question: str) -> None:
    assert work_out(question, HOURS) is None


def test_rows_are_still_chosen_by_what_they_are_beside_a_measured_column() -> None:
    lessons = Passage(
        id="l",
        text="| Lesson | Hours | Teacher |\n|---|---|---|\n| Knitting | 2 to 6 | Ann |\n| Weaving | 10 to 4 | Ann |\n"
        "| Dyeing | 9 to 1 | Bea |",
        metadata={"title": "Desk"},
    )
    found = work_out("Which lessons are held by Ann?", lessons)
    assert found is not None
    assert found.text == "2 lessons are listed with Teacher Ann: Knitting and Weaving [S1]."
