"""`surefoot packs`: list, show, make, check, compare packs, and draft rules from what runs complained of."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from surefoot.cli.show import console, print_json
from surefoot.core.errors import InputError
from surefoot.core.hashing import plain
from surefoot.core.types import Json
from surefoot.packs import loader, starter
from surefoot.packs.comparison import compare
from surefoot.packs.lint import lint
from surefoot.packs.schema import Pack
from surefoot.packs.suggestion import draft_rule, suggest

app = typer.Typer(
    add_completion=False, pretty_exceptions_enable=False, no_args_is_help=True, help="Domains as data: packs."
)


@app.command("list")
def list_packs(as_json: Annotated[bool, typer.Option("--json")] = False) -> None:
    """Every pack that can be named."""
    rows = [_summary(loader.load(name, packs_dir=_own())) for name in loader.names(packs_dir=_own())]
    if as_json:
        print_json({"packs": rows})
        return
    table = Table("name", "version", "title", "rules", "names", "hash")
    for row in rows:
        table.add_row(*(str(row[key])[:12] if key == "hash" else str(row[key]) for key in row))
    console().print(table)


@app.command("show")
def show(pack: str, as_json: Annotated[bool, typer.Option("--json")] = False) -> None:
    """What a pack asks of an answer: its rules with their reasons, warnings, formats and registries."""
    loaded = loader.load(pack, packs_dir=_own())
    if as_json:
        print_json(plain(loaded))
        return
    out = console()
    out.print(f"[bold]{loaded.name}[/bold] {loaded.version}: {loaded.title}")
    out.print(f"hash {loaded.hash}", markup=False)
    out.print(f"citations {loaded.citations.mode}, style {loaded.citations.style}", markup=False)
    for rule in loaded.rules:
        out.print(f"\nrule {rule.id} ({rule.severity}, {rule.action})\n  {rule.title}", markup=False)
        out.print(f"  {' '.join(rule.reason.split())}", markup=False)
    for warning in loaded.warnings:
        out.print(f"\nwarning {warning.id}\n  {warning.text}", markup=False)
    for section in loaded.sections:
        out.print(f"\nsection {section.id}\n  {section.text or '(no text to add)'}", markup=False)
    kinds: dict[str, int] = {}
    for entity in loaded.entities:
        kinds[entity.kind] = kinds.get(entity.kind, 0) + 1
    if kinds:
        out.print("\nregistries " + ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())))


@app.command("new")
def new(
    name: str,
    into: Annotated[Path | None, typer.Option(help="Folder for the pack; default: packs_dir or here.")] = None,
) -> None:
    """Make a small pack that works, to edit."""
    folder = starter.create((into or _own() or Path()) / name)
    print(f"made {folder}: edit pack.yaml, then run: surefoot packs lint {folder}")


@app.command("lint")
def lint_pack(
    packs: Annotated[list[str], typer.Argument(help="Packs by name or folder.")],
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Name file, line, key and remedy of every mistake."""
    found = {pack: lint(loader.find(pack, packs_dir=_own())) for pack in packs}
    if as_json:
        print_json({pack: [plain(mistake) for mistake in mistakes] for pack, mistakes in found.items()})
    else:
        for pack, mistakes in found.items():
            for mistake in mistakes:
                print(mistake)
            print(f"{pack}: {_counted(len(mistakes))}")
    raise typer.Exit(1 if any(found.values()) else 0)


@app.command("diff")
def diff(one: str, other: str, as_json: Annotated[bool, typer.Option("--json")] = False) -> None:
    """What a second pack, or a second version of it, changes."""
    changes = compare(loader.load(one, packs_dir=_own()), loader.load(other, packs_dir=_own()))
    if as_json:
        print_json({"changes": [plain(change) for change in changes]})
    else:
        for change in changes:
            print(change)
        print(f"{len(changes)} changes" if changes else "no changes")
    raise typer.Exit(1 if changes else 0)


@app.command("suggest")
def suggest_rules(
    runlog: Annotated[Path, typer.Argument(help="A run log (JSONL), or the folder that holds it.")],
    into: Annotated[Path | None, typer.Option(help="Write the drafts as rule files here.")] = None,
    least: Annotated[int, typer.Option(help="How often an issue must be seen.", min=1)] = 3,
) -> None:
    """Cluster the issues seen in runs and draft rule files for a person to edit."""
    suggestions = suggest(_records(runlog), least=least)
    for suggestion in suggestions:
        print(f"{suggestion.count:4d} x {suggestion.code}: {suggestion.title}")
        for example in suggestion.examples[:3]:
            print(f"       e.g. {example}")
    if into is not None:
        into.mkdir(parents=True, exist_ok=True)
        for suggestion in suggestions:
            path = into / f"{suggestion.id}.md"
            path.write_text(draft_rule(suggestion), encoding="utf-8")
            print(f"wrote {path}")
    if not suggestions:
        print(f"nothing was seen {least} times or more")


def _records(path: Path) -> Iterator[Mapping[str, Json]]:
    """Runs from a JSONL file (records or results, one a line) or from a knowledge base's own run log."""
    if path.is_file() and path.suffix != ".sqlite":
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line.strip():
                try:
                    row = json.loads(line)
                except ValueError as error:
                    raise InputError(f"{path}:{number}: not valid JSON: {error}; give one object a line") from error
                if isinstance(row, dict):
                    yield row
        return
    folder = path.parent if path.suffix == ".sqlite" else path
    if not folder.is_dir():
        raise InputError(f"{path}: there is no run log; give a .jsonl file or the folder of a knowledge base")
    from surefoot.wiring import build

    yield from build(kb=folder).runlog.since("")


def _own() -> Path | None:
    from surefoot import settings

    return settings.load().packs_dir


def _summary(pack: Pack) -> dict[str, object]:
    return {
        "name": pack.name,
        "version": pack.version,
        "title": pack.title,
        "rules": len(pack.rules),
        "names": len(pack.entities),
        "hash": pack.hash,
    }


def _counted(mistakes: int) -> str:
    return "no mistakes" if mistakes == 0 else "1 mistake" if mistakes == 1 else f"{mistakes} mistakes"
