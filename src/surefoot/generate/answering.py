"""Does this statement answer this question? One calibrated probability from every signal there is.

The cross-encoder reads question and statement together, the embedder compares their meaning as wholes and word by
word, the words themselves are counted, and the kind asked for is looked for. A small logistic model weighs them; it is
fitted by `benchmarks/answers/fit.py` over questions of several knowledge bases. Where a grounder was taught to read
whether a statement answers (reader.py), it reads the likeliest ones, and weights of their own count what it says too.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import Any

import numpy as np

from surefoot.core.kinds import Kind, holds, kind_of
from surefoot.core.passages import index_text
from surefoot.core.ports import Embedder
from surefoot.core.questions import operands, stem, terms
from surefoot.core.text import STOPWORDS, content_words, sentences, squash, without_markers, words
from surefoot.core.types import Passage
from surefoot.generate.quotable import Quotable, as_one, as_row, points_back, quotables
from surefoot.generate.reader import Reader
from surefoot.generate.tables import asks_of_rows, computed
from surefoot.generate.together import BOTH, joined, side_by_side

Scorer = Callable[[str, Sequence[str]], Sequence[float]]
FEATURES = (
    "reads",
    "reads_bare",
    "means",
    "means_bare",
    "words",
    "words_alike",
    "word_missing",
    "name_missing",
    "kind_held",
    "kind_missing",
    "focus",
    "focus_near",
    "exact",
    "condition",
    "place",
    "unread",
)
READER_FEATURES = ("answers", "answers_unread")
"""What a reader adds: the log-odds that it gives a statement, and whether it did not read it."""
LOOKED_AT = 48
"""Statements compared by meaning."""
READ = 14
"""Statements the cross-encoder reads; the others are too far away to be worth it."""
READ_BESIDE = 12
"""Statements the reader reads: the likeliest without it."""
LEADING = 0.7
"""How much the odds of all other statements count against those of the likeliest. Decision 0145."""
ALONE = 0.05
"""The odds that something else is meant, where no other statement is likely."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Weights:
    bias: float
    weights: Mapping[str, float]
    least: float
    """Below it a statement is no answer."""
    stands: float = 0.5
    """Nor is the likeliest of many, where it does not lead the others so far."""

    def chance(self, features: Mapping[str, float]) -> float:
        total = self.bias + math.fsum(weight * features[name] for name, weight in self.weights.items())
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))


@cache
def shipped() -> Weights:
    """The weights that the fit wrote."""
    given = _fitted()
    return Weights(bias=given["bias"], weights=given["weights"], least=given["least"], stands=given["stands"])


def shipped_for(grounder: str) -> Weights | None:
    """The weights with a reader, where they were fitted to the grounder of this identity: no other reads alike.

    The bar is that of the others: the fit moves the bias until it fits, so that chances of both may be compared.
    """
    given = _fitted()
    reader = given.get("reader")
    if reader is None or reader["grounder"] != grounder:
        return None
    return replace(shipped(), bias=reader["bias"], weights=reader["weights"])


@cache
def _fitted() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((files("surefoot.generate") / "answering.json").read_text(encoding="utf-8"))
    return found


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """One of the two things that a question compares."""

    own: frozenset[str]
    """Terms that name it and not the other."""
    others: frozenset[str]
    question: str
    """What is asked of it."""


def sides(question: str) -> tuple[Side, ...]:
    """Both things compared, what is asked of each; nothing where they are not known by the question's form."""
    named = operands(question)
    if named is None:
        return ()
    return tuple(
        Side(
            own=_own(mine, other),
            others=_own(other, mine),
            question=_asked_of(mine, other, question),
        )
        for mine, other in (named, named[::-1])
    )


def _own(mine: str, other: str) -> frozenset[str]:
    """What names one thing and not the other; `the willow one` is named by willow, `lane one` by its number."""
    own = terms(mine) - terms(other)
    return own - _ONE or own


def _asked_of(mine: str, other: str, question: str) -> str:
    """What is asked of one thing alone: how heavy it is, and not whether it is heavier than itself."""
    if _DIFFERENCE.search(question):
        return f"What is {mine}?"
    measure = next((measure for degree, measure in _DEGREES if degree.search(question)), None)
    return question.replace(other, mine) if measure is None else f"{measure} is {mine}?"


