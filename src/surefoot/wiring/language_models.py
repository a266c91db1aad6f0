"""Language models as the house uses them: opened by name, timed, tried again and remembered."""

from __future__ import annotations

from surefoot.core.ports import Cache, LanguageModel, Meter
from surefoot.llm.recorded import RecordedModel, Recording
from surefoot.llm.table import PROVIDERS, Connection
from surefoot.observe.tracing import OpenTelemetryTracing, SilentTracing
from surefoot.settings import Settings

LLM_TTL_S = 3_600
"""A model's reply is remembered as long as an answer: a bad one must not stay for a day."""
LLM_ATTEMPTS = 2


def connection_of(settings: Settings) -> Connection:
    return Connection(
        base_url=settings.llm_base_url,
        api_key=settings.llm_api_key,
        environment=settings.environment,
        timeout_ms=settings.llm_timeout_ms,
        record_dir=settings.record_dir,
    )


def wrapped(
    model: LanguageModel, *, cache: Cache | None, tracing: SilentTracing | OpenTelemetryTracing, meter: Meter
) -> LanguageModel:
    """Calls are timed, made again after a fault that may pass, and where there is a cache made once per content; a
    recording is its own memory."""
    from surefoot.llm.wrappers import Cached, Metered, Redacting, Retrying

    remembers = isinstance(model, RecordedModel | Recording)
    model = Retrying(model=model, attempts=LLM_ATTEMPTS)
    if cache is not None and not remembers:
        model = Cached(model=model, cache=cache, ttl_s=LLM_TTL_S)
    return tracing.traced(Metered(model=Redacting(model=model), meter=meter))


def full_name(spec: str, settings: Settings) -> str:
    """`gpt-4o-mini` as callers write it: a model of the critic's provider, else of the answers', else of OpenAI."""
    if ":" in spec or spec == "extractive":
        return spec
    configured = [(name or "").partition(":")[0] for name in (settings.llm_critic, settings.llm)]
    return f"{next((name for name in configured if name in PROVIDERS), 'openai')}:{spec}"
