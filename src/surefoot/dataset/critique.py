"""The verdict on an answer: what the critic model says joined with what the gate proves. Pure.

The gate has the last word on what is wrong: a lenient critic cannot pass a wrong number. The critic can only add doubt.
"""

from __future__ import annotations

import json

from surefoot.core.text import squash, without_markers
from surefoot.core.types import DONT_KNOW, Decision, Json, VerificationResult
from surefoot.dataset.pair import Critique, QuestionType

SCHEMA: dict[str, Json] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["grounded", "reasoning"],
    "properties": {"grounded": {"type": "boolean"}, "reasoning": {"type": "string"}},
}

CODES = {
    "critic": "the critic model says it is not grounded",
    "critic_invalid": "the critic model gave no valid verdict, twice",
    "over_refusal": "the answer refuses a question the documents were to answer",
    "answered_unanswerable": "the answer states something although the documents do not hold an answer",
    "empty_answer": "there is no answer",
}


def read_verdict(text: str) -> tuple[bool, str]:
    """The critic's reply, already checked against SCHEMA."""
    value = json.loads(text)
    return bool(value["grounded"]), str(value["reasoning"])


def join(
    *,
    kind: QuestionType,
    answer: str,
    result: VerificationResult | None,
    said: tuple[bool, str] | None,
    invalid: bool = False,
) -> Critique:
    """`result` is None for a refusal; `said` None where no critic model was asked, or its verdict was invalid."""
    codes, reasons = _own_findings(kind, answer)
    if result is not None:
        gate_codes, gate_reasons = _gate_findings(result)
        codes, reasons = codes + gate_codes, reasons + gate_reasons
    if invalid:
        codes, reasons = [*codes, "critic_invalid"], [*reasons, CODES["critic_invalid"]]
    if said is not None and not said[0]:
        codes = [*codes, "critic"]
    spoken = [said[1].strip()] if said is not None and said[1].strip() else []
    grounded = not codes
    if grounded:
        reasoning = " ".join(spoken) or _PROVEN[result is None]
    else:
        # A critic that found nothing has no reason to give for the refusal; the findings are the reason.
        reasoning = "; ".join([*(spoken if "critic" in codes else []), *reasons])
    return Critique(
        grounded=grounded,
        reasoning=reasoning,
        said=None if said is None else said[0],
        decision=None if result is None else result.decision.value,
        codes=tuple(dict.fromkeys(codes)),
    )


def is_refusal(answer: str) -> bool:
    return squash(without_markers(answer)).strip(" .\"'") == squash(DONT_KNOW).strip(" .")


def _own_findings(kind: QuestionType, answer: str) -> tuple[list[str], list[str]]:
    code = None
    if not answer.strip():
        code = "empty_answer"
    elif is_refusal(answer) and kind is not QuestionType.UNANSWERABLE:
        code = "over_refusal"
    elif not is_refusal(answer) and kind is QuestionType.UNANSWERABLE:
        code = "answered_unanswerable"
    return ([code], [CODES[code]]) if code else ([], [])


def _gate_findings(result: VerificationResult) -> tuple[list[str], list[str]]:
    """Why the gate would not let the text out as it stands; a revision means that something was wrong."""
    if result.decision is Decision.APPROVED:
        return [], []
    blocking = [issue for issue in result.metadata.issues_detected if issue.blocking]
    codes = [issue.code for issue in blocking]
    reasons = [_sentence(issue.code, issue.location, issue.problem, issue.correction) for issue in blocking]
    if not codes:
        reason = result.metadata.fallback_reason or result.decision.value
        codes, reasons = [reason], [f"the gate decided {result.decision.value}: {reason}"]
    return codes, list(dict.fromkeys(reasons))


def _sentence(code: str, location: str, problem: str, correction: str | None) -> str:
    place = location if len(location) <= 120 else f"{location[:117]}..."
    fix = f" (the source has: {correction})" if correction else ""
    return f"{code} in {place!r}: {problem}{fix}"


_PROVEN = {
    False: "Every claim is proven by the passage it cites.",
    True: "The documents hold no answer, and the reply says so.",
}
