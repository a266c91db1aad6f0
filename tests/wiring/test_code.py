"""An answer that an older gate let out is not given again by a newer one, whether or not a version was raised."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from surefoot.packs import loader
from surefoot.wiring import Surefoot, caches
from surefoot.wiring.code import HOME, ROOMS, code_hash


def key(kb: Path) -> str:
    sf = Surefoot(kb=kb, rerank=False, grounder_size="none")
    assert sf.answers is not None
    made = sf.answers.key(question="Why?", profile={}, pack=loader.load("default"), generator="g", scope={})
    return made.key


def test_other_code_makes_another_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = key(tmp_path)
    assert key(tmp_path) == before
    monkeypatch.setattr(caches, "code_hash", lambda: "newer")
    assert key(tmp_path) != before


@pytest.mark.parametrize("changed", ["verify/mend/repair.py", "verify/prompts/critic.md", "flows/premise.py"])
def test_a_change_in_what_judges_or_mends_is_seen(tmp_path: Path, changed: str) -> None:
    for room in ROOMS:
        shutil.copytree(HOME / room, tmp_path / room, ignore=shutil.ignore_patterns("__pycache__", "builtin"))
    assert code_hash(tmp_path) == code_hash()
    code_hash.cache_clear()
    with (tmp_path / changed).open("a", encoding="utf-8") as file:
        file.write("\n")
    assert code_hash(tmp_path) != code_hash()
