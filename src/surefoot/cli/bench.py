"""`surefoot bench`: measure grounding, retrieval, mutations and speed on your own machine and data."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Annotated

import typer

from surefoot.core.errors import InputError
from surefoot.core.hashing import sha256_text
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
    folder: Annotated[
        Path, typer.Argument(help="A BEIR-layout folder (corpus.jsonl, queries.jsonl, qrels/); pages with --questions.")
    ],
    as_json: AsJson = False,
    split: Annotated[str | None, typer.Option(help="Which qrels file to use; by default test.")] = None,
    held_out: Annotated[
        str | None, typer.Option(help="Only the third of this dataset's queries kept from training: scifact.")
    ] = None,
    questions: Annotated[
        Path | None, typer.Option(help='JSONL rows {"id", "question", "answered_by": ["page.md:57"]} about the folder.')
    ] = None,
    rerank: Annotated[
        bool | None, typer.Option(help="With or without the re-ranker; by default as configured.")
    ] = None,
    kb: Annotated[
        Path | None, typer.Option(help="Where the corpus is indexed, once; by default under bench/ of .surefoot.")
    ] = None,
) -> None:
    """Ranking quality and time of dense, BM25, hybrid and re-ranked retrieval."""
    from dataclasses import replace

    from surefoot.bench import retrieval as bench
    from surefoot.cli.ingest import progress
    from surefoot.settings import load
    from surefoot.wiring import build

    if questions is not None and (split is not None or held_out is not None):
        raise InputError("--questions names its own questions; leave out --split and --held-out")
    settings = load()
    place = kb or settings.kb / "bench" / f"{folder.resolve().name}-{sha256_text(str(folder.resolve()))[:8]}"
    # Never into the store of a service: a benchmark's corpus is nobody's knowledge.
    house = build(replace(settings, store_url=None, kb=place), rerank=rerank)

    async def measure() -> dict[str, Json]:
        try:
            with progress(quiet=as_json) as show:
                if questions is not None:
                    return await bench.measure_questions(house, folder, questions, on_progress=show)
                return await bench.measure(house, folder, split=split, held_out=held_out, on_progress=show)
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
