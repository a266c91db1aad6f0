"""surefoot runs: the audit of past decisions: list them, show one, prove them whole, let old ones go."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from surefoot.cli.show import console, print_json
from surefoot.core.errors import InputError
from surefoot.core.hashing import plain

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, no_args_is_help=True)

Kb = Annotated[Path | None, typer.Option(help="Folder of the run log; default .surefoot.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.callback()
def runs() -> None:
    """The audit of past decisions."""


@app.command("list")
def list_runs(
    limit: Annotated[int, typer.Option(help="How many, the newest first.", min=1, max=10_000)] = 20,
    decision: Annotated[str | None, typer.Option(help="Only those that were decided so.")] = None,
    kb: Kb = None,
    as_json: AsJson = False,
) -> None:
    """The newest decisions, without their texts."""
    from surefoot.wiring import build

    found = build(kb=kb).runlog.runs(limit=limit, decision=decision)
    if as_json:
        print_json({"runs": [plain(run) for run in found]})
        return
    for run in found:
        words = [run.at, run.run_id, run.kind, run.decision, run.reason, run.pack]
        console().print("  ".join(escape(str(word)) for word in words if word))


@app.command()
def show(run: Annotated[str, typer.Argument(help="A run id.")], kb: Kb = None) -> None:
    """One decision as it was written down, as JSON."""
    from surefoot.wiring import build

    record = build(kb=kb).runlog.read(run)
    if record is None:
        raise InputError(f"there is no run {run!r}; list them with: surefoot runs list")
    print_json(plain(record))


@app.command()
def verify(kb: Kb = None, as_json: AsJson = False) -> None:
    """Walk the chain of hashes; exit code 1 when a record was changed, removed or put in."""
    from surefoot.wiring import build

    house = build(kb=kb)
    if not house.settings.kb.exists():
        raise InputError(f"there is no folder {str(house.settings.kb)!r} with a run log; name one with --kb")
    report = house.runlog.check()
    if as_json:
        print_json({"rows": report.rows, "intact": report.intact, "findings": [plain(one) for one in report.findings]})
    else:
        for one in report.findings:
            place = f"row {one.seq}" if one.seq is not None else "the log"
            console().print(escape(f"{place}: {one.problem}" + (f" (run {one.run_id})" if one.run_id else "")))
        console().print(f"{report.rows} records, {'whole' if report.intact else f'{len(report.findings)} findings'}")
    raise typer.Exit(0 if report.intact else 1)


@app.command()
def prune(
    everything: Annotated[bool, typer.Option("--all", help="All that is old, not a bounded share of the log.")] = False,
    kb: Kb = None,
) -> None:
    """Delete what is older than `run_retention_days`. The service does so by itself, a tenth of the log at once."""
    from surefoot.wiring import build

    print(f"removed {build(kb=kb).runlog.prune(all_of_it=everything)} records")
