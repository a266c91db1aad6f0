"""The source's own sentence for a claim that may not leave as it is: it loses its words, not its information.

Chosen by meaning where there is an embedder, by words, and by how well the grounder finds the claim supported by it.
Only what stands on its own: whole sentences, labelled items and rows with their names and heading; no headings or
scraps, no dangling pronoun, no question.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from surefoot.core.case import CASE, is_case, retold, states_rule
from surefoot.core.denied import is_denied
from surefoot.core.labelled import spoken
from surefoot.core.pointing import bounds_what_stands_before, excepts, needs_what_stands_before
from surefoot.core.ports import Embedder, Grounder
from surefoot.core.remember import by_text
from surefoot.core.text import begins_inside, markers, squash, without_markers, words
from surefoot.core.types import Claim, ClaimText, Passage, Span
from surefoot.core.values import equal
from surefoot.verify.ground.labelled import said_of
from surefoot.verify.mend.sections import Sections
from surefoot.verify.read.alignment import Weights, profile, stems_of
from surefoot.verify.read.claims import cells, leans
from surefoot.verify.read.reading import Line, read, read_claim
from surefoot.verify.read.submission import Submission

SHORTLIST = 24
"""Sentences per claim, nearest by words, whose meaning is compared; they need not share a word."""
ABOUT = 0.65
"""From this sum of its cosine and its share of the claim's words, weighed by rarity, a sentence is about what the claim
is about; of right claims on development drafts, 213 of 219 over it were told by it, of 13 under it 3."""
ABOUT_CITED = 0.55
"""The same for a sentence of a verdict: the writer says itself which source it is from."""
ABOUT_REST = 0.6
"""The same for the second sentence of a claim that joins two facts: of six on drafts of strangers the five over it say
the other fact, and the one under it speaks of something else."""
LIKE = 0.5
"""Cosine that shows the same of a sentence that has only one word of the claim: one word says nothing."""
HOLDING = 0.5
"""Share of the claim's words that shows the same without an embedder."""
HOLDING_OF_CASE = 0.3
"""The same of a sentence of the account: told back to the person it is so, whatever the claim said."""
MOST_BEFORE = 3
"""Sentences that a quote takes along because it leans on them, "It … It …"."""
CLOSE = 0.1
"""How near two candidates must be before the grounder is asked which of them says it."""
LEFT_OUT, SHARE, NEARLY_ALL = 2, 0.25, 0.7
"""A claim of two facts: so many of its words, and this share of them, are not in the sentence found first; a second
sentence must hold this share of those."""
TOLD = 0.6
"""Share of a quote's words by which a sentence that stays tells what it does."""
SHORTEST, LONGEST = 4, 60
"""Words of a sentence that is quoted."""
FIELDS = 3
"""Fields with a label that make a record of a line."""


class Quotation(NamedTuple):
    passage: str
    span: Span
    text: str
    """The source's own words, white space aside; two sentences where the second leans on the first or takes it back."""
    core: str = ""
    """The sentence that was looked for, where others come along."""


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
        about = ABOUT if submission.case is None else ABOUT_CITED
        found = {}
        for one, shortlist in zip(wanted, shortlists, strict=True):
            least = (about if one.claim.cited else ABOUT) if likeness else 2 * HOLDING
            scored = sorted(
                (
                    (like + share, -at, quotation)
                    for at, (share, quotation) in enumerate(shortlist)
                    if (like := _like(one, quotation, likeness, share)) >= LIKE
                    or len(stems_of(one.text) & stems_of(quotation.text)) > 1
                ),
                reverse=True,
            )
            ranked = [row for row in scored if row[0] >= least]
            if ranked:
                first = self._said_by(one.claim, ranked)
                others = [quotation for score, _, quotation in scored if score >= ABOUT_REST or not likeness]
                rest = _rest(one.claim, first, others, submission)
                found[one.claim.index] = (first, *rest)
        return found

    def _likeness(
        self, wanted: Sequence[_Wanted], shortlists: Sequence[Sequence[tuple[float, Quotation]]]
    ) -> dict[tuple[str, str], float]:
        if self.embedder is None:
            return {}
        texts = list(dict.fromkeys(text for rows in shortlists for _, one in rows for text in _texts(one)))
        said = list(dict.fromkeys(one.text for one, rows in zip(wanted, shortlists, strict=True) if rows))
        if not texts:
            return {}
        vectors = np.asarray(self.embedder.embed([*said, *texts]))
        place = {text: at for at, text in enumerate((*said, *texts))}
        return {
            (one.text, text): round(float(vectors[place[one.text]] @ vectors[place[text]]), 6)
            for one, rows in zip(wanted, shortlists, strict=True)
            for _, quotation in rows
            for text in _texts(quotation)
        }

    def _said_by(self, claim: Claim, ranked: Sequence[tuple[float, int, Quotation]]) -> Quotation:
        """The best of those that are nearly as good, by the claim's risk over each alone."""
        near = [one for score, _, one in ranked[:3] if score >= ranked[0][0] - CLOSE]
        if self.grounder is None or len(near) == 1:
            return near[0]
        risks = [self.grounder.judge([ClaimText(text=claim.text)], [one.text])[0].unsupported for one in near]
        return near[min(range(len(near)), key=lambda at: (round(risks[at], 2), at))]


