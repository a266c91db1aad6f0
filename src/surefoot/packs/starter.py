"""A small pack that works: what `surefoot packs new` copies for you to edit."""

from __future__ import annotations

import re
from pathlib import Path

from surefoot.core.errors import PackError

TEMPLATE = Path(__file__).parent / "template"
_NAME = re.compile(r"[a-z][a-z0-9-]{1,39}")


def create(folder: Path) -> Path:
    """Writes the files of a new pack; refuses to touch a folder that holds anything."""
    name = folder.name
    if not _NAME.fullmatch(name):
        raise PackError(f"{name!r} is no name for a pack; use small letters, digits and dashes", file="packs new")
    if folder.exists() and any(folder.iterdir()):
        raise PackError("the folder is not empty; choose another name or remove it", file=str(folder))
    for path in sorted(TEMPLATE.rglob("*")):
        if path.is_file():
            target = folder / path.relative_to(TEMPLATE)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(path.read_text(encoding="utf-8").replace("NAME", name), encoding="utf-8")
    return folder
