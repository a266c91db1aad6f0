"""Whether a claim is supported by its evidence, and which of its words are not."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core.text import STOPWORDS
from surefoot.core.types import EvidencePair, GroundingScore
from surefoot.encoders.files import find_model
from surefoot.encoders.session import Session
from surefoot.encoders.vocabulary import Vocabulary

MAX_TOKENS = 384
SPAN_AT_LEAST = 0.5


@dataclass(frozen=True, kw_only=True, slots=True)
class Joint:
    """How a model's two heads and the words it has not seen become one calibrated probability; kept in its card."""

    token: float = 0.5
    novelty: float = 2.0
    number: float = 1.0
    scale: float = 1.0
    shift: float = 0.0

    @classmethod
    def of(cls, card: dict[str, Any]) -> Joint:
        return cls(**card.get("joint", {}))

    def probability(self, sentence: float, token: float, novelty: float, number: bool) -> float:
        score = sentence + self.token * token + self.novelty * novelty + self.number * number
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, self.scale * score + self.shift))))


class OnnxGrounder:
    """A shipped grounder (`grounder_accurate` or `grounder_fast`), or a folder or Hugging Face id with one like it."""

    def __init__(
        self,
        name: str = "grounder_accurate",
        model: str | Path | None = None,
        *,
        threads: int = 0,
        cache: Path | None = None,
    ) -> None:
        self._name = name
        self._session = Session(lambda: find_model(name, model, cache=cache), threads=threads)
        self._kinds: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None = None

    def warm(self) -> None:
        """Load the weights before a deadline runs."""
        self._session.warm()

    @property
    def identity(self) -> str:
        return f"{self._name}:{self._session.files.sha256[:16]}"

    @property
    def bands(self) -> dict[str, float]:
        """`accept`: at most this, the claim stands; `reject`: at least this, it falls; between them ask a critic."""
        found: dict[str, float] = self._session.files.card.get("bands", {"accept": 0.3, "reject": 0.7})
        return found

    def judge(self, pairs: Sequence[EvidencePair]) -> list[GroundingScore]:
        """One score per pair. A claim without evidence is unsupported: the model is not asked."""
        found = [
            GroundingScore(unsupported=1.0, spans=((0, len(pair.claim), 1.0),) if pair.claim else ()) for pair in pairs
        ]
        asked = [
            at for at, pair in enumerate(pairs) if pair.claim.strip() and any(text.strip() for text in pair.evidence)
        ]
        if not asked:
            return found
        inputs = [self._input(pairs[at]) for at in asked]
        words = Vocabulary.of(self._session.tokenizer)
        results = self._session.run(
            [entry.ids for entry in inputs], pad=words.pad, claim_mask=[entry.claim_mask for entry in inputs]
        )
        joint = Joint.of(self._session.files.card)
        for at, entry, outputs in zip(asked, inputs, results, strict=True):
            found[at] = self._score(pairs[at].claim, entry, float(outputs[0]), outputs[1], joint)
        return found

    def _input(self, pair: EvidencePair) -> _Input:
        words = Vocabulary.of(self._session.tokenizer)
        encoded = self._session.tokenizer.encode(pair.claim, add_special_tokens=False)
        claim = encoded.ids[: MAX_TOKENS // 2]
        evidence = [number for ids in self._session.token_ids(pair.evidence) for number in ids]
        evidence = evidence[: MAX_TOKENS - len(claim) - 3]
        ids = [words.opening, *claim, words.separator, *evidence, words.separator]
        mask = [0] + [1] * len(claim) + [0] * (len(ids) - len(claim) - 1)
        return _Input(
            ids=ids, claim_mask=mask, claim=claim, offsets=encoded.offsets[: len(claim)], evidence=frozenset(evidence)
        )

    def _score(
        self, claim: str, entry: _Input, sentence: float, token: NDArray[np.float32], joint: Joint
    ) -> GroundingScore:
        logits = token[1 : len(entry.claim) + 1].astype(float)
        content, digit = self._token_kinds()
        weighty = [number for number in entry.claim if content[number]]
        new = [number for number in weighty if number not in entry.evidence]
        top = float(np.sort(logits)[-3:].mean()) if len(logits) else sentence
        chance = joint.probability(sentence, top, len(new) / max(1, len(weighty)), any(digit[number] for number in new))
        return GroundingScore(unsupported=chance, spans=unsupported_words(claim, entry.offsets, logits))

    def _token_kinds(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which token ids carry meaning, and which hold a digit."""
        if self._kinds is None:
            vocabulary: dict[str, int] = self._session.tokenizer.get_vocab()
            content = np.zeros(max(vocabulary.values()) + 1, bool)
            digit = np.zeros_like(content)
            for word, number in vocabulary.items():
                bare = word.removeprefix("##")
                content[number] = bare not in STOPWORDS and any(char.isalnum() for char in bare) and word[0] not in "[<"
                digit[number] = any(char.isdigit() for char in bare)
            self._kinds = (content, digit)
        return self._kinds


@dataclass(frozen=True, kw_only=True, slots=True)
class _Input:
    ids: list[int]
    claim_mask: list[int]
    claim: list[int]
    offsets: list[tuple[int, int]]
    evidence: frozenset[int]


def unsupported_words(
    claim: str, offsets: Sequence[tuple[int, int]], logits: NDArray[np.float64]
) -> tuple[tuple[int, int, float], ...]:
    """Each word with an unsupported piece, whole, with the highest probability of its pieces."""
    chances = 1.0 / (1.0 + np.exp(-np.clip(logits, -30, 30)))
    found: list[tuple[int, int, float]] = []
    at = 0
    for word in _WORD.finditer(claim):
        highest = 0.0
        while at < len(offsets) and offsets[at][0] < word.end():
            if offsets[at][1] > word.start():
                highest = max(highest, float(chances[at]))
            at += 1
        if highest >= SPAN_AT_LEAST:
            found.append((word.start(), word.end(), highest))
    return tuple(found)


_WORD = re.compile(r"[€£$¥+−-]?\w(?:\S*\w)?[%°]?")
"""What stands between spaces, without the punctuation around it."""
