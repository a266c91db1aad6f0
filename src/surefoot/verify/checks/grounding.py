"""Stage 2: every factual claim scored against its evidence.

Three bands. Up to `accept` a claim is proven, provided all its values are bound, its names stand in the evidence and
nothing is flipped; from `reject` on it is an issue; between the two it is neither, and the critic is asked. Likeness of
words alone proves nothing, and without evidence nothing passes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from surefoot.core.evidence import EvidencePool, names_address, source_sentences
from surefoot.core.ports import Grounder
from surefoot.core.remember import by_text, once
from surefoot.core.silence import only_points, says_only_silence
from surefoot.core.taxonomy import CODES
from surefoot.core.types import CheckReport, Claim, EvidencePair, Finding, GroundingScore, Issue, Passage, Proof, Span
from surefoot.verify.alignment import profile
from surefoot.verify.binding import Bound, quoted_line
from surefoot.verify.features import NAMES, FeatureModel, any_of, features, joined, shipped_model
from surefoot.verify.names import explained, names, written
from surefoot.verify.nearcopy import comparable
from surefoot.verify.polarity import NEGATIONS, opposes
from surefoot.verify.reading import Token, stems_in
from surefoot.verify.roles import gathered
from surefoot.verify.scope import widened
from surefoot.verify.structured import Agreement, FieldVerdict, check_record, join, read_fields, worst
from surefoot.verify.submission import Submission
from surefoot.verify.support import Support

ACCURATE_NEEDS_S = 0.08
"""Seconds per claim the accurate grounder takes on one slow core; a quick one takes half of that."""
FAST_NEEDS_S = 0.04
TO_SPARE = 2.0
"""The accurate grounder is asked where the time left is so many times what it needs: twelve claims in two seconds."""
NO_HURRY_S = 10.0
"""Seconds left from which claims are judged for the score alone: a bench has them, a reader who waits has not."""
WHOLE = 2.0
"""Coverage of a sentence that is quoted whole: more than words in common can give."""
STRANGE_BELOW = 0.6
"""Share of the claim's words below which an unknown subject makes it a stranger to the evidence."""
STRANGER = 0.6
"""Over every reject threshold we ship, and no higher: the rule is sure that it is an issue, not how bad it is."""
SHORT = 4
"""Words that mean something in a claim so short that the weights, learned on whole answers, say little about it."""
AS_GOOD = 0.9
"""A sentence of the evidence this close to the best one speaks of the claim just as much."""
QUOTED_SHARE = 0.8
"""A claim that is this much of a source sentence, in one piece, quotes it."""
SURELY = 0.7
"""How likely a claim is unsupported from which all of its words are; below, only those that stand out are."""
STANDS_OUT = 0.9
"""How likely a word is unsupported from which it stands out in a claim that may be partly right."""


