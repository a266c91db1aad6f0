"""What tells the contrary of its source has all its words; a reader that counts words believes it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.verify.ground.test_risk import Says, statuses

from surefoot.core.types import Passage, Status
from surefoot.verify.read.submission import Submission

Submit = Callable[..., Submission]
GAS = [
    Passage(
        id="gas",
        text="If you smell gas, turn off the supply at the meter and open the windows. Do not switch lights on or off, "
        "and do not smoke. If the flame is yellow, do not use the cooker; tell the landlord. Never ignore an alarm.",
    ),
    Passage(id="pump", text="Keep the pump running at night. Charge the lamp indoors; never charge it when it is wet."),
]


@pytest.mark.parametrize(
    "draft",
    [
        "Do not open the windows.",
        "If you smell gas, do not open the windows.",
        "Please never open the windows!",
        "You should ignore an alarm.",
        "Ignore the alarm.",
        "Turn on the supply at the meter.",
        "Switch the lights on and open the windows.",
        "Use the cooker if the flame is yellow.",
        "Do not tell the landlord if the flame is yellow.",
        "Do not smoke or open the windows.",
        "Stop running the pump at night and open the windows, but do not tell the landlord.",
    ],
)
def test_what_tells_the_contrary_is_doubtful_however_sure_a_reader_is(submit: Submit, draft: str) -> None:
    assert statuses(submit(draft, GAS), Says(0.01, 0.0)) == [Status.DOUBTFUL]


@pytest.mark.parametrize(
    "draft",
    [
        "Open the windows and turn the supply off at the meter.",
        "You should not ignore an alarm.",
        "Then do not smoke.",
        "Do not use the cooker if the flame is yellow.",
        "Keep the windows open.",
        "Never charge the lamp when it is wet.",
        "Do not use the cooker until the plumber has come.",
        "Turning off the supply is what comes first.",
    ],
)
def test_what_tells_the_same_is_judged_by_its_reader(submit: Submit, draft: str) -> None:
    assert statuses(submit(draft, GAS), Says(0.01, 0.0)) == [Status.PROVEN]


def test_a_condition_that_the_sentence_lacks_may_turn_it(submit: Submit) -> None:
    sources = [Passage(id="leaflet", text="Take one tablet with food. Velorin harms unborn children.")]
    assert statuses(submit("If you expect unborn children, do not take it with food.", sources), Says(0.01, 0.0)) == [
        Status.PROVEN
    ]


def test_one_sentence_that_tells_the_same_is_enough(submit: Submit) -> None:
    sources = [*GAS, Passage(id="rain", text="You should not open the windows of the attic.")]
    assert statuses(submit("Do not open windows in the attic.", sources), Says(0.01, 0.0)) == [Status.PROVEN]
