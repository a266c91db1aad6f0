"""The workflow ends, corrects, refuses, and carries no draft past the gate."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from house import FINES, LOANS, PACK, Outside, Shelf, Writes, ask, flow, gate, stale_pack

from surefoot.core.errors import InputError, ModelUnavailableError, StoreError, StoreUnavailableError
from surefoot.core.types import DONT_KNOW, Action, AskEvent, Decision, Passage, Severity, Turn, VerifyInput
from surefoot.flows.state import AskRequest, Limits
from surefoot.generate.extractive import Extractive
from surefoot.generate.generator import ExtractiveGenerator
from surefoot.packs.schema import Rule
from surefoot.verify.prove.recheck import problems_of

LONG = "How long does a loan last?"
LIE = "A loan lasts 99 days [S1]."
BASELESS = "Penguins guard the vault [S1]."
WEB = Passage(
    id="https://library.example/loans",
    text="A reserved book is kept for 4 days.",
    metadata={"source": "https://library.example/loans", "external": True, "date": "2026-11-15"},
)


QUOTES = ExtractiveGenerator(writer=Extractive())


def certified(result: object) -> bool:
    from surefoot.core.wire import result_to_wire

    return problems_of(result_to_wire(result)) == []  # type: ignore[arg-type]


def test_a_good_draft_is_accepted_at_once() -> None:
    asked = ask(flow(LOANS, FINES), LONG)
    assert asked.result.decision is Decision.APPROVED
    assert asked.result.final_answer == "A loan lasts 21 days [S1]."
    assert [turn.accepted for turn in asked.rounds] == [True]
    assert certified(asked.result)


def test_a_wrong_draft_never_comes_out() -> None:
    asked = ask(flow(LOANS, generator=Writes([LIE])), LONG)
    assert asked.result.decision is Decision.REVISED
    assert asked.result.final_answer == "A loan lasts 21 days [S1]."


def test_outside_evidence_corrects_what_the_knowledge_base_lacks() -> None:
    outside = Outside([WEB])
    asked = ask(
        flow(LOANS, outside=outside, generator=Writes([LIE, WEB.text[:-1] + " [S1]."])),
        "How long is a reserved book kept?",
    )
    assert asked.result.decision is Decision.APPROVED
    assert asked.result.final_answer == "A reserved book is kept for 4 days [S1]."
    assert [turn.accepted for turn in asked.rounds] == [False, True]
    assert asked.rounds[1].external == ("https://library.example/loans",)


def test_a_follow_up_is_searched_for_with_the_subject_of_the_turn_before() -> None:
    outside = Outside([WEB])
    earlier = Turn(question="Where is the head office of Corvale?", answer="In Leeds [S1].")
    ask(
        flow(LOANS, outside=outside, generator=Writes([LIE])),
        "how many people work there?",
        history=(earlier,),
    )
    assert outside.gaps[0] == ("How many people work at Corvale?", ())


def test_the_corrector_is_told_what_was_wrong() -> None:
    writer = Writes([LIE, "A loan lasts 21 days [S2]."])
    ask(flow(LOANS, outside=Outside([WEB]), generator=writer), LONG)
    assert writer.tasks[1].previous == LIE
    assert any("no source says so" in problem for problem in writer.tasks[1].problems)


def test_an_outdated_source_is_replaced() -> None:
    old = replace(FINES, metadata={"source": "fines.md", "date": "2019-01-01"})
    new = replace(WEB, text="A late book costs R4.00 per day.")
    asked = ask(flow(old, outside=Outside([new]), pack=stale_pack()), "What does a late book cost per day?")
    assert [turn.outdated for turn in asked.rounds] == [True, False]
    assert asked.result.final_answer == "A late book costs R4.00 per day [S1]."


def test_an_outdated_answer_is_kept_when_nothing_newer_is_found() -> None:
    old = replace(FINES, metadata={"source": "fines.md", "date": "2019-01-01"})
    asked = ask(flow(old, outside=Outside([]), pack=stale_pack()), "What does a late book cost per day?")
    assert asked.result.decision is Decision.APPROVED
    assert asked.rounds[0].outdated


def test_two_bad_rounds_end_in_the_safe_text() -> None:
    outside = Outside([WEB])
    asked = ask(flow(LOANS, outside=outside, generator=Writes([BASELESS] * 3)), LONG)
    assert asked.result.decision is Decision.FALLBACK
    assert "Penguins" not in asked.result.final_answer
    assert len(asked.rounds) == 2
    assert outside.calls == 1


@pytest.mark.parametrize("draft", [BASELESS, ""])
def test_a_draft_that_comes_to_nothing_gives_way_to_the_sources_own_sentence(draft: str) -> None:
    """A small model often says nothing, or something baseless, beside passages that answer."""
    writer = Writes([draft])
    asked = ask(flow(LOANS, generator=writer, quotes=lambda pack: QUOTES), LONG)
    assert (asked.result.decision, asked.result.final_answer) == (Decision.APPROVED, "A loan lasts 21 days [S1].")
    assert writer.rejected == ([draft] if draft else [])
    assert [turn.accepted for turn in asked.rounds] == [True]
    assert certified(asked.result)


def test_a_draft_that_answers_is_not_replaced_by_a_quote() -> None:
    quotes = Writes(["A loan lasts 21 days [S1]."])
    ask(flow(LOANS, generator=Writes(["A loan lasts 21 days [S1]."]), quotes=lambda pack: quotes), LONG)
    assert quotes.tasks == []


def test_quotes_that_do_not_answer_either_are_no_answer() -> None:
    house = flow(LOANS, FINES, generator=Writes([BASELESS]), quotes=lambda pack: QUOTES, scorer=lambda *_, **__: False)
    asked = ask(house, LONG)
    assert asked.result.decision is Decision.REJECTED
    assert asked.result.metadata.fallback_reason == "unanswered"


def test_an_empty_store_is_a_refusal() -> None:
    asked = ask(flow(), LONG)
    assert asked.result.decision is Decision.REJECTED
    assert asked.result.final_answer == DONT_KNOW
    assert asked.result.metadata.fallback_reason == "retrieval_miss"


def test_a_worse_second_round_does_not_replace_an_approved_first() -> None:
    question = "How long does a loan last and where is the cellar?"
    asked = ask(flow(LOANS, outside=Outside([WEB]), generator=Writes(["A loan lasts 21 days [S1].", LIE])), question)
    assert asked.result.decision is Decision.APPROVED
    assert asked.result.final_answer == "A loan lasts 21 days [S1]."
    assert asked.unanswered == ("where is the cellar?",)


def test_unanswered_parts_are_named() -> None:
    asked = ask(flow(LOANS), "How long does a loan last and who founded the museum in Bloemfontein?")
    assert asked.result.accepted
    assert asked.unanswered == ("who founded the museum in Bloemfontein?",)


def test_a_question_a_rule_refuses_is_neither_searched_nor_written() -> None:
    class RefusesDrugs:
        name, version = "policy", "test"

        def run(self, submission):  # type: ignore[no-untyped-def]
            from surefoot.core.types import CheckReport, Finding, Issue, IssueType

            issue = Issue(
                type=IssueType.POLICY,
                severity=Severity.CRITICAL,
                code="policy:danger",
                location="",
                span=(0, 0),
                problem="dangerous",
                action=Action.REJECT,
            )
            return CheckReport(name="policy", version="test", findings=(Finding(issue=issue),))

    rule = Rule(
        id="danger", title="", reason="", severity=Severity.CRITICAL, action=Action.REJECT, message="Please call."
    )
    pack = replace(PACK, rules=(rule,))
    strict = gate(pack, rules=(RefusesDrugs(),))
    outside, shelf, writer = Outside([WEB]), Shelf([LOANS]), Writes([LIE])
    asked = ask(flow(pack=pack, gate=strict, outside=outside, retriever=shelf, generator=writer), LONG)
    assert asked.result.decision is Decision.REJECTED
    assert asked.result.final_answer == "Please call."
    assert (outside.calls, shelf.asked, writer.tasks) == (0, [], [])


def test_without_anywhere_to_look_there_is_no_second_round() -> None:
    asked = ask(flow(LOANS, generator=Writes([LIE, "A loan lasts 21 days [S1]."])), LONG)
    assert len(asked.rounds) == 1


def test_a_false_premise_is_answered_with_what_the_sources_say() -> None:
    class Values:
        name, version = "values", "test"

        def run(self, submission):  # type: ignore[no-untyped-def]
            from surefoot.core.types import CheckReport, Finding, Issue, IssueType

            at = submission.draft.find("40 days")
            found = Issue(
                type=IssueType.INACCURACY,
                severity=Severity.HIGH,
                code="value_mismatch",
                location="40 days",
                span=(max(at, 0), max(at, 0) + 7),
                problem="40 days is not in the source",
            )
            return CheckReport(name="values", version="test", findings=(Finding(issue=found),) if at >= 0 else ())

    strict = gate(more=(Values(),))
    asked = ask(flow(LOANS, FINES, gate=strict), "Why does a loan last 40 days?")
    assert asked.premises == ("A loan last 40 days.",)
    assert asked.result.final_answer.startswith("A loan lasts 21 days [S1].")


def test_a_false_premise_is_corrected_where_nothing_else_is_answered() -> None:
    asked = ask(
        flow(LOANS, FINES, generator=Writes([""]), scorer=lambda *_, **__: False), "Why does a loan last 40 days?"
    )
    assert asked.result.final_answer == "A loan lasts 21 days [S1]."
    assert asked.premises == ("A loan last 40 days.",)
    assert certified(asked.result)


def test_a_true_premise_without_an_answer_is_refused_as_before() -> None:
    asked = ask(
        flow(LOANS, FINES, generator=Writes([""]), scorer=lambda *_, **__: False), "Why does a loan last 21 days?"
    )
    assert (asked.result.final_answer, asked.premises) == (DONT_KNOW, ())


def test_an_answer_beside_a_false_premise_gives_way_to_the_correction() -> None:
    beside = Writes([FINES.text[:-1] + " [S2]."])
    asked = ask(flow(LOANS, FINES, generator=beside, scorer=lambda *_, **__: False), "Why does a loan last 40 days?")
    assert asked.result.final_answer == "A loan lasts 21 days [S1]."


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ({"generator": Writes([ModelUnavailableError("down")])}, "llm_unavailable"),
        ({"generator": Writes([TimeoutError()])}, "deadline_exceeded"),
        ({"generator": Writes([ValueError("bug")])}, "check_broken"),
    ],
)
def test_a_fault_in_a_node_ends_in_a_fallback(broken: dict[str, object], reason: str) -> None:
    asked = ask(flow(LOANS, **broken), LONG)
    assert asked.result.decision is Decision.FALLBACK
    assert asked.result.metadata.fallback_reason == reason
    assert asked.result.final_answer in (DONT_KNOW, "A loan lasts 21 days [S1].")
    assert certified(asked.result)


@pytest.mark.parametrize("error", [StoreError("gone"), StoreUnavailableError("gone")])
def test_a_store_that_is_down_is_an_error_and_never_an_answer(error: StoreError) -> None:
    with pytest.raises(StoreUnavailableError) as caught:
        ask(flow(LOANS, retriever=Shelf([LOANS], error=error)), LONG)
    assert caught.value.code == "store_unavailable"
    assert ask(flow(LOANS, retriever=Shelf([LOANS])), LONG).result.accepted


def test_a_gate_that_breaks_releases_nothing() -> None:
    class Broken:
        async def verify(self, request: VerifyInput, *more: object) -> object:
            raise RuntimeError("boom")

        fail = verify

    asked = ask(flow(LOANS, gate=Broken()), LONG)
    assert (asked.result.decision, asked.result.final_answer) == (Decision.FALLBACK, DONT_KNOW)
    assert certified(asked.result)


def test_a_fault_after_a_good_round_keeps_the_verified_answer() -> None:
    question = "How long does a loan last and where is the cellar?"
    asked = ask(flow(LOANS, outside=Outside(error=RuntimeError("net"))), question)
    assert asked.result.decision is Decision.APPROVED
    assert asked.result.final_answer == "A loan lasts 21 days [S1]."


def test_a_listener_that_fails_does_not_matter() -> None:
    def fails(event: AskEvent) -> None:
        raise RuntimeError("listener")

    assert ask(flow(LOANS), LONG, on_event=fails).result.accepted


def test_events_tell_each_node_in_order_and_no_unverified_text() -> None:
    heard: list[AskEvent] = []
    asked = ask(flow(LOANS, generator=Writes([LIE])), LONG, on_event=heard.append)
    finished = [event.node for event in heard if event.state == "finished"]
    assert finished == ["retrieve", "generate", "validate", "deliver"]
    assert tuple(heard) == asked.events
    assert "99" not in repr(heard)


def test_an_empty_or_endless_question_is_the_callers_fault() -> None:
    for question in ("", "   ", "x" * 9000):
        with pytest.raises(InputError, match="question"):
            ask(flow(LOANS), question)


def test_a_spent_token_budget_makes_no_call() -> None:
    writer = Writes(["A loan lasts 21 days [S1]."])
    asked = ask(flow(LOANS, generator=writer, limits=Limits(tokens=500)), LONG)
    assert writer.tasks == []
    assert asked.result.metadata.fallback_reason == "deadline_exceeded"


def test_the_graph_can_be_a_node_of_another_graph() -> None:
    from typing import TypedDict

    from langgraph.graph import END, START, StateGraph

    class Mine(TypedDict, total=False):
        question: str
        final_answer: str
        initial_answer: str

    mine = StateGraph(Mine)
    mine.add_node("surefoot", flow(LOANS, generator=Writes([LIE])).graph())
    mine.add_edge(START, "surefoot")
    mine.add_edge("surefoot", END)
    state = asyncio.run(
        mine.compile().ainvoke({"question": LONG, "final_answer": "planted", "initial_answer": "planted"})
    )
    assert state["final_answer"] == "A loan lasts 21 days [S1]."
    assert "99" not in repr(state)


def test_a_state_planted_from_outside_is_overwritten() -> None:
    compiled = flow().graph()
    planted = {"question": LONG, "final_answer": "evil", "held": "evil", "fault": None, "context": (LOANS,)}
    state = asyncio.run(compiled.ainvoke(planted))
    assert state["final_answer"] == DONT_KNOW
    assert "evil" not in repr(state)


def test_the_drafts_of_a_run_are_no_output_of_the_graph() -> None:
    state = asyncio.run(flow(LOANS, generator=Writes([LIE])).graph().ainvoke({"question": LONG}))
    assert set(state) == {"question", "context", "validation_report", "new_info", "final_answer", "asked"}


def test_the_request_may_carry_a_profile_that_is_redacted_for_the_model() -> None:
    writer = Writes(["A loan lasts 21 days [S1]."])
    house = flow(LOANS, generator=writer, redact=lambda profile: {k: v for k, v in profile.items() if k != "name"})
    request = AskRequest(question=LONG, pack=PACK, profile={"name": "Nomsa", "grade": 12})
    asyncio.run(house.ask(request))
    assert dict(writer.tasks[0].profile) == {"grade": 12}


def test_a_misspelt_question_is_asked_in_the_documents_spelling_and_shown_so() -> None:
    strict = replace(flow(LOANS, FINES), known=lambda word: word == "lend")
    asked = ask(strict, "How long does a laon last?")
    assert asked.question == "How long does a laon last?"
    assert asked.resolved == LONG
    assert asked.result.final_answer == "A loan lasts 21 days [S1]."
    assert ask(flow(LOANS, FINES), "How long does a laon last?").resolved is None


@pytest.mark.parametrize(
    ("draft", "torn"),
    [
        (f"A loan lasts 21 days [S1]. {BASELESS}", True),
        ("A loan lasts 21 days [S1]. It can be renewed twice [S1].", False),
    ],
)
def test_a_draft_that_lost_a_statement_is_judged_as_such(draft: str, torn: bool) -> None:
    heard: list[bool] = []

    def judged(question: str, text: str, passages: object, /, *, torn: bool = False) -> bool:
        heard.append(torn)
        return True

    asked = ask(flow(LOANS, generator=Writes([draft]), scorer=judged), LONG)
    assert "A loan lasts 21 days [S1]." in asked.result.final_answer
    assert heard == [torn]
