"""A claim that repeats a source sentence but for a few words: which words were put in the place of which.

Where almost everything is the same, what is not the same is what the claim says differently. A name for a name and
'before' for 'after' are other statements, however alike the rest may be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from surefoot.verify.reading import Line, Token

ALIKE = 0.7
"""Share of the claim's words that must stand in the source sentence in the same order."""
MOST_PAIRS = 40_000
"""Pairs of a claim's word and the same word of the source that are looked at; two pages of prose have fewer."""
LONGEST = 4
"""Words in a row that still count as one word put for another."""


@dataclass(frozen=True, slots=True)
class Change:
    claim: tuple[Token, ...]
    source: tuple[Token, ...]
    sole: bool
    """Nothing else differs between the two sentences."""


def changes(claim: Line, source: Line) -> list[Change]:
    """Words of the claim in the place of other words of the source; empty where the two are not nearly alike."""
    if not comparable(claim, source):
        return []
    mine, theirs = [token.stem for token in claim.tokens], [token.stem for token in source.tokens]
    shared = len(claim.places.keys() & source.places.keys())
    if not mine or len(theirs) > 4 * len(mine) or shared < 0.5 * len(claim.places):
        return []
    if sum([word in source.places for word in mine]) < ALIKE * len(mine):
        return []  # in the same order there cannot be more of them: no need to look for it
    matcher = SequenceMatcher(None, mine, theirs, autojunk=False)
    blocks = matcher.get_opcodes()
    same = sum(end - start for kind, start, end, _, _ in blocks if kind == "equal")
    if same < ALIKE * len(mine):
        return []
    sole = sum(kind != "equal" for kind, *_ in blocks) == 1
    return [
        Change(claim.tokens[start:end], source.tokens[other:stop], sole)
        for kind, start, end, other, stop in blocks
        if kind == "replace"
    ]


def comparable(claim: Line, source: Line) -> bool:
    """Whether two sentences can be compared word by word in reasonable time: not a word said ten thousand times."""
    places = source.places
    return sum(len(held) * len(places[key]) for key, held in claim.places.items() if key in places) <= MOST_PAIRS


def other_name(change: Change, claim: Line, source: Line) -> tuple[str, str] | None:
    """(the claim's name, the source's name) where one stands in the other's place."""
    gained = [token for token in change.claim if _named(token, claim, change)]
    lost = [
        token
        for token in change.source
        if _named(token, source, change) and (change.sole or token.stem not in claim.places)
    ]
    if not gained or not lost or _abbreviates(gained, lost) or _abbreviates(lost, gained):
        return None
    # "a suburb of Denver" for "Colorado" says it otherwise; only a name alone was put in another's place
    if any(token.content and token not in lost and token.stem not in claim.places for token in change.source):
        return None
    return " ".join(_written(token, claim) for token in gained), " ".join(_written(token, source) for token in lost)


def other_direction(change: Change) -> tuple[str, str] | None:
    """(the claim's word, the source's word) where they point different ways: before and after, over and under."""
    if len(change.claim) > LONGEST or len(change.source) > LONGEST:
        return None
    mine = {DIRECTIONS[token.word]: token.word for token in change.claim if token.word in DIRECTIONS}
    theirs = {DIRECTIONS[token.word]: token.word for token in change.source if token.word in DIRECTIONS}
    if not mine or not theirs or mine.keys() & theirs.keys():
        return None
    return next(iter(mine.values())), next(iter(theirs.values()))


def _named(token: Token, line: Line, change: Change) -> bool:
    """Capitalised, not the sentence's first word, and not part of a value, unless it alone was put for a name."""
    if token.start == line.tokens[0].start or not token.content:
        return False
    if not change.sole and any(value.start <= token.start < value.end for value in line.values):
        return False
    return _written(token, line)[:1].isupper()


def _written(token: Token, line: Line) -> str:
    base = line.sentence.start
    return line.sentence.text[token.start - base : token.end - base]


def _abbreviates(short: Sequence[Token], long: Sequence[Token]) -> bool:
    """'WHO' for 'World Health Organisation', 'Sen' for 'Senator'."""
    if len(short) != 1:
        return False
    word = short[0].word
    return word == "".join(token.word[0] for token in long) or (len(long) == 1 and long[0].word.startswith(word))


DIRECTIONS = {
    word: direction
    for direction, words in {
        "before": "before until till prior ahead",
        "after": "after following since once",
        "within": "within",
        "more": "over above more exceeding exceed exceeds greater higher least minimum longer older larger",
        "less": "under below less fewer lower most maximum shorter younger smaller up",
        "not": "not never no cannot",
    }.items()
    for word in words.split()
}
