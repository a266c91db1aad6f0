from __future__ import annotations

import pytest

from surefoot.verify.hours import Hours, claimed_days, claimed_hours, claimed_open_days, read_hours


@pytest.mark.parametrize(
    ("value", "shown"), [("11:0-22:0", "11:00-22:00"), ("09:00-17:30", "09:00-17:30"), ("closed", "closed")]
)
def test_hours_of_a_record_are_read(value: str, shown: str) -> None:
    assert str(read_hours(value)) == shown


def test_other_values_are_no_hours() -> None:
    assert read_hours("11-22") is None
    assert read_hours("free") is None


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Monday to Friday", 5),
        ("Mondays and Fridays", 2),
        ("weekends", 2),
        ("every day", 7),
        ("Saturday through Monday", 3),
    ],
)
def test_days_are_counted(text: str, count: int) -> None:
    assert len(claimed_days(text)) == count


def test_two_clauses_keep_their_own_days() -> None:
    first, second = claimed_hours("It opens from 9 am to 5 pm on weekdays, and from 10 am to noon on Saturdays.")
    assert (str(first.hours), len(first.days)) == ("09:00-17:00", 5)
    assert (str(second.hours), second.days) == ("10:00-12:00", ("saturday",))


def test_midnight_is_one_time() -> None:
    assert Hours(opens=600, closes=0).agrees(Hours(opens=600, closes=1440))
    assert not Hours(opens=600, closes=60).agrees(Hours(opens=600, closes=0))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Open from 4 PM to 9 PM Monday through Thursday, with extended hours until 10:30 PM on Fridays.",
            ["16:00-21:00 motuweth", "?-22:30 fr"],
        ),
        (
            "On weekends it opens earlier, at 11:30 AM, closing at 10:30 PM on Saturday and 9 PM on Sunday.",
            ["11:30-? sasu", "?-22:30 sa", "?-21:00 su"],
        ),
        (
            "Open Monday to Thursday from 6:30 AM to 2 PM, on Friday until 3 PM, and on Saturday from 7 AM to noon.",
            ["06:30-14:00 motuweth", "?-15:00 fr", "07:00-12:00 sa"],
        ),
        (
            "It opens at 11 AM every day and closes at 9 PM from Monday to Friday, and 10 PM on weekends.",
            ["11:00-? motuwethfrsasu", "?-21:00 motuwethfr", "?-22:00 sasu"],
        ),
        (
            "Monday-Friday 8am-5pm, Saturday 9am-1pm, closed Sunday.",
            ["08:00-17:00 motuwethfr", "09:00-13:00 sa", "closed su"],
        ),
        ("It opens at 8 AM and closes at 10 PM daily.", ["08:00-22:00 motuwethfrsasu"]),
        ("It opens at 8 AM and closes at 10 PM.", ["08:00-22:00 "]),
        ("Sunday closed, Monday 9:00-17:00.", ["closed su", "09:00-17:00 mo"]),
        ("On weekdays it opens at 8 AM and closes at 5 PM.", ["08:00-? motuwethfr", "?-17:00 motuwethfr"]),
        ("It is open on Fridays, and the bill came to 45 dollars for 2 to share.", []),
    ],
)
def test_times_take_the_days_they_are_said_of(text: str, expected: list[str]) -> None:
    found = [f"{said.hours} {''.join(day[:2] for day in said.days)}" for said in claimed_hours(text)]
    assert found == expected


def test_what_is_said_of_one_day_holds_for_it() -> None:
    usual, friday = claimed_hours("It closes at 9 PM on weekdays, while on Friday it stays open until 11 PM.")
    assert usual.days == ("monday", "tuesday", "wednesday", "thursday")
    assert friday.days == ("friday",)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("It is open seven days a week.", 7),
        ("It operates Monday through Saturday.", 6),
        ("It is not open on Sundays.", 0),
        ("It has open seating.", 0),
    ],
)
def test_days_called_open_are_found(text: str, count: int) -> None:
    assert len([day for days, _ in claimed_open_days(text) for day in days]) == count
