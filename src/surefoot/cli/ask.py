"""`surefoot ask`: one verified answer from the knowledge base."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from surefoot.cli.show import console, decision_exit_code, is_terminal, print_result, print_wire
from surefoot.cli.starting import starting
from surefoot.cli.through import ask_through
from surefoot.core.errors import InputError, StoreLockedError
from surefoot.core.hashing import plain
from surefoot.core.types import AskEvent, AskResult, Json, Turn
from surefoot.core.wire import ask_from_wire, ask_to_wire


def command(
    question: Annotated[str, typer.Argument(help="The question, in quotes.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    pack: Annotated[str | None, typer.Option(help="The pack to answer under.")] = None,
    profile: Annotated[Path | None, typer.Option(help="A JSON file about the reader.")] = None,
    llm: Annotated[str | None, typer.Option(help="The answer model as provider:name; default extractive.")] = None,
    kb: Annotated[Path | None, typer.Option(help="The knowledge base; default .surefoot.")] = None,
    history: Annotated[
        Path | None, typer.Option(help='Earlier turns: a JSON list such as [{"question": "…", "answer": "…"}].')
    ] = None,
    explain: Annotated[
        bool, typer.Option(help="Show the passages with their scores, and what a refusal missed.")
    ] = False,
) -> None:
    with starting():
        from surefoot.wiring import build

    house = build(kb=kb, pack=pack, llm=llm)
    reader, turns = _profile(profile), _history(history)
    if not house.has_documents:
        raise InputError(house.nothing_ingested)

    missed: list[str] = []

    async def answer() -> AskResult:
        try:
            await house.reach_store()
            given = await house.ask(question, profile=reader, history=turns, on_event=_progress(as_json=as_json))
            if explain and (given.unanswered or not given.accepted):
                missed.extend(house.missed(given))
            return given
        finally:
            await house.close()

    try:
        asked = asyncio.run(answer())
    except StoreLockedError as held:
        if llm is not None:
            raise  # the service answers with its own model
        body = {"question": question, "pack": pack, "profile": reader, "history": [plain(turn) for turn in turns]}
        asked = ask_from_wire(ask_through(house.settings.kb, body, held))
        print("answered by the service that holds the knowledge base", file=sys.stderr)
    if as_json:
        print_wire(ask_to_wire(asked))
    else:
        _print(asked, explain=explain)
        for line in missed:
            console().print(f"[dim]likeliest statement:[/] {escape(line)}")
    raise typer.Exit(decision_exit_code(asked.result.decision))


def _profile(path: Path | None) -> Mapping[str, Json]:
    if path is None:
        return {}
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f'{path}: cannot be read as JSON: {error}; give an object such as {{"grade": 11}}') from error
    if not isinstance(value, dict):
        raise InputError(f"{path}: the profile must be a JSON object, not {type(value).__name__}")
    return value


def _history(path: Path | None) -> list[Turn]:
    if path is None:
        return []
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        return [Turn(question=str(turn["question"]), answer=str(turn.get("answer") or "")) for turn in value]
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(
            f'{path}: cannot be read as earlier turns: {error}; give a list such as [{{"question": "…"}}]'
        ) from error


def _progress(*, as_json: bool) -> Callable[[AskEvent], None] | None:
    """On a terminal, a line per finished step on standard error; silence when piped."""
    if as_json or not is_terminal():
        return None
    out = console(stderr=True)

    def show(event: AskEvent) -> None:
        if event.state != "started":
            out.print(f"[dim]{event.node} {event.state} in {event.elapsed_ms:.0f} ms[/]")

    return show


def _print(asked: AskResult, *, explain: bool) -> None:
    out = console()
    if asked.resolved:
        out.print(f"[dim]understood as:[/] {escape(asked.resolved)}")
    print_result(asked.result)
    for statement in asked.premises:
        out.print(f"the question assumes {escape(repr(statement))}; the documents say otherwise")
    for part in asked.unanswered:
        out.print(f"not answered by the documents: {escape(part)}")
    for line in asked.replaced:
        out.print(f"[dim]{escape(line)}[/]")
    if not asked.result.accepted and asked.passages and not explain:
        nearest = dict.fromkeys(_place(found.passage.metadata) for found in asked.passages[:3])
        out.print("[dim]nearest passages:[/] " + "; ".join(escape(place) for place in nearest))
    used = set(asked.result.metadata.sources_used)
    for number, found in enumerate(asked.passages, 1):
        if explain or found.passage.id in used:
            out.print(f"[bold]\\[S{number}][/] {escape(_place(found.passage.metadata))}  [dim]{found.passage.id}[/]")
        if explain:
            scores = {"dense": found.dense, "words": found.lexical, "fused": found.fused, "re-ranked": found.rerank}
            said = ", ".join(f"{name} {value:.3f}" for name, value in scores.items() if value is not None)
            ranks = f"by meaning #{found.dense_rank or '-'}, by words #{found.lexical_rank or '-'}"
            out.print(f"     [dim]{ranks}; {said}[/]")
    if is_terminal() and asked.result.metadata.run_id:
        out.print(f"[dim]run {asked.result.metadata.run_id}[/]")


def _place(metadata: Mapping[str, Json]) -> str:
    """Where a reader finds it: source, file where that is another, heading path, page."""
    headings = metadata.get("headings")
    parts = [str(part) for part in dict.fromkeys([metadata.get("source"), metadata.get("file")]) if part]
    parts += [str(heading) for heading in headings] if isinstance(headings, list) else []
    parts += [f"page {metadata['page']}"] if metadata.get("page") is not None else []
    return " > ".join(part for part in parts if part)