@dataclass(frozen=True, kw_only=True)
class Answering:
    embedder: Embedder
    scorer: Scorer | None = None
    """A cross-encoder; None: none is configured."""
    weights: Weights = field(default_factory=shipped)
    reader: Reader | None = None
    """A grounder that was taught questions; None: none is there."""
    reading: Weights | None = None
    """What counts in their place where the reader has read."""
    _known: dict[str, np.ndarray] = field(default_factory=dict, repr=False)

    def chances(self, question: str, candidates: Sequence[Quotable]) -> list[float]:
        """How likely each statement answers the question; 0 for one without the very thing that was asked for."""
        rows = self.features(question, candidates)
        read = self.read(question, candidates, rows) if self.reading is not None else None
        if read is not None and self.reading is not None:
            return _chances(question, candidates, read, self.reading)
        return _chances(question, candidates, rows, self.weights)

    def read(
        self, question: str, candidates: Sequence[Quotable], rows: Sequence[dict[str, float]]
    ) -> list[dict[str, float]] | None:
        """The signals with those of the reader. None: there is no reader, or it did not manage to read."""
        if self.reader is None:
            return None
        without = _chances(question, candidates, rows, self.weights)
        likely = sorted((n for n, chance in enumerate(without) if chance > 0.0), key=lambda n: -without[n])
        odds = self.reader.read(question, [candidates[n] for n in likely[:READ_BESIDE]])
        if odds is None:
            return None
        said = dict(zip(likely, odds, strict=False))
        return [
            {**row, "answers": said.get(n, 0.0) / _ODDS_SCALE, "answers_unread": float(n not in said)}
            for n, row in enumerate(rows)
        ]

    def holds(self, question: str, text: str, passages: Sequence[Passage], /, *, torn: bool = False) -> bool:
        """Whether a finished text answers: by its likeliest sentence, each read with what stands above its quote. What
        is left of a `torn` one was not chosen to be the answer by itself."""
        said = list(_said(text, passages))
        kind = kind_of(question)
        if asks_of_rows(question, kind):
            candidates = list(quotables(passages, style="[n]", rows=True))
            worked_out = computed(question, kind, passages, candidates, style="[n]")
            stands = worked_out is not None and worked_out.stands_in(text)
            if stands or (worked_out is not None and kind in (Kind.SUPERLATIVE, Kind.COUNT)):
                return stands
        finished = 1.0 if torn else _FINISHED
        enough = finished * self.weights.least
        pairs = [joined(pair, len(said) + n) for n, pair in enumerate(side_by_side(said))]
        chances = self.chances(question, [*said, *pairs])
        if max(chances[: len(said)], default=0.0) >= enough:
            return True
        lists = [chance for one, chance in zip(said, chances, strict=False) if one.order < 0]
        if kind in (Kind.STEPS, Kind.LIST) and max(lists, default=0.0) >= enough * ASKED_FOR:
            return True
        if max(chances[len(said) :], default=0.0) >= max(enough, finished * BOTH):
            return True
        both = sides(question) if kind is Kind.COMPARISON else ()
        return bool(both) and all(self._on_side(one, said) >= ONE_SIDE * enough for one in both)

    def _on_side(self, side: Side, said: Sequence[Quotable]) -> float:
        about = [one for one in said if side.own <= one.terms | one.context]
        return max(self.chances(side.question, about), default=0.0)

    def features(self, question: str, candidates: Sequence[Quotable]) -> list[dict[str, float]]:
        """The signals for each statement. Of very many only those are looked at that share words with the question
        or stand in the first passages."""
        shares = _shares(question, candidates)
        order = sorted(range(len(candidates)), key=lambda n: -(shares[n] + 1.0 / (1.0 + candidates[n].position)))
        looked_at = sorted(order[:LOOKED_AT])
        found = self._features(question, [candidates[n] for n in looked_at], [shares[n] for n in looked_at])
        seen = dict(zip(looked_at, found, strict=True))
        return [seen.get(n, _FAR) for n in range(len(candidates))]

    def _features(
        self, question: str, candidates: Sequence[Quotable], shares: Sequence[float]
    ) -> list[dict[str, float]]:
        if not candidates:
            return []
        kind = kind_of(question)
        vectors = self.embedder.embed([question, *(one.read for one in candidates)])
        whole = np.asarray(vectors[1:] @ vectors[0])
        alike = self._alike(question, candidates)
        first = sorted(range(len(candidates)), key=lambda n: -(whole[n] + shares[n] + 0.5 * alike[n][0]))[:READ]
        bare = dict(zip(first, self.embedder.embed([candidates[n].text for n in first]) @ vectors[0], strict=True))
        logits = self._read(question, [candidates[n] for n in first])
        found = []
        for n, one in enumerate(candidates):
            read = logits.get(one.order)
            held = holds(kind, " ".join([*one.lead, one.text]), question=question)
            found.append(
                {
                    "reads": read[0] if read else 0.0,
                    "reads_bare": read[1] if read else 0.0,
                    "means": float(whole[n]),
                    "means_bare": float(bare.get(n, 0.0)),
                    "words": shares[n],
                    "words_alike": alike[n][0],
                    "word_missing": 1.0 - alike[n][1],
                    "name_missing": _names_missing(question, one),
                    "kind_held": float(held is True),
                    "kind_missing": float(held is False),
                    "focus": alike[n][2],
                    "focus_near": alike[n][3],
                    "exact": _exact(question, one),
                    "condition": _under_condition(question, one),
                    "place": 1.0 / (1.0 + one.position),
                    "unread": float(read is None),
                }
            )
        return found

    def _read(self, question: str, candidates: Sequence[Quotable]) -> dict[int, tuple[float, float]]:
        """The cross-encoder's log-odds, with and without what stands above the statement, by its order."""
        if self.scorer is None or not candidates:
            return {}
        likely = self.scorer(question, [one.read for one in candidates] + [one.text for one in candidates])
        odds = [_odds(chance) / _ODDS_SCALE for chance in likely]
        return {one.order: (odds[n], odds[n + len(candidates)]) for n, one in enumerate(candidates)}

    def _alike(self, question: str, candidates: Sequence[Quotable]) -> list[tuple[float, float, float, float]]:
        """For each statement: the mean nearness of the question's words to its own, and that of the farthest one;
        the share of the question that it does not repeat, and how near its other words come to that.
        """
        asked = [word for word in dict.fromkeys(content_words(question)) if word not in _EMPTY]
        if not asked:
            return [(0.0, 0.0, 0.0, 0.0)] * len(candidates)
        said = [
            list(dict.fromkeys(word for word in words(one.read) if word not in STOPWORDS)) or [""] for one in candidates
        ]
        self._learn([*asked, *chain.from_iterable(said)])
        mine = np.stack([self._known[word] for word in asked])
        weights = np.array([_weight(word, said) for word in asked])
        stems = [stem(word) for word in asked]
        found = []
        for row in said:
            table = np.clip(mine @ np.stack([self._known[word] for word in row]).T, 0.0, 1.0)
            nearness = table.max(axis=1)
            repeated = [stem(word) for word in row]
            open_words = np.array([word not in repeated for word in stems])
            other = np.array([word not in stems for word in repeated])
            share = float(weights[open_words].sum() / weights.sum())
            near = 0.0
            if open_words.any() and other.any():
                best = table[open_words][:, other].max(axis=1)
                near = float(best @ weights[open_words] / weights[open_words].sum()) * share
            found.append((float(nearness @ weights / weights.sum()), float(nearness.min()), share, near))
        return found

    def _learn(self, wanted: Sequence[str]) -> None:
        """Vectors of single words, kept: a language has few and a knowledge base fewer."""
        new = [word for word in dict.fromkeys(wanted) if word not in self._known]
        if len(self._known) + len(new) > _MOST_WORDS:
            self._known.clear()
            new = list(dict.fromkeys(wanted))
        if new:
            self._known.update(zip(new, self.embedder.embed(new), strict=True))


