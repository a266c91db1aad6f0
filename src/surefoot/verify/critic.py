"""Stage 3: a language model reads the draft beside its sources and settles the doubtful claims.

It may also object to any other claim. It lifts no hard finding and un-proves no quote; a correction it proposes goes
through stages 1 and 2 like any draft; a remark on tone deletes nothing.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files

from surefoot.core.errors import InvalidReplyError, ModelTimeoutError
from surefoot.core.hashing import canonical_json
from surefoot.core.ports import LanguageModel
from surefoot.core.redaction import redact_profile
from surefoot.core.structured import extract_object
from surefoot.core.taxonomy import CODES
from surefoot.core.types import Claim, Finding, Issue, IssueType, Json, ModelRequest, Severity, Span
from surefoot.verify.read.submission import Submission

TEMPERATURE = 0.1
MAX_TOKENS = 1000
MOST_ISSUES = 20
LONGEST = 500
"""Characters of a critic's own words that are kept."""
DOUBTFUL_PART = (
    "\n\nDOUBTFUL CLAIMS:\n==========\n{doubtfulClaims}\n==========\n\nSettle each by its number: add "
    '"doubtful": [{"number": 1, "supported": true or false}] to the JSON.\n'
)
_KINDS = ("hallucination", "inaccuracy", "tone", "policy")
SCHEMA: Mapping[str, Json] = {
    "type": "object",
    "properties": {
        "approved": {"type": "boolean"},
        "issues": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "type": {"type": "string", "enum": list(_KINDS)},
                    "location": {"type": "string"},
                    "problem": {"type": "string"},
                    "correction": {"type": "string"},
                },
                "required": ["type", "location", "problem", "correction"],
                "additionalProperties": False,
            },
        },
        "doubtful": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"number": {"type": "integer"}, "supported": {"type": "boolean"}},
                "required": ["number", "supported"],
                "additionalProperties": False,
            },
        },
        "recommendation": {"type": "string", "enum": ["approve", "revise", "reject"]},
    },
    "required": ["approved", "issues", "doubtful", "recommendation"],
    "additionalProperties": False,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Critique:
    """What the critics say together. A skipped critique says nothing and changes nothing."""

    findings: tuple[Finding, ...] = ()
    settled: Mapping[int, bool] = field(default_factory=dict)
    """Index of a claim: whether the sources support it."""
    corrections: Mapping[int, str] = field(default_factory=dict)
    """Index of a claim: the sentence proposed in its place."""
    rejects: bool = False
    skipped: str | None = None
    """Why nobody was heard: timeout, invalid_reply ..."""
    unavailable: bool = False
    """The API failed: not a skip, a fault."""
    models: tuple[str, ...] = ()


async def critique(
    submission: Submission,
    critics: Sequence[LanguageModel],
    *,
    timeout_ms: float,
    doubtful: Sequence[Claim] = (),
    prompt: str | None = None,
) -> Critique:
    """Asks every critic at once; those heard in time decide, and a tie lowers."""
    request = ModelRequest(
        system="You verify answers. You return only JSON.",
        prompt=fill(prompt or default_prompt(), submission, doubtful),
        temperature=TEMPERATURE,
        max_tokens=MAX_TOKENS,
        schema=SCHEMA,
        timeout_ms=max(1, int(timeout_ms)),
        role="critic",
    )
    asked = [asyncio.ensure_future(_hear(critic, request)) for critic in critics]
    try:
        await asyncio.wait(asked, timeout=timeout_ms / 1000)
    finally:
        for one in asked:
            one.cancel()
    heard = [one.exception() or one.result() if one.done() and not one.cancelled() else None for one in asked]
    votes = [(critic, vote) for critic, vote in zip(critics, heard, strict=True) if isinstance(vote, _Vote)]
    return _count(submission, doubtful, votes) if votes else _nobody(heard)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Remark:
    kind: str
    location: str
    problem: str
    correction: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Vote:
    recommendation: str
    issues: tuple[_Remark, ...]
    doubtful: Mapping[int, bool]
    """Number in the list of doubtful claims, from 1."""

    @property
    def objects(self) -> bool:
        return self.recommendation != "approve" or any(issue.kind != "tone" for issue in self.issues)


