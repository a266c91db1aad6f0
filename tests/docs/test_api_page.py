"""The API page is made from docstrings: it is current, and it leaves nothing out."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

import surefoot

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    pytest.importorskip("fastapi")
    found = importlib.util.spec_from_file_location("api_page", ROOT / "scripts" / "api_page.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_the_api_page_is_current(script: ModuleType) -> None:
    made = script.page()
    assert (ROOT / "docs" / "api.md").read_text(encoding="utf-8") == made, "run: python scripts/api_page.py"
    assert max(map(len, made.splitlines())) <= 100


def test_the_api_page_has_a_place_for_every_public_name(script: ModuleType) -> None:
    assert script.named() == set(surefoot.__all__)
    assert "Sources" in script.page()
