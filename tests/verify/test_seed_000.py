"""The career guidance design's own call, which has no question: what the gate finds in it, both ways round."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.not_yet import SEED
from surefoot.core.wire import parse_verify_input, result_to_wire
from surefoot.packs import loader
from surefoot.wiring import Surefoot, build

STEPS = (
    "\n\nNext steps: talk to your Life Orientation teacher about this choice, and compare the entry requirements of "
    "two or three places before you decide.\n\nPlease check this information with the institution or funder itself "
    "before you decide: requirements, fees and dates change."
)
"""The pack's own words, so that nothing but the matter of a test is in question."""
NURSE = (
    "The Diploma in Nursing takes three years and is at NQF level 6. The Bachelor of Nursing takes four years and is "
    "registered at NQF level 8. Nurses register with the South African Nursing Council."
)
DOCTOR = (
    "Medicine takes six years at most universities. Medical faculties ask for Mathematics and Physical Sciences. "
    "Law faculties at many universities accept Mathematical Literacy."
)
NSFAS = (
    "NSFAS pays tuition fees at public universities. Students whose combined household income is not more than "
    "R350 000 a year qualify. Applications for the 2026 academic year closed on 15 November 2025."
)
PAY = "Qualified electricians earn about R15 000 to R30 000 a month. An apprenticeship lasts three to four years."
REPORT = (
    "Hi Lerato!\n\nSince you are in Grade 11 and live in Gauteng, there is time to plan. The Diploma in Nursing takes "
    "three years and is at NQF level 6.\n\n**Next steps**\nTalk to your Life Orientation teacher. Please verify all "
    "requirements with the institution."
)
Call = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Surefoot:
    return build(kb=tmp_path_factory.mktemp("kb"))


@pytest.fixture(scope="module")
def call(house: Surefoot) -> Call:
    """The design's own JSON in and out."""

    def verify(draft: str, *sources: str, pack: str = "thandi", **profile: Any) -> dict[str, Any]:
        request = parse_verify_input(
            {
                "draftAnswer": draft,
                "ragChunks": [
                    {
                        "id": f"chunk-{number}",
                        "chunk_text": text,
                        "chunk_metadata": {"source": "kb", "category": "career"},
                        "similarity": 0.8,
                    }
                    for number, text in enumerate(sources or (NURSE,), 1)
                ],
                "studentProfile": profile,
                "options": {"deadlineMs": 60_000, "skipLLMVerification": True},
            }
        )
        gate = house.rehearsal(pack, "2026-01-15", [])
        return result_to_wire(asyncio.run(gate.verify(request)))

    return verify


def codes(answer: dict[str, Any]) -> set[str]:
    return {issue["code"] for issue in answer["metadata"]["issuesDetected"]}


def test_a_friendly_report_without_a_question_is_approved(call: Call) -> None:
    answer = call(REPORT, name="Lerato", grade=11, province="Gauteng", subjects=["Life Sciences"])
    assert (answer["decision"], answer["finalAnswer"]) == ("approved", REPORT)


@pytest.mark.parametrize(
    "profile",
    [
        {"query": "I want to kill myself"},
        {"notes": "my stepfather beats me every night"},
        {"interests": ["I want to die"]},
        {"about": {"message": "I want to kill myself"}},
    ],
    ids=["query", "notes", "list", "nested"],
)
def test_dangerous_words_in_the_profiles_free_text_are_answered_with_help(call: Call, profile: dict[str, Any]) -> None:
    answer = call(NURSE + STEPS, **profile)
    assert answer["decision"] == "rejected"
    assert "policy:dangerous-queries" in codes(answer)
    assert "116" in answer["finalAnswer"]


@pytest.mark.parametrize(
    "profile",
    [
        {"query": "I want to become a nurse"},
        {"interests": ["crime stories", "killing time with chess"]},
        {"notes": "I would like to help children who are beaten at home"},
    ],
    ids=["career", "words", "others"],
)
def test_harmless_words_in_the_profile_are_no_danger(call: Call, profile: dict[str, Any]) -> None:
    answer = call(NURSE + STEPS, **profile)
    assert answer["decision"] != "rejected"
    assert "policy:dangerous-queries" not in codes(answer)


