"""A value of the case set against one of a reference: right, wrong, or nothing that code can say."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from surefoot.core.case import case_passage
from surefoot.core.types import Passage
from surefoot.verify.ground.weighing import concludes, outcome, outside_limit
from surefoot.verify.read.submission import Submission

GUIDE = Passage(
    id="1",
    text="A child needs 10 to 13 hours of sleep. Repairs take 14 days. A break lasts 20 minutes. Pupils walk up to 2 "
    "km, older ones 3 km. Children are home by 10 pm. A trial lasts six months.",
)
CASE = (
    "She sleeps about nine hours. The heating was off for three weeks. I work nine-hour shifts. The walk is 3.8 km. He "
    "came home at 11.40, once at midnight, and wants to stay out till half past eleven. My breaks are half an hour. I "
    "wrote on 1 March and got a reply on 18 March. My trial lasted two and a half months."
)


@pytest.mark.parametrize(
    ("claim", "right"),
    [
        ("Three weeks is longer than the 14 days of the guide [1] [case].", True),
        ("Three weeks is shorter than the 14 days of the guide [1] [case].", False),
        ("Nine hours a night is less than the 10 to 13 hours a child of four needs [1] [case].", True),
        ("Nine hours a night is more than the 10 to 13 hours a child of four needs [1] [case].", False),
        ("Nine hours is not less than the 10 to 13 hours [1] [case].", False),
        ("Three weeks is no shorter than the 14 days of the guide [1] [case].", True),
        ("Half past eleven is later than the 10 pm of the guide [1] [case].", True),
        ("Half past eleven is earlier than the 10 pm of the guide [1] [case].", False),
        ("He came home at 11.40, later than the 10 pm of the guide [1] [case].", True),
        ("Midnight is later than the 10 pm of the guide [1] [case].", True),
        ("Half an hour is longer than the 20 minutes of a break [1] [case].", True),
        ("Half an hour is twice the 20 minutes of a break [1] [case].", False),
        ("Half an hour is as long as the 20 minutes of a break [1] [case].", False),
        ("Two and a half months is less than half of the six months of a trial [1] [case].", True),
        ("Two and a half months is more than half of the six months of a trial [1] [case].", False),
        ("Seventeen days without a reply are more than the 14 days of repairs [1] [case].", True),
        ("Sixteen days without a reply are more than the 14 days of repairs [1] [case].", None),
        ("The walk of 3.8 km is longer than the 2 km for pupils [1] [case].", None),
        ("The walk of 3.8 km is shorter than the 2 km for pupils [1] [case].", False),
        ("A break of 20 minutes is due when the day is longer than 6 hours [1] [case].", None),
        ("Five weeks is longer than the 14 days of the guide [1] [case].", None),
    ],
)
def test_a_comparison_comes_out_or_does_not(submit: Callable[..., Submission], claim: str, right: bool | None) -> None:
    submission = submit(claim, [GUIDE, case_passage(CASE)], case=CASE)
    assert outcome(submission.claims[0], submission) is right


def test_what_a_sentence_leans_on_is_compared(submit: Callable[..., Submission]) -> None:
    draft = "Your heating was off for three weeks [case]. That is longer than the 14 days of repairs [1] [case]."
    submission = submit(draft, [GUIDE, case_passage(CASE)], case=CASE)
    assert outcome(submission.claims[1], submission) is True


def test_two_values_of_the_case_are_no_limit_of_a_reference(submit: Callable[..., Submission]) -> None:
    submission = submit("Nine hours is longer than half an hour [1] [case].", [GUIDE, case_passage(CASE)], case=CASE)
    assert outcome(submission.claims[0], submission) is None


MARKS = {"grade": 11, "marks": {"Mathematics": 71, "English": 58}}


@pytest.mark.parametrize(
    ("claim", "right"),
    [
        ("Your 71 % in Mathematics clears the 60 % that the course asks for.", True),
        ("Your 71 % in Mathematics does not clear the 60 % that the course asks for.", False),
        ("Your 71 % in Mathematics is below the 60 % that the course asks for.", False),
        ("With your 71 % you are 11 points above the 60 %.", None),
        ("Your 58 % in English misses the 60 % by little.", True),
        ("Your 58 % in English meets the 60 %.", False),
        ("Your 65 % in English meets the 60 %.", None),
        ("A mark of 71 % clears the 60 %.", None),
        ("Your 71 % in Mathematics clears the 60 %, so you get the bursary.", None),
        ("Your 71 % in Mathematics clears the 60 % and the mayor pays your fees.", None),
        ("The mayor pays, and your 71 % clears the 60 %.", None),
        ("Your 58 % in English clears the 60 %, so you are in.", False),
    ],
)
def test_a_mark_of_the_profile_is_set_against_a_requirement(
    submit: Callable[..., Submission], claim: str, right: bool | None
) -> None:
    submission = submit(claim, [Passage(id="1", text="The course asks for 60 % in each subject.")], profile=MARKS)
    assert outcome(submission.claims[0], submission) is right


HANDBOOK = Passage(
    id="1",
    text="Helpers in the kennels must be at least 16 years old. Patients who weigh under 50 kg take half a tablet. The "
    "rural bursary is for pupils whose school is more than 40 km from a town. The rail pass is for those aged 16 to "
    "25. A boat licence is given from the age of 21. The choir school requires 55% in Music. Staff of grade 7 and "
    "above are not paid for overtime. The vaccine is free from the age of 60 and for nurses of any age.",
)


def granted(submit: Callable[..., Submission], claim: str, profile: dict[str, object]) -> bool:
    submission = submit(claim, [HANDBOOK], profile=profile)
    return outside_limit(submission.claims[0], submission)


@pytest.mark.parametrize(
    ("claim", "profile"),
    [
        ("You are 14, so you are old enough to help in the kennels.", {"age": 14}),
        ("You weigh 63 kg, so you take half a tablet.", {"weight": "63 kg"}),
        ("Your school is 25 km from a town, so you qualify for the rural bursary.", {"school": "25 km from a town"}),
        ("At 27 you can get the rail pass.", {"age": 27}),
        ("You are 19 and can get a boat licence.", {"age": 19}),
        ("Your 49% in Music is enough for the choir school.", {"marks": {"Music": 49}}),
    ],
)
def test_what_is_granted_to_a_value_outside_its_limit_is_seen(
    submit: Callable[..., Submission], claim: str, profile: dict[str, object]
) -> None:
    assert granted(submit, claim, profile)


@pytest.mark.parametrize(
    ("claim", "profile"),
    [
        ("You are 17, so you are old enough to help in the kennels.", {"age": 17}),
        ("You are 14, so you are not old enough to help in the kennels.", {"age": 14}),
        ("At 27 you are too old for the rail pass.", {"age": 27}),
        ("You are 23 and can get a boat licence.", {"age": 23}),
        ("You weigh 44 kg, so you take half a tablet.", {"weight": "44 kg"}),
        ("You weigh 63 kg.", {"weight": "63 kg"}),
        ("Your 49% in Music is six points below what the choir school asks.", {"marks": {"Music": 49}}),
        ("At grade 5 you are paid for overtime.", {"grade": 5}),
        ("As a nurse you get the vaccine free at 43.", {"age": 43, "job": "nurse"}),
        ("Anna is 14 and helps in the kennels.", {"age": 14}),
    ],
)
def test_a_value_within_it_or_a_refusal_is_not(
    submit: Callable[..., Submission], claim: str, profile: dict[str, object]
) -> None:
    assert not granted(submit, claim, profile)


@pytest.mark.parametrize(
    "claim",
    [
        "After three weeks you must work more than 14 days without pay [1] [case].",
        "After three weeks a landlord is given more than 14 days [1] [case].",
        "A child of three weeks needs no less than 14 days of rest [1] [case].",
        "He came three weeks later than the 14 days [1] [case].",
        "Three weeks is too long, since repairs may not exceed 14 days [1] [case].",
    ],
)
def test_a_bound_with_a_verb_of_its_own_compares_nothing(submit: Callable[..., Submission], claim: str) -> None:
    submission = submit(claim, [GUIDE, case_passage(CASE)], case=CASE)
    assert outcome(submission.claims[0], submission) is None


@pytest.mark.parametrize(
    ("claim", "right"),
    [
        ("That is longer than the 14 days between two repairs [1] [case].", True),
        ("That is shorter than the 14 days between two repairs [1] [case].", False),
        ("That is longer than the 14 days and the 20 minutes [1] [case].", None),
    ],
)
def test_a_count_beside_a_limit_is_no_second_limit(
    submit: Callable[..., Submission], claim: str, right: bool | None
) -> None:
    draft = f"Your heating was off for three weeks [case]. {claim}"
    submission = submit(draft, [GUIDE, case_passage(CASE)], case=CASE)
    assert outcome(submission.claims[1], submission) is right


@pytest.mark.parametrize(
    ("claim", "right"),
    [
        ("Three weeks are more than the 14 [1] [case].", None),
        ("Half an hour is longer than the 20 of a break, in minutes [1] [case].", None),
        ("Nine hours are fewer than thirteen [1] [case].", None),
        ("The nine hours are still over the six [1] [case].", None),
    ],
)
def test_a_bare_number_that_no_rule_has_in_that_measure_is_not_weighed(
    submit: Callable[..., Submission], claim: str, right: bool | None
) -> None:
    submission = submit(claim, [GUIDE, case_passage(CASE)], case=CASE)
    assert outcome(submission.claims[0], submission) is right


HOURS = Passage(
    id="1", text="Nobody may be made to work more than 48 hours a week. A form of one's own is enough for 7 days."
)
ILL = "I did 46 hours nearly every week. I was off for four days. We are 80 people."


@pytest.mark.parametrize(
    ("claim", "right", "goes_on"),
    [
        ("Forty-six hours are still under the limit of 48 a week [1] [case].", True, False),
        ("Forty-six hours are over the limit of 48 a week [1] [case].", False, False),
        ("Four days are fewer than seven [1] [case].", True, False),
        ("Four days are more than seven [1] [case].", False, False),
        ("Four days are fewer than seven, so a form of your own is enough [1] [case].", None, True),
        ("Four days are more than seven, so a form of your own is not enough [1] [case].", False, False),
    ],
)
def test_a_bare_number_is_weighed_by_the_measure_beside_it(
    submit: Callable[..., Submission], claim: str, right: bool | None, goes_on: bool
) -> None:
    submission = submit(claim, [HOURS, case_passage(ILL)], case=ILL)
    assert outcome(submission.claims[0], submission) is right
    assert concludes(submission.claims[0], submission) is goes_on
