"""So that one page does not fill the list, and the same words are not shown twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from surefoot.core.passages import document_of
from surefoot.core.text import squash
from surefoot.core.types import ScoredPassage


def spread(hits: Sequence[ScoredPassage], *, k: int, per_source: int | None = None) -> list[ScoredPassage]:
    """The best k, at most `per_source` of one file (default: half of k) while other files still have something.

    Passages held back by the cap come after the others, never lost: a knowledge base of one page fills the list.
    """
    cap = per_source if per_source is not None else max(2, (k + 1) // 2)
    taken: list[ScoredPassage] = []
    held: list[ScoredPassage] = []
    seen: set[str] = set()
    counts: Counter[str] = Counter()
    for hit in hits:
        words = squash(hit.passage.text)
        if words in seen:
            continue
        seen.add(words)
        source = document_of(hit.passage)
        counts[source] += 1
        (taken if counts[source] <= cap else held).append(hit)
    chosen = taken[:k]
    return chosen + held[: k - len(chosen)]