@dataclass(frozen=True, kw_only=True)
class GroundingCheck:
    accurate: Grounder | None = None
    fast: Grounder | None = None
    now: Callable[[], float] = lambda: 0.0
    """The gate's clock, in seconds: says how much is left until `submission.until`."""
    model: FeatureModel | None = None
    """None: the shipped one."""
    name: str = "grounding"

    @property
    def version(self) -> str:
        parts = [f"7 features:{self._model.version}"]
        parts += [grounder.identity for grounder in (self.accurate, self.fast) if grounder is not None]
        return " ".join(parts)

    @property
    def _model(self) -> FeatureModel:
        return self.model or shipped_model()

    def run(self, submission: Submission) -> CheckReport:
        factual = [claim for claim in submission.claims if claim.factual]
        judged = [_Judged(claim, submission, self._model) for claim in factual]
        heard = self._ask_grounder(judged, submission)
        accept, reject = self._bands(submission, heard=heard)
        bad = [item for item in judged if item.unsupported >= reject or item.stranger]
        findings = [item.finding() for item in bad]
        proofs = [item.proof() for item in judged if item.provable and item.at_worst <= accept and item not in bad]
        between = len(judged) - len(findings) - len(proofs)
        scores = [item.unsupported for item in judged]
        doubts = [item.doubt for item in judged if not item.silent and not only_points(item.line.sentence.text)]
        return CheckReport(
            name=self.name,
            version=self.version,
            findings=tuple(findings),
            proofs=tuple(proofs),
            measures={
                "unsupported_any": any_of(doubts),
                "unsupported_max": max(scores, default=0.0),
                "unsupported_mean": sum(scores) / len(scores) if scores else 0.0,
                "claims_proven": float(len(proofs)),
                "claims_undecided": float(between),
                "claims_unsupported": float(len(findings)),
            },
            unsupported=tuple(part for item in bad for part in item.parts()),
        )

    def _bands(self, submission: Submission, *, heard: bool) -> tuple[float, float]:
        """The pack's thresholds, else the calibrated ones: a grounder's say moves where they lie."""
        asked, model = submission.pack.thresholds, self._model
        accept = (model.joint_accept if heard else model.accept) if asked.accept is None else asked.accept
        reject = (model.joint_reject if heard else model.reject) if asked.reject is None else asked.reject
        return accept, max(reject, math.nextafter(accept, 1.0))

    def _ask_grounder(self, items: Sequence[_Judged], submission: Submission) -> bool:
        """Whether a grounder has had its say: the accurate one, the fast one where time is short, or none.

        Claims that are judged already are shown to it for the answer's score alone, where there is no hurry and where
        that does not change who judges the others.
        """
        left = submission.until - self.now()
        asked = [item for item in items if item.open]
        grounder, decides = self._in_time(len(asked), left), bool(asked)
        everything = asked + [item for item in items if item.unheard]
        if left >= NO_HURRY_S and self._in_time(len(everything), left) is grounder:
            asked = everything
        if grounder is None or not asked:
            return False
        accept, _ = self._bands(submission, heard=True)
        pools: dict[tuple[str, ...], EvidencePool] = {}
        scores = grounder.judge([item.pair(pools) for item in asked])
        if len(scores) != len(asked):
            raise ValueError(f"the grounder gave {len(scores)} scores for {len(asked)} claims")
        for item, score in zip(asked, scores, strict=True):
            item.join(score, accept)
        return decides

    def _in_time(self, claims: int, left: float) -> Grounder | None:
        """The grounder to ask. The number of claims decides, and time only when it runs out: verdicts stay the same.

        The accurate one judges where it needs less than half of the time left, on a slow core; else the fast one; the
        features alone where not even that fits.
        """
        if self.accurate is not None and ACCURATE_NEEDS_S * claims * (TO_SPARE if self.fast is not None else 1) <= left:
            return self.accurate
        if self.fast is not None and FAST_NEEDS_S * claims <= left:
            return self.fast
        return None


