from __future__ import annotations

import hashlib
import json
import shutil
import threading
import tomllib
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from surefoot.core.errors import ConfigError, EncoderError
from surefoot.encoders import files
from surefoot.encoders.files import find_model, is_shipped
from surefoot.wiring import Surefoot

surefoot_models = pytest.importorskip("surefoot_models")
PACKAGE = Path(surefoot_models.folder())
ROOT = Path(__file__).parents[2]


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[str]:
    folder = tmp_path / "hub" / "owner" / "name" / "resolve" / "main"
    (folder / "onnx").mkdir(parents=True)
    shutil.copy(PACKAGE / "embedder" / "model.onnx", folder / "onnx" / "model.onnx")
    shutil.copy(PACKAGE / "embedder" / "tokenizer.json", folder / "tokenizer.json")
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
    found = find_model("embedder")
    assert found.model.is_file()
    assert found.card["name"] == "embedder"
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


@pytest.fixture
def lite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The package as `surefoot[lite]` installs it: the manifest of all, the files of two."""
    folder = tmp_path / "lite"
    folder.mkdir()
    shutil.copy(PACKAGE / "manifest.json", folder)
    for name in ("embedder", "grounder_fast"):
        shutil.copytree(PACKAGE / name, folder / name)
    monkeypatch.setattr(surefoot_models, "folder", lambda: folder)
    return folder


def test_a_model_that_was_not_installed_is_named_with_its_remedy(lite: Path) -> None:
    assert is_shipped("grounder_fast")
    assert not is_shipped("grounder_accurate")
    with pytest.raises(EncoderError, match=r"'reranker' is not installed; .* pip install 'surefoot\[models\]'"):
        find_model("reranker")


def test_with_the_lite_models_a_house_does_without_the_others(lite: Path, tmp_path: Path) -> None:
    house = Surefoot(kb=tmp_path / "kb")
    accurate, fast = house.grounders
    assert (accurate, fast is None, house.reranker) == (None, False, None)
    with pytest.raises(EncoderError, match="'grounder_accurate' is not installed"):
        _ = Surefoot(kb=tmp_path / "kb", grounder_size="accurate").grounders


def test_no_models_at_all_is_one_line_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "find_spec", lambda name: None)
    assert not is_shipped("embedder")
    with pytest.raises(EncoderError, match=r"pip install 'surefoot\[models\]'"):
        find_model("embedder")


def test_every_model_belongs_to_one_distribution_of_less_than_100_mb() -> None:
    names = ("models", "models-accurate", "models-thorough")
    lite, *more = (tomllib.loads((ROOT / name / "pyproject.toml").read_text()) for name in names)
    left_out = lite["tool"]["hatch"]["build"]["targets"]["wheel"]["exclude"]
    assert left_out == lite["tool"]["hatch"]["build"]["targets"]["sdist"]["exclude"]
    elsewhere = [each["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"] for each in more]
    assert left_out == [name for part in elsewhere for name in part]
    manifest = json.loads((PACKAGE / "manifest.json").read_text())["files"]
    outside = {name.removeprefix("surefoot_models/") for name in left_out}
    own = sum(entry["bytes"] for name, entry in manifest.items() if name.partition("/")[0] not in outside)
    assert own <= 60_000_000
    assert all(entry["bytes"] <= 100_000_000 for entry in manifest.values())
    for folder, part in zip(names[1:], elsewhere, strict=True):
        assert all((ROOT / folder / name / "card.json").is_file() for name in part)


def test_the_versions_of_the_distributions_agree() -> None:
    names = (".", "models", "models-accurate", "models-thorough")
    projects = {name: tomllib.loads((ROOT / name / "pyproject.toml").read_text())["project"] for name in names}
    assert len({project["version"] for project in projects.values()}) == 1
    version = projects["."]["version"]
    wanted = {f"surefoot-models=={version}", f"surefoot-models-accurate=={version}"}
    assert set(projects["."]["optional-dependencies"]["models"]) == wanted
    assert projects["."]["optional-dependencies"]["lite"] == [f"surefoot-models=={version}"]
    assert projects["models-accurate"]["dependencies"] == [f"surefoot-models=={version}"]
    assert projects["models-thorough"]["dependencies"] == [f"surefoot-models=={version}"]
    assert f"surefoot-models-thorough=={version}" in projects["."]["optional-dependencies"]["thorough"]


def test_a_misspelt_size_is_named_and_not_taken_for_none(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="'thorogh' is none of auto, thorough"):
        _ = Surefoot(kb=tmp_path / "kb", grounder_size="thorogh").grounders
