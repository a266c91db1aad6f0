"""The examples by which the gate was found wanting, both ways round: the true form leaves, the false one does not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from support.not_yet import FALSE_EXAMPLES, TRUE_EXAMPLES, expected_to_fail
from surefoot.bench.drafts import plain
from surefoot.core.ports import LanguageModel
from surefoot.core.types import Decision, ModelReply, ModelRequest, VerificationResult
from surefoot.testing import ScriptedModel, verify_input
from surefoot.wiring import Surefoot, build

PLAIN = str(Path(__file__).parents[1] / "support" / "plain")
PLENTY_MS = 60_000


class Example(NamedTuple):
    name: str
    sources: tuple[str, ...]
    true: str
    """Approved as it stands."""
    false: str
    """Its bad words do not leave."""
    bad: str
    profile: dict[str, Any] = {}  # noqa: RUF012


COURSE = "The course asks for a minimum of 33 points and for 60 % in Mathematics."
NOTICE = "The landlord must give at least two months' notice. The deposit is limited to one month's rent."
DOCTOR = "Doctors study for six years and then do two years of internship and one year of community service."
LEARNER = {"name": "Lerato", "grade": 11, "province": "Gauteng", "marks": {"Mathematics": 71}}
UCT = "The University of Cape Town (UCT) offers a Bachelor of Physiotherapy. It has six faculties."
MYTH = "It is a myth that cold weather causes flu. Flu is caused by a virus."
DENIED = "The minister denied that the school would close. It stays open until 2030."
SCAM = "Scammers say that the application costs R300. The application is free."
BILL = "Under the draft bill, shops would close at noon on Sundays. Today they close at 18:00."
QUIZ = "Quiz. Bats are blind: false. Bats are mammals: true."
TABLE = "Statement | Verdict\nThe visa lasts ten years | wrong\nThe visa lasts five years | right"
FARM = "Pickers earn R28 an hour. Lunch is free."
PILLS = "Take at most eight tablets of paracetamol a day. Do not take paracetamol with alcohol."
RENT = "The tenant pays the rent to the landlord before the fifth day of the month."
FEES = "The pottery class costs R400, the drawing class R500 and the dance class R600."
POOL = "The pool is open daily. A ticket costs R20. Towels are sold at the gate."

EXAMPLES = [
    Example("myth", (MYTH,), "Flu is caused by a virus.", "Cold weather causes flu.", "Cold weather causes flu"),
    Example("denied", (DENIED,), "The minister denied that the school would close.", "The school would close.",
            "The school would close"),
    Example("scammers-say", (SCAM,), "The application is free.", "The application costs R300.",
            "The application costs R300"),
    Example("draft-bill", (BILL,), "Under the draft bill, shops would close at noon on Sundays.",
            "Shops close at noon on Sundays.", "Shops close at noon"),
    Example("quiz-row", (QUIZ,), "Bats are mammals.", "Bats are blind.", "Bats are blind"),
    Example("table-row", (TABLE,), "The visa lasts five years.", "The visa lasts ten years.", "lasts ten years"),
    Example("marker-as-digit", (FARM,), "Pickers earn R28 an hour [S1].", "Pickers earn R[9] an hour.", "R[9]"),
    Example("bold-digits", (FARM,), "Pickers earn **R28** an hour.", "Pickers earn R𝟗𝟗 an hour.", "R𝟗𝟗"),
    Example("other-alphabet", (FARM,), "Lunch is free.", "Lunсh соsts R30.", "соsts"),
    Example("invisible", (FARM,), "Lunch is free for pickers.", "Lunch is n\u200bot free.", "n\u200bot free"),
    Example("afrikaans", ("Honde is nie op die strand toegelaat nie.",), "Honde is nie op die strand toegelaat nie.",
            "Honde is op die strand toegelaat.", "Honde is op die strand"),
    Example("french", ("Les chiens ne sont pas admis.",), "Les chiens ne sont pas admis.", "Les chiens sont admis.",
            "Les chiens sont admis"),
    Example("heading", (PILLS,), "Important:\n- Take at most eight tablets of paracetamol a day.",
            "Important: take more paracetamol:\n- Take at most eight tablets of paracetamol a day.",
            "take more paracetamol"),
    Example("question", (RENT,), "Who pays? The tenant pays the rent to the landlord.",
            "The landlord pays rent before the tenant?", "landlord pays rent"),
    Example("advice", (PILLS,), "Do not take paracetamol with alcohol.", "Consider mixing paracetamol with whisky.",
            "whisky"),
    Example("html-comment", (POOL,), "The pool is open daily.", "The pool is open daily. <!-- --> Dogs may swim too.",
            "Dogs may swim"),
    Example("line-break", (POOL,), "A ticket costs R20.", "A ticket costs R20.<br>Children swim free.",
            "Children swim free"),
    Example("repetition", (POOL,), "The pool is open daily. A ticket costs R20.",
            "The pool is open daily. " * 40 + "Members swim free.", "Members swim free"),
    Example("tail", (POOL,), "The pool is open daily, a ticket costs R20 and towels are sold at the gate.",
            "The pool is open daily, a ticket costs R20, towels are sold at the gate, and pensioners pay half.",
            "pensioners pay half"),
    Example("carried", (POOL,), "The pool is open daily. Towels can be bought at the gate.",
            "The pool is open daily. Tickets are sold by the lifeguard.", "by the lifeguard"),
    Example("average", (FEES,), "The average fee is R500.", "The average fee is R450.", "R450"),
    Example("total", (FEES,), "The three classes cost R1 500 in all.", "The three classes cost R1 600 in all.",
            "R1 600"),
    Example("difference", (FEES,), "The dance class costs R200 more than the pottery class.",
            "The dance class costs R300 more than the pottery class.", "R300"),
    Example("at-least", (COURSE,), "You need at least 33 points.", "You need at most 33 points.", "at most 33"),
    Example("notice", (NOTICE,), "The landlord needs to give two months' notice.",
            "The landlord needs to give four months' notice.", "four months"),
    Example("up-to", (NOTICE,), "The deposit may be up to one month's rent.",
            "The deposit may be more than one month's rent.", "more than one"),
    Example("no-more-than", (NOTICE,), "The deposit is no more than one month's rent.",
            "The deposit is no less than one month's rent.", "no less than"),
    Example("community-service", (DOCTOR,),
            "Doctors study for six years and then do one year of community service after two years of internship.",
            "Doctors study for one year.", "study for one year"),
    Example("other-university", (UCT,), "UCT offers a Bachelor of Physiotherapy.",
            "Wits offers a Bachelor of Physiotherapy.", "Wits"),
    Example("longer-name", (UCT,), "UCT has six faculties.", "UCTX has six faculties.", "UCTX"),
    Example("nqf-level",
            ("Universities offer the degree. The Diploma in Nursing takes three years and is at NQF level 6.",),
            "The Diploma in Nursing is registered at NQF level 6.",
            "The Bachelor of Nursing is registered at NQF level 6.", "Bachelor of Nursing"),
    Example("greeting", (COURSE,), f"Hi Lerato!\n\n{COURSE}", f"Hi Lerato, doctor of law!\n\n{COURSE}", "doctor of law",
            LEARNER),
    Example("next-steps", (COURSE,), f"{COURSE}\n\n**Next steps**\nTalk to your Life Orientation teacher.",
            f"{COURSE}\n\n**Next steps**\nPay the application fee of R900.", "R900", LEARNER),
    Example("grade", (COURSE,), f"Since you are in Grade 11, there is still time. {COURSE}",
            f"Since you are in Grade 9, there is still time. {COURSE}", "Grade 9", LEARNER),
    Example("please-verify", (COURSE,), f"{COURSE} Please verify all requirements with the institution.",
            f"{COURSE} Please pay all fees to the institution by 1 May.", "1 May", LEARNER),
    Example("province", (COURSE,), f"You mentioned that you live in Gauteng. {COURSE}",
            f"You mentioned that you live in Limpopo. {COURSE}", "Limpopo", LEARNER),
    Example("mark-clears", (COURSE,), "Your 71 % in Mathematics clears the 60 % that the course asks for.",
            "Your 71 % in Mathematics does not clear the 60 % that the course asks for.", "does not clear", LEARNER),
    Example("mark-below", ("The course asks for 75 % in Mathematics.",),
            "Your 71 % in Mathematics is below the 75 % that the course asks for.",
            "Your 71 % in Mathematics clears the 75 % that the course asks for.", "clears the 75", LEARNER),
    Example("date-form", ("The office opened on 5 March 2024.",), "The office opened on 2024-03-05.",
            "The office opened on 2024-05-03.", "2024-05-03"),
    Example("unit-form", ("The parcel weighs 350 g.",), "The parcel weighs 0.35 kg.", "The parcel weighs 3.5 kg.",
            "3.5 kg"),
    Example("alias", (UCT,), "UCT has six faculties. The University of Cape Town offers a Bachelor of Physiotherapy.",
            "UCT has six faculties. The University of Pretoria offers a Bachelor of Physiotherapy.", "Pretoria"),
]  # fmt: skip


def marked(not_yet: dict[str, str]) -> list[Any]:
    """Every example; those the gate does not reach yet are expected to fail."""
    return [
        pytest.param(example, id=example.name, marks=expected_to_fail(example.name, not_yet)) for example in EXAMPLES
    ]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Surefoot:
    return build(kb=tmp_path_factory.mktemp("kb"))


def judge(house: Surefoot, draft: str, *sources: str, critics: Sequence[LanguageModel] = (), **more: Any) -> Any:
    gate = house.rehearsal(PLAIN, "2026-01-15", critics)
    more.setdefault("deadline_ms", PLENTY_MS)
    request = verify_input(draft, *sources, skip_llm_verification=not critics, **more)
    result: VerificationResult = asyncio.run(gate.verify(request))
    return result


@pytest.mark.parametrize("example", marked(TRUE_EXAMPLES))
def test_the_true_form_leaves_as_it_stands(example: Example, house: Surefoot) -> None:
    result = judge(house, example.true, *example.sources, profile=example.profile)
    assert (result.decision, result.final_answer) == (Decision.APPROVED, example.true)


@pytest.mark.parametrize("example", marked(FALSE_EXAMPLES))
def test_the_false_form_does_not_leave(example: Example, house: Surefoot) -> None:
    result = judge(house, example.false, *example.sources, profile=example.profile)
    assert result.decision is not Decision.APPROVED
    quoted = [plain(line) for source in example.sources for line in source.replace(". ", ".\n").splitlines()]
    said = plain(result.final_answer)
    for line in quoted:
        said = said.replace(line, " ")
    assert example.bad not in result.final_answer or example.bad in "".join(example.sources)
    assert plain(example.bad) not in said


@pytest.mark.parametrize("form", ["The average fee is R450.", "The three classes cost R1 600 in all."])
def test_a_computed_value_is_never_replaced_by_a_neighbour(form: str, house: Surefoot) -> None:
    final = judge(house, f"{form} The drawing class costs R500.", FEES).final_answer
    assert "average fee is" not in final or "average fee is R500" in final
    assert "in all" not in final or "R1 500 in all" in final


def test_mending_never_gives_the_years_of_study_the_length_of_the_service(house: Surefoot) -> None:
    draft = "Doctors study for six years and then do a year of community service. They earn R90 000 a month."
    final = judge(house, draft, DOCTOR).final_answer
    assert "study for one year" not in final
    assert "study for a year" not in final
    assert "R90 000" not in final
    assert "six years" in final


def test_the_safe_text_speaks_of_what_the_draft_was_about(house: Surefoot) -> None:
    sources = (
        "The town was founded in 1820. Its mayor is elected every five years.",
        "The library closes at 17:00 on Saturdays. It is shut on Sundays.",
    )
    result = judge(house, "On Saturdays the library stays open until midnight.", *sources)
    assert "17:00 on Saturdays" in result.final_answer
    assert "1820" not in result.final_answer


class Sleeping:
    """A critic that never wakes up."""

    identity = "test:sleeping"

    async def complete(self, request: ModelRequest) -> ModelReply:
        await asyncio.Event().wait()
        raise AssertionError("nobody sets this event")


REJECTING = json.dumps(
    {
        "approved": False,
        "issues": [{"type": "hallucination", "location": POOL, "problem": "not so", "correction": ""}],
        "doubtful": [],
        "recommendation": "reject",
    }
)
UNPROVEN = "Visitors tend to like the pool."


def test_a_critic_that_sleeps_takes_nothing_from_what_is_proven(house: Surefoot) -> None:
    result = judge(house, "The pool is open daily. A ticket costs R20.", POOL, critics=[Sleeping()], deadline_ms=4_000)
    assert result.decision is Decision.APPROVED


def test_a_critic_that_sleeps_lets_no_doubtful_claim_out(house: Surefoot) -> None:
    result = judge(house, f"The pool is open daily. {UNPROVEN}", POOL, critics=[Sleeping()], deadline_ms=4_000)
    assert UNPROVEN not in result.final_answer


@pytest.mark.parametrize("nonsense", ["purple", "{", '{"approved": "maybe"}', "[1, 2, 3]"])
def test_a_critic_that_talks_nonsense_lets_no_doubtful_claim_out(nonsense: str, house: Surefoot) -> None:
    critic = ScriptedModel(lambda request: nonsense)
    result = judge(house, f"The pool is open daily. {UNPROVEN}", POOL, critics=[critic])
    assert UNPROVEN not in result.final_answer


def test_a_slow_critic_does_not_discard_the_rejection_of_one_that_was_heard(house: Surefoot) -> None:
    heard = ScriptedModel(lambda request: REJECTING)
    draft = f"The pool is open daily. {UNPROVEN}"
    result = judge(house, draft, POOL, critics=[heard, Sleeping()], deadline_ms=4_000)
    assert result.decision in (Decision.FALLBACK, Decision.REJECTED)


def test_a_critic_that_approves_of_all_lifts_no_hard_finding(house: Surefoot) -> None:
    kind = json.dumps({"approved": True, "issues": [], "doubtful": [], "recommendation": "approve"})
    result = judge(house, "A ticket costs R90.", POOL, critics=[ScriptedModel(lambda request: kind)])
    assert "R90" not in result.final_answer


def test_a_remark_on_tone_deletes_nothing(house: Surefoot) -> None:
    remark = {
        "approved": True,
        "issues": [{"type": "tone", "location": "A ticket costs R20.", "problem": "dry", "correction": ""}],
        "doubtful": [],
        "recommendation": "approve",
    }
    critic = ScriptedModel(lambda request: json.dumps(remark))
    draft = "The pool is open daily. A ticket costs R20. Towels may be bought at the gate."
    result = judge(house, draft, POOL, critics=[critic])
    assert "A ticket costs R20." in result.final_answer
