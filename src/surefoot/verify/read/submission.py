"""What every check sees of one verification: the draft, its claims and the evidence, all read-only."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from surefoot.core.case import (
    CASE,
    happened,
    happenings,
    is_case,
    reckoned,
    speaks_of_no_deed,
    states_rule,
    tells,
)
from surefoot.core.differences import differences
from surefoot.core.evidence import spell_key
from surefoot.core.remember import once
from surefoot.core.text import fold, pieces, sentences, words
from surefoot.core.told import OPENING, told
from surefoot.core.types import CheckReport, Claim, Json, Judgement, Passage, Span
from surefoot.core.values import Value, equal, extract
from surefoot.core.values.units import CURRENCY_WORDS, DURATIONS, MEASURES
from surefoot.packs.names import words_of
from surefoot.packs.schema import Pack
from surefoot.verify.read.alignment import Aligner, Weights, bare_form
from surefoot.verify.read.binding import HOLDING, Binding, Bound, Evidence, bind, claim_line
from surefoot.verify.read.evidence import lead
from surefoot.verify.read.names import Name, names
from surefoot.verify.read.reading import DENYING, Line, read, stems_in
from surefoot.verify.read.support import Support, supports

REPEATED = 0.8
"""Share of a claim's words from which the case holds all of it."""
SAME_WORDS = 0.9
"""Share of their words, values aside, that two sentences have in common where they state the same."""
MOST_VALUES = 60
"""Values of a draft that are worked out from others where they stand nowhere."""
KNOWN = (*HOLDING, Bound.UNCERTAIN)
STEPS = 4
"""Sentences back from which a total may be worked out."""
Said = tuple[str, tuple[str, ...]]
"""A claim by its words and what it cites."""
_LOOSE = frozenset({"number", "count", "ordinal", "weekday", "year", "token"})
"""Kinds of values that two texts have in common by chance."""
_SECOND_PERSON = frozenset({"you", "your", "yours", "yourself"})
_THIRD_PERSON = frozenset({"he", "him", "his", "himself", "she", "her", "hers", "herself"})
_CAPITAL = re.compile(r"\b[^\W\d_a-z][^\W\d_]+")
_UNITS = {*MEASURES, *CURRENCY_WORDS, *DURATIONS, "percent"} - {"min"}
"""`min_age` is no time."""
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_FIRST_PERSON = frozenset({"i", "i'm", "i've", "my", "me", "mine", "we", "our", "us", "we're", "we've"})


def said_by(claim: Claim) -> Said:
    return bare_form(claim.text), claim.cited


