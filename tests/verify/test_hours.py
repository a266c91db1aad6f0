from __future__ import annotations

import pytest

from surefoot.verify.hours import Hours, claimed_days, claimed_hours, read_hours


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
