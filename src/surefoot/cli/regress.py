"""`surefoot regress`: runs recorded cases and prints a table."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from surefoot.cli.show import console, print_json
from surefoot.core.errors import InputError
from surefoot.flows.coverage import Item, coverage
from surefoot.flows.regress import CaseResult, junit, run_cases
from surefoot.packs import loader
from surefoot.packs.cases import read_cases


def command(
    packs: Annotated[list[str] | None, typer.Argument(help="Packs by name or folder; default: all.")] = None,
    only: Annotated[str | None, typer.Option(help="Run only the cases whose id holds this text.")] = None,
    with_coverage: Annotated[bool, typer.Option("--coverage", help="Say what no case exercises.")] = False,
    junit_file: Annotated[Path | None, typer.Option("--junit", help="Write a JUnit file here.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
    verbose: Annotated[bool, typer.Option("--all", help="List the cases that pass, too.")] = False,
) -> None:
    from surefoot import settings

    own = settings.load().packs_dir
    suites: list[tuple[str, list[CaseResult]]] = []
    holes: dict[str, list[Item]] = {}
    for name in packs or loader.names(packs_dir=own):
        folder = loader.find(name, packs_dir=own)
        results = _run(folder, only)
        suites.append((folder.name, results))
        if with_coverage:
            holes[folder.name] = coverage(loader.load(folder), results)
    if junit_file is not None:
        junit_file.write_text(junit(suites), encoding="utf-8")
    if as_json:
        print_json(_as_json(suites, holes))
    else:
        _print(suites, holes, verbose=verbose)
    failed = any(not result.passed for _, results in suites for result in results)
    open_ = any(not item.covered for items in holes.values() for item in items)
    raise typer.Exit(1 if failed or open_ else 0)


def _run(folder: Path, only: str | None) -> list[CaseResult]:
    from surefoot.wiring import build

    cases, mistakes = read_cases(folder)
    if mistakes:
        raise mistakes[0].error()
    chosen = [case for case in cases if only is None or only in case.id]
    if not chosen:
        which = f"no case of {folder.name!r} holds {only!r}" if only else f"{folder.name!r} has no cases"
        raise InputError(f"{which}; cases live in {folder.name}/cases/*.jsonl")
    return asyncio.run(run_cases(chosen, partial(build().rehearsal, str(folder))))


def _print(suites: Sequence[tuple[str, Sequence[CaseResult]]], holes: dict[str, list[Item]], *, verbose: bool) -> None:
    out = console()
    for name, results in suites:
        shown = [result for result in results if verbose or not result.passed]
        if shown:
            table = Table("case", "verdict", "issues", "not as expected", title=name, title_justify="left")
            for result in shown:
                verdict = str(result.result.decision) if result.result else "-"
                table.add_row(result.case.id, verdict, "\n".join(result.codes), "\n".join(result.problems))
            out.print(table)
    summary = Table("pack", "cases", "passed", "failed", "seconds")
    for name, results in suites:
        failed = sum(not result.passed for result in results)
        seconds = sum(result.seconds for result in results)
        summary.add_row(name, str(len(results)), str(len(results) - failed), str(failed), f"{seconds:.1f}")
    out.print(summary)
    for name, items in holes.items():
        missing = [item for item in items if not item.covered]
        share = 100 * (len(items) - len(missing)) / len(items) if items else 100.0
        out.print(f"coverage of {name}: {len(items) - len(missing)} of {len(items)} ({share:.0f} %)")
        for item in missing:
            out.print(f"  no case: {item.name}", markup=False)


def _as_json(suites: Sequence[tuple[str, Sequence[CaseResult]]], holes: dict[str, list[Item]]) -> dict[str, object]:
    return {
        name: {
            "cases": len(results),
            "failed": [
                {"id": result.case.id, "problems": list(result.problems)} for result in results if not result.passed
            ],
            "seconds": round(sum(result.seconds for result in results), 3),
            **({"coverage": {item.name: item.cases for item in holes[name]}} if name in holes else {}),
        }
        for name, results in suites
    }
