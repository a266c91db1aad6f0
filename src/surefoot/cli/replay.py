"""`surefoot replay`: decides past runs again."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from surefoot.cli.show import console, print_json
from surefoot.core.errors import InputError
from surefoot.core.moment import moment
from surefoot.core.wire import result_to_wire
from surefoot.flows.replay import Replayed, flips, replay


def command(
    run: Annotated[str | None, typer.Argument(help="A run id; without one, every run since --since.")] = None,
    pack: Annotated[str | None, typer.Option(help="Decide under this pack instead of the run's own.")] = None,
    since: Annotated[str | None, typer.Option(help="ISO date or time from which runs are replayed.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    kb: Annotated[Path | None, typer.Option(help="Folder of the run log; default .surefoot.")] = None,
) -> None:
    from surefoot.wiring import build

    house = build(kb=kb)
    if run is not None:
        record = house.runlog.read(run)
        if record is None:
            raise InputError(f"there is no run {run!r} in {house.settings.kb}; list them with: surefoot runs list")
        _one(asyncio.run(replay(house.cited, record, pack=pack)), as_json=as_json)
        return

    records = house.runlog.since("" if since is None else moment(since, "--since"))

    async def all_runs() -> list[Replayed]:
        return [item async for item in flips(house.cited, records, pack=pack)]

    _many(asyncio.run(all_runs()), as_json=as_json)


def _one(item: Replayed, *, as_json: bool) -> None:
    if as_json:
        print_json({"run": item.run_id, "before": item.before, "after": item.after, **result_to_wire(item.result)})
    else:
        same = "reproduced" if not item.flipped else "changed"
        console().print(f"{same}: {escape(item.before)} -> {escape(item.after)}")
    raise typer.Exit(1 if item.flipped and not item.critic_asked else 0)


def _many(items: list[Replayed], *, as_json: bool) -> None:
    flipped = [item for item in items if item.flipped]
    if as_json:
        rows = [{"run": i.run_id, "at": i.at, "before": i.before, "after": i.after} for i in flipped]
        print_json({"replayed": len(items), "flipped": rows})
        return
    out = console()
    for item in flipped:
        note = "  (had a critic)" if item.critic_asked else ""
        out.print(f"{item.at}  {item.run_id}  {escape(item.before)} -> {escape(item.after)}{note}")
    out.print(f"{len(items)} runs replayed, {len(flipped)} would flip")