@dataclass(frozen=True, kw_only=True)
class Submission:
    draft: str
    claims: tuple[Claim, ...]
    passages: tuple[Passage, ...]
    """What may serve as evidence: tainted passages are not among them."""
    tainted: tuple[Passage, ...] = ()
    """Passages that carry instructions."""
    given: tuple[str, ...] = ()
    """Ids of all passages in the caller's order."""
    profile: Mapping[str, Json] = field(default_factory=dict)
    question: str | None = None
    case: str | None = None
    """What a person tells of their case; it stands among the passages too, as `case`."""
    pack: Pack
    today: str
    """ISO date."""
    stood: Mapping[Said, Judgement] = field(default_factory=dict)
    """Of a mended text: what the grounders let leave of the text before. What was not touched is not read again."""
    until: float = float("inf")
    """When the check must have ended, in the clock's seconds: a check with two ways may take the faster one."""
    _evidence: dict[tuple[str, ...], tuple[Passage, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _lines: dict[int, Line] = field(default_factory=dict, init=False, repr=False, compare=False)
    _supports: dict[int, list[Support]] = field(default_factory=dict, init=False, repr=False, compare=False)
    _bindings: dict[int, tuple[Binding, ...]] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def order(self) -> tuple[str, ...]:
        """Ids of all passages as the caller gave them: the x-th is what [Sx] means where no id says so."""
        return self.given or tuple(passage.id for passage in (*self.passages, *self.tainted))

    def evidence_for(self, claim: Claim) -> tuple[Passage, ...]:
        """The passages a claim is bound to: the cited ones; all of them where it cites none. Beside a case only the
        references tell what the rules are, and only the case what somebody did."""
        left_out = self._left_out(claim)
        if not claim.cited and not left_out:
            return self.passages
        key = (left_out, *claim.cited)
        found = self._evidence.get(key)
        if found is None:
            cited = (CASE,) if left_out == "reference" else claim.cited or self.order
            found = tuple([one for one in self.passages if one.id in cited and not (left_out == CASE and is_case(one))])
            self._evidence[key] = found
        return found

    def _left_out(self, claim: Claim) -> str:
        """Which kind of source says nothing about such a claim: `case`, `reference`, or neither."""
        if self.case is None:
            return ""
        if states_rule(claim.text):
            return CASE
        both = CASE in claim.cited and len(claim.cited) > 1
        return "reference" if self._told_only(claim) and not both else ""

    def _told_only(self, claim: Claim) -> bool:
        """Whether a claim tells what only the case can show. `You get 20 minutes` is a rule said to the person where a
        reference has the 20 minutes and the case has not; `You got 20 minutes` is a deed, whatever references say."""
        if not tells(claim.text):
            return False
        if bool(claim.cited) and CASE not in claim.cited and speaks_of_no_deed(claim.text):
            return False
        return happened(claim.text) or not any(map(self._ruled, self.line(claim).values))

    def _ruled(self, value: Value) -> bool:
        """Whether a value stands in a reference and not in the case."""
        if value.kind in _LOOSE:
            return False
        found = [is_case(one) for one in self.passages if _stands_in(value, one.text)]
        return bool(found) and not any(found)

    def joined(self, claim: Claim) -> str:
        """What happened in the case, for a claim that sets it against a reference; a claim that only repeats the case
        under a reference's number is that reference's to show."""
        if self.case is None or claim.cited == (CASE,) or not any(map(is_case, self.passages)):
            return ""
        if self._told_only(claim):
            return ""
        told = happenings(self.case)
        held = max((one.coverage for one in self.aligner.align(claim.text) if one.passage == CASE), default=0.0)
        return told if held < REPEATED or CASE in claim.cited else ""

    def line(self, claim: Claim) -> Line:
        """The claim's words and values; offsets are those of the claim's text. Read once for all checks."""
        found = self._lines.get(claim.index)
        if found is None:
            found = self._lines[claim.index] = claim_line(claim)
        return found

    def is_heading(self, claim: Claim) -> bool:
        """Whether a claim is a heading of the draft."""
        found = sentences(self.draft)
        return found[claim.index].kind == "heading" if claim.index < len(found) else False

    def bindings(self, claim: Claim) -> tuple[Binding, ...]:
        """Each typed value of the claim with its place in the evidence; worked out once per claim."""
        for one in self.claims[len(self._bindings) : claim.index + 1]:  # in their order: one may rest on those before
            line = self.line(one)
            self._bindings[one.index] = bind(line, self._evidence_of(one)) if line.values else ()
        return self._bindings[claim.index]

    def _evidence_of(self, claim: Claim) -> Evidence:
        """What the values of a claim are held against."""
        others = [one for one in self.passages if one.id not in claim.cited and not is_case(one)] if claim.cited else ()
        return Evidence(
            cited=self.evidence_for(claim),
            others=others,
            beside=self.beside_for(claim),
            weighs=CASE in claim.cited and bool(self.joined(claim)) and not states_rule(claim.text),
            asked=(self.question or "") if self.about_person(claim) else "",
            question=self._asked,
            person=self._told,
            earlier=self._values_before(claim),
            stated=self._values_before(claim, claim.index),
            held=self._values_before(claim, known=HOLDING),
            work_out=sum(map(len, self._bindings.values())) + len(self.line(claim).values) <= MOST_VALUES,
            nearest=partial(self.supports, claim),
            twins=self.twins(claim),
        )

    def _values_before(self, claim: Claim, steps: int = STEPS, known: Collection[Bound] = KNOWN) -> list[Value]:
        """What the few sentences before it have from the evidence, or worked out from it."""
        before = range(max(0, claim.index - steps), claim.index)
        return [value for index in before for value in self._known_in(index, known)]

    def _known_in(self, index: int, known: Collection[Bound] = KNOWN) -> list[Value]:
        return [one.value for one in self._bindings.get(index, ()) if one.bound in known]

    def beside_for(self, claim: Claim) -> str:
        """What stands beside the passages' texts: their titles and the like, and for a sentence about the person what
        the profile and the question tell of them. A number that a question suggests is no fact about the world."""
        told = (self._told if self.about_person(claim) else "", self.joined(claim))
        return " ; ".join(filter(None, (self._written_beside, *told, self.reckoned_for(claim))))

    def reckoned_for(self, claim: Claim) -> str:
        """What follows from the dates of the case, for a claim that the case can show."""
        if self.case is None or not (any(map(is_case, self.evidence_for(claim))) or self.joined(claim)):
            return ""
        return " ".join(filter(None, (reckoned(self.case), differences(self.case, self.line(claim).sentence.text))))

    def about_person(self, claim: Claim) -> bool:
        """Whether the sentence speaks to the person, 'with your 71 %', or of them where the profile names them: by that
        name, or as he or she in a draft that speaks of nobody else by name."""
        line = self.line(claim)
        said = line.said
        if not _SECOND_PERSON.isdisjoint(said):
            return may_address(line.sentence.text)
        if not self._called.isdisjoint(map(fold, _CAPITAL.findall(claim.text))):
            return True
        return not _THIRD_PERSON.isdisjoint(said) and self._speaks_of_one and not self._others_in(claim)

    @once
    def _called(self) -> frozenset[str]:
        """The words of the person's name; none where a source has one of them, and may mean somebody else."""
        given = [str(value) for key, value in self.profile.items() if spell_key(key).endswith("name")]
        called = frozenset(word for name in given for word in words(name))
        return called if not any(stem in self.aligner for name in given for stem in stems_in(name)) else frozenset()

    @once
    def _speaks_of_one(self) -> bool:
        """Whether the draft speaks to nobody, and names nobody whom no source has but the person of the profile."""
        asked = not _THIRD_PERSON.isdisjoint(stems_in(self.question or ""))
        if not self.profile or not (self._called or asked) or not _SECOND_PERSON.isdisjoint(stems_in(self.draft)):
            return False
        return all(self.says(name.text) for claim in self.claims for name in self._others_in(claim))

    def _others_in(self, claim: Claim) -> list[Name]:
        return [name for name in names(claim.text) if self._called.isdisjoint(name.words)]

    def twins(self, claim: Claim) -> list[tuple[str, Line]]:
        """(passage, sentence) of each sentence of the evidence that has the claim's words, values and denials aside."""
        words = self.line(claim).skeleton - DENYING
        if len(words) < 2:
            return []
        cited = {passage.id for passage in self.evidence_for(claim)}
        found = []
        for place, number in self.aligner.holding(words, SAME_WORDS):
            passage = self.passages[place]
            if passage.id not in cited:
                continue
            line = read(passage.text)[number]
            if len(words & line.skeleton) >= SAME_WORDS * len(line.skeleton - DENYING):
                found.append((passage.id, line))
        return found

    def bound(self, claim: Claim) -> bool:
        """Whether every value of the claim stands in its evidence or follows from it."""
        return all(binding.bound in HOLDING for binding in self.bindings(claim))

    def supports(self, claim: Claim) -> list[Support]:
        """The sentences of the claim's evidence that hold most of its words, best first."""
        found = self._supports.get(claim.index)
        if found is None:
            found = supports(self.line(claim), self.evidence_for(claim), self.weights)
            self._supports[claim.index] = found
        return found

    def leans_on(self, claim: Claim) -> tuple[str, Span] | None:
        """The sentence of the evidence nearest to a claim by words; the first passage where none shares a word."""
        nearest = self.supports(claim)
        if nearest:
            return nearest[0].passage, nearest[0].line.sentence.span
        first = next(iter(self.evidence_for(claim)), None)
        return (first.id, (0, len(first.text))) if first is not None and first.text else None

    @once
    def aligner(self) -> Aligner:
        """The index from words to the sentences of the sources."""
        return Aligner(self.passages)

    @property
    def weights(self) -> Weights:
        """How rare each word is in the sources."""
        return self.aligner.weights

    @once
    def _said_beside(self) -> frozenset[str]:
        """Stems of the words in the question, the profile (`grade: 11`) and the passages' titles and the like."""
        said = [self.question or "", self._written_beside, told(self.profile).removeprefix(OPENING)]
        return frozenset(stem for text in said for stem in stems_in(text))

    def knows(self, stem: str) -> bool:
        """Whether the word stands in a source's sentences or titles, in the question or in the profile."""
        return stem in self.aligner or stem in self._said_beside

    def says(self, name: str) -> bool:
        """Whether the words of a name stand in a row in a source or in what is written beside it."""
        return f" {' '.join(words_of(name))} " in self._all_words

    @once
    def _all_words(self) -> str:
        """All evidence as one text of bare words: punctuation must not hide a name."""
        texts = [*(passage.text for passage in self.passages), self._written_beside]
        return f" {' / '.join(' '.join(words_of(text)) for text in texts)} "

    @once
    def _written_beside(self) -> str:
        return " ; ".join(filter(None, map(lead, self.passages)))

    @once
    def _asked(self) -> tuple[Value, ...]:
        return tuple(extract(self.question)) if self.question else ()

    @once
    def _told(self) -> str:
        """What the person said of themselves, here or in the question."""
        return " ; ".join([*flatten(self.profile), *own_account(self.question)])


def flatten(value: Json | Mapping[str, Json], key: str = "") -> Iterator[str]:
    """Every leaf of a JSON value; a number with the unit that its key names: `monthsLeft: 8` are 8 months, `weight_kg:
    78` are 78 kg and `pay_eur_per_month: 600` are 600 eur per month. What is no time may be said without its unit."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from flatten(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from flatten(item, key)
    else:
        unit = _unit_in(spell_key(key).split()) if _NUMBER.fullmatch(str(value)) else ""
        yield f"{value} {unit}".rstrip()
        if unit and unit not in DURATIONS and " per " not in unit:
            yield str(value)


def _unit_in(key: Sequence[str]) -> str:
    """`kg`, `months`, `g/dl`, `eur per month`; a single letter, as in `plan_c`, only beside another unit."""
    for word, beside in zip(key, [*key[1:], ""], strict=True):
        if word in MEASURES and beside in MEASURES:
            return f"{word}/{beside}"
        if len(word) > 1 and word in _UNITS:
            return f"{word} per {key[-1]}" if key[-2:-1] == ["per"] else word
    return ""


def _stands_in(value: Value, text: str) -> bool:
    bare = value._replace(comparator="", period="")
    return any(equal(bare, other._replace(comparator="", period="")) for line in read(text) for other in line.values)


def may_address(text: str) -> bool:
    """Whether `you` may stand there in any form: much cheaper to ask than for all words."""
    return not text.isascii() or "you" in text.lower().replace("'", "")


def own_account(question: str | None) -> list[str]:
    """The sentences of a question in which a person tells of themselves; what they ask is not told."""
    if not question:
        return []
    told = [sentence.text for sentence in pieces(question) if not sentence.text.rstrip().endswith("?")]
    return [text for text in told if not _FIRST_PERSON.isdisjoint(words(text))]


class Check(Protocol):
    """One kind of examination. Pure: the same submission gives the same report."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str:
        """Changes with every change of behaviour; stands in the certificate."""
        ...

    def run(self, submission: Submission) -> CheckReport: ...
