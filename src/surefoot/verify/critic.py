"""Stage 3: a language model reads the draft beside its sources. It can only lower a verdict, never lift one."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from surefoot.core.errors import InvalidReplyError, ModelTimeoutError
from surefoot.core.hashing import canonical_json
from surefoot.core.ports import LanguageModel
from surefoot.core.redaction import redact_profile
from surefoot.core.structured import extract_object
from surefoot.core.taxonomy import CODES
from surefoot.core.types import Finding, Issue, IssueType, Json, ModelRequest, Severity, Span
from surefoot.verify.submission import Submission

TEMPERATURE = 0.1
MAX_TOKENS = 1000
SCHEMA: Mapping[str, Json] = {
    "type": "object",
    "properties": {
        "approved": {"type": "boolean"},
        "issues": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "type": {"type": "string", "enum": ["hallucination", "inaccuracy", "tone", "policy"]},
                    "location": {"type": "string"},
                    "problem": {"type": "string"},
                    "correction": {"type": "string"},
                },
                "required": ["type", "location", "problem", "correction"],
                "additionalProperties": False,
            },
        },
        "recommendation": {"type": "string", "enum": ["approve", "revise", "reject"]},
    },
    "required": ["approved", "issues", "recommendation"],
    "additionalProperties": False,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Critique:
    """What the critics say together. A skipped critique says nothing and changes nothing."""

    findings: tuple[Finding, ...] = ()
    rejects: bool = False
    skipped: str | None = None
    """Why nobody was heard: timeout, invalid_reply ..."""
    unavailable: bool = False
    """The API failed: not a skip, a fault."""
    models: tuple[str, ...] = ()


async def critique(
    submission: Submission, critics: Sequence[LanguageModel], *, timeout_ms: float, prompt: str | None = None
) -> Critique:
    """Asks every critic at once; a majority of those heard decides, and a tie lowers."""
    request = ModelRequest(
        system="You verify answers. You return only JSON.",
        prompt=fill(prompt or default_prompt(), submission),
        temperature=TEMPERATURE,
        max_tokens=MAX_TOKENS,
        schema=SCHEMA,
        timeout_ms=max(1, int(timeout_ms)),
        role="critic",
    )
    try:
        async with asyncio.timeout(timeout_ms / 1000):
            heard = await asyncio.gather(*(_hear(critic, request) for critic in critics), return_exceptions=True)
    except TimeoutError:
        return Critique(skipped="timeout")
    votes = [(critic, vote) for critic, vote in zip(critics, heard, strict=True) if isinstance(vote, _Vote)]
    if not votes:
        return _nobody(heard)
    return _count(submission, votes)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Vote:
    recommendation: str
    issues: tuple[tuple[str, str, str, str | None], ...]
    """(type, location, problem, correction)"""


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
    named = []
    for issue in issues[:20]:
        if not isinstance(issue, dict) or not isinstance(issue.get("location"), str):
            raise InvalidReplyError("every issue needs a 'location' that is a text")
        kind = issue.get("type")
        correction = issue.get("correction")
        named.append(
            (
                kind if kind in ("hallucination", "inaccuracy", "tone", "policy") else "hallucination",
                str(issue["location"]),
                str(issue.get("problem") or "the critic gave no reason"),
                correction if isinstance(correction, str) and correction else None,
            )
        )
    if not approved and recommendation == "approve":
        recommendation = "revise"
    return _Vote(recommendation=str(recommendation), issues=tuple(named))


def _nobody(heard: Sequence[object]) -> Critique:
    errors = [item for item in heard if isinstance(item, BaseException)]
    for error in errors:
        if not isinstance(error, InvalidReplyError | ModelTimeoutError | TimeoutError):
            return Critique(unavailable=True, skipped=getattr(error, "code", type(error).__name__))
    timed_out = any(isinstance(error, ModelTimeoutError | TimeoutError) for error in errors)
    return Critique(skipped="timeout" if timed_out else "invalid_reply")


def _count(submission: Submission, votes: Sequence[tuple[LanguageModel, _Vote]]) -> Critique:
    needed = len(votes) / 2
    rejecting = sum(vote.recommendation == "reject" for _, vote in votes)
    objecting = [vote for _, vote in votes if vote.recommendation != "approve" or vote.issues]
    findings: dict[Span, Finding] = {}
    if len(objecting) >= needed:
        for vote in objecting:
            for kind, location, problem, correction in vote.issues or (
                ("hallucination", "", "the critic objects", None),
            ):
                finding = _finding(submission, kind, location, problem, correction)
                findings.setdefault(finding.issue.span, finding)
    return Critique(
        findings=tuple(findings[span] for span in sorted(findings)),
        rejects=rejecting >= needed and rejecting > 0,
        models=tuple(critic.identity for critic, _ in votes),
    )


def _finding(submission: Submission, kind: str, location: str, problem: str, correction: str | None) -> Finding:
    """A critic's issue, tied to the draft; one that cannot be found there speaks of the whole text."""
    draft = submission.draft
    start = draft.find(location) if location.strip() else -1
    span = (start, start + len(location)) if start >= 0 else (0, len(draft))
    code = {"tone": "tone", "inaccuracy": "contradicted"}.get(kind, "evidence_miss")
    severity = Severity.MEDIUM if kind in ("tone", "policy") else CODES[code][1]
    return Finding(
        issue=Issue(
            type=IssueType(kind),
            severity=severity,
            code=code,
            location=draft[span[0] : span[1]],
            span=span,
            problem=f"critic: {problem[:500]}",
            correction=correction[:500] if correction else None,
        )
    )


def fill(template: str, submission: Submission) -> str:
    """Puts the material into the prompt in one pass, so that nothing in it is taken for a place-holder."""
    policies = [f"- {rule.title}: {rule.reason.strip()}" for rule in submission.pack.rules]
    chunks = [f"[{passage.id}] {passage.text}" for passage in submission.passages]
    values = {
        "title": submission.pack.title,
        "policies": "\n".join(policies) or "- none",
        "ragChunks": "\n\n".join(chunks),
        "draftAnswer": submission.draft,
        "studentProfile": canonical_json(redact_profile(submission.profile)),
    }
    return _PLACE.sub(lambda match: values[match.group(1)], template)


@cache
def default_prompt() -> str:
    return files("surefoot.verify").joinpath("prompts/critic.md").read_text(encoding="utf-8")


_PLACE = re.compile(r"\{(title|policies|ragChunks|draftAnswer|studentProfile)\}")