def _texts(quotation: Quotation) -> list[str]:
    return [quotation.text, quotation.core] if quotation.core else [quotation.text]


def _like(one: _Wanted, quotation: Quotation, likeness: Mapping[tuple[str, str], float], otherwise: float) -> float:
    """How near the meaning of a quotation comes, whole or by the sentence that was looked for."""
    return max(likeness.get((one.text, text), otherwise) for text in _texts(quotation))


def _rest(claim: Claim, first: Quotation, others: Sequence[Quotation], submission: Submission) -> Sequence[Quotation]:
    """The sentence for the other half of a claim that joins two facts: the one that holds most of those words which the
    sources know and the first leaves out. Only where they are many, and it holds nearly all of them; of those that are
    about the claim themselves."""
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
    told = bool(evidence) and all(map(is_case, evidence)) and claim.cited in ((), (CASE,))
    cites = [one for one in submission.passages if one.id in claim.cited]
    passages = list(evidence) if told else _references(evidence) or _references(cites or submission.passages)
    rows = _ranked(wanted, passages, submission.weights)
    if not rows and claim.cited:
        rows = _ranked(wanted, _references(submission.passages), submission.weights)
    found: list[tuple[float, Quotation]] = []
    meant = {passage.id: _rows_meant(claim, passage, submission) for passage in passages if "|" in passage.text}
    before = [*(one.text for one in reversed(submission.claims[: claim.index])), submission.question or ""]
    sections = Sections(passages=submission.passages, said=claim.text, before=before)
    for share, passage, number in rows:
        if number not in meant.get(passage.id, (number,)) and _is_row(read(passage.text)[number]):
            continue
        if is_case(passage):
            quotation = _told_again(passage, number) if share >= HOLDING_OF_CASE else None
        else:
            quotation = _quotation(passage, number)
            if quotation and sections.is_elsewhere(quotation.text, quotation.span[0], passage.id):
                continue
            line = read(passage.text)[number]
            if quotation is None and (text := said_of(line, passage, submission)) is not None:
                quotation = Quotation(passage.id, line.sentence.span, text, " ".join(line.sentence.text.split()))
                share = submission.weights.sum(wanted & stems_of(text)) / (submission.weights.sum(wanted) or 1.0)
        if quotation is not None and all(quotation.text != other.text for _, other in found):
            found.append((share, quotation))
        if len(found) == SHORTLIST:
            break
    return found


def _rows_meant(claim: Claim, passage: Passage, submission: Submission) -> frozenset[int]:
    """Numbers of a table's rows that a claim may be about: those that have most of its words, and of these the ones
    that have most of the sentence's before it and of the question's. Figures and what all rows have tell none apart."""
    lines, told = read(passage.text), spoken(passage.text)
    rows = {
        at: _words_of_row(line.sentence.text)
        for at, line in enumerate(lines)
        if _is_row(line) and line.sentence.span in told
    }
    before = submission.claims[claim.index - 1].text if claim.index else ""
    shared = frozenset.intersection(*rows.values()) if rows else frozenset()
    for text in (claim.text, f"{before} {submission.question or ''}"):
        said = stems_of(text) - shared
        most = max((len(said & words) for words in rows.values()), default=0)
        rows = {at: words for at, words in rows.items() if len(said & words) == most}
    return frozenset(rows)


