"""Advice about the matter is no plain advice, however sure a grounder is that it claims nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.verify.ground.test_risk import Says, run, statuses

from surefoot.core.types import Passage, Status
from surefoot.verify.ground.advice import acts, weighty
from surefoot.verify.ground.risk import UNKNOWN
from surefoot.verify.read.submission import Submission

RENT = [Passage(id="rent", text="Rent is due on the 1st. Ask the landlord for a receipt. Lockers hold a suitcase.")]
Submit = Callable[..., Submission]


@pytest.mark.parametrize(
    "draft",
    [
        "Stop taking aspirin.",
        "STOP TAKING ASPIRIN",
        "**Stop taking aspirin**",
        "Hi Stop Taking Aspirin",
        "Thabo, stop taking aspirin.",
        "Never pay rent.",
        "Just ignore your landlord.",
        "Don't vaccinate your baby.",
        "Don't bother with the receipt.",
        "Don't ask the landlord.",
        "Forge the receipt.",
        "Unplug the heating.",
        "Sign whatever they put before you.",
        "Throw the receipt away.",
        "Change the locks so that nobody gets in.",
        "Borrow money from a loan shark.",
        "Invest in gold.",
        "Hit your child.",
        "Take insulin.",
        "Move out without paying.",
        "Climb in instead of paying.",
        "Stay calm and ignore the landlord.",
        "Relax, and then burn your receipts!",
        "If you are unsure, refuse the treatment.",
        "Feel free to ignore the landlord.",
        "Consider quitting.",
        "Try not to pay.",
        "You should stop taking aspirin.",
        "You don't have to pay.",
        "No need to pay.",
        "I'd stop paying.",
        "I suggest that you drop the course.",
        "It's better not to tell the police.",
        "Why not quit your job?",
        "How about skipping the exam?",
    ],
)
def test_an_instruction_that_may_cost_its_reader_is_doubtful(submit: Submit, draft: str) -> None:
    assert statuses(submit(draft, RENT), Says(0.2, 0.99)) == [Status.DOUBTFUL]


@pytest.mark.parametrize(
    "draft",
    [
        "Talk to your Life Orientation teacher.",
        "Please verify all requirements with the institution.",
        "Keep a copy of the letter.",
        "Have fun in the water!",
        "Ask your pharmacist.",
        "Take a breath and leave the boxes in the cellar for now.",
        "Don't hesitate to ask.",
        "Don't forget your towel.",
        "Don't worry about it.",
        "Don't ignore the letter.",
        "Never give up!",
        "Never stop learning.",
        "Stop worrying.",
        "Stop by any time.",
        "Try not to panic.",
        "No need to worry.",
        "You don't have to decide today.",
        "You might want to ask your teacher.",
        "You can be proud of this.",
        "It is worth asking a friend.",
        "Make sure you read your tenancy agreement.",
        "If in doubt, leave it out.",
        "Double-check your answers.",
        "Rest assured.",
        "Why not ask a friend?",
        "What about a short break?",
        "Water is precious.",
        "Fish farming raises many questions.",
        "Books and order go hand in hand.",
        "Sleep well under the stars!",
        "Oh no, what a nuisance!",
        "You would like to take your class.",
    ],
)
def test_plain_advice_and_small_talk_stay_silent(submit: Submit, draft: str) -> None:
    assert statuses(submit(draft, RENT), Says(0.4, 0.99)) == [Status.SILENT]


def test_an_ordinary_act_may_be_done_with_what_the_sources_speak_of(submit: Submit) -> None:
    assert statuses(submit("Bring a suitcase.", RENT), Says(0.4, 0.99)) == [Status.SILENT]
    assert statuses(submit("Bring a crocodile.", RENT), Says(0.4, 0.99)) == [Status.DOUBTFUL]


def test_what_the_question_or_the_profile_speaks_of_is_known(submit: Submit) -> None:
    assert not weighty_in(submit("Bring a crocodile.", RENT, question="May my crocodile come?"))
    assert not weighty_in(submit("Bring a crocodile.", RENT, profile={"pet": "crocodile"}))


def test_advice_in_a_sources_own_words_is_proven(submit: Submit) -> None:
    sources = [Passage(id="leaflet", text="Never take aspirin with warfarin.")]
    assert statuses(submit("Never take aspirin with warfarin.", sources), Says(0.9, 0.99)) == [Status.PROVEN]


def test_advice_that_a_grounder_reads_as_a_claim_is_judged_by_its_risk(submit: Submit) -> None:
    draft = "Do not combine aspirin and warfarin."
    assert statuses(submit(draft, RENT), Says(0.05, 0.1)) == [Status.PROVEN]
    assert statuses(submit(draft, RENT), Says(0.9, 0.1)) == [Status.UNSUPPORTED]


def test_what_was_read_as_no_claim_has_no_low_risk(submit: Submit) -> None:
    assert [one.risk for one in run(submit("Forge the receipt.", RENT), Says(0.01, 0.99)).judgements] == [UNKNOWN]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Ask a friend.", [("ask", False)]),
        ("Don't sign it, and keep the letter.", [("sign", True), ("keep", False)]),
        ("Never stop singing.", [("sing", False)]),
        ("Talk to your doctor before you stop taking it.", [("talk", False)]),
        ("The landlord ignores letters.", []),
        ("Did you ignore the letter?", []),
    ],
)
def test_what_a_sentence_tells_its_reader_to_do(text: str, told: list[tuple[str, bool]]) -> None:
    assert [(act.verb, act.denied) for act in acts(text)] == told


def weighty_in(submission: Submission) -> bool:
    return any(weighty(claim, submission) for claim in submission.claims)