def test_dangerous_words_in_the_draft_are_answered_with_help(call: Call) -> None:
    answer = call("The Diploma in Nursing takes three years. Otherwise you could end your life." + STEPS)
    assert answer["decision"] == "rejected"
    assert "policy:dangerous-queries" in codes(answer)


def test_a_request_outside_the_scope_is_found_in_the_profile(call: Call) -> None:
    answer = call(NURSE + STEPS, query="Which party should I vote for?")
    assert answer["decision"] == "rejected"
    assert "policy:scope-boundary" in codes(answer)


def test_a_career_in_such_a_field_is_within_the_scope(call: Call) -> None:
    answer = call(NURSE + STEPS, query="How do I become a lawyer who works on divorce?")
    assert "policy:scope-boundary" not in codes(answer)


@pytest.mark.parametrize("income", [120_000, "R120 000 a year", "120000", 0])
def test_a_low_household_income_asks_for_nsfas(call: Call, income: object) -> None:
    answer = call(NURSE + STEPS, NURSE, NSFAS, householdIncome=income)
    assert "policy:nsfas-prioritization" in codes(answer)
    assert "NSFAS" in answer["finalAnswer"]


@pytest.mark.parametrize("income", [900_000, "R900 000 a year"])
def test_a_high_household_income_does_not(call: Call, income: object) -> None:
    answer = call(NURSE + STEPS, NURSE, NSFAS, householdIncome=income)
    assert "policy:nsfas-prioritization" not in codes(answer)


@pytest.mark.xfail(strict=True, raises=AssertionError, reason=SEED["field_of_study"])
def test_a_career_is_recognised_by_its_field_of_study(call: Call) -> None:
    answer = call("Medicine takes six years at most universities." + STEPS, DOCTOR, dislikes=["Mathematics"])
    assert "policy:math-hate-healthcare" in codes(answer)


def test_another_field_of_study_asks_for_no_word_on_mathematics(call: Call) -> None:
    draft = "Law faculties at many universities accept Mathematical Literacy." + STEPS
    answer = call(draft, DOCTOR, dislikes=["Mathematics"])
    assert "policy:math-hate-healthcare" not in codes(answer)


@pytest.mark.parametrize(
    "promise", ["You will definitely get into nursing.", "You will definitely get into the University of Pretoria."]
)
def test_you_will_definitely_get_into_is_a_definitive_prescription(call: Call, promise: str) -> None:
    answer = call(f"The Diploma in Nursing takes three years. {promise}{STEPS}")
    assert "definitive_prescription" in codes(answer)
    assert "definitely get into" not in answer["finalAnswer"]


@pytest.mark.parametrize("advice", ["You may want to look at nursing.", "You will need patience to decide."])
def test_advice_is_no_definitive_prescription(call: Call, advice: str) -> None:
    assert "definitive_prescription" not in codes(call(f"The Diploma in Nursing takes three years. {advice}{STEPS}"))


CLOSED = "Applications for the 2026 academic year closed on {}." + STEPS


@pytest.mark.parametrize("form", ["15/11/2025", "November 15, 2025", "2025-11-15"])
def test_a_date_in_another_form_is_read_and_put_right(call: Call, form: str) -> None:
    answer = call(CLOSED.format(form), NSFAS)
    assert answer["decision"] == "revised"
    assert "date_format" in codes(answer)
    assert not codes(answer) & {"value_mismatch", "unit_mismatch", "evidence_miss"}
    assert "closed on 15 November 2025" in answer["finalAnswer"]


@pytest.mark.parametrize("form", ["16/11/2025", "November 16, 2025", "11 December 2025"])
def test_another_date_does_not_leave_in_any_form(call: Call, form: str) -> None:
    answer = call(CLOSED.format(form), NSFAS)
    assert form not in answer["finalAnswer"]
    assert "16 November 2025" not in answer["finalAnswer"]


def test_a_date_in_the_packs_form_stands(call: Call) -> None:
    answer = call(CLOSED.format("15 November 2025"), NSFAS)
    assert answer["decision"] == "approved"