def _is_row(line: Line) -> bool:
    return line.sentence.kind == "row"


@by_text(4096)
def _words_of_row(row: str) -> frozenset[str]:
    """Of its cells without a figure: what it is the row of, not what it gives."""
    return stems_of(" ; ".join(cell for cell in cells(row) if not _FIGURE.search(cell)))


def _references(passages: Sequence[Passage]) -> list[Passage]:
    """Without the case: a verdict does not speak in the words of one who asks for it."""
    return [one for one in passages if not is_case(one)]


def _ranked(wanted: frozenset[str], passages: Sequence[Passage], weights: Weights) -> list[tuple[float, Passage, int]]:
    """(share of the wanted words, passage, number of the sentence in it), nearest first."""
    whole = weights.sum(wanted) or 1.0
    rows = [
        (weights.sum(wanted & stems) / whole, passage, number)
        for passage in passages
        for number, stems in enumerate(profile(passage.text).stems)
    ]
    rows.sort(key=itemgetter(0), reverse=True)  # equal ones stay in their order
    return rows


def _quotation(passage: Passage, number: int) -> Quotation | None:
    """The sentence where it stands on its own, with those before it where it leans on them, and with the one behind it
    where that takes it back; None for a scrap."""
    lines = read(passage.text)
    line, below = lines[number], next(iter(lines[number + 1 : number + 2]), None)
    if not is_whole(line) or is_denied(passage, line.sentence.start):
        return None
    first, end = line, line.sentence.end
    if below is not None and below.sentence.kind == "prose" and bounds_what_stands_before(below.sentence.text):
        end = below.sentence.end
    before = 0
    while (needed := _leans(first.sentence.text)) or _goes_without(first.sentence.text):
        before += 1
        if before > MOST_BEFORE or first.above is None or not is_whole(first.above) or _is_next_item(first, passage):
            if needed:
                return None
            break
        first = first.above
    start = first.sentence.start
    alone = (start, end) == line.sentence.span
    core = "" if alone else " ".join(line.sentence.text.split())
    return Quotation(passage=passage.id, span=(start, end), text=" ".join(passage.text[start:end].split()), core=core)


def _is_next_item(line: Line, passage: Passage) -> bool:
    """Whether a list's item begins with it: the one above speaks of something else."""
    above = line.above
    if above is None or not above.sentence.kind == line.sentence.kind == "item":
        return False
    return "\n" in passage.text[above.sentence.end : line.sentence.start]


def _leans(text: str) -> bool:
    """Also `Her car has hand controls.`: of whom it is said stands before it."""
    return leans(text) or _WHOSE.match(text) is not None


@by_text(1024)
def _goes_without(text: str) -> bool:
    """Whether a sentence leaves out what the one before it names: `Broken things may be.`, `If he keeps any of it he
    must send a list.`, `For workers under 18 it must be twelve hours.`, `Guests may use it.`, `Exempt: the clergy.`"""
    nameless = _NAMELESS.match(text) is not None or excepts(text)
    return nameless or _CUT_SHORT.search(text) is not None or needs_what_stands_before(text)


def _told_again(passage: Passage, number: int) -> Quotation | None:
    """A sentence of the account, turned to the person, with those before it where it leans on them."""
    lines = read(passage.text)
    line = first = lines[number]
    before = 0
    while _is_tellable(first) and (
        (opens := _OPENS_WITH_WHO.match(first.sentence.text)) or _HAS_IT.match(first.sentence.text)
    ):
        before += 1
        above = first.above
        if before > MOST_BEFORE or above is None or not _is_tellable(above):
            if opens:
                return None
            break
        first = above
    if not _is_tellable(first) or not _is_tellable(line):
        return None
    start, end = first.sentence.start, line.sentence.end
    told = " ".join(retold(one.sentence.text) for one in lines if start <= one.sentence.start < end)
    core = " ".join(retold(line.sentence.text).split()) if first is not line else ""
    return Quotation(passage=passage.id, span=(start, end), text=" ".join(told.split()), core=core)


