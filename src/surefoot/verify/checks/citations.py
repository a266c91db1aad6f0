"""Citation integrity: every factual sentence cites, every marker exists, every cited passage has something to say.

What a grounder says of the sentences comes later and goes before the words here: what states nothing needs no marker.
Also proves what needs no judgement: a claim that is, word for word, a sentence of its evidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from surefoot.core.case import CASE, is_case, states_rule, tells
from surefoot.core.remember import once
from surefoot.core.taxonomy import issue_of
from surefoot.core.types import CheckReport, Claim, Edit, Finding, Judgement, Marker, Passage, Proof, Span, Status
from surefoot.core.values import Value, equal, extract, lies_off
from surefoot.verify.read.alignment import Alignment, supports_claim
from surefoot.verify.read.claims import HARD_FACT, resolve
from surefoot.verify.read.derived import is_derived
from surefoot.verify.read.marking import cites, label, with_marker
from surefoot.verify.read.submission import Submission

CITATIONS = "citations"
"""The name of the check."""
DECORATIVE = 0.15
"""Below this share of the sentence's words a cited passage supports nothing in it."""
TOLD = 0.8
"""Share of a sentence's words from which the case alone holds it; below, what it says must or may be is a rule's."""
CLEARLY_BETTER = 0.25
"""How much more of the sentence another passage must hold before the marker is held to be wrong."""


@dataclass(frozen=True)
class CitationCheck:
    name: str = CITATIONS
    version: str = "10"

    def run(self, submission: Submission) -> CheckReport:
        given = _in_given_order(submission)
        examined = [
            _Examination(claim, submission, given) for claim in submission.claims if claim.factual or claim.markers
        ]
        factual = [item for item in examined if item.claim.factual]
        citing = [item for item in factual if item.claim.cited or not item.leads]
        placed = sum(len(item.claim.markers) for item in examined)
        good = sum(item.good_markers for item in examined)
        cited = sum(1 for item in citing if item.good_markers or (item.claim.cited and not item.claim.markers))
        measures = {
            "citation_precision": good / placed if placed else 1.0,
            "citation_coverage": cited / len(citing) if citing else 1.0,
        }
        return CheckReport(
            name=self.name,
            version=self.version,
            findings=tuple(finding for item in examined for finding in item.findings),
            proofs=tuple(proof for item in factual for proof in item.proofs),
            measures=measures,
        )


def weighed(report: CheckReport, judgements: Iterable[Judgement], submission: Submission) -> CheckReport:
    """The report in the light of what a grounder says. What states nothing needs no marker and loses one that means
    nothing; the only marker of a sentence that its passage supports is in use, however few of its words stand there."""
    by_claim = {one.claim: one for one in judgements}
    found: list[Finding] = []
    for finding in report.findings:
        claim = next((one for one in submission.claims if one.span[0] <= finding.issue.span[0] < one.span[1]), None)
        judged = by_claim.get(claim.index) if claim is not None else None
        status = judged.status if judged is not None else Status.DOUBTFUL
        silent, code = status is Status.SILENT, finding.issue.code
        in_use = code == "citation_unused" and len(claim.markers) == 1 if claim is not None else False
        if (silent and code == "citation_missing") or (in_use and status in (Status.PROVEN, Status.SUPPORTED)):
            continue
        if silent and claim is not None and code in ("citation_unused", "citation_unknown"):
            edit = Edit(span=_with_space(claim, finding.issue.span), replacement="", kind="recite")
            finding = Finding(issue=replace(finding.issue, correction=None), edits=(edit,))
        found.append(finding)
    return replace(report, findings=tuple(found))


