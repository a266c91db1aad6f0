"""Synthetic claims from documents: one controlled error each, with the changed words marked, or a harmless rewording.

Every mutation takes a sentence and returns the new text with the character spans that are now unsupported. The evidence
stays the untouched document, so the label is known by construction.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from training.rewording import any_of, introduce, restate, reword, shorten
from training.wordlists import ADDITIONS, DAYS, DUTIES, HEDGES, MONTHS, NUMBER_WORDS, OPPOSITES, UNITS, pairs

Span = tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A sentence made from a document, with what it is."""

    text: str
    label: int
    made: str
    spans: tuple[Span, ...] | None
    """Unsupported characters; None where the error has no place (a dropped source sentence)."""
    drop: tuple[int, ...] = ()
    """Sentences of the document that must not be shown as evidence."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """One document and another one to borrow foreign words from."""

    sentences: Sequence[str]
    foreign: Sequence[str]


Mutation = Callable[[str, Source, random.Random], "tuple[str, tuple[Span, ...]] | None"]


def make_claim(sentence: str, at: int, source: Source, dice: random.Random) -> Claim | None:
    """One claim from the document's sentence number `at` (or a true rewording of it); None where nothing applies."""
    throw = dice.random()
    if throw < 0.40:
        return _true_claim(sentence, at, source, dice)
    if throw < 0.45:
        return Claim(text=sentence, label=1, made="dropped_evidence", spans=None, drop=(at,))
    if throw < 0.50:
        return _fused(sentence, at, source, dice)
    order = dice.sample(list(MUTATIONS), len(MUTATIONS))
    for name in order:
        base = reword(sentence, dice)[0] if dice.random() < 0.4 else sentence
        changed = MUTATIONS[name](base, source, dice)
        if changed and _differs(changed[0], source.sentences):
            return Claim(text=changed[0], label=1, made=name, spans=changed[1])
    return None


def twins(sentence: str, source: Source, dice: random.Random) -> list[Claim]:
    """The sentence in other forms (`aren't` for "are not"), and that with one error: alike but for what matters."""
    said = restate(sentence, dice)
    if said is None:
        return []
    if dice.random() < 0.25:
        said = introduce(said, dice)
    found = [Claim(text=said, label=0, made="restated", spans=())]
    for name in dice.sample(_TWIN_ERRORS, len(_TWIN_ERRORS)):
        changed = MUTATIONS[name](said, source, dice)
        if changed and _differs(changed[0], source.sentences):
            found.append(Claim(text=changed[0], label=1, made=name, spans=changed[1]))
            break
    return found


def _true_claim(sentence: str, at: int, source: Source, dice: random.Random) -> Claim:
    throw = dice.random()
    if throw < 0.2:
        return Claim(text=sentence, label=0, made="verbatim", spans=())
    if throw < 0.4:
        shorter = shorten(sentence, dice)
        if shorter:
            return Claim(text=shorter, label=0, made="shortened", spans=())
    if throw < 0.55 and at + 1 < len(source.sentences):
        other = source.sentences[at + 1]
        joined = f"{sentence.rstrip('.')}, and {other[0].lower() + other[1:] if not _NAME.match(other) else other}"
        return Claim(text=joined, label=0, made="joined", spans=())
    text = sentence
    for _ in range(dice.choice((1, 1, 2, 3))):
        text, _changed = reword(text, dice)
    return Claim(text=text, label=0, made="reworded", spans=())


def _fused(sentence: str, at: int, source: Source, dice: random.Random) -> Claim | None:
    """This document's subject with a statement of another: both true apart, false together."""
    ours, theirs = _subject(sentence), None
    options = [foreign for foreign in source.foreign if _subject(foreign)]
    if not ours or not options:
        return None
    theirs = dice.choice(options)
    rest = theirs[len(_subject(theirs) or "") :]
    text = ours + rest
    return Claim(text=text, label=1, made="fused", spans=((len(ours), len(text)),))


def _replace(text: str, start: int, end: int, new: str) -> tuple[str, tuple[Span, ...]]:
    return text[:start] + new + text[end:], ((start, start + len(new)),)


