"""Contradictions: a claim that flips what its evidence says, or what the draft says elsewhere; and strange names.

A flip is looked for between the claim and the evidence sentence it is closest to. Names that stand in no source are
unknown entities; a name of the sources put in the place of another is a claim without evidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from surefoot.core.remember import by_text
from surefoot.core.spans import Spans
from surefoot.core.taxonomy import CODES
from surefoot.core.text import fold
from surefoot.core.types import CheckReport, Claim, Finding, Issue, Span
from surefoot.core.values import Value, equal
from surefoot.packs.names import index_of, mentions
from surefoot.verify.binding import quoted_line
from surefoot.verify.names import Name, explained, names, written
from surefoot.verify.nearcopy import Change, changes, other_direction, other_name
from surefoot.verify.owners import SOURCE_WORDS
from surefoot.verify.polarity import opposes, shared_words
from surefoot.verify.reading import Line, stems_in, tokens_of
from surefoot.verify.submission import Submission
from surefoot.verify.support import Support

MOST_PAIRS = 120
"""Claims compared with each other; a longer draft is compared with this many neighbours only."""
SAME_STATEMENT = 0.9
"""Share of words two sentences of the draft must have in common to state the same thing."""
AS_GOOD = 0.9
"""A sentence of the evidence this close to the best one speaks of the claim just as much."""


@dataclass(frozen=True)
class PolarityCheck:
    name: str = "polarity"
    version: str = "3"

    def run(self, submission: Submission) -> CheckReport:
        findings: list[Finding] = []
        factual = [claim for claim in submission.claims if claim.factual]
        for claim in factual:
            if quoted_line(claim, submission.evidence_for(claim)) is not None:
                continue
            found = _flip(claim, submission) or _altered(claim, submission) or _strange_name(claim, submission)
            if found is not None:
                findings.append(found)
        findings += _against_itself(factual, submission)
        return CheckReport(name=self.name, version=self.version, findings=tuple(findings))


def _flip(claim: Claim, submission: Submission) -> Finding | None:
    line = submission.line(claim)
    near = _closest(line, submission.supports(claim))
    reasons = [(opposes(line, support.line), support) for support in near]
    # one sentence that says it as the claim does is enough
    if not reasons or any(reason is None for reason, _ in reasons):
        return None
    reason, support = reasons[0]
    return _report(claim, claim.span, "contradicted", str(reason), evidence=support.line.sentence.text)


def _closest(line: Line, supports: Sequence[Support]) -> list[Support]:
    best = supports[0].coverage if supports else 0.0
    return [support for support in supports if support.coverage >= AS_GOOD * best and shared_words(line, support.line)]


def _altered(claim: Claim, submission: Submission) -> Finding | None:
    """A near copy of a source sentence with another name or another direction in it."""
    line = submission.line(claim)
    found: list[Finding] = []
    for support in submission.supports(claim)[:2]:
        here = [finding for change in changes(line, support.line) if (finding := _change(claim, line, change, support))]
        if not here and shared_words(line, support.line) >= SAME_STATEMENT:
            return None
        found += here
    return found[0] if found else None


def _change(claim: Claim, line: Line, change: Change, support: Support) -> Finding | None:
    span = (claim.span[0] + change.claim[0].start, claim.span[0] + change.claim[-1].end)
    evidence = support.line.sentence.text
    directions = other_direction(change)
    if directions is not None:
        problem = f"the claim says {directions[0]!r}, the source {directions[1]!r}"
        return _report(claim, span, "contradicted", problem, evidence=evidence)
    named = other_name(change, line, support.line)
    if named is not None:
        problem = f"the source says this of {named[1]!r}, not of {named[0]!r}"
        return _report(claim, span, "evidence_miss", problem, location=named[0], evidence=evidence)
    return None


def _strange_name(claim: Claim, submission: Submission) -> Finding | None:
    line = submission.line(claim)
    text = line.sentence.text
    amounts = Spans(value.span for value in line.values if value.kind != "token")
    found = [name for name in names(text) if name.sure and not _labels(name, amounts)]
    if not found:
        return None
    for name in found:
        missing = [word for word in _stems(name) if not submission.knows(word)]
        span = (claim.span[0] + name.start, claim.span[0] + name.end)
        if (
            not missing
            or _spelled_out(name, submission)
            or explained(name, text)
            or written(name.words, submission.passages)
        ):
            continue
        if not _registered(span, submission):
            return _report(claim, span, "unknown_entity", f"{name.text!r} is in no source", location=name.text)
    return _swapped_name(claim, found, submission)


def _swapped_name(claim: Claim, found: Sequence[Name], submission: Submission) -> Finding | None:
    """A name of the sources that the claim's own sentence of the evidence does not hold, but another name instead."""
    supports = submission.supports(claim)
    if not supports:
        return None
    best, line = supports[0], submission.line(claim)
    around = _around(best, supports)
    for name in found:
        stems = _stems(name)
        if sum(word not in around for word in stems) != len(name.words):
            continue
        rest = line.stems.difference(stems)
        held = len(rest & best.line.stems) / len(rest) if rest else 0.0
        rivals = _rivals(name, line, best.line) if held >= 0.6 else []
        if rivals:
            span = (claim.span[0] + name.start, claim.span[0] + name.end)
            problem = f"the source says this of {rivals[0].text!r}, not of {name.text!r}"
            return _report(claim, span, "evidence_miss", problem, location=name.text, evidence=best.line.sentence.text)
    return None


