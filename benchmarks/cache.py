"""How much faster a remembered answer is than the extractive pipeline, in one run: `python benchmarks/cache.py`."""

from __future__ import annotations

import asyncio
import json
import statistics
import tempfile
import time
from pathlib import Path

from surefoot.core.types import AskResult
from surefoot.wiring import Surefoot, build, builtin_documents

QUESTIONS = (
    "How much does a colour A4 page cost?",
    "What is the late fee for books?",
    "Is the library open on public holidays?",
    "How much is the deposit for the River hall?",
    "How do members renew a loan?",
    "Who may join the library?",
    "How many members did the library have at the end of 2024?",
    "What may I drink in the study hall?",
)
REWORDED = "What do I pay for one A4 page in colour?"
HITS = 20


async def measure(house: Surefoot) -> dict[str, float | int | bool]:
    await house.ingest([builtin_documents("default")])
    await house.ask("Which rooms can be hired?")  # Loads the models, so that they are not part of the comparison.
    pipeline, remembered, kept = [], [], 0
    for question in QUESTIONS:
        first, seconds = await timed(house, question)
        if not first.result.accepted or first.unanswered:
            continue
        kept += 1
        pipeline.append(seconds)
        for _ in range(HITS):
            again, seconds = await timed(house, question)
            assert again.cached, question
            assert again.result.final_answer == first.result.final_answer, question
            remembered.append(seconds)
    other, _ = await timed(house, REWORDED)
    return {
        "questions": kept,
        "pipeline_ms_p50": round(statistics.median(pipeline) * 1000, 2),
        "hit_ms_p50": round(statistics.median(remembered) * 1000, 3),
        "hit_ms_p95": round(statistics.quantiles(remembered, n=20)[-1] * 1000, 3),
        "times_faster": round(statistics.median(pipeline) / statistics.median(remembered), 1),
        "reworded_question_is_another": not other.cached,
    }


async def timed(house: Surefoot, question: str) -> tuple[AskResult, float]:
    began = time.perf_counter()
    asked = await house.ask(question)
    return asked, time.perf_counter() - began


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        house = build(kb=Path(folder) / "kb")
        try:
            print(json.dumps(await measure(house), indent=2))
        finally:
            await house.close()


if __name__ == "__main__":
    asyncio.run(main())
