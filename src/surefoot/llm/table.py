"""The table `provider:name` → model. Every provider speaks the OpenAI protocol at its own address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from surefoot.core.errors import ConfigError
from surefoot.core.ports import LanguageModel
from surefoot.llm.openai_compatible import Dialect, OpenAICompatibleModel
from surefoot.llm.recorded import RecordedModel, Recording


@dataclass(frozen=True, kw_only=True)
class Provider:
    base_url: str | None
    """None: the caller must give one."""
    keys: tuple[str, ...] = ()
    """Names of the variables that may hold its key, the first one found wins."""
    address: str | None = None
    """The variable that may move its base_url."""
    needs_key: bool = True
    dialect: Dialect = field(default_factory=Dialect)


PROVIDERS: dict[str, Provider] = {
    "openai": Provider(
        base_url="https://api.openai.com/v1",
        keys=("OPENAI_API_KEY",),
        address="OPENAI_BASE_URL",
        dialect=Dialect(limit="max_completion_tokens"),
    ),
    "anthropic": Provider(
        base_url="https://api.anthropic.com/v1",
        keys=("ANTHROPIC_API_KEY",),
        dialect=Dialect(format="prompt", seed=False),
    ),
    "groq": Provider(base_url="https://api.groq.com/openai/v1", keys=("GROQ_API_KEY",)),
    "gemini": Provider(
        base_url="https://generativelanguage.googleapis.com/v1beta/openai",
        keys=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        dialect=Dialect(seed=False),
    ),
    "ollama": Provider(base_url="http://127.0.0.1:11434/v1", address="OLLAMA_HOST", needs_key=False),
    "openai-compatible": Provider(base_url=None, keys=("OPENAI_API_KEY",), needs_key=False),
}
KNOWN = (*PROVIDERS, "recorded", "extractive")


@dataclass(frozen=True, kw_only=True)
class Connection:
    """What the operator says about reaching models, whichever provider it is."""

    base_url: str | None = None
    """Overrides the provider's address: a LiteLLM proxy, vLLM, llama.cpp."""
    api_key: str | None = field(default=None, repr=False)
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Provider keys and addresses by the names their own tools use."""
    timeout_ms: int = 30_000
    """The longest a call may take, whatever the request would allow."""
    record_dir: Path | None = None


def open_model(spec: str, connection: Connection | None = None) -> LanguageModel | None:
    """The model a `provider:name` string means; None for `extractive`, which is no language model at all."""
    connection = connection or Connection()
    provider, colon, name = spec.strip().partition(":")
    if provider == "extractive" and not name:
        return None
    if provider not in KNOWN:
        raise ConfigError(f"unknown model provider {provider!r} in {spec!r}; known providers: {', '.join(KNOWN)}")
    if not colon or not name or provider == "extractive":
        example = {"recorded": "recorded:DIR", "extractive": "extractive"}.get(provider, f"{provider}:NAME")
        raise ConfigError(f"{spec!r} is not a model; write it as {example}")
    if provider == "recorded":
        return RecordedModel(Path(name).expanduser())
    model = _remote(provider, name, connection)
    return Recording(model, connection.record_dir) if connection.record_dir else model


def _remote(provider: str, name: str, connection: Connection) -> LanguageModel:
    entry = PROVIDERS[provider]
    name, own_url = _split_address(name)
    moved = connection.environment.get(entry.address or "")
    base_url = own_url or connection.base_url or _with_scheme(moved) or entry.base_url
    if base_url is None:
        raise ConfigError(
            f"{provider}:{name} has no address; set llm_base_url or write {provider}:{name}@http://HOST:PORT/v1"
        )
    key = connection.api_key or next((connection.environment[k] for k in entry.keys if k in connection.environment), "")
    # A proxy at an address of the operator's own may need no key.
    if not key and entry.needs_key and base_url == entry.base_url:
        raise ConfigError(f"{provider}:{name} needs a key; set {entry.keys[0]} or llm_api_key")
    return OpenAICompatibleModel(
        identity=f"{provider}:{name}",
        name=name,
        base_url=base_url,
        api_key=key or "none",
        timeout_ms=connection.timeout_ms,
        dialect=entry.dialect,
    )


def _split_address(name: str) -> tuple[str, str | None]:
    """`NAME@http://host/v1`: a role may have an address of its own."""
    for scheme in ("@http://", "@https://"):
        head, found, tail = name.partition(scheme)
        if found:
            return head, scheme[1:] + tail
    return name, None


def _with_scheme(address: str | None) -> str | None:
    """OLLAMA_HOST is often written as host:port."""
    if not address or "://" in address:
        return address or None
    return f"http://{address}/v1"