def _rivals(name: Name, line: Line, source: Line) -> list[Name]:
    """Names of the source's sentence that the claim does not have, where the claim has this one."""
    mine = {word for own in names(line.sentence.text) for word in _stems(own)}
    return [
        other
        for other in names(source.sentence.text)
        if other.sure
        and _shape(other) == _shape(name)
        and not mine.intersection(_stems(other))
        and _same_place(name, line, other, source)
    ]


def _labels(name: Name, amounts: Spans) -> bool:
    """'(Passage 2)' names what was read; an amount such as EUR3.34 is the values' affair."""
    return amounts.overlap((name.start, name.end)) or SOURCE_WORDS.issuperset(_stems(name))


def _same_place(name: Name, line: Line, other: Name, source: Line) -> bool:
    """Whether the same word stands before or behind both names: one was put in the place of the other."""
    base = source.sentence.start
    before, behind = _beside(line, name.start, name.end)
    left, right = _beside(source, base + other.start, base + other.end)
    return (bool(before) and before == left) or (bool(behind) and behind == right)


def _beside(line: Line, start: int, end: int) -> tuple[str, str]:
    before = [token.stem for token in line.tokens if token.end <= start]
    behind = [token.stem for token in line.tokens if token.start >= end]
    return before[-1] if before else "", behind[0] if behind else ""


def _around(best: Support, supports: Sequence[Support]) -> frozenset[str]:
    """Words of the best sentence, the one before it, and every sentence nearly as good."""
    lines = [support.line for support in supports if support.coverage >= AS_GOOD * best.coverage]
    lines += [line.above for line in lines if line.above is not None]
    return frozenset().union(*(line.said for line in lines))


def _shape(name: Name) -> bool:
    return len(name.words) > 1


def _stems(name: Name) -> list[str]:
    return stems_in(" ".join(name.words))


def _spelled_out(name: Name, submission: Submission) -> bool:
    """An abbreviation whose letters start the words of a name in the sources, or one the question uses."""
    if submission.question and fold(name.text) in fold(submission.question):
        return True
    letters = name.text.replace(".", "").rstrip("s")
    if not (len(name.words) == 1 and letters.isupper() and len(letters) > 1):
        return False
    return any(letters.lower() in _initials(passage.text) for passage in submission.passages)


@by_text(1024)
def _initials(text: str) -> str:
    """First letters of all words in order; 'chronic kidney disease' holds ckd."""
    return "".join(token.word[0] for token in tokens_of(text) if token.word not in ("of", "the", "and", "for"))


def _registered(span: Span, submission: Submission) -> bool:
    """A name of the pack's registries, or so near one that the entity check is the one to speak of it."""
    pack = submission.pack
    if not pack.entities:
        return False
    if any(span[0] < mention.span[1] and mention.span[0] < span[1] for mention in mentions(pack, submission.draft)):
        return True
    text, index = submission.draft[span[0] : span[1]], index_of(pack)
    return any(index.nearest(text, kind.kind) is not None for kind in pack.entity_kinds)


def _against_itself(claims: Sequence[Claim], submission: Submission) -> list[Finding]:
    lines = [(claim, submission.line(claim)) for claim in claims]
    findings = []
    for at, (claim, line) in enumerate(lines):
        for earlier, other in lines[max(0, at - MOST_PAIRS) : at]:
            reason = _excludes(line, other)
            if reason is not None:
                findings.append(_report(claim, claim.span, "self_contradiction", reason, evidence=earlier.text.strip()))
                break
    return findings


def _excludes(line: Line, other: Line) -> str | None:
    """Why two sentences of one draft cannot both be true."""
    if len(line.stems) < 3 or len(line.stems & other.stems) < 0.5 * len(line.stems):
        return None
    if shared_words(line, other) >= 0.8 and shared_words(other, line) >= 0.8:
        reason = opposes(line, other)
        if reason is not None:
            return f"another sentence of the draft says the opposite: {reason}"
    return _other_value(line, other)


def _other_value(line: Line, other: Line) -> str | None:
    if len(line.values) != len(other.values):
        return None
    mine, theirs = line.skeleton, other.skeleton
    union = mine | theirs
    if not union or len(mine & theirs) / len(union) < SAME_STATEMENT:
        return None
    differing = [(one, two) for one, two in zip(line.values, other.values, strict=True) if not _alike(one, two)]
    if len(differing) == 1 and differing[0][0].kind == differing[0][1].kind:
        one, two = differing[0]
        return f"another sentence of the draft says {two.text!r} where this one says {one.text!r}"
    return None


def _alike(one: Value, two: Value) -> bool:
    return equal(one, two) or equal(two, one)


def _report(
    claim: Claim, span: Span, code: str, problem: str, *, location: str | None = None, evidence: str | None = None
) -> Finding:
    issue_type, severity, _ = CODES[code]
    return Finding(
        issue=Issue(
            type=issue_type,
            severity=severity,
            code=code,
            location=location or claim.text,
            span=span,
            problem=problem,
            evidence=evidence,
        )
    )
