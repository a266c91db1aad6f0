"""Whether the claims of a draft are supported by its sources, and which of their words are not.

The sources are laid out in windows and read once; every claim then looks at all of them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core.evidence import source_sentences
from surefoot.core.types import ClaimText, GroundingScore
from surefoot.encoders.files import find_model
from surefoot.encoders.session import Session
from surefoot.encoders.vocabulary import Vocabulary
from surefoot.encoders.windows import choose, claim_ids, windows

SPAN_AT_LEAST = 0.5
UNREAD = 0.5
"""The risk of a claim whose end was not read: it may be a false tail."""
ROOM = 512
"""Tokens of sources that are read for a few claims; more claims get more room."""
ROOM_EACH = 96
TOGETHER = 12
"""Claims in one run: enough to share the sources, few enough for a laptop's memory."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Scale:
    """How a model's logits become a calibrated risk; kept in its card."""

    scale: float = 1.0
    shift: float = 0.0

    @classmethod
    def of(cls, card: dict[str, Any]) -> Scale:
        return cls(**card.get("calibration", {}))

    def risk(self, logit: float) -> float:
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, self.scale * logit + self.shift))))


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
        self._remembered = lru_cache(maxsize=512)(self._sentences)

    def warm(self) -> None:
        """Load the weights before a deadline runs."""
        self._session.warm()

    @property
    def identity(self) -> str:
        return f"{self._name}:{self._session.files.sha256[:16]}"

    @property
    def bands(self) -> dict[str, float]:
        """Up to `accept` a claim may be proven, up to `release` it is supported, from `reject` on it falls."""
        found: dict[str, float] = self._session.files.card["bands"]
        return found

    def judge(self, claims: Sequence[ClaimText], sources: Sequence[str]) -> list[GroundingScore]:
        """One score per claim. Without sources nothing is supported: the model is not asked."""
        found = [GroundingScore(unsupported=1.0, spans=_all_of(claim.text)) for claim in claims]
        words = Vocabulary.of(self._session.tokenizer)
        passages = [self._remembered(source) for source in sources]
        asked = [at for at, claim in enumerate(claims) if claim.text.strip()]
        if not any(map(any, passages)) or not asked:
            return found
        for start in range(0, len(asked), TOGETHER):
            part = asked[start : start + TOGETHER]
            for at, score in zip(part, self._run([claims[at] for at in part], passages, words), strict=True):
                found[at] = score
        return found

    def _run(
        self, claims: Sequence[ClaimText], passages: list[list[list[int]]], words: Vocabulary
    ) -> list[GroundingScore]:
        encoded = self._session.tokenizer.encode_batch([claim.text for claim in claims], add_special_tokens=False)
        before = self._session.token_ids([claim.before for claim in claims])
        rows = [
            claim_ids(each.ids, tail, words.opening, words.separator)
            for each, tail in zip(encoded, before, strict=True)
        ]
        room = max(ROOM, ROOM_EACH * len(claims))
        sheets = windows(choose(passages, [each.ids for each in encoded], room), words.separator)
        sentence, token = self._session.feed(_feed(rows, sheets, words.pad))
        scale = Scale.of(self._session.files.card)
        scores, start = [], 0
        for at, (ids, own) in enumerate(rows):
            yes, no, none = (float(value) for value in sentence[at])
            logits = token[0, start + 1 : start + 1 + own].astype(float)
            whole = len(encoded[at].ids) == own  # of a longer claim only the start was read
            scores.append(
                GroundingScore(
                    unsupported=scale.risk(no - yes) if whole else max(UNREAD, scale.risk(no - yes)),
                    silent=_share(none, yes, no) if whole else 0.0,
                    spans=unsupported_words(claims[at].text, encoded[at].offsets[:own], logits),
                )
            )
            start += len(ids)
        return scores

    def _sentences(self, source: str) -> list[list[int]]:
        return self._session.token_ids(source_sentences(source))


def _feed(rows: list[tuple[list[int], int]], sheets: list[list[int]], pad: int) -> dict[str, NDArray[np.int64]]:
    """The graph's inputs: claims one after the other, windows one under the other."""
    ids = [token for row, _ in rows for token in row]
    place = [at for row, _ in rows for at in range(len(row))]
    group = [number for number, (row, _) in enumerate(rows) for _ in row]
    widest = max(map(len, sheets))
    sources = np.full((len(sheets), widest), pad, np.int64)
    mask = np.zeros_like(sources)
    for at, sheet in enumerate(sheets):
        sources[at, : len(sheet)], mask[at, : len(sheet)] = sheet, 1
    member = np.zeros((len(rows), len(ids)), np.int64)
    first, start = [], 0
    for at, (row, own) in enumerate(rows):
        first.append(start)
        member[at, start + 1 : start + 1 + own] = 1
        start += len(row)
    return {
        "claim_ids": np.array([ids], np.int64),
        "claim_place": np.array([place], np.int64),
        "claim_group": np.array([group], np.int64),
        "source_ids": sources,
        "source_mask": mask,
        "member": member,
        "first": np.array(first, np.int64),
    }


def _share(one: float, *others: float) -> float:
    top = max(one, *others)
    return math.exp(one - top) / sum(math.exp(value - top) for value in (one, *others))


def _all_of(text: str) -> tuple[tuple[int, int, float], ...]:
    return ((0, len(text), 1.0),) if text else ()


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
