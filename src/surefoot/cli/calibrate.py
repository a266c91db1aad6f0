"""`surefoot calibrate`: thresholds for a stated ceiling of ungrounded answers released."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from surefoot.bench.calibrate import Labelled


def command(
    file: Annotated[
        Path | None, typer.Argument(help="Labelled rows, scores with labels, or feedback records (JSONL).")
    ] = None,
    from_runs: Annotated[bool, typer.Option("--from-runs", help="Read the feedback kept in the run log.")] = False,
    kb: Annotated[Path | None, typer.Option(help="Folder of the run log; default .surefoot.")] = None,
    risk: Annotated[float, typer.Option(help="Ceiling of ungrounded answers among those released.")] = 0.01,
    confidence: Annotated[float, typer.Option(help="How sure the ceiling must be.")] = 0.95,
    out: Annotated[Path | None, typer.Option(help="Write thresholds here: .json, or .yaml lines for a pack.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    from surefoot.bench import calibrate as bench
    from surefoot.core.errors import InputError
    from surefoot.wiring import build

    if (file is None) == (not from_runs):
        raise InputError("give a file of labelled rows, or --from-runs for the feedback in the run log")
    if file is None:
        labelled, band = bench.labelled_runs(build(kb=kb).runlog.since("")), "release"
        if not labelled:
            raise InputError("no feedback on a claim in the run log; give it with `surefoot feedback RUN right|wrong`")
    else:
        labelled, band = _labelled(file), "accept"
    choice = bench.choose(labelled, risk=risk, confidence=confidence)
    if out is not None:
        text = (
            choice.to_pack(band) if out.suffix in (".yaml", ".yml") else json.dumps(choice.to_json(), indent=1) + "\n"
        )
        out.write_text(text, encoding="utf-8")
    if as_json:
        print(json.dumps(choice.to_json()))
    elif choice.accept is None:
        print(f"no threshold keeps ungrounded answers under {risk:.2%} at {confidence:.0%} on {len(labelled)} rows")
    else:
        print(f"{band} up to {choice.accept}, reject from {choice.reject}")
        print(f"released {choice.released} of {choice.rows}, {choice.bad_released} of them ungrounded")
        print(f"at most {choice.bound:.3%} ungrounded with {confidence:.0%} confidence")
        print(f"cost: {choice.refused_good:.1%} of the grounded answers are not released")
    if choice.accept is None:
        raise typer.Exit(1)


def _labelled(file: Path) -> list[Labelled]:
    from surefoot.bench import calibrate as bench
    from surefoot.bench.grounding import run
    from surefoot.core.errors import InputError
    from surefoot.wiring import build

    rows = list(bench.read_labelled(file))
    scored = [bench.as_labelled(row) for row in rows]
    labelled = [row for row in scored if row is not None]
    if len(labelled) < len(rows):
        judged = asyncio.run(run(file, build().gate))
        labelled = [bench.Labelled(score=item.worst, bad=bool(item.row.label)) for item in judged]
    if not labelled:
        raise InputError(f"{file}: no labelled rows; each line needs a label, or feedback right or wrong")
    return labelled