def lead(chances: Sequence[float]) -> float:
    """How sure it is that the likeliest of several statements is the one: .4 where nothing else comes near is
    surer than .5 beside .5."""
    odds = sorted(chance / (1.0 - min(chance, 1.0 - 1e-9)) for chance in chances)
    if not odds or not odds[-1]:
        return 0.0
    ahead: float = odds[-1] / (math.fsum(odds[:-1]) + ALONE) ** LEADING
    return ahead / (1.0 + ahead)


def _chances(
    question: str, candidates: Sequence[Quotable], rows: Sequence[dict[str, float]], weights: Weights
) -> list[float]:
    codes = _codes(question) if kind_of(question) is not Kind.COMPARISON else frozenset()
    of_pages = _REPLACES.search(question) is not None

    def beside(one: Quotable) -> bool:
        itself = not of_pages and _OF_ITSELF.match(one.text) is not None
        return itself or not codes <= frozenset(words(one.read)) or of_a_sibling(question, one)

    named = named_by(question, [one for one, row in zip(candidates, rows, strict=True) if row["kind_held"]])

    def chance(one: Quotable, row: Mapping[str, float]) -> float:
        if row["kind_missing"] or beside(one):
            return 0.0
        found = weights.chance(row)
        needs_less = one.order in named and found >= ASKED_FOR * weights.least
        return min(found / ASKED_FOR, 1.0) if needs_less else found

    return [chance(one, row) for one, row in zip(candidates, rows, strict=True)]


