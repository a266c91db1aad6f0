"""`surefoot cache`: what the answer cache holds and why it would, or would not, be used."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from surefoot.cli.show import console, print_json
from surefoot.core.errors import ConfigError, InputError
from surefoot.core.hashing import plain

if TYPE_CHECKING:
    from surefoot.flows.answers import Explained

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)


@app.callback()
def group() -> None:
    """Explain what the answer cache holds."""


@app.command()
def explain(
    answer: Annotated[str, typer.Argument(help="A question, an answer's text, a key (answer:...) or a result's file.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the entries as JSON.")] = False,
    kb: Annotated[Path | None, typer.Option(help="The knowledge base; default .surefoot.")] = None,
) -> None:
    """Show an entry: what its key is made of, what it cites, and whether it would be used."""
    from surefoot.wiring import build

    house = build(kb=kb)
    if not house.has_documents:
        raise InputError(house.nothing_ingested)

    async def found() -> list[Explained]:
        try:
            if house.answers is None:
                raise ConfigError("the cache is switched off; set cache = true to use it")
            return await house.answers.explain(_meant(answer))
        finally:
            await house.close()

    entries = asyncio.run(found())
    if as_json:
        print_json({"entries": [plain(entry) for entry in entries]})
    else:
        _print(entries)
    raise typer.Exit(0 if entries else 1)


def _meant(answer: str) -> str:
    """A result's file stands for its question."""
    if not answer.endswith(".json"):
        return answer
    try:
        return str(json.loads(Path(answer).read_text(encoding="utf-8"))["question"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{answer}: is no result of surefoot ask --json; give its file, or the question") from error


def _print(entries: list[Explained]) -> None:
    out = console()
    if not entries:
        out.print("the cache holds no answer for this")
    for entry in entries:
        state = "[green]would be used[/]" if entry.problem is None else f"[red]would not be used[/]: {entry.problem}"
        out.print(f"[bold]{entry.key}[/]  {state}")
        if entry.stored_at:
            stored = datetime.fromtimestamp(entry.stored_at, UTC).isoformat(timespec="seconds")
            out.print(f"  stored {stored}, lives {'1800 s (from the web)' if entry.web else '3600 s'}")
        out.print(f"  {escape(entry.text)}")
        for name, value in entry.material.items():
            out.print(f"  [dim]{name:<15} {escape(str(value))}[/]")
        for chunk in entry.cites:
            out.print(f"  cites {chunk.id}  {escape(chunk.source)}  [dim]{chunk.state}[/]")
