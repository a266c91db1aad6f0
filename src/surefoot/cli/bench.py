"""surefoot bench: measurements, one module of bench/ each, imported when called."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, no_args_is_help=True)


@app.callback()
def bench() -> None:
    """Measure grounding, retrieval, mutations and speed."""


@app.command()
def retrieval(
    folder: Annotated[Path, typer.Argument(help="A BEIR-layout folder: corpus.jsonl, queries.jsonl, qrels/*.tsv.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    kb: Annotated[Path | None, typer.Option(help="Keep the index here, to measure again without embedding.")] = None,
    split: Annotated[str | None, typer.Option(help="Which qrels/SPLIT.tsv; default: test, else all there are.")] = None,
) -> None:
    """nDCG@10, recall@100, MRR and milliseconds for dense, BM25, hybrid and hybrid with re-ranking."""
    from surefoot.bench.retrieval import measure
    from surefoot.core.types import Json
    from surefoot.wiring import build

    async def run(place: Path) -> dict[str, Json]:
        house = build(kb=place)
        try:
            return await measure(house, folder, split=split)
        finally:
            await house.close()

    with tempfile.TemporaryDirectory() as temporary:
        report = asyncio.run(run(kb or Path(temporary)))
    print(json.dumps(report) if as_json else _table(report))


def _table(report: Mapping[str, object]) -> str:
    lines = [f"{'':14}  nDCG@10  recall@100  MRR@10   ms p50   ms p95"]
    for name in ("dense", "bm25", "hybrid", "hybrid_rerank"):
        row = report[name]
        if isinstance(row, dict):
            cells = f"{row['ndcg@10']:7.4f}  {row['recall@100']:10.4f}  {row['mrr@10']:6.4f}"
            lines.append(f"{name:14}  {cells}  {row['ms_p50']:7.2f}  {row['ms_p95']:7.2f}")
        else:
            lines.append(f"{name:14}  no re-ranker is installed")
    return "\n".join(lines)
