"""A question that takes something false for granted is put right: the sources' own sentence, then the answer."""

from __future__ import annotations

from dataclasses import replace

from surefoot.flows.examiner import Examiner
from surefoot.flows.premise import FalsePremise, Verified, find_false_premise
from surefoot.flows.report import ValidationReport
from surefoot.flows.state import AskState


async def put_right(
    state: AskState, verified: Verified, report: ValidationReport, examiner: Examiner
) -> tuple[FalsePremise | None, Verified, ValidationReport]:
    """The question's false premise, where it has one, and the round's result with the correction in it."""
    false = await _false_premise(state, verified, report, examiner)
    if false is None:
        return None, verified, report
    if not (verified.result.accepted and false.says_so_in(verified.result.final_answer)):
        corrected = await _corrected(state, false, verified, report, examiner)
        if corrected is not None:
            verified = corrected
            report = await examiner.report(state, verified, state["context"])
    if false.says_so_in(verified.result.final_answer):
        report = replace(report, beside=False)  # who is put right has an answer
    return false, verified, report


async def _false_premise(
    state: AskState, verified: Verified, report: ValidationReport, examiner: Examiner
) -> FalsePremise | None:
    """What the question takes for granted and the sources contradict. A rule's refusal and a fault stay."""
    context = state["context"]
    empty = not verified.result.accepted and verified.result.metadata.fallback_reason == "retrieval_miss"
    if not context or report.refused_by_rule or not (verified.result.accepted or empty):
        return None
    style = state["request"].pack.citations.style
    try:
        return await find_false_premise(
            state["question"], context, verify=lambda text: examiner.verify(state, text, context), style=style
        )
    except TimeoutError:
        return None


async def _corrected(
    state: AskState, false: FalsePremise, verified: Verified, report: ValidationReport, examiner: Examiner
) -> Verified | None:
    """The answer with what the sources say before it; that alone where there is no answer."""
    answer = verified.result.final_answer if verified.result.accepted and not report.beside else ""
    try:
        said = await examiner.verify(state, f"{false.correction} {answer}".strip(), state["context"])
    except TimeoutError:
        return None
    return said if said.result.accepted else None