class _Judged:
    """One claim with its evidence and how likely it is not supported."""

    def __init__(self, claim: Claim, submission: Submission, model: FeatureModel) -> None:
        self.claim = claim
        self.line = submission.line(claim)
        self.evidence = submission.evidence_for(claim)
        self.supports = submission.supports(claim)
        self._submission = submission
        self._spans: tuple[tuple[int, int, float], ...] = ()
        self._fields = self._ask_fields()
        self._stranger, self._own = 0.0, 1.0
        self.quoted = self._quote()
        bindings = submission.bindings(claim)
        # a whole sentence of the evidence agrees with it; anything less must show that it does
        whole = self.quoted is not None and self.quoted.coverage == WHOLE
        self.agrees = whole or (bool(self.supports) and self._agrees([binding.bound for binding in bindings]))
        if not self.supports and not whole and not self._fields:
            self.unsupported = self.at_worst = 1.0
        elif self.quoted is not None and self.agrees:
            self.unsupported = self.at_worst = 0.0
        else:
            found = features(self.line, self.supports, self.evidence, bindings, submission.weights)
            strange = self._of_a_stranger(found) or self._says_little_of_it(found)
            self._stranger = STRANGER if strange and not self._fields else 0.0
            self._own = model.unsupported(found)
            self._by_fields(max(self._own, self._stranger))
        self.doubt = self.unsupported
        """How likely it was made up, for the answer's score. A claim that no evidence speaks of is an issue whatever a
        grounder says, and yet more or less likely to be made up: a summary of a talk may share no word with it."""
        self.method = "quote" if self.quoted is not None else "features"

    @once
    def silent(self) -> bool:
        """Whether it only says what the sources do not: no claim about the world, and none that a quote can prove."""
        return says_only_silence(self.line.sentence.text)

    @property
    def provable(self) -> bool:
        return self.agrees and (self.method == "quote" or not self.silent)

    @property
    def stranger(self) -> bool:
        """An issue whatever the thresholds: the words alone show that the evidence does not speak of this."""
        return self._stranger > 0.0

    def _ask_fields(self) -> tuple[FieldVerdict, ...]:
        """What the fields of a record say of the claim, whose words may be no words of the record: `takeout`."""
        return tuple(
            verdict
            for passage in self.evidence
            if is_record(passage.text)
            for verdict in check_record(self.line.sentence.text, passage.text)
        )

    def _by_fields(self, unsupported: float) -> None:
        """Records are compared field by field: what a field denies, no likeness of words can save.

        A field that agrees speaks for its own part of the claim only, so it proves nothing of the rest: `at_worst` is
        what the claim would be without that help.
        """
        self.unsupported = join(unsupported, self._fields, self.line.sentence.text)
        self.at_worst = max(unsupported, self.unsupported)

    @property
    def open(self) -> bool:
        """Whether there is anything left to judge: no quote, and evidence that speaks of it at all.

        A record may speak of it without sharing a word, so a grounder is asked to read its fields.
        """
        readable = bool(self.supports) or any(is_record(passage.text) for passage in self.evidence)
        return not (self.quoted is not None and self.agrees) and readable

    @property
    def unheard(self) -> bool:
        """Whether there is evidence and no word of it speaks of this: judged already, but for the answer's score."""
        return bool(self.evidence) and not self.supports and self.unsupported == 1.0 and not self.open

    def _of_a_stranger(self, found: Sequence[float]) -> bool:
        """Whether the claim opens with something no evidence speaks of, and hardly speaks of anything it does."""
        opening = next((token for token in self.line.tokens if token.content), None)
        if opening is None or opening.word in _LEAD_INS or found[NAMES.index("prefix_coverage")] >= STRANGE_BELOW:
            return False
        return opening.stem not in _words(self.evidence)

    def _says_little_of_it(self, found: Sequence[float]) -> bool:
        """Whether a short claim is mostly words no evidence holds: one shared noun is no support."""
        spoken = sum(token.content for token in self.line.tokens)
        return spoken <= SHORT and found[NAMES.index("prefix_coverage")] < STRANGE_BELOW

    def pair(self, pools: dict[tuple[str, ...], EvidencePool]) -> EvidencePair:
        """The claim beside the sentences a grounder judges it by; passages cited together share a pool."""
        claim = self.line.sentence.text.strip()
        links = names_address(claim)
        key = (*(passage.id for passage in self.evidence), *("links",) * links)
        if key not in pools:
            lines = [line for passage in self.evidence for line in source_sentences(passage.text, links=links)]
            pools[key] = EvidencePool(lines)
        claims = self._submission.claims
        previous = claims[self.claim.index - 1].text if self.claim.index else None
        hint = f"{self._submission.question or ''} {previous or ''}"
        evidence = pools[key].evidence(claim, hint=hint) or tuple(verdict.line for verdict in self._fields)
        return EvidencePair(claim=claim, evidence=evidence, previous=previous)

    def join(self, score: GroundingScore, accept: float) -> None:
        """The grounder's probability and the features' as one.

        What the words alone show, that the claim is a stranger to its evidence, only a grounder may take back that is
        sure of the claim.
        """
        self.doubt = together = joined(self._own, score.unsupported)
        if self.unheard:
            return
        if together <= accept:
            self._stranger = 0.0
        self._by_fields(together)
        self.doubt = self.unsupported
        self.method = "grounder"
        lead = len(self.line.sentence.text) - len(self.line.sentence.text.lstrip())
        self._spans = tuple((start + lead, end + lead, chance) for start, end, chance in score.spans if chance >= 0.5)

    def proof(self) -> Proof:
        best = self.quoted or self.supports[0]
        return Proof(
            claim=self.claim.index,
            passage=best.passage,
            span=best.line.sentence.span,
            method=self.method,
            score=1.0 - self.unsupported,
        )

    def finding(self) -> Finding:
        issue_type, severity, problem = CODES["evidence_miss"]
        problem = problem if self.evidence else "there is no evidence for the claim"
        denied = worst(self._fields)
        start, end = denied.span if denied else self._unsupported_part()
        offset = self.claim.span[0]
        part = self.claim.text[start:end]
        nearest = self.supports[0].line.sentence.text if self.supports else None
        return Finding(
            issue=Issue(
                type=issue_type,
                severity=severity,
                code="evidence_miss",
                location=part,
                span=(offset + start, offset + end),
                problem=denied.reason if denied else problem,
                evidence=denied.line if denied else nearest,
            )
        )

    def _unsupported_part(self) -> Span:
        """From the first word no evidence holds to the last; the whole claim where the words are all there."""
        spans = [(start, end) for start, end, _ in self._spans] or self._novel_words()
        if not spans:
            return (0, len(self.claim.text))
        return (min(start for start, _ in spans), max(end for _, end in spans))

    def parts(self) -> list[Span]:
        """Where in the draft the words stand that no evidence supports; at least one, unless it claims nothing.

        What a field denies is that field's words. All of a claim that is surely unsupported; of any other what stands
        out, for it may be right but for a word.
        """
        if self.silent:
            return []
        denied = [verdict.span for verdict in self._fields if verdict.agreement is not Agreement.SUPPORTED]
        offset = self.claim.span[0]
        return [(offset + start, offset + end) for start, end in self._neighbours(denied or self._standing_out())]

    def _standing_out(self) -> list[Span]:
        whole = [(0, len(self.claim.text))]
        if self.unsupported >= SURELY:
            return whole
        spans = [(start, end) for start, end, chance in self._spans if chance >= STANDS_OUT]
        if not spans and self._spans:
            spans = [max(self._spans, key=lambda span: span[2])[:2]]
        return spans or self._novel_words() or whole

    def _neighbours(self, spans: Sequence[Span]) -> list[Span]:
        """The spans with nothing but white space, or a marker, between them as one."""
        found: list[Span] = []
        for start, end in sorted(spans):
            if found and not self.line.sentence.text[found[-1][1] : start].strip():
                found[-1] = (found[-1][0], max(found[-1][1], end))
            else:
                found.append((start, end))
        return found

    def _novel_words(self) -> list[Span]:
        return [(token.start, token.end) for token in self._novel()]

    def _novel(self) -> list[Token]:
        known = frozenset().union(*(support.line.stems for support in self.supports)) if self.supports else frozenset()
        return [token for token in self.line.tokens if token.content and token.stem not in known]

    def _agrees(self, bound: Sequence[Bound]) -> bool:
        """Whether every value is bound, every name stands in the evidence and nothing is flipped or left out."""
        if any(state not in (Bound.MATCHED, Bound.DERIVED) for state in bound):
            return False
        return self._knows_names() and opposes(self.line, self.supports[0].line) is None and self._says_no_more()

    def _says_no_more(self) -> bool:
        """Whether a sentence that speaks of the claim says it without a limit, and of the same subject."""
        best = self.supports[0].coverage
        near = [support.line for support in self.supports if support.coverage >= AS_GOOD * best]
        return any(
            comparable(self.line, line) and widened(self.line, line) is None and not gathered(self.line, line)
            for line in near
        )

    def _knows_names(self) -> bool:
        text, known = self.line.sentence.text, _words(self.evidence)
        for name in names(text):
            stems = stems_in(" ".join(name.words))
            if not known.issuperset(stems) and not explained(name, text) and not written(name.words, self.evidence):
                return False
        opening = next((token for token in self.line.tokens if token.content), None)
        if opening is None or opening.start != self.line.tokens[0].start or opening.word in _LEAD_INS:
            return True
        # the first word is capitalised anyway: a stranger there may be a name, whatever it looks like
        return opening.stem in known or written((opening.word,), self.evidence)

    def _quote(self) -> Support | None:
        """The source sentence the claim repeats, whole or but for a harmless remainder."""
        whole = quoted_line(self.claim, self.evidence)
        if whole is not None:
            return Support(whole[0], whole[1], WHOLE)
        mine = [token.word for token in self.line.tokens]
        if len(mine) < 3:
            return None
        for support in self.supports[:3]:
            theirs = [token.word for token in support.line.tokens]
            if len(mine) < QUOTED_SHARE * len(theirs):
                continue
            for at in range(len(theirs) - len(mine) + 1):
                if theirs[at : at + len(mine)] == mine:
                    rest = theirs[:at] + theirs[at + len(mine) :]
                    return support if _LIMITING.isdisjoint(rest) else None
        return None


@by_text(1024)
def is_record(text: str) -> bool:
    return bool(read_fields(text))


def _words(evidence: Sequence[Passage]) -> frozenset[str]:
    return frozenset().union(*(profile(passage.text).words for passage in evidence))


_LEAD_INS = frozenset(
    "additionally furthermore moreover overall generally finally firstly secondly lastly similarly likewise therefore "
    "thus hence consequently instead meanwhile normally usually typically often sometimes currently today recently "
    "according based given depending people anyone everyone someone besides upon higher lower greater fewer".split()
)
_LIMITING = NEGATIONS | frozenset(
    "if unless except only when where until may might could some most usually generally normally provided subject "
    "but however although".split()
)
"""Words whose loss changes what a sentence says."""
