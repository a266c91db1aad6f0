"""`surefoot ask`: one verified answer from the knowledge base."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from surefoot.cli.show import console, decision_exit_code, is_terminal, print_result, print_wire
from surefoot.core.errors import InputError
from surefoot.core.types import AskEvent, AskResult, Json
from surefoot.core.wire import ask_to_wire


def command(
    question: Annotated[str, typer.Argument(help="The question, in quotes.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    pack: Annotated[str | None, typer.Option(help="The pack to answer under.")] = None,
    profile: Annotated[Path | None, typer.Option(help="A JSON file about the reader.")] = None,
    llm: Annotated[str | None, typer.Option(help="The answer model as provider:name; default extractive.")] = None,
    kb: Annotated[Path | None, typer.Option(help="The knowledge base; default .surefoot.")] = None,
    explain: Annotated[bool, typer.Option(help="Show the passages with their scores.")] = False,
) -> None:
    from surefoot.wiring import build

    house = build(kb=kb, pack=pack, llm=llm)
    reader = _profile(profile)

    async def answer() -> AskResult:
        try:
            return await house.ask(question, profile=reader, on_event=_progress(as_json=as_json))
        finally:
            await house.close()

    asked = asyncio.run(answer())
    if as_json:
        print_wire(ask_to_wire(asked))
    else:
        _print(asked, explain=explain)
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
    print_result(asked.result)
    for statement in asked.premises:
        out.print(f"the question assumes {escape(repr(statement))}; the documents say otherwise")
    for part in asked.unanswered:
        out.print(f"not answered by the documents: {escape(part)}")
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
    """Where a reader finds it: source, heading path, page."""
    headings = metadata.get("headings")
    parts = [str(metadata.get("source", ""))]
    parts += [str(heading) for heading in headings] if isinstance(headings, list) else []
    parts += [f"page {metadata['page']}"] if metadata.get("page") is not None else []
    return " > ".join(part for part in parts if part)
