"""`surefoot gaps`: what people asked for and the knowledge base does not hold."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from surefoot.cli.show import console, print_json
from surefoot.core.hashing import plain
from surefoot.core.wire import passage_to_wire
from surefoot.flows.gaps import Gap


def command(
    days: Annotated[int, typer.Option(help="How far back to look.", min=1, max=36_500)] = 90,
    limit: Annotated[int, typer.Option(help="How many gaps to show.", min=1)] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    kb: Annotated[Path | None, typer.Option(help="The knowledge base; default .surefoot.")] = None,
) -> None:
    from surefoot.wiring import build

    house = build(kb=kb)
    since = (datetime.now(UTC) - timedelta(days=days)).isoformat()

    async def found() -> list[Gap]:
        try:
            return await house.gaps(since=since, limit=limit)
        finally:
            await house.close()

    gaps = asyncio.run(found())
    if as_json:
        print_json({"gaps": [_wire(gap) for gap in gaps]})
    else:
        _print(gaps, days)


def _wire(gap: Gap) -> dict[str, Any]:
    return {**plain(gap), "nearest": [passage_to_wire(found) for found in gap.nearest]}


def _print(gaps: list[Gap], days: int) -> None:
    out = console()
    if not gaps:
        out.print(f"no refused questions in the last {days} days (or the run store keeps no texts)")
    for gap in gaps:
        reasons = ", ".join(f"{reason} {count}" for reason, count in gap.reasons.items())
        out.print(f"[bold]{gap.count} x[/] {escape(gap.question)}  [dim]{escape(reasons)}[/]")
        for other in gap.questions[1:4]:
            out.print(f"      also: {escape(other)}")
        for found in gap.nearest:
            place = str(found.passage.metadata.get("source") or found.passage.id)
            out.print(f"      nearest: {escape(' '.join(found.passage.text.split())[:90])}...  [dim]{escape(place)}[/]")
