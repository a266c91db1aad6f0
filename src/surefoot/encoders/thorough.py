"""A language model of 1.5 billion weights, taught to judge claims: the best reader there is here, and the slowest.

It reads the sources once and then all claims, and answers Yes, No, or None where nothing is claimed. What was taught is
a small adapter of ours (`grounder_thorough`); the base weights are fetched once (`surefoot models fetch`), checked, and
laid out with the adapter for ONNX Runtime (`encoders/reader_file.py`).
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from surefoot.core.errors import EncoderError
from surefoot.core.evidence import estimate_tokens, source_sentences
from surefoot.core.types import ClaimText, GroundingScore
from surefoot.encoders.base_weights import default_place
from surefoot.encoders.files import GRAPH, Adapter, find_adapter
from surefoot.encoders.grounder import Scale
from surefoot.encoders.reader_file import LAYOUT, TOKENIZER, laid_out
from surefoot.encoders.session import open_files

OPENING = (
    "<|im_start|>user\nRead the source. After it, for each claim, say Yes if all of it follows from the source, No if"
    " anything in it does not, None if it claims nothing.\nSource:\n"
)
BEFORE, CLAIM, CLOSING = "\nBefore: ", "\nClaim: ", "<|im_end|>\n<|im_start|>assistant\n"
SPACE, LINE = 220, 198
"""The pieces between sentences and behind a passage: a text is cut into pieces as it was when the model learned."""
ROOM = 2_800
"""Tokens of sources; a longer one is cut off."""
MOST_BEFORE, MOST_CLAIM = 300, 1_500
"""Letters of what stood before a claim, its end, and of a claim. A longer claim is not believed: none is half read."""
AROUND = 24
"""Tokens of the frame around a claim."""
AT_ONCE = 512
"""Pieces read in one run: enough to keep the products busy, few enough for a laptop's memory. A claim of more is not
believed."""
NEVER = (-30.0, 30.0, -30.0)
"""No, as a likelihood."""
UNSEEN = -10_000.0
"""What hides a piece from another."""

Prompt = list[str | int]
Numbers = NDArray[np.float32]


class Reader(Protocol):
    """What reads the sources and then claims."""

    def answers(self, start: Prompt, claims: Sequence[Prompt]) -> Sequence[Sequence[float]]:
        """For each claim behind the same start, how likely Yes, No and None are, as logarithms up to a constant."""
        ...


class ThoroughGrounder:
    def __init__(
        self,
        *,
        threads: int = 0,
        cache: Path | None = None,
        open_reader: Callable[[Path, int], Reader] | None = None,
    ) -> None:
        self._threads, self._cache = threads, cache
        self._open_reader = open_reader or OnnxReader
        self._lock = threading.Lock()
        self._opened: _Opened | None = None
        self._adapter: Adapter | None = None

    def warm(self) -> None:
        """Opens the weights and takes the time of a short reading, before a deadline runs."""
        self._open()

    @property
    def adapter(self) -> Adapter:
        self._adapter = self._adapter or find_adapter("grounder_thorough")
        return self._adapter

    @property
    def identity(self) -> str:
        """What was taught, and how it is run: another rounding reads otherwise."""
        return f"grounder_thorough:{self.adapter.sha256[:16]}.{self.adapter.graph_sha256[:8]}.{LAYOUT}"

    @property
    def bands(self) -> dict[str, float]:
        found: dict[str, float] = self.adapter.card["bands"]
        return found

    @property
    def beside(self) -> dict[str, Any] | None:
        """How much it counts beside which other grounder, where that was measured."""
        found: dict[str, Any] | None = self.adapter.card.get("beside")
        return found

    def needs_s(self, claims: Sequence[ClaimText], sources: Sequence[str]) -> float:
        """Seconds that `judge` will take, by the speed it read with when it was opened; no end is known while it reads
        another draft."""
        if not claims:
            return 0.0
        opened = self._open()
        if opened.lock.locked():
            return math.inf
        tokens = min(ROOM, sum(map(_pieces_in, sources)))
        tokens += sum(_pieces_in(claim.text) + _pieces_in(claim.before) + AROUND for claim in claims)
        return tokens / opened.speed

    def judge(self, claims: Sequence[ClaimText], sources: Sequence[str]) -> list[GroundingScore]:
        """One score per claim. Without sources nothing is supported: the model is not asked."""
        found = [GroundingScore(unsupported=1.0) for _ in claims]
        start = _laid_out(sources)
        asked = [at for at, claim in enumerate(claims) if 0 < len(_plain(claim.text)) <= MOST_CLAIM]
        if len(start) == 1 or not asked:
            return found
        opened, scale = self._open(), Scale.of(self.adapter.card)
        with opened.lock:  # one reading at a time: the sources of a draft stay read for all of its claims
            answers = opened.reader.answers(start, [_asked(claims[at]) for at in asked])
        for at, likely in zip(asked, answers, strict=True):
            found[at] = _score(likely, scale)
        return found

    def _open(self) -> _Opened:
        with self._lock:
            if self._opened is None:
                folder = laid_out(self._cache or default_place(), self.adapter)
                reader = self._open_reader(folder, self._threads)
                self._opened = _Opened(reader=reader, speed=_speed(reader))
            return self._opened


@dataclass(frozen=True, kw_only=True)
class _Opened:
    reader: Reader
    speed: float
    """Tokens a second."""
    lock: threading.Lock = field(default_factory=threading.Lock)


def _pieces_in(text: str) -> int:
    """About; a letter of a script that the model hardly knows is a piece or more."""
    return max(estimate_tokens(text), len(text.encode("utf-8", "replace")) // 4)


def _laid_out(sources: Sequence[str]) -> Prompt:
    prompt: Prompt = [OPENING]
    room = ROOM
    for source in sources:
        for sentence in source_sentences(source):
            room -= estimate_tokens(sentence)
            if room < 0:
                return prompt
            prompt += [_plain(sentence), SPACE]
        if prompt[-1] == SPACE:
            prompt.append(LINE)
    return prompt


def _asked(claim: ClaimText) -> Prompt:
    parts = (BEFORE, _plain(claim.before)[-MOST_BEFORE:], CLAIM, _plain(claim.text), CLOSING)
    return [part for part in parts if part]


def _plain(text: str) -> str:
    """On one line, and without what the model takes for the frame of a talk: no text may speak for its reader."""
    return " ".join(text.replace("<|", "< |").replace("|>", "| >").split())


def _score(likely: Sequence[float], scale: Scale) -> GroundingScore:
    if not all(map(math.isfinite, likely)):
        raise EncoderError("the thorough grounder gave no number for a claim; lay it out anew: surefoot models fetch")
    yes, no, none = likely
    top = max(likely)
    return GroundingScore(
        unsupported=scale.risk(no - yes), silent=math.exp(none - top) / sum(math.exp(one - top) for one in likely)
    )


def _speed(reader: Reader) -> float:
    """Tokens a second, of a reading that is long enough to tell."""
    text = "The office opens at nine and closes at five on every day of the week but Sunday."
    start: Prompt = [OPENING, text, SPACE, text, SPACE, text, SPACE, LINE]
    claim: Prompt = [CLAIM, text, CLOSING]
    reader.answers([text], [claim])  # the first reading sets things up; it begins otherwise, so that nothing is known
    began = time.perf_counter()
    reader.answers(start, [claim])
    return sum(estimate_tokens(part) for part in start + claim if isinstance(part, str)) / (time.perf_counter() - began)


class OnnxReader:
    """The language model in eight bits. What it read last stays read: the same sources cost nothing the next time."""

    def __init__(self, folder: Path, threads: int) -> None:
        self._model, self._words = open_files("grounder_thorough", folder / GRAPH, folder / TOKENIZER, threads)
        layers, both, _, shared, size = next(one.shape for one in self._model.get_inputs() if one.name == "past")
        self._read: tuple[list[int], Numbers] = ([], np.zeros((layers, both, 0, shared, size), np.float32))

    def answers(self, start: Prompt, claims: Sequence[Prompt]) -> list[list[float]]:
        past = self._up_to(self._pieces(start)[:ROOM])
        cut = [self._pieces(claim) for claim in claims]
        found = [list(NEVER) for _ in claims]
        for batch in _batches([at for at, claim in enumerate(cut) if len(claim) <= AT_ONCE], cut):
            for at, likely in zip(batch, self._ask([cut[at] for at in batch], past), strict=True):
                found[at] = likely
        return found

    def _pieces(self, prompt: Prompt) -> list[int]:
        """Each part is cut into pieces by itself, as when the model learned."""
        parts = [
            [part] if isinstance(part, int) else self._words.encode(part, add_special_tokens=False).ids
            for part in prompt
        ]
        return [piece for part in parts for piece in part]

    def _up_to(self, pieces: list[int]) -> Numbers:
        """Keys and values of these pieces; those that it read last begin with are not read again."""
        known, past = self._read
        same = next((at for at, (old, new) in enumerate(zip(known, pieces, strict=False)) if old != new), None)
        past = past[:, :, : min(len(known), len(pieces)) if same is None else same]
        for at in range(past.shape[2], len(pieces), AT_ONCE):
            ids = pieces[at : at + AT_ONCE]
            sees = np.tri(len(ids), at + len(ids), at, dtype=bool)
            (now,) = self._run(["now"], ids, list(range(at, at + len(ids))), sees, past, [0])
            past = np.concatenate([past, now], axis=2)
        if np.isfinite(past).all():
            self._read = (pieces, past)
        return past

    def _ask(self, claims: Sequence[list[int]], past: Numbers) -> list[list[float]]:
        """All claims in one run; each sees the sources and itself."""
        begin = past.shape[2]
        sizes = [len(claim) for claim in claims]
        ids = [piece for claim in claims for piece in claim]
        place = [begin + at for size in sizes for at in range(size)]
        whose = np.repeat(np.arange(len(claims)), sizes)
        own = (whose[:, None] == whose[None, :]) & np.tri(len(ids), dtype=bool)
        sees = np.concatenate([np.ones((len(ids), begin), bool), own], axis=1)
        (logits,) = self._run(["logits"], ids, place, sees, past, (np.cumsum(sizes) - 1).tolist())
        found: list[list[float]] = logits.tolist()
        return found

    def _run(
        self,
        wanted: list[str],
        ids: list[int],
        place: list[int],
        sees: NDArray[np.bool_],
        past: Numbers,
        last: list[int],
    ) -> Any:
        bias = np.where(sees, np.float32(0.0), np.float32(UNSEEN))
        whole = {name: np.array(one, np.int64) for name, one in (("ids", ids), ("place", place), ("last", last))}
        return self._model.run(wanted, {**whole, "bias": bias, "past": past})


def _batches(numbers: Sequence[int], claims: Sequence[list[int]]) -> list[list[int]]:
    """The numbers of claims that are read side by side, up to so many pieces together."""
    found: list[list[int]] = []
    for number in numbers:
        if found and sum(len(claims[at]) for at in found[-1]) + len(claims[number]) <= AT_ONCE:
            found[-1].append(number)
        else:
            found.append([number])
    return found
