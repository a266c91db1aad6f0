"""The answer cache: keyed by what an answer depends on, dropped by what it cites, believed only after a re-check.

An entry is used only when its signature holds, its certificate re-checks, it answers this very question under this
very pack, and every cited passage still stands in the knowledge base as it was. Refusals, fallbacks and incomplete
answers are not kept: the document that would cure them may arrive in the next minute.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import time
import unicodedata
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from surefoot.core.flight import SingleFlight
from surefoot.core.hashing import content_hash, plain, sha256_text
from surefoot.core.ports import Cache, Meter
from surefoot.core.revive import revive
from surefoot.core.types import AskEvent, AskResult, Json, Passage, ScoredPassage
from surefoot.packs.schema import Pack
from surefoot.verify.prove.certificate import GATE_VERSION
from surefoot.verify.prove.recheck import RELEASED, problems_of

FORMAT = "surefoot-answer/1"
TTL_S = 3_600
WEB_TTL_S = 1_800
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class AnswerKey:
    key: str
    material: Mapping[str, Json]
    """What the key is the hash of, for `surefoot cache explain`. Texts are in it as hashes only."""


@dataclass(frozen=True, kw_only=True)
class Cited:
    id: str
    source: str
    state: str
    """current | changed | gone | external"""


@dataclass(frozen=True, kw_only=True)
class Explained:
    """One entry of the answer cache, for people."""

    key: str
    question: str = ""
    text: str = ""
    stored_at: int = 0
    web: bool = False
    material: Mapping[str, Json] = field(default_factory=dict)
    cites: tuple[Cited, ...] = ()
    problem: str | None = None
    """Why it would not be used; None: it would."""


@dataclass(frozen=True, kw_only=True)
class AnswerCache:
    cache: Cache
    knowledge_base: str
    """Which knowledge base, not its state: a change drops the answers that cite it, one by one."""
    gate: str
    """Versions of the gate's code, checks and models."""
    secret: bytes
    """Signs entries: a cache that others can write to cannot put words into our mouth."""
    passages: Callable[[Sequence[str]], Awaitable[list[Passage]]]
    """The store's `get`."""
    meter: Meter | None = None
    flight: SingleFlight[AskResult] = field(default_factory=lambda: SingleFlight(finishes=False))
    """An answer that nobody waits for any more is not made: who comes and goes would pass every line."""

    def key(
        self,
        *,
        question: str,
        profile: Mapping[str, Json],
        pack: Pack,
        generator: str,
        scope: Mapping[str, object],
    ) -> AnswerKey:
        material: dict[str, Json] = {
            "question": sha256_text(_asked(question)),
            "profile": content_hash(profile),
            "knowledge_base": self.knowledge_base,
            "pack": f"{pack.name}@{pack.hash}",
            "model": generator,
            "gate": f"{GATE_VERSION}:{self.gate}",
            "scope": content_hash(scope),
        }
        return AnswerKey(key=f"answer:{content_hash(material)}", material=material)

    async def through(self, key: AnswerKey, make: Callable[[], Awaitable[AskResult]]) -> AskResult:
        """The remembered answer, or a new one; concurrent callers of one key share the making."""
        held = await self.hit(key)
        if held is not None:
            return held
        self._count("miss")

        async def made() -> AskResult:
            asked = await make()
            await self.keep(key, asked)
            return asked

        return await self.flight.do(key.key, made)

    async def hit(self, key: AnswerKey) -> AskResult | None:
        """The remembered answer as it is given again, with the time that took."""
        began = time.perf_counter()
        held = await self.find(key)
        if held is None:
            return None
        self._count("hit")
        return _as_hit(held, (time.perf_counter() - began) * 1000)

    async def find(self, key: AnswerKey) -> AskResult | None:
        """The remembered answer, with the id of the run that made it."""
        data = await self.cache.get(key.key)
        if data is None:
            return None
        try:
            asked, body = self._opened(key.key, data)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            await self._drop_bad(key.key, error)
            return None
        made_by = replace(asked.result.metadata, run_id=body.get("run"))
        return await self._still_true(key.key, replace(asked, result=replace(asked.result, metadata=made_by)))

    async def keep(self, key: AnswerKey, asked: AskResult) -> None:
        if not asked.result.accepted or asked.unanswered:
            return
        cited = set(asked.result.metadata.sources_used)
        external = any(turn.external for turn in asked.rounds)
        body: dict[str, Json] = {
            "format": FORMAT,
            "key": key.key,
            "material": dict(key.material),
            "stored_at": int(time.time()),
            "run": asked.result.metadata.run_id,
            "asked": plain(_without_run(asked)),
        }
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        tags = [f"chunk:{identity}" for identity in sorted(cited)]
        tags += [f"question:{key.material['question']}", f"text:{sha256_text(asked.result.final_answer)}"]
        data = json.dumps({"body": text, "signature": self._sign(text)}).encode()
        await self.cache.set(key.key, data, ttl_s=WEB_TTL_S if external else TTL_S, tags=tags)

    async def forget(self, ids: Sequence[str]) -> list[str]:
        """Drops every answer that cites one of these chunks; returns the keys."""
        return await self.cache.drop_tagged([f"chunk:{identity}" for identity in ids]) if ids else []

    async def explain(self, answer: str) -> list[Explained]:
        """What the cache holds for a key, a question or the text of an answer, and whether it would still be used."""
        asked = sha256_text(_asked(answer))
        keys = [answer] if answer.startswith("answer:") else []
        keys += await self.cache.tagged(f"question:{asked}")
        keys += await self.cache.tagged(f"text:{sha256_text(answer.strip())}")
        found = [await self._explained(key) for key in dict.fromkeys(keys)]
        return [one for one in found if one is not None]

    async def _explained(self, key: str) -> Explained | None:
        data = await self.cache.get(key)
        if data is None:
            return None
        try:
            asked, body = self._opened(key, data)
        except (ValueError, KeyError, TypeError) as error:
            return Explained(key=key, problem=f"it cannot be trusted and will be dropped: {error}")
        cited = asked.result.metadata.sources_used
        now = {passage.id: passage for passage in await self.passages(cited)}
        chunks = tuple(
            Cited(
                id=found.passage.id,
                source=str(found.passage.metadata.get("source") or ""),
                state=_state_of(found.passage, now),
            )
            for found in asked.passages
            if found.passage.id in cited
        )
        changed = [chunk.id for chunk in chunks if chunk.state in ("changed", "gone")]
        return Explained(
            key=key,
            question=asked.question,
            text=asked.result.final_answer,
            stored_at=int(body["stored_at"]),
            web=any(turn.external for turn in asked.rounds),
            material=body["material"],
            cites=chunks,
            problem=f"it cites what has changed: {', '.join(changed)}" if changed else None,
        )

    def _opened(self, key: str, data: bytes) -> tuple[AskResult, dict[str, Any]]:
        outer = json.loads(data)
        text = str(outer["body"])
        if not hmac.compare_digest(str(outer["signature"]), self._sign(text)):
            raise ValueError("the signature does not hold")
        body: dict[str, Any] = json.loads(text)
        if body["format"] != FORMAT or body["key"] != key:
            raise ValueError("this entry belongs to another key")
        asked = revive(AskResult, body["asked"])
        if plain(asked.result.decision) not in RELEASED:
            raise ValueError("only released answers are kept")
        result = {
            "finalAnswer": asked.result.final_answer,
            "decision": asked.result.decision.value,
            "metadata": {"certificate": asked.result.metadata.certificate},
        }
        if problems := problems_of(result):
            raise ValueError(problems[0])
        return asked, body

    def _sign(self, text: str) -> str:
        return hmac.new(self.secret, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()

    async def _still_true(self, key: str, asked: AskResult) -> AskResult | None:
        """The answer when every cited passage is unchanged; of an uncited one that is not, only the place is shown."""
        inside = [found for found in asked.passages if found.passage.metadata.get("external") is not True]
        now = {passage.id: passage for passage in await self.passages([found.passage.id for found in inside])}
        cited = asked.result.metadata.sources_used
        for found in inside:
            if found.passage.id in cited and _state_of(found.passage, now) != "current":
                await self.cache.drop([key])
                self._count("stale")
                return None
        return replace(asked, passages=tuple(_as_now(found, now) for found in asked.passages))

    async def _drop_bad(self, key: str, error: Exception) -> None:
        _LOG.warning("dropped a cache entry that cannot be trusted: %s", type(error).__name__)
        self._count("poisoned")
        await self.cache.drop([key])

    def _count(self, outcome: str) -> None:
        if self.meter is not None:
            self.meter.count("cache_requests", tier="answer", outcome=outcome)


def _asked(question: str) -> str:
    """White space and the way accents are stored make no other question; everything else does."""
    return " ".join(unicodedata.normalize("NFC", question).split())


def _state_of(passage: Passage, now: Mapping[str, Passage]) -> str:
    """Title, date and tags are evidence too, and say who may read it."""
    if passage.metadata.get("external") is True:
        return "external"
    held = now.get(passage.id)
    if held is None:
        return "gone"
    same = held.text == passage.text and content_hash(held.metadata) == content_hash(passage.metadata)
    return "current" if same else "changed"


def _as_now(found: ScoredPassage, now: Mapping[str, Passage]) -> ScoredPassage:
    """A deleted document's text must not live on in a cached answer's list of passages, nor must one that has changed:
    it may be for other readers now."""
    known = _state_of(found.passage, now) in ("current", "external")
    return found if known else replace(found, passage=Passage(id=found.passage.id, text=""))


def _without_run(asked: AskResult) -> AskResult:
    """What is kept: the answer, not the story of the run that made it."""
    metadata = replace(asked.result.metadata, run_id=None, nodes=())
    return replace(asked, events=(), result=replace(asked.result, metadata=metadata))


def _as_hit(asked: AskResult, milliseconds: float) -> AskResult:
    took = round(milliseconds, 3)
    event = AskEvent(
        node="deliver", state="finished", elapsed_ms=took, took_ms=took, reason="cached", detail={"cached": True}
    )
    metadata = replace(asked.result.metadata, processing_time_ms=took, stage_times_ms={"cache": took}, nodes=(event,))
    return replace(asked, result=replace(asked.result, metadata=metadata), cached=True, events=(event,))