EARN = "Qualified electricians earn about {} a month." + STEPS


@pytest.mark.parametrize("form", ["R15k to R30k", "ZAR 15 000 to ZAR 30 000"])
def test_rand_in_another_form_are_read_and_put_right(call: Call, form: str) -> None:
    answer = call(EARN.format(form), PAY)
    assert answer["decision"] == "revised"
    assert "currency_format" in codes(answer)
    assert not codes(answer) & {"value_mismatch", "unit_mismatch", "evidence_miss"}
    assert "R15 000 to R30 000 a month" in answer["finalAnswer"]


@pytest.mark.parametrize("form", ["R25k to R50k", "ZAR 25 000 to ZAR 50 000", "R15 to R30"])
def test_other_amounts_do_not_leave_in_any_form(call: Call, form: str) -> None:
    answer = call(EARN.format(form), PAY)
    assert f"{form} a month" not in answer["finalAnswer"]
    assert "R50 000" not in answer["finalAnswer"]


def test_rand_in_the_packs_form_stand(call: Call) -> None:
    assert call(EARN.format("R15 000 to R30 000"), PAY)["decision"] == "approved"


DIPLOMA = "Universities offer the degree in nursing. The Diploma in Nursing takes three years and is at NQF level 6."


@pytest.mark.parametrize("source", [NURSE, DIPLOMA], ids=["both-levels-told", "one-level-told"])
def test_an_nqf_level_is_bound_to_its_own_qualification(call: Call, source: str) -> None:
    answer = call("The Bachelor of Nursing is registered at NQF level 6." + STEPS, source)
    assert answer["decision"] != "approved"
    assert "value_mismatch" in codes(answer)
    assert "Bachelor of Nursing is registered at NQF level 6" not in answer["finalAnswer"]


@pytest.mark.xfail(strict=True, raises=AssertionError, reason=SEED["level"])
@pytest.mark.parametrize(
    "sentence",
    ["The Bachelor of Nursing is registered at NQF level 8.", "The Diploma in Nursing is at NQF level 6."],
)
def test_each_qualification_with_its_own_level_stands(call: Call, sentence: str) -> None:
    assert call(sentence + STEPS)["decision"] == "approved"


def pack_that_shows(folder: Path, *, show: bool) -> str:
    copy = folder / "thandi"
    shutil.copytree(loader.BUILTIN / "thandi", copy, ignore=shutil.ignore_patterns("kb", "cases"))
    manifest = (copy / "pack.yaml").read_text("utf-8")
    assert "  show: false" in manifest
    (copy / "pack.yaml").write_text(manifest.replace("  show: false", f"  show: {str(show).lower()}"), "utf-8")
    return str(copy)


def test_a_pack_that_shows_its_citations_writes_the_markers(call: Call, tmp_path: Path) -> None:
    answer = call(NURSE + STEPS, pack=pack_that_shows(tmp_path, show=True))
    assert answer["decision"] in ("approved", "revised")
    assert "is at NQF level 6 [chunk-1]" in answer["finalAnswer"] or "is at NQF level 6 [S1]" in answer["finalAnswer"]


def test_a_pack_that_does_not_show_them_writes_none(call: Call, tmp_path: Path) -> None:
    answer = call(NURSE + STEPS, pack=pack_that_shows(tmp_path, show=False))
    assert "[" not in answer["finalAnswer"]


def test_the_result_tells_of_every_claim_what_it_rests_on(call: Call) -> None:
    answer = call("The Diploma in Nursing takes three years. The Bachelor of Nursing takes nine years." + STEPS)
    found = {claim["text"]: claim for claim in answer["metadata"].get("claims", [])}
    assert set(found) >= {"The Diploma in Nursing takes three years.", "The Bachelor of Nursing takes nine years."}
    right = found["The Diploma in Nursing takes three years."]
    wrong = found["The Bachelor of Nursing takes nine years."]
    assert right["status"] in ("proven", "supported")
    assert right["issue"] is None
    assert right["evidence"]
    assert wrong["status"] == "unsupported"
    assert wrong["issue"] == "value_mismatch"
    assert right["risk"] < wrong["risk"]
