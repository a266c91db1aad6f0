"""Write a model's card (card.json and card.md) beside its files, and the manifest of everything that ships.

python -m training.card models/surefoot_models        # refresh manifest.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from training.weights import sha256

FILES = ("model.onnx", "tokenizer.json", "adapter.gguf", "graph.onnx")


def write_card(folder: Path, facts: dict[str, Any]) -> None:
    """The facts, with the hash and size of each shipped file, as data and as prose."""
    facts = facts | {
        "files": {
            name: {"sha256": sha256(folder / name), "bytes": (folder / name).stat().st_size}
            for name in FILES
            if (folder / name).is_file()
        }
    }
    (folder / "card.json").write_text(json.dumps(facts, indent=2, ensure_ascii=False) + "\n")
    (folder / "card.md").write_text(prose(facts))
    write_manifest(folder.parent)


def prose(facts: dict[str, Any]) -> str:
    lines = [f"# {facts['name']}", "", facts["purpose"], ""]
    for key, value in facts.items():
        if key in ("name", "purpose"):
            continue
        lines += [f"## {key.replace('_', ' ').capitalize()}", "", *_render(value), ""]
    return "\n".join(lines)


def write_manifest(package: Path) -> None:
    """List every data file of the distribution with its hash and size; the encoders check against it at load."""
    files = sorted(
        path
        for path in package.rglob("*")
        if path.is_file() and path.suffix in (".onnx", ".gguf", ".json", ".md", ".svg")
    )
    entries = {
        path.relative_to(package).as_posix(): {"sha256": sha256(path), "bytes": path.stat().st_size}
        for path in files
        if path.name != "manifest.json"
    }
    (package / "manifest.json").write_text(json.dumps({"files": entries}, indent=2) + "\n")


def _render(value: Any) -> list[str]:
    if isinstance(value, dict):
        if value and all(isinstance(inner, dict) for inner in value.values()):
            columns = list(dict.fromkeys(column for inner in value.values() for column in inner))
            head = ["| | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
            return head + [
                f"| {key} | " + " | ".join(_cell(inner.get(c, "")) for c in columns) + " |"
                for key, inner in value.items()
            ]
        return [f"- {key}: {_cell(inner)}" for key, inner in value.items()]
    if isinstance(value, list):
        return [f"- {_cell(item)}" for item in value]
    return [str(value)]


def _cell(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


if __name__ == "__main__":
    write_manifest(Path(sys.argv[1]))
