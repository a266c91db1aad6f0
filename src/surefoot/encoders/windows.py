"""How sources are laid out for a grounder: in windows that are read once for all claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

Passage = Sequence[Sequence[int]]
"""A passage as its sentences, each as its token ids."""

WINDOW = 320
"""Tokens of a window at most, what closes each passage included."""
FIRST_PLACE = 64
"""Where the positions of every window begin."""
CLAIM = 128
"""Tokens of a claim that are read."""
BEFORE = 64
"""Tokens of what stood before a claim: the last ones."""


def windows(passages: Sequence[Passage], separator: int, limit: int = WINDOW) -> list[list[int]]:
    """Passages packed into windows, in their order.

    A passage starts a new window where it does not fit into the one at hand; one that is longer than a window goes on
    in the next, cut between sentences where they allow it.
    """
    found: list[list[int]] = []
    for passage in passages:
        pieces = _pieces(passage, limit - 1)
        for piece in pieces:
            if not piece:
                continue
            if not found or len(found[-1]) + len(piece) + 1 > limit:
                found.append([])
            found[-1] += [*piece, separator]
    return found


def claim_ids(claim: Sequence[int], before: Sequence[int], opening: int, separator: int) -> tuple[list[int], int]:
    """The tokens a claim is read as, and how many of them after the first are its own."""
    own = list(claim[:CLAIM])
    tail = [*before[-BEFORE:], separator] if before else []
    return [opening, *own, separator, *tail], len(own)


def _pieces(passage: Passage, limit: int) -> list[list[int]]:
    pieces: list[list[int]] = [[]]
    for sentence in passage:
        if pieces[-1] and len(pieces[-1]) + len(sentence) > limit:
            pieces.append([])
        for start in range(0, len(sentence), limit):
            part = list(sentence[start : start + limit])
            if pieces[-1] and len(pieces[-1]) + len(part) > limit:
                pieces.append([])
            pieces[-1] += part
    return pieces


def choose(passages: Sequence[Passage], claims: Sequence[Sequence[int]], room: int) -> list[Passage]:
    """The sentences to judge the claims by, where the sources are longer than `room` tokens; in their order.

    The claims take turns: each takes the sentence that shares most of its rarer tokens, with the one before it (for
    pronouns) and the first of its passage (its title), until there is no room. Where no claim shares a token with any
    sentence, the first ones are read: a greeting is judged beside something.
    """
    if sum(len(sentence) for passage in passages for sentence in passage) <= room:
        return list(passages)
    places = [(at, number) for at, passage in enumerate(passages) for number in range(len(passage))]
    tokens = {place: set(passages[place[0]][place[1]]) for place in places}
    count: Counter[int] = Counter(token for found in tokens.values() for token in found)
    queues = [_ranked(set(claim), places, tokens, count) for claim in claims]
    if not any(queues):
        queues = [list(places)]
    chosen: set[tuple[int, int]] = set()
    left = room
    while left > 0 and any(queues):
        for queue in queues:
            if not queue or left <= 0:
                continue
            at, number = queue.pop(0)
            for place in ((at, number), (at, 0), (at, number - 1)):
                size = len(passages[at][place[1]]) if place[1] >= 0 else 0
                if place[1] >= 0 and place not in chosen and (size <= left or not chosen):
                    chosen.add(place)
                    left -= size
    return [
        kept for at, passage in enumerate(passages) if (kept := [s for n, s in enumerate(passage) if (at, n) in chosen])
    ]


def _ranked(
    claim: set[int],
    places: Sequence[tuple[int, int]],
    tokens: dict[tuple[int, int], set[int]],
    count: Counter[int],
) -> list[tuple[int, int]]:
    score = {place: sum(1 / count[token] for token in tokens[place] & claim) for place in places}
    return sorted((place for place in places if score[place] > 0), key=lambda place: (-score[place], place))
