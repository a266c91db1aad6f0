"""Training rows as arrays: each evidence sentence is tokenised and stored once, rows point at sentences.

A file this small travels to a GPU machine in one piece and needs no tokeniser there. Token ids are MiniLM's word
pieces; mpnet uses the same vocabulary shifted by four (checked in tests).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

FOLDS = 5
UNKNOWN = -1
MPNET_SHIFT = 4
SPECIAL = {"minilm": (101, 102, 0), "tiny": (101, 102, 0), "mpnet": (0, 2, 1)}
"""Opening, separating and padding ids of each base."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One claim with its evidence, before tokenising."""

    claim: str
    evidence: tuple[str, ...]
    label: float
    """1 = not supported; NaN = to be labelled by a teacher."""
    spans: tuple[tuple[int, int], ...] | None
    """Unsupported characters of the claim; None = unknown."""
    partial: bool = False
    """The spans are certain but may be incomplete."""
    weight: float = 1.0
    source: str = ""
    """The set it comes from."""
    group: int = -1
    """Bag in training, answer in evaluation."""
    held: bool = False
    """Left out of the fold models that development figures come from."""
    prior: float = float("nan")
    """What another judge said (probability of not supported)."""
    whole: tuple[str, ...] = ()
    """All of the source, or as much as a language model reads: what the reader judges by."""
    fold: int = 0
    """One of FOLDS by the text it is judged by, for models that learn from all held rows but one fold and are measured
    on that one."""


@dataclass(kw_only=True)
class Builder:
    """Gathers rows; `save` tokenises them all and writes one file."""

    tokenizer: Tokenizer
    rows: list[Row] = field(default_factory=list)

    def save(self, path: Path) -> None:
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        sentences = list(dict.fromkeys(sentence for row in self.rows for sentence in row.evidence))
        number = {sentence: at for at, sentence in enumerate(sentences)}
        sets = sorted({row.source for row in self.rows})
        number_type = np.uint16 if self.tokenizer.get_vocab_size() <= 65536 else np.uint32
        texts = _Ragged(number_type)
        for part in range(0, len(sentences), 4096):
            for encoded in self.tokenizer.encode_batch(sentences[part : part + 4096], add_special_tokens=False):
                texts.add(encoded.ids)
        claims, marks, refs = _Ragged(number_type), _Ragged(np.int8), _Ragged(np.int32)
        for part in range(0, len(self.rows), 4096):
            chunk = self.rows[part : part + 4096]
            encoded_claims = self.tokenizer.encode_batch([row.claim for row in chunk], add_special_tokens=False)
            for row, encoded in zip(chunk, encoded_claims, strict=True):
                claims.add(encoded.ids)
                marks.add(token_labels(row, encoded.offsets))
                refs.add([number[sentence] for sentence in row.evidence])
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(
            path,
            **texts.arrays("text"),
            **claims.arrays("claim"),
            **marks.arrays("mark"),
            **refs.arrays("evidence"),
            label=np.array([row.label for row in self.rows], np.float32),
            weight=np.array([row.weight for row in self.rows], np.float32),
            prior=np.array([row.prior for row in self.rows], np.float32),
            group=np.array([row.group for row in self.rows], np.int32),
            held=np.array([row.held for row in self.rows], bool),
            fold=np.array([row.fold for row in self.rows], np.uint8),
            source=np.array([sets.index(row.source) for row in self.rows], np.uint8),
            sets=np.array(sets),
        )


def token_labels(row: Row, offsets: list[tuple[int, int]]) -> list[int]:
    """1 for a token inside an unsupported span, 0 for a supported one, UNKNOWN where nobody said."""
    if row.label == 0:
        return [0] * len(offsets)
    if row.spans is None or not row.spans:
        return [UNKNOWN] * len(offsets)
    inside = [any(start < right and left < end for left, right in row.spans) for start, end in offsets]
    return [1 if flag else (UNKNOWN if row.partial else 0) for flag in inside]


class _Ragged:
    def __init__(self, kind: type) -> None:
        self.kind, self.parts, self.ends = kind, [], [0]

    def add(self, values: list[int]) -> None:
        self.parts.append(np.array(values, self.kind))
        self.ends.append(self.ends[-1] + len(values))

    def arrays(self, name: str) -> dict[str, np.ndarray]:
        joined = np.concatenate(self.parts) if self.parts else np.zeros(0, self.kind)
        return {f"{name}_data": joined, f"{name}_ends": np.array(self.ends, np.int64)}


@dataclass(kw_only=True)
class Examples:
    """A loaded file: assembles the token ids of any row for either base."""

    arrays: dict[str, np.ndarray]
    base: str
    tokens: int
    soft: np.ndarray | None = None

    @classmethod
    def load(cls, path: Path, base: str, tokens: int) -> Examples:
        with np.load(path) as file:
            return cls(arrays={name: file[name] for name in file.files}, base=base, tokens=tokens)

    def __len__(self) -> int:
        return len(self.arrays["label"])

    def _slice(self, name: str, at: int) -> np.ndarray:
        ends = self.arrays[f"{name}_ends"]
        return self.arrays[f"{name}_data"][ends[at] : ends[at + 1]]

    def lengths(self) -> np.ndarray:
        text = np.diff(self.arrays["text_ends"])
        refs = self.arrays["evidence_ends"]
        total = np.concatenate([[0], np.cumsum(text[self.arrays["evidence_data"]])])
        evidence = total[refs[1:]] - total[refs[:-1]]
        return np.minimum(np.diff(self.arrays["claim_ends"]) + evidence + 3, self.tokens)

    def assemble(self, at: int) -> tuple[np.ndarray, int]:
        """Token ids `[open] claim [sep] evidence [sep]` and the claim's length; the evidence is cut to fit."""
        opening, separator, _pad = SPECIAL[self.base]
        shift = MPNET_SHIFT if self.base == "mpnet" else 0
        claim = self._slice("claim", at)[: self.tokens // 2].astype(np.int64)
        room = self.tokens - len(claim) - 3
        parts = [self._slice("text", ref) for ref in self._slice("evidence", at)]
        evidence = np.concatenate(parts)[:room].astype(np.int64) if parts else np.zeros(0, np.int64)
        ids = np.concatenate([[opening], claim + shift, [separator], evidence + shift, [separator]])
        return ids, len(claim)

    def marks(self, at: int) -> np.ndarray:
        return self._slice("mark", at)[: self.tokens // 2]


def batches(
    lengths: np.ndarray, units: list[np.ndarray], room: int, dice: np.random.Generator | None
) -> Iterator[np.ndarray]:
    """Rows grouped by similar length into batches of at most `room` padded tokens; a unit's rows stay together."""
    size = np.array([lengths[unit].max() for unit in units])
    noise = dice.uniform(0.85, 1.15, len(units)) if dice is not None else 1.0
    order = np.argsort(size * noise, kind="stable")
    found: list[np.ndarray] = []
    current: list[np.ndarray] = []
    longest = count = 0
    for at in order:
        longest_now = max(longest, int(size[at]))
        if current and longest_now * (count + len(units[at])) > room:
            found.append(np.concatenate(current))
            current, count, longest_now = [], 0, int(size[at])
        current.append(units[at])
        count, longest = count + len(units[at]), longest_now
    if current:
        found.append(np.concatenate(current))
    if dice is not None:
        dice.shuffle(found)
    yield from found
