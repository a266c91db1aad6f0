"""The gist of a passage for one question: what a re-ranker reads instead of the whole text."""

from __future__ import annotations

from collections.abc import Sequence

from surefoot.core.evidence import EvidencePool, estimate_tokens

GIST_TOKENS = 112


def gist(question: str, sentences: Sequence[str], *, tokens: int = GIST_TOKENS) -> tuple[str, ...]:
    """The opening sentence (it names the subject) and those that share most with the question, in document order.

    A short passage is taken whole. Room left over goes to the sentences after the opening.
    """
    lengths = [estimate_tokens(sentence) for sentence in sentences]
    if sum(lengths) <= tokens or not sentences:
        return tuple(sentences)
    chosen = {0}
    room = tokens - lengths[0]
    picked = EvidencePool(sentences).select(question, tokens=max(room, 1))
    for at in [*picked, *range(1, len(sentences))]:
        if at not in chosen and lengths[at] <= room:
            chosen.add(at)
            room -= lengths[at]
    return tuple(sentences[at] for at in sorted(chosen))
