"""Terms with a fixed meaning: levels, lengths and point scores must be what the pack's registries and scales say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from surefoot.core.taxonomy import issue_of
from surefoot.core.text import sentences, squash
from surefoot.core.types import CheckReport, Edit, Finding, Json, Sentence, Span
from surefoot.packs.names import Mention, mentions
from surefoot.packs.patterns import Hit, View
from surefoot.packs.schema import AttributeRule, Scale
from surefoot.verify.checks.conditions import Facts
from surefoot.verify.read.submission import Submission


@dataclass(frozen=True)
class TermCheck:
    name: str = "terms"
    version: str = "1"

    def run(self, submission: Submission) -> CheckReport:
        pack = submission.pack
        findings: list[Finding] = []
        if pack.terms or pack.attributes or pack.scales:
            cut = sentences(submission.draft)
            findings += _terms(submission)
            findings += _attributes(submission, cut)
            for scale in pack.scales:
                findings += [*_pairs(scale, submission), *_totals(scale, submission)]
            findings += _sums(submission) if pack.scales else ()
        return CheckReport(name=self.name, version=self.version, findings=tuple(findings))


def _terms(submission: Submission) -> Iterator[Finding]:
    view = View(submission.draft)
    for term in submission.pack.terms:
        for hit in view.hits([term.pattern]):
            value = hit.groups[0] if hit.groups else hit.text
            right = value is None or squash(value) in {squash(item) for item in term.allowed}
            if not right and not any(squash(hit.text) in squash(passage.text) for passage in submission.passages):
                yield _finding(hit.span, hit.text, f"{term.problem}: {value!r}")


def _attributes(submission: Submission, cut: list[Sentence]) -> Iterator[Finding]:
    view = View(submission.draft)
    for rule in submission.pack.attributes:
        for hit in view.hits([rule.pattern]):
            sentence = next((one for one in cut if one.start <= hit.span[0] < one.end), None)
            mention = _beside(hit, rule, submission, sentence)
            if mention is None or _a_source_says_so(mention, hit, submission):
                continue
            value = hit.groups[0] or ""
            entities = [entity for entity in mention.entities if entity.kind == rule.kind]
            known = [one.attributes[rule.attribute] for one in entities if rule.attribute in one.attributes]
            if known and not any(_allows(item, value) for item in known):
                problem = f"{rule.problem}: {mention.entity.name} has {rule.attribute} {known[0]}, not {value}"
                yield _finding(hit.span, hit.text, problem, correction=known[0])


def _beside(hit: Hit, rule: AttributeRule, submission: Submission, sentence: Sentence | None) -> Mention | None:
    """The registered name of the kind that is nearest to the value in its sentence."""
    if sentence is None:
        return None
    near: list[tuple[int, Mention]] = []
    for mention in mentions(submission.pack, submission.draft):
        if not any(entity.kind == rule.kind for entity in mention.entities):
            continue
        if mention.span[0] < sentence.start or mention.span[1] > sentence.end:
            continue
        gap = mention.span[0] - hit.span[1] if mention.span[0] >= hit.span[1] else hit.span[0] - mention.span[1]
        between = submission.draft[min(mention.span[1], hit.span[1]) : max(mention.span[0], hit.span[0])]
        follows = mention.span[0] >= hit.span[1]
        if gap <= rule.reach and not (_DIVIDES_AFTER if follows else _DIVIDES).search(between):
            near.append((gap, mention))
    return min(near, key=lambda one: one[0])[1] if near else None


def _a_source_says_so(mention: Mention, hit: Hit, submission: Submission) -> bool:
    """A passage that states the same beats a registry: exceptions exist."""
    name = squash(submission.draft[mention.span[0] : mention.span[1]])
    value = squash(hit.text)
    for passage in submission.passages:
        text = squash(passage.text)
        if name in text and value in text and any(name in part and value in part for part in _PARTS.split(text)):
            return True
    return False


def _allows(known: str, stated: str) -> bool:
    value = _number(stated)
    for part in known.split("|"):
        bounds = [_number(bound) for bound in part.split("-")]
        if value is None or None in bounds:
            if squash(part) == squash(stated):
                return True
        elif min(b for b in bounds if b is not None) <= value <= max(b for b in bounds if b is not None):
            return True
    return False


def _pairs(scale: Scale, submission: Submission) -> Iterator[Finding]:
    for pattern in scale.pairs:
        for hit in View(submission.draft).hits([pattern]):
            mark, level = _number(hit.named("mark") or ""), _number(hit.named("level") or "")
            right = None if mark is None else scale.level_of(mark)
            if right is not None and level is not None and level != right:
                problem = f"{scale.title}: a mark of {mark:g} is level {right}, not {level:g}"
                yield _finding(hit.span, hit.text, problem, correction=str(right), at=hit.span_of("level"))


def _totals(scale: Scale, submission: Submission) -> Iterator[Finding]:
    """The reader's own total, where the profile holds the marks it must add up from."""
    total = _total(scale, Facts(submission).profile_value(scale.profile)) if scale.profile else None
    if total is None:
        return
    for pattern in scale.totals:
        for hit in View(submission.draft).hits([pattern]):
            stated = _number(hit.named("total") or "")
            if stated is not None and stated != total:
                problem = f"{scale.title}: the marks of the profile add up to {total}, not {stated:g}"
                yield _finding(hit.span, hit.text, problem, correction=str(total), at=hit.span_of("total"))


