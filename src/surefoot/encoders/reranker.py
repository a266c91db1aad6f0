"""How well each passage answers a question, by reading both together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from surefoot.core.evidence import source_sentences
from surefoot.core.gist import gist
from surefoot.encoders.files import find_model
from surefoot.encoders.session import Session
from surefoot.encoders.vocabulary import Vocabulary

MAX_TOKENS = 192
FOREIGN_TOKENS = 512


class OnnxReranker:
    """The shipped cross-encoder, or a folder or Hugging Face id such as `cross-encoder/ms-marco-MiniLM-L-6-v2`."""

    def __init__(self, model: str | Path | None = None, *, threads: int = 0, cache: Path | None = None) -> None:
        self._session = Session(lambda: find_model("reranker", model, cache=cache), threads=threads)

    def warm(self) -> None:
        """Load the weights before a deadline runs."""
        self._session.warm()

    @property
    def identity(self) -> str:
        return f"reranker:{self._session.files.sha256[:16]}"

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """Probability that each passage answers the question."""
        if not passages:
            return []
        words = Vocabulary.of(self._session.tokenizer)
        ours = "claim_mask" in self._session.inputs
        asked = self._session.token_ids([question])[0][: MAX_TOKENS // 2]
        texts = [_gist(question, passage) if ours else passage for passage in passages]
        room = (MAX_TOKENS if ours else FOREIGN_TOKENS) - len(asked) - 3
        bodies = [ids[:room] for ids in self._session.token_ids(texts)]
        rows = [[words.opening, *asked, words.separator, *body, words.separator] for body in bodies]
        after = len(asked) + 2
        results = self._session.run(
            rows,
            pad=words.pad,
            claim_mask=[[0] + [1] * len(asked) + [0] * (len(row) - len(asked) - 1) for row in rows],
            token_type_ids=[[0] * after + [1] * (len(row) - after) for row in rows],
        )
        return [_probability(float(outputs[0].reshape(-1)[0])) for outputs in results]


def _gist(question: str, passage: str) -> str:
    """What ours reads of a passage: with its links, as it was taught."""
    return " ".join(gist(question, source_sentences(passage, links=True)))


def _probability(logit: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, logit))))
