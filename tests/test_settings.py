from __future__ import annotations

from pathlib import Path

import pytest

from surefoot.core.errors import ConfigError
from surefoot.settings import load


def test_defaults_need_no_environment(tmp_path: Path) -> None:
    settings = load({}, folder=tmp_path)
    assert (settings.llm, settings.deadline_ms, settings.strict_mode) == ("extractive", 2000, False)


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    (tmp_path / "surefoot.toml").write_text('pack = "judge"\ndeadline_ms = 900\n', encoding="utf-8")
    settings = load({"SUREFOOT_PACK": "thandi"}, folder=tmp_path)
    assert (settings.pack, settings.deadline_ms) == ("thandi", 900)


def test_the_designs_own_names_work(tmp_path: Path) -> None:
    environment = {
        "CAG_LLM_MODEL": "gpt-4o-mini",
        "CAG_LLM_PROVIDER": "groq",
        "CAG_STRICT_MODE": "true",
        "CAG_ENABLE_LOGGING": "false",
        "STORAGE_REDIS_URL": "redis://localhost:6379/0",
    }
    settings = load(environment, folder=tmp_path)
    assert settings.llm_critic == "groq:gpt-4o-mini"
    assert settings.strict_mode is True
    assert settings.enable_logging is False
    assert settings.redis_url == "redis://localhost:6379/0"


def test_our_own_name_wins_over_the_designs(tmp_path: Path) -> None:
    settings = load({"CAG_STRICT_MODE": "true", "SUREFOOT_STRICT_MODE": "no"}, folder=tmp_path)
    assert settings.strict_mode is False


@pytest.mark.parametrize(
    ("environment", "names"),
    [
        ({"SUREFOOT_DEADLINE_MS": "soon"}, "SUREFOOT_DEADLINE_MS.*'soon'"),
        ({"CAG_STRICT_MODE": "maybe"}, "CAG_STRICT_MODE.*'maybe'"),
        ({"SUREFOOT_TRUST": "prof"}, "SUREFOOT_TRUST.*'prof'.*'balanced' or 'proof'"),
        ({"SUREFOOT_RUN_CONTENT": "nothing"}, "SUREFOOT_RUN_CONTENT.*'nothing'.*'redacted' or 'none'"),
        ({"SUREFOOT_DEADLINE_MS": "0"}, "SUREFOOT_DEADLINE_MS.*at least 1"),
        ({"SUREFOOT_WORKERS": "-1"}, "SUREFOOT_WORKERS.*at least 1"),
        ({"SUREFOOT_SKIP_LLM_IF_RULE_CONFIDENCE": "-0.1"}, "from 0 on"),
        ({"SUREFOOT_SKIP_LLM_IF_RULE_CONFIDENCE": "nan"}, "from 0 on"),
    ],
)
def test_a_bad_value_names_its_variable(environment: dict[str, str], names: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=names):
        load(environment, folder=tmp_path)


def test_what_may_be_switched_off_by_zero_still_is(tmp_path: Path) -> None:
    settings = load({"SUREFOOT_RATE_LIMIT_PER_MINUTE": "0", "SUREFOOT_THREADS": "0"}, folder=tmp_path)
    assert (settings.rate_limit_per_minute, settings.threads) == (0, 0)
    always = load({"SUREFOOT_SKIP_LLM_IF_RULE_CONFIDENCE": "1.1"}, folder=tmp_path)
    assert always.skip_llm_if_rule_confidence == 1.1


@pytest.mark.parametrize(("text", "names"), [("colour = 1", "unknown key 'colour'"), ("a = [", "not valid TOML")])
def test_a_bad_file_names_the_key(text: str, names: str, tmp_path: Path) -> None:
    (tmp_path / "surefoot.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=names):
        load({}, folder=tmp_path)


def test_secrets_are_not_shown(tmp_path: Path) -> None:
    settings = load({"SUREFOOT_LLM_API_KEY": "sk-secret", "OPENAI_API_KEY": "sk-other"}, folder=tmp_path)
    assert "sk-" not in repr(settings)