def named_by(question: str, candidates: Sequence[Quotable]) -> frozenset[int]:
    """The statements, by order, over which or before whose colon stands what was asked for and nothing else: `Opening
    hours` where somebody asks when you are open. None where two things have such hours and neither is asked for."""
    if not (asked := terms(question)):
        return frozenset()
    asked -= _GENERAL
    found, unnamed = set(), set()
    for one in candidates:
        label = _FIELD.match(one.text)
        named, title = terms(label.group(1) if label else one.label), one.about.partition(" > ")[0]
        over = named | terms(one.about.removeprefix(title))
        if named.isdisjoint(_MEASURED):
            continue
        if named <= _GENERAL:
            unnamed.add(one.about)
        if over - _GENERAL <= asked <= over | terms(title):
            found.add(one.order)
    return frozenset(found if asked or len(unnamed) == 1 else ())


def _said(text: str, passages: Sequence[Passage]) -> Iterator[Quotable]:
    """The sentences of an answer; a quote as it stands in its passage, other words as they are, beside all passages,
    a list as one."""
    known = {squash(one.text).rstrip(".! "): one for one in quotables(passages, style="[n]", rows=True)}
    drawn = ((one, one.source or as_row(one).source) for one in known.values())
    rows = {squash(source): one for one, source in drawn if source}
    lists: dict[tuple[int, int], list[Quotable]] = {}
    everything = tuple(map(index_text, passages))
    before = ""
    for order, sentence in enumerate(sentences(text)):
        plain = " ".join(without_markers(sentence.text).split())
        key = squash(plain)
        quote = rows.get(key) or known.get(key.rstrip(".! "))
        if quote is not None:
            yield quote._replace(order=order)
            if quote.kind == "item":
                lists.setdefault((quote.position, quote.group), []).append(quote)
        elif sentence.kind != "row" and len(words(plain)) > 1:
            lead = (before,) if before and points_back(plain) else ()
            own = terms(plain)
            yield Quotable(plain, "", "", own, frozenset(), 0, sentence.start, order, lead=lead, beside=everything)
        before = plain
    for number, items in enumerate(lists.values(), 1):
        yield as_one(items)._replace(order=-number)


def _names_missing(question: str, one: Quotable) -> float:
    """The share of the question's names and numbers that stand nowhere near the statement.

    Meaning is blind to them: the CX900 is as near to the CX250 as can be, Manchester to Leeds.
    """
    named = named_in(question)
    if not named:
        return 0.0
    held = terms(one.read)
    return sum(name not in held for name in named) / len(named)


def _codes(question: str) -> frozenset[str]:
    """Words of letters and digits, such as CX900: no other thing can stand for them."""
    said = words(question)
    return frozenset(
        word for word in said if any(map(str.isdigit, word)) and word[0].isalpha() and not _NO_CODE.fullmatch(word)
    )


def of_a_sibling(question: str, one: Quotable) -> bool:
    """Whether a row is of another thing of the same kind: `Ash Ward` where Cedar Ward was asked about."""
    name = _name_of(one)
    asked, own, said = _PAIRED.findall(question), _PAIRED.findall(name), frozenset(words(one.text))
    if any(pair in asked for pair in own):
        return False
    kinds = {kind for _, kind in own}
    return any(kind in kinds and first.lower() not in said for first, kind in asked)


def _exact(question: str, one: Quotable) -> float:
    """How much of a row's own name the question says: "Consultation" is it, "Repeat consultation" half of it."""
    named = terms(_name_of(one))
    return len(named & terms(question)) / len(named) if named else 0.0


def _name_of(one: Quotable) -> str:
    """What a row is called: its first cell; nothing for what is no row."""
    if one.kind == "row":
        return one.text.partition(":")[0]
    return one.text.partition(": ")[2].partition(";")[0] if _FIELDS.match(one.text) else ""