async def _hear(critic: LanguageModel, request: ModelRequest) -> _Vote:
    try:
        return _parse((await critic.complete(request)).text)
    except InvalidReplyError as error:
        again = replace(
            request, prompt=f"{request.prompt}\n\nYour last reply was refused: {error}. Return ONLY the JSON."
        )
        return _parse((await critic.complete(again)).text)


def _parse(text: str) -> _Vote:
    try:
        reply = extract_object(text)
    except ValueError as error:
        raise InvalidReplyError(str(error)) from error
    approved, recommendation, issues = reply.get("approved"), reply.get("recommendation"), reply.get("issues", [])
    if not isinstance(approved, bool) or recommendation not in ("approve", "revise", "reject"):
        raise InvalidReplyError("'approved' must be true or false and 'recommendation' approve, revise or reject")
    if not isinstance(issues, list):
        raise InvalidReplyError("'issues' must be a list")
    if not approved and recommendation == "approve":
        recommendation = "revise"
    return _Vote(
        recommendation=str(recommendation),
        issues=tuple(map(_remark, issues[:MOST_ISSUES])),
        doubtful=_numbered(reply.get("doubtful", [])),
    )


def _remark(issue: object) -> _Remark:
    if not isinstance(issue, dict) or not isinstance(issue.get("location"), str):
        raise InvalidReplyError("every issue needs a 'location' that is a text")
    kind, correction = issue.get("type"), issue.get("correction")
    return _Remark(
        kind=kind if kind in _KINDS else "hallucination",
        location=str(issue["location"]),
        problem=str(issue.get("problem") or "the critic gave no reason")[:LONGEST],
        correction=correction.strip()[:LONGEST] if isinstance(correction, str) and correction.strip() else None,
    )


def _numbered(items: object) -> dict[int, bool]:
    if not isinstance(items, list):
        raise InvalidReplyError("'doubtful' must be a list")
    found = {}
    for item in items:
        number, word = (item.get("number"), item.get("supported")) if isinstance(item, dict) else (None, None)
        if not isinstance(number, int) or not isinstance(word, bool):
            raise InvalidReplyError("every entry of 'doubtful' needs a 'number' and 'supported', true or false")
        found[number] = word
    return found


def _nobody(heard: Sequence[object]) -> Critique:
    errors = [item for item in heard if isinstance(item, BaseException)]
    for error in errors:
        if not isinstance(error, InvalidReplyError | ModelTimeoutError | TimeoutError):
            return Critique(unavailable=True, skipped=getattr(error, "code", type(error).__name__))
    invalid = any(isinstance(error, InvalidReplyError) for error in errors)
    return Critique(skipped="invalid_reply" if invalid else "timeout")


def _count(submission: Submission, doubtful: Sequence[Claim], votes: Sequence[tuple[LanguageModel, _Vote]]) -> Critique:
    """Half of the votes heard is enough to lower; more than half is needed to settle a claim as supported."""
    needed = len(votes) / 2
    rejecting = sum(vote.recommendation == "reject" for _, vote in votes)
    against: dict[int, int] = {}
    remarks: dict[Span, Finding] = {}
    corrections: dict[int, str] = {}
    objecting = sum(vote.objects for _, vote in votes) >= needed
    for _, vote in votes:
        for index in _refused(submission, doubtful, vote):
            against[index] = against.get(index, 0) + 1
        for remark in vote.issues:
            finding = _finding(submission, remark)
            if remark.kind == "tone" or objecting:
                remarks.setdefault(finding.issue.span, finding)
            for claim in _touched(submission, remark):
                text = _corrected(claim, remark) if remark.kind != "tone" and remark.location in claim.text else None
                if text is not None:
                    corrections.setdefault(claim.index, text)
    settled = {claim.index: against.get(claim.index, 0) < needed for claim in doubtful}
    settled |= {index: False for index, count in against.items() if count >= needed}
    return Critique(
        findings=tuple(remarks[span] for span in sorted(remarks)),
        settled=settled,
        corrections={index: text for index, text in corrections.items() if settled.get(index) is False},
        rejects=rejecting >= needed and rejecting > 0,
        models=tuple(critic.identity for critic, _ in votes),
    )


