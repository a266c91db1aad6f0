"""The source's own sentence for a claim that may not leave as it is: it loses its words, not its information.

Chosen by meaning where there is an embedder, by words, and by how well the grounder finds the claim supported by it.
Only whole sentences that stand on their own: no headings, table rows or scraps, no dangling pronoun, no question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from surefoot.core.case import is_case, retold, states_rule
from surefoot.core.ports import Embedder, Grounder
from surefoot.core.text import markers, squash, words
from surefoot.core.types import Claim, ClaimText, Passage, Span
from surefoot.verify.read.alignment import Weights, profile, stems_of
from surefoot.verify.read.claims import leans
from surefoot.verify.read.reading import Line, read
from surefoot.verify.read.submission import Submission

SHORTLIST = 24
"""Sentences per claim, nearest by words, whose meaning is compared; they need not share a word."""
ABOUT = 0.65
"""From this sum of its cosine and its share of the claim's words, weighed by rarity, a sentence is about what the claim
is about; of right claims on development drafts, 213 of 219 over it were told by it, of 13 under it 3."""
LIKE = 0.5
"""Cosine that shows the same of a sentence that has only one word of the claim: one word says nothing."""
HOLDING = 0.5
"""Share of the claim's words that shows the same without an embedder, and that a sentence of a case must hold in any
case: a deed that nobody told of is not answered by another deed."""
MOST_BEFORE = 2
"""Sentences that a quote takes along because it leans on them, "It … It …"."""
CLOSE = 0.1
"""How near two candidates must be before the grounder is asked which of them says it."""
LEFT_OUT, SHARE, NEARLY_ALL = 2, 0.25, 0.7
"""A claim of two facts: so many of its words, and this share of them, are not in the sentence found first; a second
sentence must hold this share of those."""
SHORTEST, LONGEST = 4, 60
"""Words of a sentence that is quoted."""
FIELDS = 3
"""Fields with a label that make a record of a line."""


class Quotation(NamedTuple):
    passage: str
    span: Span
    text: str
    """The source's own words, white space aside; two sentences where the second leans on the first or takes it back."""


class _Wanted(NamedTuple):
    """A claim and the text by which its sentence is looked for."""

    claim: Claim
    text: str


@dataclass(frozen=True, kw_only=True)
class Quoter:
    embedder: Embedder | None = None
    grounder: Grounder | None = None

    def choose(self, claims: Sequence[Claim], submission: Submission) -> dict[int, tuple[Quotation, ...]]:
        """Index of a claim: the sentence that says what it is about, and a second for what the first leaves unsaid;
        claims without one are left out. `Half past four.` is about what was asked: a claim for which nothing is found
        is looked for with its question before it."""
        found = self._found([_Wanted(claim, claim.text) for claim in claims], submission)
        rest = [claim for claim in claims if claim.index not in found]
        if submission.question and rest and self.embedder is not None:
            asked = [_Wanted(claim, f"{submission.question} {claim.text}") for claim in rest]
            found |= {index: quotes[:1] for index, quotes in self._found(asked, submission).items()}
        return found

    def _found(self, wanted: Sequence[_Wanted], submission: Submission) -> dict[int, tuple[Quotation, ...]]:
        shortlists = [_shortlist(one, submission) for one in wanted]
        likeness = self._likeness(wanted, shortlists)
        least = ABOUT if likeness else 2 * HOLDING
        found = {}
        for one, shortlist in zip(wanted, shortlists, strict=True):
            ranked = sorted(
                (
                    (like + share, -at, quotation)
                    for at, (share, quotation) in enumerate(shortlist)
                    if (like := likeness.get((one.text, quotation.text), share)) + share >= least
                    and (like >= LIKE or len(stems_of(one.text) & stems_of(quotation.text)) > 1)
                ),
                reverse=True,
            )
            if ranked:
                first = self._said_by(one.claim, ranked)
                rest = _rest(one.claim, first, [quotation for _, quotation in shortlist], submission)
                found[one.claim.index] = (first, *rest)
        return found

    def _likeness(
        self, wanted: Sequence[_Wanted], shortlists: Sequence[Sequence[tuple[float, Quotation]]]
    ) -> dict[tuple[str, str], float]:
        if self.embedder is None:
            return {}
        texts = list(dict.fromkeys(one.text for rows in shortlists for _, one in rows))
        said = list(dict.fromkeys(one.text for one, rows in zip(wanted, shortlists, strict=True) if rows))
        if not texts:
            return {}
        vectors = np.asarray(self.embedder.embed([*said, *texts]))
        place = {text: at for at, text in enumerate((*said, *texts))}
        return {
            (one.text, quotation.text): round(float(vectors[place[one.text]] @ vectors[place[quotation.text]]), 6)
            for one, rows in zip(wanted, shortlists, strict=True)
            for _, quotation in rows
        }

    def _said_by(self, claim: Claim, ranked: Sequence[tuple[float, int, Quotation]]) -> Quotation:
        """The best of those that are nearly as good, by the claim's risk over each alone."""
        near = [one for score, _, one in ranked[:3] if score >= ranked[0][0] - CLOSE]
        if self.grounder is None or len(near) == 1:
            return near[0]
        risks = [self.grounder.judge([ClaimText(text=claim.text)], [one.text])[0].unsupported for one in near]
        return near[min(range(len(near)), key=lambda at: (round(risks[at], 2), at))]


