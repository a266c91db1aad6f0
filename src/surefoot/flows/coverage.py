"""Which parts of a pack its cases exercise, measured from what they made the gate say, not from what they claim."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from surefoot.core.types import Action, Issue
from surefoot.flows.regress import CaseResult
from surefoot.packs.names import mentions
from surefoot.packs.patterns import View
from surefoot.packs.schema import Fix, Pack


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """One thing a case should show, such as `rule nsfas-prioritization fires`."""

    name: str
    cases: int
    """How many cases show it."""

    @property
    def covered(self) -> bool:
        return self.cases > 0


def coverage(pack: Pack, results: Sequence[CaseResult]) -> list[Item]:
    return [Item(name=name, cases=count) for name, count in _items(pack, results)]


def _items(pack: Pack, results: Sequence[CaseResult]) -> Iterator[tuple[str, int]]:
    yield from _rules(pack, results)
    for section in pack.sections:
        told = [f"the section {section.id!r} is missing"]
        yield f"section {section.id} missing", _saying(results, "section_missing", told)
    for warning in pack.warnings:
        told = [f"the warning {warning.id!r} is missing"]
        yield f"warning {warning.id} missing", _saying(results, "warning_missing", told)
    for number, prescription in enumerate(pack.prescriptions, 1):
        found = _located(results, "definitive_prescription", prescription.pattern)
        yield f"prescription {number} caught ({prescription.pattern[:30]}...)", found
    for number, pattern in enumerate(pack.tone, 1):
        yield f"tone {number} caught ({pattern[:30]}...)", _located(results, "tone", pattern)
    for term in pack.terms:
        yield f"term caught ({term.problem})", _saying(results, "value_mismatch", [term.problem])
    for rule in pack.attributes:
        yield (
            f"attribute {rule.kind}.{rule.attribute} caught ({rule.pattern[:24]}...)",
            _located(results, "value_mismatch", rule.pattern),
        )
    for scale in pack.scales:
        yield f"scale {scale.id} pair caught", _located(results, "value_mismatch", *scale.pairs)
        yield f"scale {scale.id} total caught", _located(results, "value_mismatch", *scale.totals)
    yield from _formats(pack, results)
    yield from _kinds(pack, results)


def _rules(pack: Pack, results: Sequence[CaseResult]) -> Iterator[tuple[str, int]]:
    for rule in pack.rules:
        code = f"policy:{rule.id}"
        yield f"rule {rule.id} fires", sum(code in result.codes for result in results)
        silent = [result for result in results if code in result.case.expect.absent and code not in result.codes]
        yield f"rule {rule.id} stays silent", len(silent)
        if rule.action is Action.FIX and rule.fix is not None:
            for kind in _repairs(rule.fix):
                yield f"fix {rule.id} {kind}", sum(_revised(result, code, kind) for result in results)


def _repairs(fix: Fix) -> list[str]:
    """The kinds of edit a fix can make."""
    wanted = {
        "append": bool(fix.append),
        "prepend": bool(fix.prepend),
        "replace": fix.replace is not None,
        "drop": fix.drop_sentence,
        "reorder": fix.move_first,
    }
    return [kind for kind, given in wanted.items() if given]


def _formats(pack: Pack, results: Sequence[CaseResult]) -> Iterator[tuple[str, int]]:
    if pack.currency:
        yield "currency_format caught", sum("currency_format" in result.codes for result in results)
    if pack.date_format:
        yield "date_format caught", sum("date_format" in result.codes for result in results)


def _kinds(pack: Pack, results: Sequence[CaseResult]) -> Iterator[tuple[str, int]]:
    drafts = [result.case.request.draft_answer for result in results]
    met = [{entity.kind for mention in mentions(pack, draft) for entity in mention.entities} for draft in drafts]
    for kind in sorted({entity.kind for entity in pack.entities}):
        yield f"registry {kind} known", sum(kind in kinds for kinds in met)
    for shape in pack.entity_kinds:
        told = [f"is no {shape.kind} the registry"]
        yield f"registry {shape.kind} unknown", _saying(results, "unknown_entity", told)


def _revised(result: CaseResult, code: str, kind: str) -> bool:
    """Whether the fix was made; a sentence that several checks wanted gone is dropped under one name only."""
    if result.result is None:
        return False
    metadata = result.result.metadata
    places = [issue.location for issue in metadata.issues_detected if issue.code == code]
    return any(
        revision.kind == kind
        and (revision.code == code or (kind == "drop" and any(place in revision.before for place in places)))
        for revision in metadata.revisions_applied
    )


def _issues(results: Iterable[CaseResult], code: str) -> Iterator[list[Issue]]:
    for result in results:
        issues = result.result.metadata.issues_detected if result.result else ()
        yield [issue for issue in issues if issue.code == code]


def _saying(results: Sequence[CaseResult], code: str, texts: Sequence[str]) -> int:
    return sum(any(text in issue.problem for issue in issues for text in texts) for issues in _issues(results, code))


def _located(results: Sequence[CaseResult], code: str, *patterns: str) -> int:
    found = _issues(results, code)
    return sum(any(View(issue.location).matches(patterns) for issue in issues) for issues in found)
