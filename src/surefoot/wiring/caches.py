"""The caches: one for all that is costly to make again, and the answers remembered in it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from surefoot.core.hashing import content_hash
from surefoot.core.ports import Cache, Embedder, Meter, Reranker
from surefoot.core.types import Passage
from surefoot.settings import Settings
from surefoot.store.cache.checked import CheckedCache
from surefoot.store.cache.redis import RedisCache
from surefoot.store.cache.sqlite import FILE as CACHE_FILE
from surefoot.store.cache.sqlite import SqliteCache
from surefoot.verify.gate import GateConfig
from surefoot.verify.read.submission import Check
from surefoot.wiring.code import code_hash

if TYPE_CHECKING:
    from surefoot.flows.answers import AnswerCache


def build_redis(settings: Settings) -> RedisCache | None:
    return RedisCache(settings.redis_url) if settings.redis_url else None


def build_cache(settings: Settings, redis: RedisCache | None, *, secret: Callable[[], bytes], meter: Meter) -> Cache:
    """Redis where a URL is set, else a file in the knowledge base."""
    return CheckedCache(
        redis or SqliteCache(settings.kb / CACHE_FILE),
        secret=secret,
        on_poisoned=lambda tier: meter.count("cache_requests", tier=tier, outcome="poisoned"),
        on_looked=partial(_looked, meter),
    )


def _looked(meter: Meter, tier: str, hit: bool) -> None:
    """Counts a lookup; answers are counted where it is known whether what was found may be used."""
    if tier != "answer":
        meter.count("cache_requests", tier=tier, outcome="hit" if hit else "miss")


def build_answers(
    settings: Settings,
    cache: Cache,
    *,
    gate: str,
    secret: bytes,
    passages: Callable[[Sequence[str]], Awaitable[list[Passage]]],
    meter: Meter,
) -> AnswerCache:
    from surefoot.flows.answers import AnswerCache

    place = [settings.store_url or str(settings.kb.resolve()), settings.store_collection]
    return AnswerCache(
        cache=cache,
        knowledge_base=content_hash(place),
        gate=gate,
        secret=secret,
        passages=passages,
        meter=meter,
    )


def gate_version(
    settings: Settings, config: GateConfig, checks: Sequence[Check], embedder: Embedder, reranker: Reranker | None
) -> str:
    """All that a verdict depends on, as one hash: the gate's code, checks, configuration and models."""
    return content_hash(
        [
            code_hash(),
            [f"{check.name}@{check.version}" for check in checks],
            config,
            settings.llm_critic,
            embedder.identity,
            reranker.identity if reranker else None,
        ]
    )