def change_number(text: str, source: Source, dice: random.Random) -> tuple[str, tuple[Span, ...]] | None:
    found = list(_NUMBER.finditer(text))
    if not found:
        return _change_number_word(text, dice)
    spot = dice.choice(found)
    old = spot.group()
    others = [n for s in source.sentences for n in _NUMBER.findall(s) if n not in text and len(n) == len(old)]
    if others and dice.random() < 0.45:
        return _replace(text, *spot.span(), dice.choice(others))
    digits = [at for at, char in enumerate(old) if char.isdigit()]
    at = dice.choice(digits)
    new = old[:at] + dice.choice([d for d in "123456789" if d != old[at]]) + old[at + 1 :]
    if len(old) <= 2 and dice.random() < 0.3:
        new = str(int(old) * 10) if old.isdigit() and int(old) else new
    return _replace(text, *spot.span(), new)


def _change_number_word(text: str, dice: random.Random) -> tuple[str, tuple[Span, ...]] | None:
    found = [m for m in re.finditer(r"\b[a-z]+\b", text) if m.group() in NUMBER_WORDS[1:]]
    if not found:
        return None
    spot = dice.choice(found)
    return _replace(text, *spot.span(), dice.choice([w for w in NUMBER_WORDS[1:] if w != spot.group()]))


def change_date(text: str, source: Source, dice: random.Random) -> tuple[str, tuple[Span, ...]] | None:
    found = list(_YEAR.finditer(text)) + list(_MONTH.finditer(text)) + list(_DAY.finditer(text))
    if not found:
        return None
    spot = dice.choice(found)
    old = spot.group()
    for names in (MONTHS, DAYS):
        if old in names:
            return _replace(text, *spot.span(), dice.choice([n for n in names if n != old]))
    years = [y for s in source.sentences for y in _YEAR.findall(s) if y not in text]
    new = (
        dice.choice(years)
        if years and dice.random() < 0.5
        else str(int(old) + dice.choice((-20, -10, -3, -2, -1, 1, 2, 3, 5, 10)))
    )
    return _replace(text, *spot.span(), new)


def change_entity(text: str, source: Source, dice: random.Random) -> tuple[str, tuple[Span, ...]] | None:
    """A name replaced by another of the same document (harder) or of another one."""
    found = [m for m in _NAME_RUN.finditer(text) if m.start() > 0 and m.group() not in _NOT_NAMES]
    if not found:
        return None
    spot = dice.choice(found)
    old = spot.group()
    pool = source.sentences if dice.random() < 0.65 else source.foreign
    names = {m.group() for s in pool for m in _NAME_RUN.finditer(s) if m.start() > 0 and m.group() not in _NOT_NAMES}
    names = {n for n in names if n not in text and old not in n and len(n.split()) <= len(old.split()) + 1}
    return _replace(text, *spot.span(), dice.choice(sorted(names))) if names else None


def swap_roles(text: str, source: Source, dice: random.Random) -> tuple[str, tuple[Span, ...]] | None:
    found = [
        m for m in _NAME_RUN.finditer(text) if m.group() not in _NOT_NAMES and m.group().lower() not in ("the", "in")
    ]
    found = [m for m in found if not m.group().startswith(("The ", "In ", "A "))]
    if len({m.group() for m in found}) < 2:
        return None
    first, second = sorted(dice.sample(found, 2), key=lambda m: m.start())
    between = text[first.end() : second.start()]
    if first.group() == second.group() or re.fullmatch(r"\s*(,|and|or|, and)\s*", between) or "," in between:
        return None
    new = text[: first.start()] + second.group() + between + first.group() + text[second.end() :]
    start = first.start()
    inner = start + len(second.group()) + len(between)
    return new, ((start, start + len(second.group())), (inner, inner + len(first.group())))


def negate(text: str, source: Source, dice: random.Random) -> tuple[str, tuple[Span, ...]] | None:
    """A `not` put in or taken out, in any of its forms: `not`, `n't`, `cannot`, `never`."""
    removed = list(_NEGATIVE.finditer(text))
    if removed and dice.random() < 0.8:
        spot = dice.choice(removed)
        kept = {"ca": "can", "wo": "will"}.get(spot.group(1).lower(), spot.group(1))
        return _replace(text, *spot.span(), kept)
    found = list(_AUXILIARY.finditer(text))
    if not found:
        return None
    spot = dice.choice(found[:2])
    word = spot.group()
    forms = [f"{word} not", f"{word} never", f"{word} no longer"]
    if word in _CONTRACTED:
        forms += 2 * [_CONTRACTED[word]]
    return _replace(text, *spot.span(), dice.choice(forms))


