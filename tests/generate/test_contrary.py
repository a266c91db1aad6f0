"""A premise is contradicted by another figure, day or person in its place, or by a `not`; by nothing less."""

from __future__ import annotations

import pytest

from surefoot.core.questions import premise
from surefoot.core.types import Passage
from surefoot.generate.contrary import contrary
from surefoot.generate.quotable import quotables


def _against(question: str, text: str) -> str | None:
    statement = premise(question)
    assert statement is not None
    found = contrary(statement, quotables([Passage(id="a", text=text)], style="[S#]", rows=True))
    return found.text if found else None


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Why is the deposit refunded in full within a day?", "The deposit is refunded within 14 days of the return."),
        ("Since the deposit is £100, may I pay later?", "A deposit of £60 is taken."),
        ("Why is the large kiln fired on Mondays?", "The large kiln is fired every Friday."),
        ("Why is the studio open on Sundays?", "The studio is open Tuesday to Saturday."),
        ("Why is the studio closed on Thursdays?", "The studio is open Tuesday to Saturday."),
        ("Why do you deliver wheels only in the morning?", "We do not deliver wheels."),
        ("Why does the plan cover accidents?", "The plan does not cover accidents or theft."),
        ("Why do you take cash only?", "We do not take cash."),
        ("Why are dogs walked with dogs of another family?", "Dogs are never walked with dogs of another family."),
        ("When did Tom Okafor found the studio?", "The studio was founded in 2009 by Marta Lind."),
        ("Why does Dr Hale run the rabbit clinic?", "The rabbit clinic is run by Dr Pike."),
        ("Given that classes can be cancelled up to an hour before, am I paid back?", "Classes can be cancelled up to "
         "48 hours before they start."),
    ],
)  # fmt: skip
def test_a_false_premise_is_met_by_the_statement_that_contradicts_it(question: str, text: str) -> None:
    assert _against(question, text) == text


@pytest.mark.parametrize(
    ("question", "text"),
    [
        # it is true
        ("Why is the deposit refunded within 14 days?", "The deposit is refunded within 14 days of the return."),
        ("Why is the studio open on Thursdays?", "The studio is open Tuesday to Saturday."),
        ("When did Marta Lind found the studio?", "The studio was founded in 2009 by Marta Lind."),
        ("Why does a DVD loan last 7 days?", "A book loan lasts 21 days. A DVD loan lasts 7 days."),
        ("Why is the studio open until 9 pm on Thursdays?", "The studio is open Tuesday to Saturday from 10 am to 6 pm."
         "\n\nOn Thursdays the studio stays open until 9 pm."),
        # another matter
        ("Why does a DVD loan last 7 days?", "A book loan lasts 21 days."),
        ("Why does a repair cost £30?", "A consultation costs £48."),
        ("Why did Tom Okafor leave the studio?", "The studio was founded in 2009 by Marta Lind."),
        # both may be so
        ("Why can I hire a wheel for eight weeks?", "You can hire a wheel for at least four weeks."),
        ("Why is the deposit refunded to me?", "The deposit is not refunded if the wheel is damaged."),
        ("Why is each dog walked once a day?", "Dogs are never walked with dogs of another family."),
        ("Why is the studio closed on Sundays?", "The studio is closed on Mondays."),
        # which of two is meant is unknown
        ("Since the fee is £5, may I pay later?", "The fee for adults is £8. The fee for children is £3."),
        # nothing stands in its place
        ("Why are the glazes free of lead?", "The glazes are made in Leeds."),
    ],
)  # fmt: skip
def test_a_premise_that_nothing_contradicts_is_left_alone(question: str, text: str) -> None:
    assert _against(question, text) is None


def test_a_statement_that_leans_on_another_agrees_and_is_never_the_correction() -> None:
    assert _against("Why is the studio open on Mondays?", "The studio is in Leeds. It is open on Fridays.") is None