def _under_condition(question: str, one: Quotable) -> float:
    """1 for what holds only in a case the question does not speak of: "If the 25th is a Sunday, …"."""
    match = _CASE.match(one.text)
    return float(match is not None and not terms(match.group()) & terms(question))


def named_in(question: str) -> list[str]:
    """Capitalised words that open no sentence, and words with a digit in them. "I've" is nobody's name."""
    parts = question.split()
    found = [
        part
        for part, before in zip(parts, [".", *parts], strict=False)
        if any(map(str.isdigit, part)) or (part[:1].isupper() and before[-1] not in ".!?" and not _I.match(part))
    ]
    return [term for part in found for term in terms(part)]


def _shares(question: str, candidates: Sequence[Quotable]) -> list[float]:
    """The share of the question's words each statement holds, rare words weighing more, those above counting half."""
    wanted = terms(question)
    counts = Counter(chain.from_iterable(one.terms | one.context for one in candidates))
    total = len(candidates)
    weigh = {term: math.log(1 + (total - counts[term] + 0.5) / (counts[term] + 0.5)) + 0.1 for term in wanted}
    whole = math.fsum(weigh.values())
    if not whole:
        return [0.0] * total
    shares = []
    for one in candidates:
        near = frozenset(chain.from_iterable(map(terms, one.lead))) | one.context
        full, half = wanted & one.terms, (wanted & near) - one.terms
        shares.append((math.fsum(map(weigh.__getitem__, full)) + 0.5 * math.fsum(map(weigh.__getitem__, half))) / whole)
    return shares


def _weight(word: str, said: Sequence[Sequence[str]]) -> float:
    count = sum(word in row for row in said)
    return math.log(1 + (len(said) - count + 0.5) / (count + 0.5)) + 0.1


def _odds(chance: float) -> float:
    sure = min(max(chance, 1e-6), 1 - 1e-6)
    return math.log(sure / (1 - sure))


_FIELD = re.compile(r"([^:;.!?]{2,40}): ")
_MEASURED = terms("hours times")
"""Words of a label that say what kind of thing stands under it; `Opening day` is another."""
_GENERAL = _MEASURED | terms("open opening")
_FINISHED = 0.7
"""A finished text is held to a little less than a statement that is chosen: its rivals are not beside it."""
ASKED_FOR = 0.35
"""Of the bar for an answer: a whole list, where a list or a way is asked for."""
ONE_SIDE = 0.6
"""Of the bar for an answer: a statement on one side of a comparison is half of one."""
_ONE = terms("one ones")
_DIFFERENCE = re.compile(r"\b(?:differ\w*|compare)\b", re.I)
"""No measure is named: what each thing is, is what differs."""
_DEGREES = tuple(
    (re.compile(rf"\b(?:{degree})\b", re.I), measure)
    for degree, measure in (
        ("cheaper|dearer|pricier|(?:more|less) expensive", "How much"),
        ("heavier|lighter", "How heavy"),
        ("longer|shorter", "How long"),
        ("bigger|larger|smaller", "How big"),
        ("higher|taller|lower", "How high"),
        ("older|younger|newer", "How old"),
        ("faster|slower|quicker", "How fast"),
        ("warmer|hotter|colder|cooler", "How warm"),
        ("deeper|shallower", "How deep"),
        ("wider|narrower", "How wide"),
    )
)
_REPLACES = re.compile(r"\b(?:replac|supersed|version|edition|valid|out of date|old(?:er)?\b|new(?:er)?\b)", re.I)
_OF_ITSELF = re.compile(r"(?:this|these) [\w ]{3,30}? (?:replaces?|supersedes?) ", re.I)
"""What a page says of its own place among others answers only who asks for that."""
_PAIRED = re.compile(r"\b(?=([A-Z][a-z]+) ([A-Z][a-z]+)\b)")
_I = re.compile(r"I\b")
_NO_CODE = re.compile(r"(?:eur|gbp|usd|chf|zar)\d+|r\d{3,}")
"""`R138` is an amount; a code names one thing."""
_FIELDS = re.compile(r"[^:;]{1,40}: [^;]+; [^:;]{1,40}: ")
_CASE = re.compile(r"(?:if|unless|in case|when|during|outside|except|without|for those who)\b[^,;]{3,80}", re.I)
_FAR = {**dict.fromkeys(FEATURES, 0.0), "kind_missing": 1.0, "unread": 1.0}
_ODDS_SCALE = 4.0
_MOST_WORDS = 60_000
_EMPTY = frozenset("much many long often old please tell want need get got know does much".split())
