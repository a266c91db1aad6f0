"""`surefoot bench`: measure grounding, retrieval, mutations and speed on your own machine and data."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from surefoot.core.errors import InputError
from surefoot.core.types import Json

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.command()
def grounding(
    file: Annotated[Path, typer.Argument(help="JSONL rows: answer, sources, label (1 = unsupported), spans.")],
    as_json: AsJson = False,
    limit: Annotated[int | None, typer.Option(help="Judge only the first rows.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Write the calibration plot to this SVG file.")] = None,
) -> None:
    """How well the gate tells supported from unsupported answers, without an LLM."""
    from surefoot.bench import grounding as bench
    from surefoot.wiring import build

    judged = asyncio.run(bench.run(file, build().gate, limit=limit))
    if not judged:
        raise InputError(f"{file}: no rows; each line is one object with answer, sources and label")
    if plot is not None:
        plot.write_text(bench.plot(judged, file.name), encoding="utf-8")
    _show(bench.report(judged), as_json)


@app.command()
def mutations(
    path: Annotated[Path, typer.Argument(help="A folder of .md and .txt files.")],
    as_json: AsJson = False,
    per_class: Annotated[int, typer.Option(help="Mutants of each class.")] = 200,
    seed: Annotated[int, typer.Option(help="The same seed gives the same drafts.")] = 1,
    survivors: Annotated[bool, typer.Option(help="Also print what got through and what was stopped wrongly.")] = False,
) -> None:
    """Plants errors into true sentences of your documents and counts which the gate stops."""
    from surefoot.bench import mutations as bench
    from surefoot.wiring import build

    report = asyncio.run(bench.run(path, build().gate, per_class=per_class, seed=seed))
    numbers = report.to_json()
    if survivors:
        numbers = {**numbers, **report.details()}
    _show(numbers, as_json)


@app.command()
def gate(
    as_json: AsJson = False,
    runs: Annotated[int, typer.Option(help="Verifications per measurement.")] = 100,
    curve: Annotated[bool, typer.Option(help="Also measure up to 50 sentences x 50 passages.")] = True,
) -> None:
    """Latency of each stage and of the whole gate, with one and with eight callers."""
    from surefoot.bench import gate as bench
    from surefoot.wiring import build

    _show(asyncio.run(bench.run(build().gate, runs=runs, curve=curve)).to_json(), as_json)


@app.command()
def retrieval(
    folder: Annotated[Path, typer.Argument(help="A BEIR-layout folder: corpus.jsonl, queries.jsonl, qrels/.")],
    as_json: AsJson = False,
    split: Annotated[str | None, typer.Option(help="Which qrels file to use; by default test.")] = None,
) -> None:
    """Ranking quality and time of dense, BM25, hybrid and re-ranked retrieval."""
    from surefoot.bench import retrieval as bench
    from surefoot.wiring import build

    async def measure() -> dict[str, Json]:
        with TemporaryDirectory() as scratch:
            house = build(kb=Path(scratch))
            try:
                return await bench.measure(house, folder, split=split)
            finally:
                await house.close()

    _show(asyncio.run(measure()), as_json)


def _show(numbers: dict[str, Json], as_json: bool) -> None:
    if as_json:
        print(json.dumps(numbers, ensure_ascii=False))
        return
    for name, value in numbers.items():
        if isinstance(value, dict):
            print(name)
            for key, item in value.items():
                print(f"  {key:<16} {_cell(item)}")
        elif isinstance(value, list):
            print(name)
            for item in value:
                print(f"  {_cell(item)}")
        else:
            print(f"{name:<22} {value}")


def _cell(value: Json) -> str:
    if isinstance(value, dict):
        return "  ".join(f"{key} {item}" for key, item in value.items())
    return str(value)
