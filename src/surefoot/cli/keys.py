"""surefoot keys: API keys that all replicas of a service share."""

from __future__ import annotations

import hashlib
import secrets
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from surefoot.core.errors import ConfigError, InputError

if TYPE_CHECKING:
    from surefoot.wiring import Surefoot

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, no_args_is_help=True)
Kb = Annotated[Path | None, typer.Option(help="Folder of the knowledge base.")]


class Scope(StrEnum):
    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


@app.callback()
def keys() -> None:
    """Make, list and revoke API keys that replicas share."""


@app.command()
def add(
    name: Annotated[str, typer.Argument(help="Who it is for; limited and counted under this name.")],
    scope: Annotated[Scope, typer.Option(help="What it may do.")] = Scope.READ,
    kb: Kb = None,
) -> None:
    """Make a key and keep its digest in the store; the key itself is shown once."""
    if not name.strip() or ":" in name:
        raise InputError(f"{name!r} cannot name a key; use a word without a colon")
    key = f"sf_{secrets.token_urlsafe(32)}"
    house = _house(kb)
    assert house.shared_keys is not None
    house.shared_keys.add(hashlib.sha256(key.encode()).hexdigest(), scope.value, name)
    print(f"key (shown once): {key}")


@app.command("list")
def list_keys(kb: Kb = None) -> None:
    """Names and scopes; a digest is shown by its first letters."""
    house = _house(kb)
    assert house.shared_keys is not None
    for entry in house.shared_keys.entries():
        digest, scope, name = entry.split(":", 2)
        print(f"{name}  {scope}  {digest[:8]}")


@app.command()
def revoke(name: Annotated[str, typer.Argument(help="The key's name.")], kb: Kb = None) -> None:
    """Take a key back; every replica refuses it within seconds."""
    house = _house(kb)
    assert house.shared_keys is not None
    house.shared_keys.revoke(name)
    print(f"revoked {name}")


def _house(kb: Path | None) -> Surefoot:
    from surefoot.wiring import build

    house = build(kb=kb)
    if house.shared_keys is None:
        raise ConfigError(
            "store_url: keys are shared through Postgres; without it put them into SUREFOOT_API_KEYS, "
            "made with: surefoot serve --new-key"
        )
    return house