class _Examination:
    """One claim's markers held against the passages."""

    def __init__(self, claim: Claim, submission: Submission, given: Sequence[Passage]) -> None:
        self.claim = claim
        self._submission = submission
        self._given = given
        self._verbatim = submission.aligner.quoting(claim.text)
        self.good_markers = 0
        self.findings: list[Finding] = []
        for marker in claim.markers:
            self._examine(marker)
        if claim.factual and not claim.cited and not claim.markers and not self.leads and cites(submission):
            self._missing()
        self.proofs = self._quotes()

    @once
    def leads(self) -> bool:
        """Whether it is a heading or leads to what follows, and has no figure or address of its own."""
        heading = self._submission.is_heading(self.claim)
        return (heading or self.claim.text.rstrip(" *_").endswith(":")) and not HARD_FACT.search(self.claim.text)

    @once
    def _derived(self) -> bool:
        return is_derived(self.claim, self._submission)

    @once
    def _ranked(self) -> list[Alignment]:
        """Every passage, best first. Asked for only where a marker does not lead to the claim's own words."""
        ranked = self._submission.aligner.align(self.claim.text)
        if self._submission.case is None or CASE in self.claim.cited or tells(self.claim.text):
            return ranked
        return [item for item in ranked if item.passage != CASE]

    @once
    def _by_id(self) -> dict[str, Alignment]:
        return {item.passage: item for item in self._ranked}

    def _examine(self, marker: Marker) -> None:
        identity = resolve(marker.target, self._given)
        if identity is None:
            self._unknown(marker)
            return
        if identity in self._verbatim or (identity in self.claim.cited and self._derived):
            self.good_markers += 1
            return
        own = self._by_id.get(identity)
        best = self._ranked[0] if self._ranked else None
        if own is None:
            self._report("citation_unused", marker, f"[{marker.target}] carries instructions and is no evidence")
        elif not self.claim.factual:
            self.good_markers += 1
        elif best is not None and best.passage not in self.claim.cited and self._belongs_to(best):
            self._report(
                "citation_misattributed",
                marker,
                f"[{marker.target}] does not say this; [{self._label(best.passage)}] does",
                correction=f"[{self._label(best.passage)}]",
            )
        elif own.coverage < self._least and not (self._applies_to_the_case(identity) or self._names_a_value(identity)):
            problem = f"[{marker.target}] supports nothing in its sentence"
            self._report("citation_unused", marker, problem, correction=self._elsewhere())
        else:
            self.good_markers += 1

    @once
    def _least(self) -> float:
        """A case and the reference it is set against each hold their part of the sentence."""
        joins = CASE in self.claim.cited and self._submission.case is not None
        return DECORATIVE / len(self.claim.cited) if joins else DECORATIVE

    def _applies_to_the_case(self, identity: str) -> bool:
        """Whether a marker of a sentence that sets the case against a reference holds its part in other words. `Three
        weeks have gone by` is told in the case by dates; `you should have had it by 13 March` is a rule's ten days,
        counted from there. Whether the rule fits is the grounder's affair."""
        if self._submission.case is None or CASE not in self.claim.cited:
            return False
        if identity != CASE:
            told, rule = self._values_of(CASE), self._values_of(identity)
            if states_rule(self.claim.text) and len(self.claim.cited) == 2 and self._held_by_the_case < TOLD:
                return True
            return any(lies_off(value, told, rule) for value in extract(self.claim.text))
        others = [self._by_id[one].coverage for one in self.claim.cited if one != CASE and one in self._by_id]
        return any(coverage >= self._least for coverage in others)

    @property
    def _held_by_the_case(self) -> float:
        return self._by_id[CASE].coverage if CASE in self._by_id else 0.0

    def _names_a_value(self, identity: str) -> bool:
        """Whether the sentence has a value of this passage, in whatever words: `eleven at night` is its `11 pm`. A bare
        number, a year or a day of the week stands anywhere."""
        held = self._values_of(identity)
        telling = [value for value in extract(self.claim.text) if value.kind in ("time", "money") or value.unit]
        return any(equal(value, one) for value in telling for one in held)

    def _values_of(self, identity: str) -> list[Value]:
        return extract(next((one.text for one in self._given if one.id == identity), ""))

    def _belongs_to(self, best: Alignment) -> bool:
        joint = max((self._by_id[i].coverage for i in self.claim.cited if i in self._by_id), default=0.0)
        return supports_claim(best) and best.coverage - joint >= CLEARLY_BETTER

    def _unknown(self, marker: Marker) -> None:
        best = self._ranked[0] if self._ranked else None
        fits = best is not None and supports_claim(best) and best.passage not in self.claim.cited
        self._report(
            "citation_unknown",
            marker,
            f"[{marker.target}] points to no passage; there are {sum(not is_case(one) for one in self._given)}",
            correction=f"[{self._label(best.passage)}]" if best is not None and fits else None,
            removable=bool(self.claim.cited),
        )

    def _elsewhere(self) -> str | None:
        """In the place of a claim's only marker: the nearest passage, by which the claim is then judged."""
        best = self._ranked[0] if self._ranked and len(self.claim.markers) == 1 else None
        if best is None or best.passage in self.claim.cited or best.coverage < DECORATIVE:
            return None
        return f"[{self._label(best.passage)}]"

    def _missing(self) -> None:
        """A marker that the writer forgot is added: that of the sentences beside it, else the nearest passage's. By it
        the claim is then judged."""
        best = self._ranked[0] if self._ranked else None
        if best is None:
            return
        passage = self._beside(best) or best.passage
        correction = f"[{self._label(passage)}]"
        problem = "a factual sentence cites no source"
        issue = issue_of("citation_missing", self.claim.span, self.claim.text, problem, correction=correction)
        edits = with_marker(self.claim, self._label(passage), replace=False)
        self.findings.append(Finding(issue=issue, edits=edits))

    def _beside(self, best: Alignment) -> str | None:
        """The one passage that the nearest sentences before and behind it in its paragraph or list cite. Not where
        another one has clearly more of its words, or alone has a value of it."""
        claims, at = self._submission.claims, self.claim.index
        cited = {*_cited_next(self._submission, claims[at::-1]), *_cited_next(self._submission, claims[at:])}
        own = self._by_id.get(next(iter(cited))) if len(cited) == 1 else None
        if own is None or best.coverage - own.coverage >= CLEARLY_BETTER:
            return None
        if self._names_a_value(best.passage) and not self._names_a_value(own.passage):
            return None
        return own.passage

    def _report(
        self, code: str, marker: Marker, problem: str, *, correction: str | None = None, removable: bool | None = None
    ) -> None:
        start, end = marker.span
        location = self.claim.text[start - self.claim.span[0] : end - self.claim.span[0]]
        others = [other for other in self.claim.markers if other.span != marker.span]
        edits: tuple[Edit, ...] = ()
        if correction is not None:
            edits = (Edit(span=marker.span, replacement=correction, kind="recite"),)
        elif removable if removable is not None else bool(others):
            edits = (Edit(span=_with_space(self.claim, marker.span), replacement="", kind="recite"),)
        issue = issue_of(code, marker.span, location, problem, correction=correction)
        self.findings.append(Finding(issue=issue, edits=edits))

    def _quotes(self) -> list[Proof]:
        return [
            Proof(claim=self.claim.index, passage=identity, span=span, method="quote")
            for identity, span in self._verbatim.items()
            if any(one.id == identity for one in self._submission.evidence_for(self.claim))
        ][:1]

    def _label(self, identity: str) -> str:
        return label(identity, self._submission)


def _with_space(claim: Claim, marker: Span) -> Span:
    start, end = marker
    before = start - claim.span[0] - 1
    return (start - 1, end) if before >= 0 and claim.text[before] == " " else (start, end)


def _cited_next(submission: Submission, claims: Sequence[Claim]) -> tuple[str, ...]:
    """What is cited by the nearest claim beside the first one that cites anything, up to an empty line or a heading."""
    for one, beside in pairwise(claims):
        between = submission.draft[min(one.span[1], beside.span[1]) : max(one.span[0], beside.span[0])]
        if between.count("\n") > 1 or submission.is_heading(beside):
            return ()
        if beside.cited:
            return beside.cited
    return ()


def _in_given_order(submission: Submission) -> list[Passage]:
    by_id = {passage.id: passage for passage in (*submission.passages, *submission.tainted)}
    return [by_id[identity] for identity in submission.order if identity in by_id]