def _total(scale: Scale, marks: Json) -> int | None:
    if not isinstance(marks, Mapping) or not marks:
        return None
    left_out = {squash(subject) for subject in scale.exclude}
    levels = []
    for subject, mark in marks.items():
        number = _number(str(mark)) if not isinstance(mark, bool) else None
        level = None if number is None else scale.level_of(number)
        if level is None:
            return None  # an odd entry: better no verdict than a wrong one
        if squash(subject) not in left_out:
            levels.append(level)
    if scale.best and len(levels) < scale.best:
        return None
    return sum(sorted(levels, reverse=True)[: scale.best or None])


def _sums(submission: Submission) -> Iterator[Finding]:
    """An addition written out must be right, whatever it adds."""
    for match in _SUM.finditer(submission.draft):
        total = sum(int(part) for part in re.findall(r"\d+", match.group("parts")))
        if total != int(match.group("total")):
            problem = f"the sum is {total}, not {match.group('total')}"
            yield _finding(match.span(), match.group(), problem, correction=str(total), at=match.span("total"))


def _finding(span: Span, text: str, problem: str, *, correction: str | None = None, at: Span | None = None) -> Finding:
    issue = issue_of("value_mismatch", span, text, problem, correction=correction)
    edits = (Edit(span=at, replacement=correction, kind="replace"),) if at and correction else ()
    return Finding(issue=issue, edits=edits)


def _number(text: str) -> float | None:
    word = squash(text)
    if word in _WORDS:
        return float(_WORDS.index(word) + 1)
    match = re.fullmatch(r"\d+(?:\.\d+)?", word.rstrip("% "))
    return float(match.group()) if match else None


_WORDS = "one two three four five six seven eight nine ten".split()
_SUM = re.compile(r"(?P<parts>\b\d{1,3}(?:\s*\+\s*\d{1,3}){1,12})\s*=\s*(?P<total>\d{1,4})\b(?!\s*[-+*/%])")
_DIVIDES = re.compile(
    r"[;\n]|\b(?:then|followed|after|before|while|whereas|but|leads?|articulat\w+|and (?:is|takes|has))\b",
    re.IGNORECASE,
)
_DIVIDES_AFTER = re.compile(r"[,;:.()\n|]|\b(?:and|or|to|into|for|with|in|then|leads?|before|after)\b", re.IGNORECASE)
"""A value before a name belongs to it only where the two stand together, as in `a 4-year diploma`."""
_PARTS = re.compile(r"(?<=[.!?])\s+|\n")
