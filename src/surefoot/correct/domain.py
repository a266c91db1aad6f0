"""Which of a pack's domains a text belongs to: by its keywords, and by meaning where they tie."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from surefoot.core.ports import Embedder
from surefoot.core.text import fold

DEFAULT = "default"


def detect(text: str, keywords: Mapping[str, Sequence[str]], *, embedder: Embedder | None = None) -> str:
    """The domain most of whose keywords occur; `default` when none does.

    A tie goes to the domain whose keywords are nearest in meaning, without an embedder to the one named first.
    """
    plain = fold(text)
    hits = {domain: sum(_occurs(word, plain) for word in words) for domain, words in keywords.items()}
    most = max(hits.values(), default=0)
    if most == 0:
        return DEFAULT
    tied = [domain for domain, count in hits.items() if count == most]
    return tied[0] if len(tied) == 1 or embedder is None else _nearest(text, tied, keywords, embedder)


def _occurs(keyword: str, plain: str) -> bool:
    """Whole words, a plural allowed: `rent` and `rents`, never `parent`."""
    return re.search(rf"(?<!\w){re.escape(fold(keyword))}(?:s|es|ed|ing)?(?!\w)", plain) is not None


def _nearest(text: str, tied: Sequence[str], keywords: Mapping[str, Sequence[str]], embedder: Embedder) -> str:
    vectors = embedder.embed([text, *(f"{domain}: {', '.join(keywords[domain])}" for domain in tied)])
    return tied[int(np.argmax(vectors[1:] @ vectors[0]))]
