"""`provider:name` strings and what they mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from surefoot.core.errors import ConfigError
from surefoot.llm.openai_compatible import OpenAICompatibleModel
from surefoot.llm.recorded import RecordedModel, Recording
from surefoot.llm.table import KNOWN, Connection, open_model

KEYS = dict.fromkeys(("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GROQ_API_KEY", "GOOGLE_API_KEY"), "k")


@pytest.mark.parametrize(
    ("spec", "base_url"),
    [
        ("openai:gpt-x", "https://api.openai.com/v1"),
        ("anthropic:claude-x", "https://api.anthropic.com/v1"),
        ("groq:llama-x", "https://api.groq.com/openai/v1"),
        ("gemini:gemini-x", "https://generativelanguage.googleapis.com/v1beta/openai"),
        ("ollama:qwen:7b", "http://127.0.0.1:11434/v1"),
        ("openai-compatible:m@http://127.0.0.1:9/v1", "http://127.0.0.1:9/v1"),
    ],
)
def test_each_provider_has_its_own_address(spec: str, base_url: str) -> None:
    model = open_model(spec, Connection(environment=KEYS))
    assert isinstance(model, OpenAICompatibleModel)
    assert model.base_url == base_url
    assert model.identity == spec.partition("@")[0]


def test_extractive_is_no_language_model() -> None:
    assert open_model("extractive") is None


def test_an_unknown_provider_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigError) as caught:
        open_model("acme:model")
    assert "'acme'" in str(caught.value)
    assert all(name in str(caught.value) for name in KNOWN)


@pytest.mark.parametrize("spec", ["openai", "openai:", "recorded:", "recorded", "extractive:x"])
def test_a_spec_without_a_name_says_how_to_write_it(spec: str) -> None:
    with pytest.raises(ConfigError, match="write it as"):
        open_model(spec, Connection(environment=KEYS))


def test_a_missing_key_names_its_variable() -> None:
    with pytest.raises(ConfigError, match="ANTHROPIC_API_KEY"):
        open_model("anthropic:claude-x")


def test_an_own_address_needs_no_key_and_beats_the_providers() -> None:
    model = open_model("openai:gpt-x", Connection(base_url="http://127.0.0.1:4000"))
    assert isinstance(model, OpenAICompatibleModel)
    assert model.base_url == "http://127.0.0.1:4000"


def test_openai_compatible_without_an_address_is_refused() -> None:
    with pytest.raises(ConfigError, match="llm_base_url"):
        open_model("openai-compatible:m")


def test_ollama_host_without_a_scheme_is_understood() -> None:
    model = open_model("ollama:m", Connection(environment={"OLLAMA_HOST": "127.0.0.1:8000"}))
    assert isinstance(model, OpenAICompatibleModel)
    assert model.base_url == "http://127.0.0.1:8000/v1"


def test_recorded_opens_its_folder_and_record_dir_wraps(tmp_path: Path) -> None:
    assert isinstance(open_model(f"recorded:{tmp_path}"), RecordedModel)
    assert isinstance(open_model("ollama:m", Connection(record_dir=tmp_path)), Recording)


def test_a_key_never_shows_in_a_repr() -> None:
    connection = Connection(api_key="sk-secret", environment={"OPENAI_API_KEY": "sk-secret"})
    assert "sk-secret" not in repr(connection) + repr(open_model("openai:m", connection))