def _refused(submission: Submission, doubtful: Sequence[Claim], vote: _Vote) -> set[int]:
    """The claims one critic finds unsupported. A doubtful one it does not name follows its recommendation."""
    refused = {claim.index for remark in vote.issues if remark.kind != "tone" for claim in _touched(submission, remark)}
    for number, claim in enumerate(doubtful, 1):
        if not vote.doubtful.get(number, vote.recommendation == "approve"):
            refused.add(claim.index)
    return refused


def _touched(submission: Submission, remark: _Remark) -> list[Claim]:
    """The claims a remark speaks of; one that cannot be found in the draft speaks of them all."""
    start, end = _place(submission.draft, remark.location)
    return [claim for claim in submission.claims if claim.span[0] < end and start < claim.span[1]]


def _place(draft: str, location: str) -> Span:
    start = draft.find(location) if location.strip() else -1
    return (start, start + len(location)) if start >= 0 else (0, len(draft))


def _corrected(claim: Claim, remark: _Remark) -> str | None:
    """The correction where it is a sentence, else the claim with it put in; None for a mere note."""
    correction = remark.correction or ""
    for text in (correction, claim.text.replace(remark.location, correction)):
        if text[:1].isupper() and text.rstrip("\"'”’)]")[-1:] in (".", "!") and text != claim.text:
            return text
    return None


def _finding(submission: Submission, remark: _Remark) -> Finding:
    """A critic's issue, tied to the draft. What becomes of the claim is settled apart: the issue itself only tells."""
    span = _place(submission.draft, remark.location)
    code = {"tone": "tone", "inaccuracy": "contradicted"}.get(remark.kind, "evidence_miss")
    severity = Severity.LOW if remark.kind == "tone" else CODES[code][1]
    return Finding(
        issue=Issue(
            type=IssueType(remark.kind),
            severity=severity,
            code=code,
            location=submission.draft[span[0] : span[1]],
            span=span,
            problem=f"critic: {remark.problem}",
            correction=remark.correction,
        )
    )


def fill(template: str, submission: Submission, doubtful: Sequence[Claim] = ()) -> str:
    """Puts the material into the prompt in one pass, so that nothing in it is taken for a place-holder."""
    policies = [f"- {rule.title}: {rule.reason.strip()}" for rule in submission.pack.rules]
    chunks = [f"[{passage.id}] {passage.text}" for passage in submission.passages]
    asked = [_asked(number, claim, submission) for number, claim in enumerate(doubtful, 1)]
    values = {
        "title": submission.pack.title,
        "policies": "\n".join(policies) or "- none",
        "ragChunks": "\n\n".join(chunks),
        "draftAnswer": submission.draft,
        "studentProfile": canonical_json(redact_profile(submission.profile)),
        "doubtfulClaims": "\n".join(asked) or "none",
    }
    if doubtful and "{doubtfulClaims}" not in template:
        template += DOUBTFUL_PART  # a pack's own prompt may not know of them
    return _PLACE.sub(lambda match: values[match.group(1)], template)


def _asked(number: int, claim: Claim, submission: Submission) -> str:
    nearest = [f"[{near.passage}] {near.line.sentence.text}" for near in submission.supports(claim)[:3]]
    return "\n".join([f"{number}. {claim.text}", *(f"   nearest: {text}" for text in nearest)])


@cache
def default_prompt() -> str:
    return files("surefoot.verify").joinpath("prompts/critic.md").read_text(encoding="utf-8")


_PLACE = re.compile(r"\{(title|policies|ragChunks|draftAnswer|studentProfile|doubtfulClaims)\}")
