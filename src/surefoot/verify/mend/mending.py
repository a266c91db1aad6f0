"""Stage 4, round by round: first whatever may keep a claim's place, then its source's sentence, then nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import pairwise

from surefoot.core.types import Claim, Finding
from surefoot.verify.mend.leaning import is_left_alone
from surefoot.verify.mend.quotes import Quotation, Quoter, going_on, is_told, stands_in
from surefoot.verify.mend.repair import Plan, Repaired, repair
from surefoot.verify.read.alignment import bare_form, stems_of
from surefoot.verify.read.marking import cited
from surefoot.verify.read.submission import Submission


@dataclass(kw_only=True)
class Mending:
    """The mending of one draft. Not frozen: it counts its rounds."""

    quoter: Quoter
    corrections: Mapping[str, str] = field(default_factory=dict)
    """Sentences proposed by critics, by the words of the claim they are for."""
    rounds: int = 4
    _round: int = 0

    def mend(
        self, submission: Submission, findings: Sequence[Finding], held_back: Sequence[Claim], quotable: Sequence[Claim]
    ) -> Repaired:
        """One round: corrections and certain edits at first, quotes in the first two, else the claim is dropped."""
        self._round += 1
        corrections = {
            claim.index: self.corrections[bare_form(claim.text)]
            for claim in held_back
            if self._round == 1 and bare_form(claim.text) in self.corrections
        }
        leading = _leading(submission.claims, {claim.index for claim in held_back})
        asked = [claim for claim in quotable if claim.index not in leading]
        quotes, standing = self._quotes(submission, asked, held_back) if self._round <= 2 else ({}, {})
        going = {claim.index for claim in (*held_back, *quotable)} - {*quotes, *corrections}
        leaning = [
            claim
            for before, claim in pairwise(submission.claims)
            if claim.index not in {*going, *quotes, *corrections} and is_left_alone(before, claim, going, quotes)
        ]
        if self._round <= 2:  # alone they would speak of something else; their source's sentence names it
            others = self._quotes(submission, leaning, held_back)[0]
            quotes |= {index: text for index, text in others.items() if text not in quotes.values()}
        plan = Plan(
            held_back=frozenset({claim.index for claim in held_back} | {*quotes}),
            corrections=corrections,
            quotes=quotes,
            standing=standing,
        )
        edited = [finding if self._round <= 2 else Finding(issue=finding.issue) for finding in findings]
        return repair(submission.draft, submission.claims, edited, plan)

    def _quotes(
        self, submission: Submission, claims: Sequence[Claim], held_back: Sequence[Claim]
    ) -> tuple[dict[int, str], dict[int, str]]:
        """The sentences for each claim, cited where the draft cites, and those that need not be put in: what is kept of
        the draft, or another claim's sentence, says them. A claim is not given its own words."""
        kept = _without(submission.draft, held_back)
        going = {one.index for one in (*claims, *held_back)}
        staying = [one for one in submission.claims if one.index not in going]
        chosen = self.quoter.choose(claims, submission)
        found: dict[int, str] = {}
        standing: dict[int, str] = {}
        said: list[str] = []
        last: dict[int, Quotation] = {}
        for claim in sorted(claims, key=lambda one: one.index):
            others = [one for one in chosen.get(claim.index, ()) if bare_form(one.text) != bare_form(claim.text)]
            others = [one for one in others if stands_in(one, kept) or not is_told(one, claim, staying)]
            new = [one for one in others if not any(stands_in(one, text) for text in (kept, *said))]
            said += [one.text for one in new]
            if new:
                last[claim.index] = new[-1]
                new[0] = going_on(new[0], last.get(claim.index - 1))
                found[claim.index] = " ".join(cited(one.text, one.passage, submission) for one in new)
            elif any(stems_of(claim.text) & stems_of(one.text) for one in others):  # else it answers the question alone
                standing[claim.index] = " ".join(one.text for one in others)
            if not new and claim.index - 1 in last:
                last[claim.index] = last[claim.index - 1]
        return found, standing


def _leading(claims: Sequence[Claim], held_back: Set[int]) -> set[int]:
    """The claims that lead to what stays: under another sentence a list would say something else."""
    return {one.index for one, after in pairwise(claims) if one.text.endswith(":") and after.index not in held_back}


def _without(draft: str, claims: Sequence[Claim]) -> str:
    """What stays of the draft: a claim that goes takes along the source's sentence it may hold."""
    for claim in sorted(claims, key=lambda one: one.span, reverse=True):
        draft = f"{draft[: claim.span[0]]}{draft[claim.span[1] :]}"
    return draft
