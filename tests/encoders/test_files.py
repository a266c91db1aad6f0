from __future__ import annotations

import hashlib
import json
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from surefoot.core.errors import EncoderError
from surefoot.encoders.files import find_model, is_shipped

surefoot_models = pytest.importorskip("surefoot_models")
PACKAGE = Path(surefoot_models.folder())


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[str]:
    files = tmp_path / "hub" / "owner" / "name" / "resolve" / "main"
    (files / "onnx").mkdir(parents=True)
    shutil.copy(PACKAGE / "embedder" / "model.onnx", files / "onnx" / "model.onnx")
    shutil.copy(PACKAGE / "embedder" / "tokenizer.json", files / "tokenizer.json")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(tmp_path / "hub")))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def test_every_shipped_file_is_the_one_in_the_manifest() -> None:
    manifest = json.loads((PACKAGE / "manifest.json").read_text())["files"]
    for name, entry in manifest.items():
        data = (PACKAGE / name).read_bytes()
        assert (hashlib.sha256(data).hexdigest(), len(data)) == (entry["sha256"], entry["bytes"]), name


def test_every_card_names_the_hashes_of_its_files() -> None:
    for card in PACKAGE.glob("*/card.json"):
        files = json.loads(card.read_text())["files"]
        for name, entry in files.items():
            assert hashlib.sha256((card.parent / name).read_bytes()).hexdigest() == entry["sha256"], f"{card}: {name}"


def test_a_shipped_model_is_found_by_name() -> None:
    files = find_model("embedder")
    assert files.model.is_file()
    assert files.card["name"] == "embedder"
    assert is_shipped("embedder")
    assert not is_shipped("oracle")


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(EncoderError, match="'oracle'"):
        find_model("oracle")


def test_a_hub_model_is_fetched_once_and_checked_afterwards(hub: str, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    first = find_model("embedder", "owner/name", cache=cache, hub=hub)
    again = find_model("embedder", "owner/name", cache=cache, hub="http://127.0.0.1:9")
    assert first.sha256 == again.sha256 == find_model("embedder").sha256
    with first.model.open("ab") as file:
        file.write(b"x")
    with pytest.raises(EncoderError, match="was altered"):
        find_model("embedder", "owner/name", cache=cache, hub=hub)


def test_an_unreachable_hub_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(EncoderError, match=r"cannot fetch .* copy model\.onnx and tokenizer\.json into a folder"):
        find_model("reranker", "owner/name", cache=tmp_path, hub="http://127.0.0.1:9")


def test_a_name_missing_on_the_hub_is_reported(hub: str, tmp_path: Path) -> None:
    with pytest.raises(EncoderError, match="status 404"):
        find_model("reranker", "owner/other", cache=tmp_path, hub=hub)


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EncoderError, match=r"needs model\.onnx"):
        find_model("reranker", tmp_path)