def _is_tellable(line: Line) -> bool:
    """Not a scrap, a question, what others say (whose `I` is it?) or what is taken for the law."""
    text = " ".join(line.sentence.text.split())
    turned = retold(text)
    opens = _TELLS.match(turned) is not None or _OPENS_WITH_WHO.match(text) is not None
    return is_whole(line) and opens and not _OTHERS_SAY.search(text) and not states_rule(text)


def is_whole(line: Line) -> bool:
    """A full sentence or a record with its labels: not a heading, a row, a fragment of a list or a question."""
    return line.sentence.kind not in ("heading", "row") and _is_full(line.sentence.text)


@by_text(1024)
def _is_full(sentence: str) -> bool:
    text = sentence.strip()
    if markers(text) or begins_inside(text):
        return False
    if len(_LABELLED.findall(text)) >= FIELDS:
        return len(words(text)) <= LONGEST and "<" not in text
    return text[-1:] in (".", "!") and SHORTEST <= len(words(text)) <= LONGEST and "|" not in text and "<" not in text


_CUT_SHORT = re.compile(
    r"(?i)\b(?:may|must|should|can|could|will|shall|need|do|does|did|is|are|was|were|has|have)(?: not| be|n't)?[.!]\s*$"
)
_NAMELESS = re.compile(
    r"(?i)(?:if|where|when|once|until|unless|while|as (?:long|soon) as|whoever|no matter \w+) (?:he|she|they|it)\b"
    r"|(?:for|under|over|with|in|at|after|before|from|until|by|on|to) [^,;:]+ (?:he|she|they|it) "
    r"(?:must|may|should|can|has|have|is|are|was|were)\b(?! (?:\w+ ){0,2}(?:to|that)\b)"
)
_WHOSE = re.compile(r"(?:His|Her)\b")
_FIGURE = re.compile(r"\b\d")
_LABELLED = re.compile(r"(?:^|[;|] )[^\W\d][^:;|.]{0,30}: [^;|]+")
"""`berths: 6`, between semicolons."""


_TELLS = re.compile(r"(?:You|Your|The|A|An|On|In|Last|Since|Nobody|Yesterday)\b")
_OPENS_WITH_WHO = re.compile(r"(?:He|She|They|It)\b")
_HAS_IT = re.compile(r"(?:\w+ ){2,4}(?:them|it)\b(?! (?:is|was)\b)")
_OTHERS_SAY = re.compile(
    r"(?i)[\"\u201c\u201d\u2018?]|(?<!\w)'\w"
    r"|(?<!order )(?<!contract )(?<!letter )(?<!agreement )(?<!lease )"
    r"\b(?:says?|said|goes|think|thinks|believe|reckon|im|ive|id|ill)\b"
)


def stands_in(quotation: Quotation, draft: str) -> bool:
    """Whether a text says it already."""
    return squash(quotation.text).rstrip(".! ") in squash(without_markers(draft))


def is_told(quotation: Quotation, claim: Claim, kept: Sequence[Claim]) -> bool:
    """Whether one sentence that stays says all that a claim and its quote have in common, with every value of the quote
    and most of its words: it would be told twice."""
    said, values = stems_of(quotation.text), read_claim(quotation.text).values
    shared = stems_of(claim.text) & said
    return bool(shared and values) and any(
        shared <= stems_of(one.text)
        and len(said & stems_of(one.text)) >= TOLD * len(said)
        and all(any(equal(own, value) for own in read_claim(one.text).values) for value in values)
        for one in kept
    )


def going_on(quotation: Quotation, last: Quotation | None) -> Quotation:
    """Without the sentence it leans on where that one is quoted right before it."""
    if last is None or last.passage != quotation.passage or last.span[0] != quotation.span[0]:
        return quotation
    start, end = last.span[1], quotation.span[1]
    rest = quotation.text.removeprefix(last.text).strip()
    return Quotation(passage=quotation.passage, span=(start, end), text=rest) if start < end else quotation
