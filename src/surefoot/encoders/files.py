"""Where a model's files come from: the shipped distribution, a local folder, or a Hugging Face id fetched once.

Whatever is opened has had its sha256 checked, against the shipped manifest or, for a fetched model, against the hashes
written beside it when it was fetched.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from surefoot.core.errors import EncoderError

HUB = "https://huggingface.co"
NEEDED = ("model.onnx", "tokenizer.json")
ADAPTER, GRAPH = "adapter.gguf", "graph.onnx"
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+(?:@[\w.-]+)?")
_HUB_PLACES = {"model.onnx": ("onnx/model.onnx", "model.onnx"), "tokenizer.json": ("tokenizer.json",)}


@dataclass(frozen=True, kw_only=True)
class ModelFiles:
    """One model's folder, checked."""

    name: str
    folder: Path
    sha256: str
    """Of model.onnx: part of the encoder's identity."""
    card: dict[str, Any]
    """card.json; empty for a model that is not ours."""

    @property
    def model(self) -> Path:
        return self.folder / "model.onnx"

    @property
    def tokenizer(self) -> Path:
        return self.folder / "tokenizer.json"


@dataclass(frozen=True, kw_only=True)
class Adapter:
    """What was taught to a language model that is fetched elsewhere."""

    folder: Path
    sha256: str
    """Of the adapter: part of the grounder's identity."""
    graph_sha256: str
    card: dict[str, Any]

    @property
    def file(self) -> Path:
        return self.folder / ADAPTER

    @property
    def graph(self) -> Path:
        """How the language model is run."""
        return self.folder / GRAPH


def find_adapter(name: str) -> Adapter:
    """A shipped adapter, checked."""
    manifest, folder = _manifest(name), _package_folder() / name
    hashes = []
    for file in (ADAPTER, GRAPH):
        entry = manifest.get(f"{name}/{file}")
        if entry is None or not (folder / file).is_file():
            raise EncoderError(
                f"the model {name!r} is not installed; install it with: pip install 'surefoot[thorough]'"
            )
        _check(folder / file, entry["sha256"])
        hashes.append(entry["sha256"])
    card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    return Adapter(folder=folder, sha256=hashes[0], graph_sha256=hashes[1], card=card)


def find_model(name: str, given: str | Path | None = None, *, cache: Path | None = None, hub: str = HUB) -> ModelFiles:
    """The files of a shipped model by name, or of the folder or Hugging Face id that was configured instead."""
    if given is None:
        return _shipped(name)
    folder = Path(given).expanduser()
    if folder.is_dir():
        return _local(name, folder)
    if _HUB_ID.fullmatch(str(given)) and not folder.is_absolute():
        return _local(name, _fetched(str(given), cache or _default_cache(), hub))
    raise EncoderError(
        f"the {name} {str(given)!r} cannot be read: give a folder with model.onnx and tokenizer.json, "
        "or a Hugging Face id such as 'owner/name'"
    )


def is_shipped(name: str) -> bool:
    """Whether the installed distribution holds this model."""
    if _shipped_folder() is None:
        return False
    return any((_package_folder() / name / file).is_file() for file in ("model.onnx", ADAPTER))


def _manifest(name: str) -> dict[str, Any]:
    if _shipped_folder() is None:
        raise EncoderError(
            f"no {name}: the embedded models are not installed; install them with: pip install 'surefoot[models]' "
            "(or the smaller 'surefoot[lite]')"
        )
    found: dict[str, Any] = json.loads((_package_folder() / "manifest.json").read_text(encoding="utf-8"))["files"]
    return found


def _shipped(name: str) -> ModelFiles:
    manifest, package = _manifest(name), _package_folder()
    for file in NEEDED:
        entry = manifest.get(f"{name}/{file}")
        if entry is None:
            raise EncoderError(f"there is no shipped model {name!r}; known are: {', '.join(_known(manifest))}")
        if not (package / name / file).is_file():
            raise EncoderError(f"the model {name!r} is not installed; install it with: pip install 'surefoot[models]'")
        _check(package / name / file, entry["sha256"])
    return _files(name, package / name, manifest[f"{name}/model.onnx"]["sha256"])


