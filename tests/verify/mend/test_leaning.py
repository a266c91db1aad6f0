"""What a claim loses with the one before it, and what it does not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from surefoot.core.types import Passage
from surefoot.verify.mend.mending import Mending
from surefoot.verify.mend.quotes import Quoter
from surefoot.verify.read.submission import Submission

Submit = Callable[..., Submission]
LIBRARY = [Passage(id="one", text="A yearly card costs R120 at the desk. Rooms can be booked by phone.")]


def mended(submit: Submit, draft: str, held_back: int) -> str:
    submission = submit(draft, LIBRARY)
    claims = [submission.claims[held_back]]
    return Mending(quoter=Quoter()).mend(submission, (), claims, claims).text


@pytest.mark.parametrize(
    "leaning",
    [
        "She gets nothing back.",
        "At 61 he would be late.",
        "As she lives alone, half is due.",
        "Being in the second year, he must hurry.",
        "One might do so on Fridays.",
        "Leaving books aside, half of that is due.",
    ],
)
def test_what_leans_on_a_sentence_that_went_goes_too(submit: Submit, leaning: str) -> None:
    assert mended(submit, f"Zebras wear gumboots. {leaning}", 0) == ""


@pytest.mark.parametrize(
    "alone",
    [
        "Only those who do so well at once pass.",
        "In 2020 half of that building, 40 rooms, burnt.",
        "If the key is lost, ring for it.",
        "At nine the doctor says when she comes.",
        "You may come at any time.",
    ],
)
def test_what_names_it_itself_stays(submit: Submit, alone: str) -> None:
    assert mended(submit, f"Zebras wear gumboots. {alone}", 0) == alone


def test_a_sum_stays_behind_a_quote_only_where_that_holds_what_it_is_of(submit: Submit) -> None:
    quote = "A yearly card costs R120 at the desk."
    for said in ("Half of that is R60.", "That makes R240 for two."):
        assert mended(submit, f"A yearly card costs just R120. {said}", 0) == f"{quote} {said}"
        assert mended(submit, f"A yearly card costs just R150. {said}", 0) == quote
