"""A language model of 1.5 billion weights, taught to judge claims: the best reader there is here, and the slowest.

It reads the sources once and then each claim, and answers Yes, No, or None where nothing is claimed. What was taught is
a small adapter of ours (`grounder_thorough`); the base weights are fetched once (`surefoot models fetch`) and checked.
"""

from __future__ import annotations

import json
import math
import os
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from surefoot.core.errors import EncoderError, MissingExtraError
from surefoot.core.evidence import estimate_tokens, source_sentences
from surefoot.core.types import ClaimText, GroundingScore
from surefoot.encoders.base_weights import base_weights
from surefoot.encoders.files import Adapter, find_adapter
from surefoot.encoders.grounder import Scale

OPENING = (
    "<|im_start|>user\nRead the source. After it, for each claim, say Yes if all of it follows from the source, No if"
    " anything in it does not, None if it claims nothing.\nSource:\n"
)
BEFORE, CLAIM, CLOSING = "\nBefore: ", "\nClaim: ", "<|im_end|>\n<|im_start|>assistant\n"
SPACE, LINE = 220, 198
"""The pieces between sentences and behind a passage: a text is cut into pieces as it was when the model learned."""
YES, NO, NONE = 9454, 2753, 4064
ROOM = 2_800
"""Tokens of sources; a longer one is cut off."""
MOST_BEFORE, MOST_CLAIM = 300, 1_500
"""Letters of what stood before a claim, its end, and of a claim. A longer claim is not believed: none is half read."""
CONTEXT = 4_096
"""Tokens of sources and one claim together."""
AROUND = 24
"""Tokens of the frame around a claim."""
LOOKED_AT = 64
"""Likeliest pieces among which the three answers are looked for."""
FEWER = 6.0
"""How far under the last of those an answer lies that is not among them, in log-odds."""

Prompt = list[str | int]


class Reader(Protocol):
    """What reads a prompt and says how likely each next piece is."""

    def next(self, prompt: Prompt) -> dict[int, float]:
        """Logarithms of the likeliest pieces' probabilities."""
        ...


class ThoroughGrounder:
    def __init__(
        self,
        *,
        threads: int = 0,
        cache: Path | None = None,
        open_reader: Callable[[Path, Path, int], Reader] | None = None,
    ) -> None:
        self._threads, self._cache = threads, cache
        self._open_reader = open_reader or open_llama
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
        return f"grounder_thorough:{self.adapter.sha256[:16]}"

    @property
    def bands(self) -> dict[str, float]:
        found: dict[str, float] = self.adapter.card["bands"]
        return found

    def needs_s(self, claims: Sequence[ClaimText], sources: Sequence[str]) -> float:
        """Seconds that `judge` will take, by the speed it read with when it was opened; no end is known while it reads
        another draft."""
        if not claims:
            return 0.0
        opened = self._open()
        if opened.lock.locked():
            return math.inf
        tokens = min(ROOM, sum(map(estimate_tokens, sources)))
        tokens += sum(estimate_tokens(claim.text) + estimate_tokens(claim.before) + AROUND for claim in claims)
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
            for at in asked:
                found[at] = _score(opened.reader.next([*start, *_asked(claims[at])]), scale)
        return found

    def _open(self) -> _Opened:
        with self._lock:
            if self._opened is None:
                base = base_weights(self._cache)
                reader = self._open_reader(base, self.adapter.file, self._threads or os.cpu_count() or 1)
                self._opened = _Opened(reader=reader, speed=_speed(reader))
            return self._opened


@dataclass(frozen=True, kw_only=True)
class _Opened:
    reader: Reader
    speed: float
    """Tokens a second."""
    lock: threading.Lock = field(default_factory=threading.Lock)


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


def _score(likely: dict[int, float], scale: Scale) -> GroundingScore:
    lowest = min(likely.values(), default=0.0) - FEWER
    yes, no, none = (likely.get(piece, lowest) for piece in (YES, NO, NONE))
    top = max(yes, no, none)
    weights = [math.exp(value - top) for value in (yes, no, none)]
    if not likely or top == lowest:  # it said something else
        raise EncoderError("the thorough grounder answered with none of its three words")
    return GroundingScore(unsupported=scale.risk(no - yes), silent=weights[2] / sum(weights))


def _speed(reader: Reader) -> float:
    """Tokens a second, of a reading that is long enough to tell."""
    text = "The office opens at nine and closes at five on every day of the week but Sunday."
    prompt: Prompt = [OPENING, text, SPACE, LINE, CLAIM, text, CLOSING]
    began = time.perf_counter()
    reader.next(prompt)
    return sum(estimate_tokens(part) for part in prompt if isinstance(part, str)) / (time.perf_counter() - began)


def open_llama(base: Path, adapter: Path, threads: int) -> Reader:
    """The base weights with the adapter, run by llama.cpp."""
    try:
        import xllamacpp
    except ImportError as error:
        raise MissingExtraError("xllamacpp", "thorough") from error
    return Llama(xllamacpp, base, adapter, threads)


class Llama:
    def __init__(self, library: Any, base: Path, adapter: Path, threads: int) -> None:
        settings = library.CommonParams()
        settings.model.path = str(base)
        settings.n_ctx, settings.n_parallel, settings.warmup, settings.verbosity = CONTEXT, 1, False, -1
        settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = threads
        taught = library.CommonAdapterLoraInfo()
        taught.path, taught.scale = str(adapter), 1.0
        settings.lora_adapters = [taught]
        # the library listens on loopback whether one wants it or not: nobody else may ask it, or see what it reads
        settings.api_keys, settings.endpoint_slots, settings.ui = [secrets.token_urlsafe(32)], False, False
        self._server = library.Server(settings)

    def next(self, prompt: Prompt) -> dict[int, float]:
        reply = self._server.handle_completions(
            {"prompt": prompt, "n_predict": 1, "n_probs": LOOKED_AT, "temperature": 0.0, "cache_prompt": True}
        )
        said = reply if isinstance(reply, dict) else json.loads(reply)
        try:
            likeliest = said["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
        except (KeyError, IndexError, TypeError) as error:
            raise EncoderError(f"the thorough grounder could not read: {said.get('error', said)!s:.200}") from error
        return {one["id"]: one["logprob"] for one in likeliest}
