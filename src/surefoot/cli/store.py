"""surefoot store: move, compare, save and tend a knowledge base."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from surefoot.core.errors import InputError
from surefoot.core.hashing import plain

if TYPE_CHECKING:
    from surefoot.wiring import Surefoot

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, no_args_is_help=True)

PlaceText = "a folder, or the URL of a Qdrant server or of Postgres"
Kb = Annotated[Path | None, typer.Option(help="Folder of the knowledge base.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.callback()
def store() -> None:
    """Copy a knowledge base, or compare two."""


@app.command()
def copy(
    to: Annotated[str, typer.Argument(help=f"Where to: {PlaceText}.")],
    source: Annotated[str | None, typer.Option("--from", help=f"Where from: {PlaceText}; default: this one.")] = None,
    kb: Kb = None,
    as_json: AsJson = False,
) -> None:
    """Move every passage with its vector to another store; nothing is embedded again."""
    from surefoot.wiring import copy_knowledge_base

    async def run() -> int:
        here, there = _house(source, kb), _house(to, kb)
        try:
            return await copy_knowledge_base(here, there)
        finally:
            await here.close()
            await there.close()

    copied = asyncio.run(run())
    print(json.dumps({"copied": copied, "to": to}) if as_json else f"copied {copied} passages to {to}")


@app.command()
def parity(
    queries: Annotated[Path, typer.Argument(help="Questions: one a line, or .jsonl rows with a text or question.")],
    other: Annotated[str, typer.Option("--with", help=f"The other store: {PlaceText}.")],
    kb: Kb = None,
    k: Annotated[int, typer.Option(help="How many passages to compare.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Ask both stores the same questions; exit code 1 when a top k differs."""
    from surefoot.wiring import compare_stores

    questions = read_questions(queries)
    here, there = _house(None, kb, embedded=True), _house(other, kb)

    async def run() -> dict[str, object]:
        try:
            result: dict[str, object] = plain(await compare_stores(here, there, questions, k=k))
            return result
        finally:
            await here.close()
            await there.close()

    report = asyncio.run(run())
    if as_json:
        print(json.dumps(report))
    else:
        print(
            f"{report['same']} of {report['questions']} questions have the same top {k}; "
            f"overlap {report['overlap']:.4f}, largest gap between scores {report['largest_score_gap']:.2e}"
        )
    raise typer.Exit(0 if report["same"] == report["questions"] else 1)


@app.command()
def snapshot(
    file: Annotated[Path, typer.Argument(help="The snapshot to write, such as kb.tar.gz.")], kb: Kb = None
) -> None:
    """Pack the knowledge base into one file; with Postgres its run log, uploads and keys too."""
    from surefoot.wiring import save_snapshot

    size = save_snapshot(_whole(kb), file)
    print(f"wrote {file} ({size / 1e6:.1f} MB)")


@app.command()
def restore(file: Annotated[Path, typer.Argument(help="A snapshot.")], kb: Kb = None) -> None:
    """Unpack a snapshot into a folder without a knowledge base, or into an empty schema of Postgres."""
    from surefoot.wiring import restore_snapshot

    house = _whole(kb)
    restore_snapshot(file, house)
    print(f"restored {file} to {house.settings.kb if house.database is None else house.database.shown}")


@app.command()
def optimise(kb: Kb = None) -> None:
    """Merge and index what was written; ingest does so by itself, after 20,000 passages or at its end."""
    house = _house(None, kb)

    async def run() -> tuple[bool, int]:
        try:
            return await house.store.optimise(), await house.store.count()
        finally:
            await house.close()

    did, count = asyncio.run(run())
    print(f"{'optimised' if did else 'nothing to optimise in'} {count} passages")


@app.command()
def rebuild(
    paths: Annotated[list[Path] | None, typer.Argument(help="Documents beside those that the ledger knows.")] = None,
    kb: Kb = None,
    as_json: AsJson = False,
) -> None:
    """Make a damaged store anew from its documents; the old files are kept beside it. Tags have to be given again."""
    from surefoot.wiring import rebuild_store

    house = _house(None, kb)
    if not paths and not house.settings.kb.exists():
        raise InputError(house.nothing_ingested)
    report, aside = asyncio.run(rebuild_store(house.settings, paths or []))
    if as_json:
        print(json.dumps(plain(report)))
        return
    kept = f"; the old store is kept in {aside}" if aside else ""
    print(f"rebuilt from {report.added} documents, {len(report.skipped)} skipped, {report.chunks} passages{kept}")


def _whole(kb: Path | None) -> Surefoot:
    """The house that a snapshot is of: the one in Postgres where that is the store, else the embedded one."""
    house = _house(None, kb)
    return house if house.database is not None else _house(None, kb, embedded=True)


def _house(place: str | None, kb: Path | None, *, embedded: bool = False) -> Surefoot:
    """The house over a place: a URL keeps the ledger in the usual folder, a folder is a knowledge base of its own."""
    from surefoot.settings import load
    from surefoot.wiring import build

    settings = load()
    if kb is not None:
        settings = replace(settings, kb=kb)
    if place is None:
        return build(replace(settings, store_url=None) if embedded else settings)
    if place.startswith(("http://", "https://", "postgresql://", "postgres://")):
        return build(replace(settings, store_url=place))
    return build(replace(settings, store_url=None, kb=Path(place)))


def read_questions(file: Path) -> list[str]:
    try:
        lines = [line for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{str(file)!r} cannot be read: {error}; name a text or .jsonl file of questions") from error
    if file.suffix == ".jsonl":
        lines = [_question(line, number, file) for number, line in enumerate(lines, start=1)]
    if not lines:
        raise InputError(f"{str(file)!r} holds no question")
    return lines


def _question(line: str, number: int, file: Path) -> str:
    try:
        row = json.loads(line)
        return str(row.get("text") or row["question"])
    except (ValueError, KeyError, AttributeError) as error:
        raise InputError(f"{str(file)!r} line {number}: no 'text' or 'question' in {line[:60]!r}") from error
