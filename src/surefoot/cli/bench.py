"""`surefoot bench`: measure grounding, retrieval, mutations and speed on your own machine and data."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from surefoot.core.errors import InputError
from surefoot.core.hashing import sha256_text
from surefoot.core.ports import Verifier
from surefoot.core.types import Json

if TYPE_CHECKING:
    from surefoot.wiring import Surefoot

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
def drafts(
    file: Annotated[
        Path,
        typer.Argument(help="JSONL rows: answer, sources, sentences (text, label 1 = wrong, silent), profile, case."),
    ],
    as_json: AsJson = False,
    limit: Annotated[int | None, typer.Option(help="Judge only the first rows.")] = None,
    pack: Annotated[str | None, typer.Option(help="The pack of rows that name none; a name or a folder.")] = None,
    critic: Annotated[
        str | None,
        typer.Option(help="`recorded`: beside a critic of good judgement, simulated by the labels themselves."),
    ] = None,
    detail: Annotated[bool, typer.Option("--details", help="Also print what was lost and what leaked.")] = False,
) -> None:
    """How much of what is right in whole drafts reaches the reader, and of what is wrong."""
    from surefoot.bench import drafts as bench
    from surefoot.wiring import build

    if critic not in (None, "recorded"):
        raise InputError(f"--critic is {critic!r}; there is 'recorded', or leave it out")
    house = build()
    today = house.clock.today()

    def gate_for(row: bench.Row) -> Verifier:
        if critic is None:
            return house.gate
        return house.rehearsal(pack or house.settings.pack, today, [bench.LabelCritic(row)])

    judged = asyncio.run(bench.run(file, gate_for, pack=pack, critic=critic is not None, limit=limit))
    if not judged:
        raise InputError(f"{file}: no rows; each line is one object with answer, sources and sentences")
    numbers = bench.report(judged, critic="simulated by the labels" if critic else None)
    if detail:
        numbers["details"] = bench.details(judged)
    if as_json:
        _show(numbers, as_json)
    else:
        _table(numbers, ("rows", "told", "kept", "leaked", "approved"))


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
    from surefoot.bench import retrieval as bench
    from surefoot.cli.ingest import progress

    if questions is not None and (split is not None or held_out is not None):
        raise InputError("--questions names its own questions; leave out --split and --held-out")
    house = _house(folder, kb, rerank=rerank)

    async def measure() -> dict[str, Json]:
        try:
            with progress(quiet=as_json) as show:
                if questions is not None:
                    return await bench.measure_questions(house, folder, questions, on_progress=show)
                return await bench.measure(house, folder, split=split, held_out=held_out, on_progress=show)
        finally:
            await house.close()

    _show(asyncio.run(measure()), as_json)


@app.command()
def answers(
    folder: Annotated[Path, typer.Argument(help="A folder of documents, in any format that can be ingested.")],
    questions: Annotated[
        Path, typer.Argument(help='JSONL rows {"id", "question", "kind", "requires": ["£48"], "answerable": true}.')
    ],
    as_json: AsJson = False,
    details: Annotated[bool, typer.Option(help="Also print every question with its answer.")] = False,
    llm: Annotated[str | None, typer.Option(help="The answer model as provider:name; default extractive.")] = None,
    kb: Annotated[
        Path | None, typer.Option(help="Where the folder is indexed, once; by default under bench/ of .surefoot.")
    ] = None,
) -> None:
    """How many questions get their answer, and how many get another one; beside plain RAG where an LLM is set."""
    from surefoot.bench import answers as bench
    from surefoot.cli.ingest import progress

    house = _house(folder, kb, cache=False, llm=llm)

    async def measure() -> dict[str, Json]:
        try:
            with progress(quiet=as_json) as show:
                return await bench.measure(house, folder, questions, details=details, on_progress=show)
        finally:
            await house.close()

    _show(asyncio.run(measure()), as_json)


def _house(folder: Path, kb: Path | None, **changes: Any) -> Surefoot:
    """A house of its own for a folder that is measured: a benchmark's corpus is nobody's knowledge."""
    from dataclasses import replace

    from surefoot.settings import load
    from surefoot.wiring import build

    settings = load()
    place = kb or settings.kb / "bench" / f"{folder.resolve().name}-{sha256_text(str(folder.resolve()))[:8]}"
    return build(replace(settings, store_url=None, kb=place), **changes)


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


def _table(numbers: dict[str, Json], columns: tuple[str, ...]) -> None:
    """One line a kind and one for the whole; what is no share of the kinds stands below."""
    kinds = numbers.pop("by_kind")
    assert isinstance(kinds, dict)
    print(f"{'':<20}" + "".join(f"{name:>10}" for name in columns))
    for name, shares in {**kinds, "all": {name: numbers.pop(name) for name in columns}}.items():
        assert isinstance(shares, dict)
        print(f"{name:<20}" + "".join(f"{_share(shares[column]):>10}" for column in columns))
    print()
    _show(numbers, False)


def _share(value: Json) -> str:
    if isinstance(value, float):
        return f"{value:.1%}"
    return "-" if value is None else str(value)


def _cell(value: Json) -> str:
    if isinstance(value, dict):
        return "  ".join(f"{key} {item}" for key, item in value.items())
    return str(value)
