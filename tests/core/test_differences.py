"""Differences of two values of an account: stated only where a sentence has them, and never a wrong sum."""

from __future__ import annotations

import pytest

from surefoot.core.differences import comes_out, differences

ACCOUNT = (
    "My rent goes up from 850 to 1,050 in June. My contract is 38 hours. I do 46 hours. She is 9 and gets 2 pounds."
)


@pytest.mark.parametrize(
    ("sentence", "stated"),
    [
        ("She wants 200 more than before, from 850 to 1,050.", "1,050 is 200 more than 850."),
        ("The rise is 200.", "1,050 is 200 more than 850."),
        ("You work eight hours more than the 38 in your contract.", "46 hours is eight hours more than 38 hours."),
        ("She wants 150 more than before.", ""),
        ("You work seven hours more than the 38 in your contract.", ""),
        ("You pay 200 in June.", ""),
        ("You work eight hours more than others.", ""),
    ],
)
def test_only_a_true_difference_that_the_sentence_names_is_stated(sentence: str, stated: str) -> None:
    assert differences(ACCOUNT, sentence) == stated


@pytest.mark.parametrize(
    ("sentence", "right"),
    [
        ("You work eight hours more than the 38 in your contract.", True),
        ("You work eight hours less than the 38 in your contract.", False),
        ("The 38 hours are eight fewer than the 46 you do.", True),
        ("The 38 hours are eight more than the 46 you do.", False),
        ("You work seven hours more than the 38 in your contract.", None),
        ("You work more than the 38 in your contract.", None),
        ("You work 46 hours.", None),
    ],
)
def test_a_difference_comes_out_the_right_way_round(sentence: str, right: bool | None) -> None:
    assert comes_out(ACCOUNT, sentence) is right
