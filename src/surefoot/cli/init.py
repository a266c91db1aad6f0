"""`surefoot init`: a first folder, with what to do next."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from surefoot.core.errors import InputError

STARTER = Path(__file__).parent / "starter"
QUESTION = "What is the late fee for a tool?"


def command(
    folder: Annotated[Path, typer.Argument(help="The folder; made where it is not there.")] = Path(),
) -> None:
    files = sorted(path for path in STARTER.rglob("*") if path.is_file())
    targets = [folder / path.relative_to(STARTER) for path in files]
    for target in targets:
        if target.exists():
            raise InputError(f"{str(target)!r} is there already and is left as it is; name another folder")
    try:
        for path, target in zip(files, targets, strict=True):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
            print(f"made {target}")
    except OSError as error:
        raise InputError(f"{str(folder)!r} cannot be written: {error.strerror}; name another folder") from error
    print("\nnext:\n")
    for line in next_steps(folder):
        print(f"  {line}")


def next_steps(folder: Path) -> list[str]:
    """To be typed as they are."""
    into = [] if folder.resolve() == Path().resolve() else [f"cd {shlex.quote(str(folder))}"]
    return [*into, "surefoot ingest documents", f'surefoot ask "{QUESTION}"', "surefoot serve"]