def _from_table(table: dict[str, list[str]]) -> Mutation:
    pattern = any_of(list(table))

    def change(text: str, source: Source, dice: random.Random) -> tuple[str, tuple[Span, ...]] | None:
        found = list(pattern.finditer(text))
        if not found:
            return None
        spot = dice.choice(found)
        return _replace(text, *spot.span(), dice.choice(table[spot.group()]))

    return change


def add_phrase(text: str, source: Source, dice: random.Random) -> tuple[str, tuple[Span, ...]] | None:
    """Something nobody said: a stock phrase, a foreign clause or a time."""
    throw = dice.random()
    stem, stop = (text[:-1], text[-1]) if text.endswith((".", "!", "?")) else (text, "")
    if throw < 0.45:
        phrase = dice.choice(ADDITIONS)
    elif throw < 0.6:
        phrase = f" in {dice.randint(1890, 2023)}"
    else:
        clauses = [m.group() for s in source.foreign for m in _CLAUSE.finditer(s)]
        if not clauses:
            return None
        phrase = dice.choice(clauses).rstrip(".")
    if throw < 0.75 or ", " not in stem:
        return stem + phrase + stop, ((len(stem), len(stem) + len(phrase)),)
    at = stem.index(", ")
    return stem[:at] + phrase + stem[at:] + stop, ((at, at + len(phrase)),)


def change_neighbour(text: str, source: Source, dice: random.Random) -> tuple[str, tuple[Span, ...]] | None:
    """A noun exchanged for another noun of the document: the sentence stays fluent and close to the source."""
    found = list(_NOUN.finditer(text))
    pool = [m.group(2) for s in source.sentences for m in _NOUN.finditer(s)]
    pool = [word for word in pool if word.lower() not in text.lower()]
    if not found or not pool:
        return None
    spot = dice.choice(found)
    same_number = [word for word in pool if word.endswith("s") == spot.group(2).endswith("s")]
    return _replace(text, *spot.span(2), dice.choice(same_number)) if same_number else None


def _differs(text: str, sentences: Sequence[str]) -> bool:
    return all(text.strip() != sentence.strip() for sentence in sentences)


def _subject(sentence: str) -> str | None:
    found = re.match(
        r"([A-Z][^,;:()]{2,50}?)(?=\s(?:is|was|are|were|has|had|have|can|will|won|became|began|includes|received)\s)",
        sentence,
    )
    return found.group(1) if found else None


_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?!\w)")
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_MONTH = re.compile(r"\b(?:" + "|".join(MONTHS) + r")\b")
_DAY = re.compile(r"\b(?:" + "|".join(DAYS) + r")\b")
_NAME_RUN = re.compile(r"\b[A-Z][\w'’.-]*[a-z](?:\s(?:of\s|the\s)?[A-Z][\w'’-]+)*\b")
_NAME = re.compile(r"[A-Z]\w+ [A-Z]|I\b|[A-Z]{2}")
_NOT_NAMES = frozenset(
    [*MONTHS, *DAYS, "The", "In", "It", "He", "She", "They", "This", "These", "However", "A", "An", "On", "At", "As"]
)
_AUXILIARY = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|will|would|could|should|may|must|does|did)\b(?! not|n?['’])"
)
_NEGATIVE = re.compile(r"\b(\w+?)(?:n['’]t\b| (?:not|never)\b|(?<=can)(?:not|['’]t)\b)")
_CONTRACTED = {word: f"{word}n't" for word in "is are was were has have had could should would does did".split()} | {
    "can": "can't",
    "will": "won't",
}
_CLAUSE = re.compile(
    r"(?:, (?:which|who|where|while|although|because|including)"
    r"| (?:because|after|before|although|while|during|in order to)) [^,;:()]{8,60}\.?$"
)
_NOUN = re.compile(
    r"\b(the|a|an|his|her|their|its|of|two|three|many|some) ([a-z]{4,14})\b"
    r"(?=\s(?:of|in|was|were|is|are|and|to|for|that|at|on|with|by|from)|[,.])"
)

MUTATIONS: dict[str, Mutation] = {
    "number": change_number,
    "date": change_date,
    "entity": change_entity,
    "roles": swap_roles,
    "negation": negate,
    "opposite": _from_table(pairs(OPPOSITES)),
    "certainty": _from_table(pairs(HEDGES, both_ways=False)),
    "duty": _from_table(pairs(DUTIES, both_ways=False)),
    "unit": _from_table(pairs(UNITS, both_ways=False)),
    "addition": add_phrase,
    "neighbour": change_neighbour,
}
_TWIN_ERRORS = ("negation", "negation", "duty", "number", "date", "unit", "certainty")
