"""A draft that contradicts itself: two of its sentences with the same words and another value, or with one 'not'."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from surefoot.core.taxonomy import issue_of
from surefoot.core.types import CheckReport, Claim, Finding
from surefoot.core.values import equal
from surefoot.verify.read.reading import Line, denials, differing, read_claim
from surefoot.verify.read.submission import SAME_WORDS, Submission

LEAST_WORDS = 2
"""Of a conclusion, beside its values, that is held against a clause."""
MOST_PAIRS = 120
"""Claims compared with each other; a longer draft is compared with this many neighbours only."""


@dataclass(frozen=True)
class ConsistencyCheck:
    name: str = "consistency"
    version: str = "3"

    def run(self, submission: Submission) -> CheckReport:
        lines = [(claim, _bare(submission.line(claim))) for claim in submission.claims if claim.factual]
        findings = []
        for at, (claim, line) in enumerate(lines):
            found = _against(claim, line, lines[max(0, at - MOST_PAIRS) : at])
            if found is not None:
                findings.append(found)
        return CheckReport(name=self.name, version=self.version, findings=tuple(findings))


def _bare(line: Line) -> Line:
    """The sentence without what only leads to it, so that a verdict can be held against its own conclusion."""
    text = line.sentence.text
    opening = _OPENING.match(text)
    plain = text[opening.end() :] if opening else text
    for words, same in _SAME:
        plain = words.sub(same, plain)
    return line if plain == text else read_claim(plain)


def _against(claim: Claim, line: Line, earlier: Sequence[tuple[Claim, Line]]) -> Finding | None:
    concludes = _CONCLUDES.match(claim.text) is not None
    for other, theirs in earlier:
        reason = _excludes(line, theirs) or (_denies_a_part(line, theirs) if concludes else None)
        if reason is not None:
            evidence = other.text.strip()
            return Finding(issue=issue_of("self_contradiction", claim.span, claim.text, reason, evidence=evidence))
    return None


def _excludes(line: Line, other: Line) -> str | None:
    """Why two sentences of one draft cannot both be true."""
    if len(line.stems) < 3 or len(line.stems & other.stems) < 0.5 * len(line.stems):
        return None
    mine, theirs = line.skeleton, other.skeleton
    if len(mine & theirs) < SAME_WORDS * len(mine | theirs) or len(line.values) != len(other.values):
        return None
    pairs = differing(line, other)
    if not pairs and _necessary(line) is _necessary(other) and denials(line) % 2 != denials(other) % 2:
        return "another sentence of the draft denies it"
    if len(pairs) == 1 and pairs[0][0].kind == pairs[0][1].kind:
        return f"another sentence of the draft says {pairs[0][1].text!r} where this one says {pairs[0][0].text!r}"
    return None


def _denies_a_part(line: Line, other: Line) -> str | None:
    """A conclusion may leave out reasons and conditions: it is held against each clause of the verdict that has all its
    words."""
    clauses = [read_claim(clause) for clause in _CLAUSE.split(other.sentence.text)]
    for clause in clauses if len(line.skeleton) >= LEAST_WORDS else ():
        same = line.skeleton <= clause.skeleton and _necessary(line) is _necessary(clause)
        held = all(any(equal(one, two) for two in clause.values) for one in line.values)
        if same and held and denials(line) % 2 != denials(clause) % 2:
            return "another sentence of the draft denies it"
    return None


def _necessary(line: Line) -> bool:
    """Whether a sentence says what must be: who may keep it and does not have to has two rights, no contradiction."""
    return _MUST.search(line.sentence.text) is not None


_CONCLUSION = (
    r"(?:so|thus|hence|therefore|overall|accordingly|consequently|in (?:conclusion|short|sum|the end)|all in all"
    r"|as a result|for (?:this|that) reason|it follows that|(?:this|that) means(?: that)?)\b"
)
_CONCLUDES = re.compile(rf"^\s*{_CONCLUSION}", re.IGNORECASE)
_OPENING = re.compile(rf"^\s*(?:(?:(?:yes|no)\b|{_CONCLUSION})\s*[,:]?\s*)+", re.IGNORECASE)
_BE = r"\b(is|are|was|were|be)"
_SAME = tuple(
    (re.compile(words, re.IGNORECASE), same)
    for words, same in (
        (r"\bcan(?:not|'t|’t)\b", "can not"),
        (rf"{_BE} not (?:allowed|permitted|entitled|free) to\b", "may not"),
        (rf"{_BE} (?:allowed|permitted|entitled|free) to\b", "may"),
        (rf"{_BE} (?:forbidden|prohibited|banned) (?:to|from)\b", "may not"),
        (r"\bmust(?: not|n't|n’t)\b|\bha(?:s|ve|d) no right to\b", "may not"),
        (r"\bha(?:s|ve|d) (?:the|a) right to\b", "may"),
        (rf"{_BE} wrong\b", r"\1 not right"),
        (r"\bun(?=(?:lawful|fair|reasonable|justified|acceptable|enforceable|safe)(?:ly)?\b)", "not "),
        (r"\bil(?=legal(?:ly)?\b)|\bin(?=(?:valid|correct|admissible)(?:ly)?\b)", "not "),
    )
)
"""One way of saying what may be and what may not, and `not` for what is said by half a word."""
_CLAUSE = re.compile(
    r"\s*[,;:]\s+|\s+(?=(?:because|since|as|so|unless|if|when|where|although|and|but)\b)", re.IGNORECASE
)
_MUST = re.compile(r"\b(?:must|shall|should|ought|needs?|ha(?:s|ve|d) to|obliged|required)\b", re.IGNORECASE)