def _known(manifest: dict[str, Any]) -> list[str]:
    return sorted({file.partition("/")[0] for file in manifest})


def _local(name: str, folder: Path) -> ModelFiles:
    for file in NEEDED:
        if not (folder / file).is_file():
            raise EncoderError(
                f"the {name}'s {str(folder / file)!r} cannot be read: the folder needs model.onnx and tokenizer.json"
            )
    hashes = _known_hashes(folder)
    for file, wanted in hashes.items():
        _check(folder / file, wanted)
    return _files(name, folder, hashes.get("model.onnx") or file_sha256(folder / "model.onnx"))


def _known_hashes(folder: Path) -> dict[str, str]:
    """What a folder says of its own files: the card of one of our models, or the note left by a download."""
    listed = folder / "sha256.json"
    if listed.is_file():
        found: dict[str, str] = json.loads(listed.read_text(encoding="utf-8"))
        return found
    card = folder / "card.json"
    files = json.loads(card.read_text(encoding="utf-8")).get("files", {}) if card.is_file() else {}
    return {file: entry["sha256"] for file, entry in files.items() if file in NEEDED}


def _files(name: str, folder: Path, digest: str) -> ModelFiles:
    card = folder / "card.json"
    facts = json.loads(card.read_text(encoding="utf-8")) if card.is_file() else {}
    return ModelFiles(name=name, folder=folder, sha256=digest, card=facts)


def _check(path: Path, wanted: str) -> None:
    found = file_sha256(path)
    if found != wanted:
        raise EncoderError(
            f"the file {str(path)!r} was altered: its sha256 is {found!r}, not {wanted!r}; "
            "install surefoot-models again, or fetch the model anew"
        )


def file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _shipped_folder() -> object | None:
    return find_spec("surefoot_models")


def _package_folder() -> Path:
    import surefoot_models

    folder: Path = surefoot_models.folder()
    return folder


def _default_cache() -> Path:
    return Path.home() / ".cache" / "surefoot" / "models"


def _fetched(identity: str, cache: Path, hub: str) -> Path:
    """Download a hub model once; the hashes of what came are kept beside it and checked on every later load."""
    repository, _, revision = identity.partition("@")
    target = cache / identity.replace("/", "--")
    if (target / "sha256.json").is_file():
        return target
    target.mkdir(parents=True, exist_ok=True)
    base = f"{hub.rstrip('/')}/{repository}/resolve/{revision or 'main'}"
    hashes = {file: _download(base, places, target / file, identity) for file, places in _HUB_PLACES.items()}
    (target / "sha256.json").write_text(json.dumps(hashes, indent=1), encoding="utf-8")
    return target


def _download(base: str, places: tuple[str, ...], target: Path, identity: str) -> str:
    import httpx2

    last = ""
    for place in places:
        try:
            with httpx2.stream("GET", f"{base}/{place}", follow_redirects=True, timeout=60.0) as reply:
                if reply.status_code == 200:
                    return _store(reply.iter_bytes(), target)
                last = f"status {reply.status_code}"
        except httpx2.HTTPError as error:
            last = f"{type(error).__name__}: {error}"
            break
    raise EncoderError(
        f"cannot fetch {target.name} of {identity!r} ({last}); "
        "copy model.onnx and tokenizer.json into a folder and configure that"
    )


def _store(chunks: Any, target: Path) -> str:
    digest = hashlib.sha256()
    handle, name = tempfile.mkstemp(dir=target.parent)
    with os.fdopen(handle, "wb") as file:
        for chunk in chunks:
            digest.update(chunk)
            file.write(chunk)
    Path(name).replace(target)
    return digest.hexdigest()
