"""`surefoot models`: what is there, what is missing, and how the thorough grounder's weights are made ready."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from surefoot.cli.main import run
from surefoot.encoders import base_weights
from surefoot.encoders.files import GRAPH, Adapter, file_sha256
from surefoot.wiring import models

pytest.importorskip("gguf")

from support.tiny_language_model import SHAPE, numbers, taught, tensors, write_model


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the base weights belong: a small model waits there to be found by whoever fetches."""
    package = tmp_path / "package"
    package.mkdir()
    (package / GRAPH).write_bytes(b"a graph")
    small = {"blk.0.ffn_up.weight": (numbers(2, SHAPE.hidden), numbers(SHAPE.inner, 2))}
    adapter: Adapter = taught(package, small)
    place = tmp_path / "cache" / "model.gguf"
    place.parent.mkdir()
    monkeypatch.setattr(models, "find_adapter", lambda name: adapter)
    monkeypatch.setattr(base_weights, "default_place", lambda: place)
    return place


def there(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_model(place, tensors())
    monkeypatch.setattr(base_weights, "BYTES", place.stat().st_size)
    monkeypatch.setattr(base_weights, "SHA256", file_sha256(place))


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as leave:
        run(["models", *arguments])
    assert leave.value.code in (0, None)
    return capsys.readouterr().out


def test_the_list_tells_fetched_from_laid_out(
    base: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "base weights       not there; do it with: surefoot models fetch" in said(capsys, "list")
    there(base, monkeypatch)
    assert "base weights       there, not laid out; do it with: surefoot models fetch" in said(capsys, "list")
    assert "laid out" in said(capsys, "fetch")
    assert said(capsys, "list").rstrip().endswith("base weights       there")
    weights = json.loads(said(capsys, "list", "--json"))["baseWeights"]
    assert weights == {"file": str(base), "there": True, "laidOut": True}


def test_fetching_again_does_nothing(
    base: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    there(base, monkeypatch)
    said(capsys, "fetch")
    before = {path: path.stat().st_mtime_ns for path in base.parent.rglob("*")}
    said(capsys, "fetch")
    assert {path: path.stat().st_mtime_ns for path in base.parent.rglob("*")} == before
