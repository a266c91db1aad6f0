"""The one reader of the environment and of `surefoot.toml`.

Order: environment (`SUREFOOT_<NAME>`, then the seeds' names), then the file, then the defaults below.
"""

from __future__ import annotations

import dataclasses
import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import TypedDict, get_type_hints

from surefoot.core.errors import ConfigError

ALIASES = {
    "CAG_STRICT_MODE": "strict_mode",
    "CAG_ENABLE_LOGGING": "enable_logging",
    "STORAGE_REDIS_URL": "redis_url",
}
"""The design documents' own names for settings. CAG_LLM_MODEL and CAG_LLM_PROVIDER join to one critic model."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Every choice of an installation, from the environment, `surefoot.toml` or keyword arguments."""

    kb: Path = Path(".surefoot")
    """Folder of the knowledge base, run log and caches."""
    pack: str = "default"
    packs_dir: Path | None = None
    """Where packs of your own live, each in a folder of its name."""

    llm: str = "extractive"
    """The answer model as provider:name."""
    llm_critic: str | None = None
    """provider:name, several joined by commas vote; None: no critic."""
    llm_finalizer: str | None = None
    llm_question: str | None = None
    llm_judge: str | None = None
    llm_base_url: str | None = None
    """Overrides the provider's address: a LiteLLM proxy, vLLM, llama.cpp."""
    llm_api_key: str | None = field(default=None, repr=False)
    """Overrides the provider's own variable such as OPENAI_API_KEY."""
    llm_timeout_ms: int = 30_000
    critic_timeout_ms: int = 1_500
    skip_llm_if_rule_confidence: float = 0.95
    record_dir: Path | None = None
    """With a real model: record its replies here for recorded:DIR."""

    deadline_ms: int = 2_000
    strict_mode: bool = False
    trust: str = "balanced"
    """balanced: proven and supported claims leave; proof: only proven ones and quotes"""
    enable_fallback: bool = True
    fallback_to_rag_draft: bool = True

    top_k: int = 8
    rerank: bool = True
    embedder: str | None = None
    """None: the shipped model; else a local folder or a Hugging Face id."""
    reranker: str | None = None
    grounder: str | None = None
    grounder_size: str = "auto"
    """auto | thorough | accurate | fast | none"""
    threads: int = 0
    """Threads of the embedded models; 0: as many as the machine has cores."""
    ingest_processes: int = 1
    """Processes that embed while documents are ingested; 0: as many as `threads`, or as the machine has cores."""
    ingest_ray: str | None = None
    """Address of a Ray cluster whose workers embed while documents are ingested; local: a Ray of this machine."""

    store_url: str | None = field(default=None, repr=False)
    """None: embedded, in `kb`; http(s)://: a Qdrant server; postgresql://: Postgres with pgvector, which holds all."""
    store_api_key: str | None = field(default=None, repr=False)
    store_collection: str = "surefoot"
    store_shards: int = 1
    store_replicas: int = 1
    """Shards and replicas of a collection that Surefoot makes on a cluster."""
    store_ca: Path | None = None
    """Certificate authority of a store whose certificate no system knows."""
    store_wait: bool = True
    """Whether a write to Qdrant is waited for until it can be searched; off: until it is in the server's log."""
    store_ordering: str | None = None
    """weak | medium | strong: in which order a Qdrant cluster does writes to a passage; None: weak."""
    store_consistency: str | None = None
    """majority | quorum | all | a number: replicas that must agree on what a Qdrant cluster reads; None: one."""
    store_write_factor: int = 1
    """Replicas that must have written before a Qdrant cluster says so, of a collection that Surefoot makes."""
    redis_url: str | None = field(default=None, repr=False)
    cache: bool = True
    cache_key: str | None = field(default=None, repr=False)
    """Signs cached answers; set the same one where several services share a Redis. None: one of this machine."""

    search_provider: str = "none"
    """none | searxng | brave | tavily"""
    search_url: str | None = None
    search_api_key: str | None = field(default=None, repr=False)
    fetch_curated: bool = True
    """Whether the curated sources of a pack may be fetched when the knowledge base is silent."""
    fetch_allow_hosts: tuple[str, ...] = ()
    """Hosts the operator allows although they are private."""
    max_rounds: int = 2
    ask_budget_ms: int = 60_000
    ask_budget_tokens: int = 20_000

    enable_logging: bool = True
    log_level: str = "info"
    log_content: bool = False
    """Whether questions, sources, profiles and answers may reach a log."""
    run_content: str = "redacted"
    """redacted | none: what the run store keeps of texts"""
    run_retention_days: int = 90
    run_head_to_log: bool = False
    """Write the run log's head (number and hash of its last row) to the log with each record: a witness elsewhere."""
    otel_endpoint: str | None = None

    host: str = "127.0.0.1"
    port: int = 8808
    api_keys: tuple[str, ...] = field(default=(), repr=False)
    """sha256 hex digests, each as digest[:scope[:name]]; none: loopback only, any key accepted."""
    rate_limit_per_minute: int = 600
    max_body_bytes: int = 2_000_000
    max_upload_bytes: int = 50_000_000
    workers: int = 2
    """Answers made at once in one process."""
    processes: int = 1
    """Of the service on this machine, over a store that they can share."""
    queue: int = 64

    datasets_dir: Path | None = None
    """Folder of generated datasets to review over HTTP; None: `datasets` in the knowledge base's folder."""

    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Provider keys found in the environment (OPENAI_API_KEY ...), so that nobody else reads it."""


class SettingChanges(TypedDict, total=False):
    """Settings as keyword arguments: folders may be strings, None means "as it is"."""

    kb: str | Path | None
    pack: str | None
    packs_dir: str | Path | None
    llm: str | None
    llm_critic: str | None
    llm_finalizer: str | None
    llm_question: str | None
    llm_judge: str | None
    llm_base_url: str | None
    llm_api_key: str | None
    llm_timeout_ms: int | None
    critic_timeout_ms: int | None
    skip_llm_if_rule_confidence: float | None
    record_dir: str | Path | None
    deadline_ms: int | None
    strict_mode: bool | None
    trust: str | None
    enable_fallback: bool | None
    fallback_to_rag_draft: bool | None
    top_k: int | None
    rerank: bool | None
    embedder: str | None
    reranker: str | None
    grounder: str | None
    grounder_size: str | None
    threads: int | None
    ingest_processes: int | None
    ingest_ray: str | None
    store_url: str | None
    store_api_key: str | None
    store_collection: str | None
    store_shards: int | None
    store_replicas: int | None
    store_ca: str | Path | None
    store_wait: bool | None
    store_ordering: str | None
    store_consistency: str | None
    store_write_factor: int | None
    redis_url: str | None
    cache: bool | None
    cache_key: str | None
    search_provider: str | None
    search_url: str | None
    search_api_key: str | None
    fetch_curated: bool | None
    fetch_allow_hosts: Sequence[str] | None
    max_rounds: int | None
    ask_budget_ms: int | None
    ask_budget_tokens: int | None
    enable_logging: bool | None
    log_level: str | None
    log_content: bool | None
    run_content: str | None
    run_retention_days: int | None
    run_head_to_log: bool | None
    otel_endpoint: str | None
    host: str | None
    port: int | None
    api_keys: Sequence[str] | None
    rate_limit_per_minute: int | None
    max_body_bytes: int | None
    max_upload_bytes: int | None
    workers: int | None
    processes: int | None
    queue: int | None
    datasets_dir: str | Path | None


def load(environment: Mapping[str, str] | None = None, *, folder: Path | None = None) -> Settings:
    """Settings from the environment and from `surefoot.toml` in the folder (default: the current one)."""
    env = dict(os.environ if environment is None else environment)
    file = (folder or Path()) / "surefoot.toml"
    given: dict[str, object] = {}
    places: dict[str, str] = {}
    for key, value in _read_file(file).items():
        given[key], places[key] = value, f"{file.name}: {key}"
    for name, key, text in _from_environment(env):
        given[key], places[key] = text, name
    values = {key: _convert(key, value, places[key]) for key, value in given.items()}
    values["environment"] = {name: env[name] for name in _PROVIDER_KEYS if env.get(name)}
    return Settings(**values)  # type: ignore[arg-type]


def changed(settings: Settings, changes: SettingChanges) -> Settings:
    """The settings with some of them given otherwise; an unknown name is an error, with the nearest known one."""
    given = {key: value for key, value in changes.items() if value is not None}
    for key in changes:
        if key not in SettingChanges.__annotations__:
            near = get_close_matches(key, SettingChanges.__annotations__, n=1)
            hint = f"did you mean {near[0]!r}?" if near else "known settings are in docs/operations.md"
            raise ConfigError(f"unknown setting {key!r}; {hint}")
    values = {key: _convert(key, value, key) for key, value in given.items()}
    return dataclasses.replace(settings, **values) if values else settings  # type: ignore[arg-type]


def _read_file(path: Path) -> dict[str, object]:
    if not path.is_file():
        return {}
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path.name} is not valid TOML: {error}; fix the line it names") from error
    known = {f.name for f in dataclasses.fields(Settings)} - {"environment"}
    for key in content:
        if key not in known:
            raise ConfigError(f"{path.name}: unknown key {key!r}; known keys are in docs/operations.md")
    return content


def _from_environment(env: Mapping[str, str]) -> list[tuple[str, str, str]]:
    found: list[tuple[str, str, str]] = []
    if env.get("CAG_LLM_MODEL"):
        provider = env.get("CAG_LLM_PROVIDER") or "openai"
        found.append(("CAG_LLM_MODEL", "llm_critic", f"{provider}:{env['CAG_LLM_MODEL']}"))
    found += [(alias, key, env[alias]) for alias, key in ALIASES.items() if env.get(alias)]
    for setting in dataclasses.fields(Settings):
        name = f"SUREFOOT_{setting.name.upper()}"
        if env.get(name) and setting.name != "environment":
            found.append((name, setting.name, env[name]))
    return found


def _convert(key: str, value: object, place: str) -> object:
    wanted = _HINTS[key]
    text = value.strip() if isinstance(value, str) else value
    try:
        if wanted is bool:
            return _BOOLEANS[str(text).lower()]
        if wanted is int:
            return _at_least(_LEAST.get(key, 1), int(str(text)), place)
        if wanted is float:
            return _confidence(float(str(text)), place)
        if wanted in (Path, Path | None):
            return Path(str(text)).expanduser()
        if wanted == tuple[str, ...]:
            parts = text if isinstance(text, list | tuple) else str(text).split(",")
            return tuple(str(part).strip() for part in parts if str(part).strip())
        return _chosen(key, str(text), place)
    except (ValueError, KeyError) as error:
        name = getattr(wanted, "__name__", str(wanted))
        raise ConfigError(f"{place}: {value!r} is not a valid {name}; correct it or remove it") from error


def _at_least(least: int, number: int, place: str) -> int:
    if number < least:
        raise ConfigError(f"{place}: {number} is too small; give at least {least}")
    return number


def _confidence(number: float, place: str) -> float:
    """More than 1 is out of reach, which may be what is wanted: then a critic is always asked."""
    if not number >= 0:  # "not a number" is no confidence either
        raise ConfigError(f"{place}: {number} is no confidence; give a number from 0 on")
    return number


def _chosen(key: str, text: str, place: str) -> str:
    if key in _CHOICES and text not in _CHOICES[key]:
        raise ConfigError(f"{place}: {text!r} is not a choice; use {' or '.join(map(repr, _CHOICES[key]))}")
    return text


_CHOICES = {"trust": ("balanced", "proof"), "run_content": ("redacted", "none")}
_LEAST = dict.fromkeys(
    ("threads", "ingest_processes", "rate_limit_per_minute", "queue", "port", "run_retention_days"), 0
)
"""Whole numbers that may be 0; all others are 1 or more."""
_HINTS = get_type_hints(Settings)
_BOOLEANS = {
    "true": True,
    "1": True,
    "yes": True,
    "on": True,
    "false": False,
    "0": False,
    "no": False,
    "off": False,
}
_PROVIDER_KEYS = (
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "ANTHROPIC_API_KEY",
    "GROQ_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "OLLAMA_HOST",
)
