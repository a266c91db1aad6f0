"""Sentences about a case in which the person and the other side have changed places, and others."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from surefoot.core.case import case_passage
from surefoot.core.types import Passage
from surefoot.verify.ground.turned import turned
from surefoot.verify.read.submission import Submission

GUIDE = Passage(id="1", text="Neighbours should talk to each other first.")
CASE = (
    "I asked him nicely twice and he laughed. The man next door parks his van across my dropped kerb. My husband wants "
    "to leave her alone on Saturdays. They paid me up to Friday. He goes 'I never signed that'. My boss said "
    "I was late."
)


def is_turned(submit: Callable[..., Submission], claim: str) -> bool:
    submission = submit(f"You are heard. {claim}", [GUIDE, case_passage(CASE)], case=CASE)
    return turned(submission.claims[1], submission)


@pytest.mark.parametrize(
    "claim",
    [
        "He asked you nicely twice and you laughed [case].",
        "You laughed [case].",
        "He parks across his own dropped kerb, and your van is in the way [case].",
        "You want to leave her alone on Saturdays [case].",
    ],
)
def test_a_deed_or_a_thing_given_to_the_other_side_is_seen(submit: Callable[..., Submission], claim: str) -> None:
    assert is_turned(submit, claim)


@pytest.mark.parametrize(
    "claim",
    [
        "You asked him nicely twice and he laughed [case].",
        "He only laughed when you asked him [case].",
        "The man next door parks his van across your dropped kerb [case].",
        "Your husband wants to leave her alone on Saturdays [case].",
        "You were paid up to Friday [case].",
        "He never signed that [case].",
        "He was late [case].",
        "He asked you nicely [1].",
        "He should have asked you [1] [case].",
    ],
)
def test_who_did_it_passives_and_what_others_say_are_not(submit: Callable[..., Submission], claim: str) -> None:
    assert not is_turned(submit, claim)


def test_a_draft_that_speaks_of_the_person_as_she_is_left_alone(submit: Callable[..., Submission]) -> None:
    submission = submit("She asked him nicely twice [case].", [GUIDE, case_passage(CASE)], case=CASE)
    assert not turned(submission.claims[0], submission)
