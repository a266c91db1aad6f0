"""Which of a pack's domains a text belongs to: by its keywords, and by meaning where they decide nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from surefoot.core.ports import Embedder
from surefoot.core.text import fold, sentences
from surefoot.correct.likeness import known_vectors

DEFAULT = "default"
NEAR = 0.42
"""Cosine to an example from which a text without keywords belongs to its domain."""
AHEAD = 0.1
"""How much nearer it must be than the examples of any other domain."""
ALIKE = 0.05
"""Nearer by less says nothing: of two domains as near, the one that a keyword names holds."""
MOST_SENTENCES = 8
"""Sentences of a text that are compared, each on its own and all together."""


def detect(
    text: str,
    keywords: Mapping[str, Sequence[str]],
    *,
    embedder: Embedder | None = None,
    examples: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """The domain most of whose keywords occur; `default` when none does and nothing is near in meaning.

    One keyword alone may mean something else (`I felt flat`): it holds where its domain is also the nearest in meaning.
    A tie goes to the domain nearest in meaning, without an embedder to the one named first.
    """
    plain = fold(text)
    hits = {domain: sum(_occurs(word, plain) for word in words) for domain, words in keywords.items()}
    most = max(hits.values(), default=0)
    leading = [domain for domain, count in hits.items() if count == most and count > 0]
    if embedder is None or not text.strip() or (most > 1 and len(leading) == 1):
        return leading[0] if leading else DEFAULT
    if not examples:
        return _by_keywords(text, leading, keywords, embedder) if leading else DEFAULT
    return _by_examples(text, leading, sure=most > 1, near=_likeness(text, examples, embedder))


def _occurs(keyword: str, plain: str) -> bool:
    """Whole words, a plural allowed: `rent` and `rents`, never `parent`."""
    return re.search(rf"(?<!\w){re.escape(fold(keyword))}(?:s|es|ed|ing)?(?!\w)", plain) is not None


def _by_keywords(text: str, tied: Sequence[str], keywords: Mapping[str, Sequence[str]], embedder: Embedder) -> str:
    if len(tied) == 1:
        return tied[0]
    vectors = embedder.embed([text, *(f"{domain}: {', '.join(keywords[domain])}" for domain in tied)])
    return tied[int(np.argmax(vectors[1:] @ vectors[0]))]


def _by_examples(text: str, leading: Sequence[str], *, sure: bool, near: Mapping[str, float]) -> str:
    ranked = sorted(near, key=lambda domain: -near[domain])
    if sure:
        return next((domain for domain in ranked if domain in leading), leading[0])
    close = [domain for domain in ranked if near[ranked[0]] - near[domain] < ALIKE]
    if named := [domain for domain in close if domain in leading]:
        return named[0]
    second = near[ranked[1]] if len(ranked) > 1 else 0.0
    return ranked[0] if near[ranked[0]] >= NEAR and near[ranked[0]] - second >= AHEAD else DEFAULT


def _likeness(text: str, examples: Mapping[str, Sequence[str]], embedder: Embedder) -> dict[str, float]:
    """The cosine of each domain's nearest example to the text or to one of its sentences."""
    parts = list(dict.fromkeys([text, *(one.text for one in sentences(text)[:MOST_SENTENCES])]))
    known = [(domain, example) for domain, some in examples.items() for example in some]
    vectors = known_vectors(embedder, [example for _, example in known])
    best = np.asarray(np.asarray(embedder.embed(parts)) @ vectors.T).max(axis=0)
    found: dict[str, float] = {}
    for (domain, _), score in zip(known, best, strict=True):
        found[domain] = max(found.get(domain, -1.0), float(score))
    return found
