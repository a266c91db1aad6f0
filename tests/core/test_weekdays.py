"""The days of the week in the cells of a timetable."""

from __future__ import annotations

import pytest

from surefoot.core.values.weekdays import weekdays


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Saturday", {6}),
        ("Sundays", {7}),
        ("Mon Wed Fri", {1, 3, 5}),
        ("Tues & Thurs", {2, 4}),
        ("Fri to Mon", {5, 6, 7, 1}),
        ("Mon–Fri", {1, 2, 3, 4, 5}),
        ("daily", {1, 2, 3, 4, 5, 6, 7}),
        ("every day", {1, 2, 3, 4, 5, 6, 7}),
    ],
)
def test_days_and_ranges_of_them_are_read(text: str, days: set[int]) -> None:
    assert weekdays(text) == days


@pytest.mark.parametrize("text", ["", "1st Monday", "Sunday, in summer", "never", "Monet", "to Friday and", "Mon to"])
def test_what_says_more_or_less_than_days_is_none(text: str) -> None:
    assert weekdays(text) is None
