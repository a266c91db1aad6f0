"""The pack's policy rules: what a draft must hold, must not hold, and in which order, for this reader."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from surefoot.core.taxonomy import POLICY_PREFIX
from surefoot.core.text import sentences
from surefoot.core.types import Action, CheckReport, Edit, Finding, Issue, IssueType, Sentence, Span
from surefoot.packs.patterns import Hit, View, expand
from surefoot.packs.schema import Fix, Rule
from surefoot.verify.checks.conditions import Facts, Holding, holds
from surefoot.verify.read.submission import Submission, own_account


@dataclass(frozen=True)
class PolicyCheck:
    name: str = "policy"
    version: str = "1"

    def run(self, submission: Submission) -> CheckReport:
        facts = Facts(submission)
        findings: list[Finding] = []
        if submission.pack.rules:
            cut = sentences(submission.draft)
            for rule in submission.pack.rules:
                findings += _sentence_wise(rule, facts, cut) if rule.scope == "sentence" else _whole(rule, facts, cut)
        return CheckReport(name=self.name, version=self.version, findings=tuple(findings))


def _whole(rule: Rule, facts: Facts, cut: list[Sentence]) -> Iterator[Finding]:
    holding = holds(rule.when, facts)
    if holding is None and rule.action is Action.REJECT and not facts.asked:
        # without a question the draft is all there is to show what the person said
        holding = holds(rule.when, facts.as_asked(" ".join(own_account(facts.draft.original))))
    if holding is None:
        return
    if not (rule.requires or rule.forbids or rule.order):
        yield _finding(rule, facts, holding.span or (0, len(facts.draft.original)), rule.title)
        return
    if any(not facts.draft.matches(group) for group in rule.requires):
        yield _missing(rule, facts, holding)
    yield from _forbidden(rule, facts, cut)
    yield from _misordered(rule, facts, cut)


def _sentence_wise(rule: Rule, facts: Facts, cut: list[Sentence]) -> Iterator[Finding]:
    for sentence in cut:
        holding = holds(rule.when, facts, sentence=sentence.span)
        if holding is None:
            continue
        view = View(sentence.text)
        lacks = any(not view.matches(group) for group in rule.requires)
        hit = view.first(rule.forbids)
        if lacks or hit or not (rule.requires or rule.forbids):
            yield _finding(rule, facts, sentence.span, rule.title, _sentence_edits(rule, sentence))


def _missing(rule: Rule, facts: Facts, holding: Holding) -> Finding:
    draft = facts.draft.original
    end = len(draft.rstrip())
    edits: tuple[Edit, ...] = ()
    text = ""
    if rule.fix and rule.fix.append:
        text = rule.fix.append
        edits = (Edit(span=(end, end), replacement=f"\n\n{text}" if end else text, kind="append"),)
    elif rule.fix and rule.fix.prepend:
        text = rule.fix.prepend
        edits = (Edit(span=(0, 0), replacement=f"{text}\n\n", kind="prepend"),)
    return _finding(rule, facts, holding.span or (end, end), f"{rule.title}: it is not said", edits, text or None)


def _forbidden(rule: Rule, facts: Facts, cut: list[Sentence]) -> Iterator[Finding]:
    replaces = rule.fix is not None and rule.fix.replace is not None
    done: set[Span] = set()
    for hit in facts.draft.hits(rule.forbids):
        sentence = _sentence_at(cut, hit.span[0])
        if not replaces and sentence is not None and sentence.span in done:
            continue  # the sentence goes as a whole: a second hit in it is the same cause
        if sentence is not None:
            done.add(sentence.span)
        edits = _hit_edits(rule.fix, hit, sentence)
        yield _finding(rule, facts, hit.span, f"{rule.title}: {hit.text!r} must not be said", edits)


def _misordered(rule: Rule, facts: Facts, cut: list[Sentence]) -> Iterator[Finding]:
    if rule.order is None:
        return
    first, then = facts.draft.first([rule.order[0]]), facts.draft.first([rule.order[1]])
    if first is None or then is None or first.span[0] < then.span[0]:
        return
    source, target = _sentence_at(cut, first.span[0]), _sentence_at(cut, then.span[0])
    if source is None or target is None or source == target:
        return  # one sentence that names both ranks neither
    moves = rule.fix is not None and rule.fix.move_first
    edits = _move(facts.draft.original, source, target) if moves else ()
    problem = f"{rule.title}: {first.text!r} must come before {then.text!r}"
    yield _finding(rule, facts, then.span, problem, edits)


def _finding(
    rule: Rule, facts: Facts, span: Span, problem: str, edits: tuple[Edit, ...] = (), correction: str | None = None
) -> Finding:
    issue = Issue(
        type=IssueType.POLICY,
        severity=rule.severity,
        code=f"{POLICY_PREFIX}{rule.id}",
        location=facts.draft.original[span[0] : span[1]],
        span=span,
        problem=problem,
        correction=correction or rule.message,
        action=rule.action,
    )
    return Finding(issue=issue, edits=edits if rule.action is Action.FIX else ())


def _hit_edits(fix: Fix | None, hit: Hit, sentence: Sentence | None) -> tuple[Edit, ...]:
    if fix is None:
        return ()
    if fix.replace is not None:
        return (Edit(span=hit.span, replacement=expand(fix.replace, hit), kind="replace"),)
    if fix.drop_sentence and sentence is not None:
        return (Edit(span=sentence.span, replacement="", kind="drop"),)
    return ()


def _sentence_edits(rule: Rule, sentence: Sentence) -> tuple[Edit, ...]:
    if rule.fix is None:
        return ()
    if rule.fix.replace is not None and rule.forbids:
        start, template = sentence.start, rule.fix.replace
        return tuple(
            Edit(span=(hit.span[0] + start, hit.span[1] + start), replacement=expand(template, hit), kind="replace")
            for hit in View(sentence.text).hits(rule.forbids)
        )
    if rule.fix.append:
        return (Edit(span=(sentence.end, sentence.end), replacement=f" {rule.fix.append}", kind="append"),)
    return (Edit(span=sentence.span, replacement="", kind="drop"),) if rule.fix.drop_sentence else ()


def _move(draft: str, source: Sentence, target: Sentence) -> tuple[Edit, ...]:
    """Brings the later sentence before the earlier one; list items trade places so that bullets stay."""
    if _is_item(draft, source) and _is_item(draft, target):
        return (
            Edit(span=target.span, replacement=source.text, kind="reorder"),
            Edit(span=source.span, replacement=target.text, kind="reorder"),
        )
    end = source.end
    while end < len(draft) and draft[end] in " \t":
        end += 1
    start = source.start
    if end == len(draft) or draft[end] == "\n":
        while start > 0 and draft[start - 1] in " \t":
            start -= 1
    return (
        Edit(span=(target.start, target.start), replacement=f"{source.text} ", kind="reorder"),
        Edit(span=(start, end), replacement="", kind="reorder"),
    )


def _is_item(draft: str, sentence: Sentence) -> bool:
    line = draft.rfind("\n", 0, sentence.start) + 1
    return sentence.kind == "item" and _BULLET.fullmatch(draft, line, sentence.start) is not None


def _sentence_at(cut: list[Sentence], offset: int) -> Sentence | None:
    return next((sentence for sentence in cut if sentence.start <= offset < sentence.end), None)


_BULLET = re.compile(r"\s*(?:[-*+•‣–]|\(?\d{1,3}[.)]|\(?[a-z]\))\s+")
