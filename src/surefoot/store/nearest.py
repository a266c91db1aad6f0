"""The first passages of a search, scored and ordered alike by every engine.

Engines add up products in single precision, each in an order of its own: scores differ in their last digits, and near
ties with them. And a tie at the limit is cut wherever an engine's own numbering falls. So an engine proposes some more
than are wanted, dense scores are worked out here from the stored vectors, and ties fall by id.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.core.types import Passage

Vectors = NDArray[np.float32]
Hit = tuple[Passage, float]

MARGIN = 16
"""Passages asked for beyond the limit."""
MOST = 4_000
"""Of a tie so long, some are left out as they come."""
CLOSE = 1e-6
"""What single precision may do to a score, or to its share where it is above one: two nearer than this are a tie."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Proposed:
    passages: Sequence[Passage]
    vectors: Vectors


def first(propose: Callable[[int], Sequence[Hit]], *, limit: int) -> list[Hit]:
    """The best `limit` of what an engine proposes; it is asked for more until no tie reaches past the last one."""
    wanted = limit + MARGIN
    while True:
        hits = sorted(propose(wanted), key=lambda hit: (-hit[1], hit[0].id))
        done = len(hits) < wanted or wanted >= MOST
        if done or hits[limit - 1][1] - hits[-1][1] > CLOSE * max(1.0, abs(hits[limit - 1][1])):
            return hits[:limit]
        wanted *= 4


def scored(question: Vectors, found: Proposed) -> list[Hit]:
    """Cosines in double precision. Row by row: a product of matrices adds up differently for each size."""
    asked, held = question.astype(np.float64).ravel(), found.vectors.astype(np.float64)
    lengths = np.sqrt((held * held).sum(axis=1)) * np.sqrt((asked * asked).sum())
    products = (held * asked).sum(axis=1)
    cosines = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
    return list(zip(found.passages, cosines.tolist(), strict=True))