def _rest(claim: Claim, first: Quotation, others: Sequence[Quotation], submission: Submission) -> Sequence[Quotation]:
    """The sentence for the other half of a claim that joins two facts: the one that holds most of those words which the
    sources know and the first leaves out. Only where they are many, and it holds nearly all of them."""
    known = frozenset(stem for stem in stems_of(claim.text) if submission.knows(stem))
    unsaid = known - stems_of(first.text)
    weigh = submission.weights.sum
    if len(unsaid) < LEFT_OUT or weigh(unsaid) < SHARE * weigh(known):
        return ()
    share, _, best = max(
        ((weigh(unsaid & stems_of(one.text)), -at, one) for at, one in enumerate(others) if one != first),
        default=(0.0, 0, first),
    )
    apart = best.passage != first.passage or best.span[0] >= first.span[1] or best.span[1] <= first.span[0]
    return (best,) if apart and share >= NEARLY_ALL * weigh(unsaid) else ()


def _shortlist(one: _Wanted, submission: Submission) -> list[tuple[float, Quotation]]:
    """(share of the claim's words, sentence), nearest first; those it cites, else all. What happened in a case is told
    by no reference, and by the account as one says it to the person."""
    claim, wanted = one.claim, stems_of(one.text)
    evidence = submission.evidence_for(claim)
    told = bool(evidence) and all(map(is_case, evidence))
    passages = list(evidence) if told else _references(evidence) or _references(submission.passages)
    rows = _ranked(wanted, passages, submission.weights)
    if not rows and claim.cited:
        rows = _ranked(wanted, _references(submission.passages), submission.weights)
    found: list[tuple[float, Quotation]] = []
    for share, passage, number in rows:
        if is_case(passage):
            quotation = _told_again(passage, read(passage.text)[number]) if share >= HOLDING else None
        else:
            quotation = _quotation(passage, number)
        if quotation is not None and all(quotation.text != other.text for _, other in found):
            found.append((share, quotation))
        if len(found) == SHORTLIST:
            break
    return found


def _references(passages: Sequence[Passage]) -> list[Passage]:
    """Without the case: a verdict does not speak in the words of one who asks for it."""
    return [one for one in passages if not is_case(one)]


def _ranked(wanted: frozenset[str], passages: Sequence[Passage], weights: Weights) -> list[tuple[float, Passage, int]]:
    """(share of the wanted words, passage, number of the sentence in it), nearest first."""
    whole = weights.sum(wanted) or 1.0
    rows = [
        (weights.sum(wanted & stems) / whole, order, number, passage)
        for order, passage in enumerate(passages)
        for number, stems in enumerate(profile(passage.text).stems)
    ]
    near = sorted(rows, key=lambda row: (-row[0], row[1], row[2]))
    return [(share, passage, number) for share, _, number, passage in near]


def _quotation(passage: Passage, number: int) -> Quotation | None:
    """The sentence where it stands on its own, with those before it where it leans on them, and with the one behind it
    where that takes it back; None for a scrap."""
    lines = read(passage.text)
    line, below = lines[number], next(iter(lines[number + 1 : number + 2]), None)
    if not is_whole(line):
        return None
    first, end = line, line.sentence.end
    if below is not None and below.sentence.kind == "prose" and _TURNS.match(below.sentence.text):
        end = below.sentence.end
    before = 0
    while leans(first.sentence.text):
        before += 1
        if before > MOST_BEFORE or first.above is None or not is_whole(first.above):
            return None
        first = first.above
    start = first.sentence.start
    return Quotation(passage=passage.id, span=(start, end), text=" ".join(passage.text[start:end].split()))


def _told_again(passage: Passage, line: Line) -> Quotation | None:
    """A sentence of the account, turned to the person; None for one that leans, asks, tells what others say (whose `I`
    is it?) or takes something for the law."""
    text = " ".join(line.sentence.text.split())
    turned = retold(text)
    if not is_whole(line) or leans(turned) or not _TELLS.match(turned) or _OTHERS_SAY.search(text) or states_rule(text):
        return None
    return Quotation(passage=passage.id, span=line.sentence.span, text=turned)


def is_whole(line: Line) -> bool:
    """A full sentence or a record with its labels: not a heading, a row, a fragment of a list or a question."""
    text = line.sentence.text.strip()
    if line.sentence.kind in ("heading", "row") or markers(text) or text[:1].islower():
        return False
    if len(_LABELLED.findall(text)) >= FIELDS:
        return len(words(text)) <= LONGEST and "<" not in text
    return text[-1:] in (".", "!") and SHORTEST <= len(words(text)) <= LONGEST and "|" not in text and "<" not in text


_TURNS = re.compile(
    r"(?i)(?:in (?:fact|reality|truth)|actually|however|but|nevertheless"
    r"|(?:this|that|it) (?:is|was) (?:wrong|false|untrue|a myth|not (?:so|true|the case)))\b"
)
"""A sentence that bounds or takes back the one before it, `In fact only the front rooms have one.`"""
_LABELLED = re.compile(r"(?:^|[;|] )[^\W\d][^:;|.]{0,30}: [^;|]+")
"""`berths: 6`, between semicolons."""


_TELLS = re.compile(r"(?:You|Your|The|A|An|On|In|Last|Since|Nobody|Yesterday)\b")
_OTHERS_SAY = re.compile(
    r"(?i)[\"\u201c\u201d\u2018?]|(?<!\w)'\w|\b(?:says?|said|goes|think|thinks|believe|reckon|im|ive|id|ill)\b"
)


def stands_in(quotation: Quotation, draft: str) -> bool:
    """Whether a text says it already."""
    return squash(quotation.text).rstrip(".! ") in squash(draft)


def going_on(quotation: Quotation, last: Quotation | None) -> Quotation:
    """Without the sentence it leans on where that one is quoted right before it."""
    if last is None or last.passage != quotation.passage or last.span[0] != quotation.span[0]:
        return quotation
    start, end = last.span[1], quotation.span[1]
    rest = quotation.text.removeprefix(last.text).strip()
    return Quotation(passage=quotation.passage, span=(start, end), text=rest) if start < end else quotation
