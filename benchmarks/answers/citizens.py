"""The citizens' questions: is the answering passage among the first three, and is the question answered rightly?

    python benchmarks/answers/citizens.py --pages DIR --kb DIR [--details FILE]

`benchmarks/questions/citizens_information.jsonl` names the lines at which each answer stands. An answer counts as right
when a sentence of it stands in the paragraph or list of such a line, as refused when it says nothing, else as wrong.
Another sentence of the page may answer as well: `--details` writes every answer, to be read. The folder is indexed once
under `--kb`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from pathlib import Path

from surefoot.bench.judged import ANSWER, by_page, by_passage, read_questions
from surefoot.core.plain import plain
from surefoot.core.text import sentences, squash, without_markers
from surefoot.core.types import DONT_KNOW, Passage
from surefoot.wiring import build

QUESTIONS = Path(__file__).parents[1] / "questions" / "citizens_information.jsonl"
FIRST, K = 3, 8


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=Path, required=True, help="the folder of the pages")
    parser.add_argument("--kb", type=Path, required=True, help="where they are indexed")
    parser.add_argument("--details", type=Path, help="write every answer here, a JSON object a line")
    options = parser.parse_args()
    print(json.dumps(asyncio.run(measure(options.pages, options.kb, options.details)), indent=1))


async def measure(pages: Path, kb: Path, details: Path | None) -> dict[str, object]:
    house = build(kb=kb, cache=False)
    counts: Counter[str] = Counter()
    rows = []
    try:
        await house.ingest([pages])
        questions = read_questions(QUESTIONS)
        for asked, passage, page in zip(questions, by_passage(questions, pages), by_page(questions), strict=True):
            search = await house.retriever.retrieve(asked.text, k=K)
            found = [hit.passage for hit in search.passages]
            ranks = {"passage": _rank(found, passage.unit), "page": _rank(found, page.unit)}
            result = (await house.ask(asked.text)).result
            lines = [_paragraph(pages / spot.file, spot.line) for spot in asked.answered_by]
            outcome = judge(result.final_answer, lines)
            counts[outcome] += 1
            counts["passage_first_three"] += ranks["passage"] <= FIRST
            counts["passage_first_eight"] += ranks["passage"] <= K
            counts["page_first_three"] += ranks["page"] <= FIRST
            rows.append(
                {
                    "id": asked.id,
                    "question": asked.text,
                    "outcome": outcome,
                    **ranks,
                    "relevant": search.relevant,
                    "reason": result.metadata.fallback_reason,
                    "answer": result.final_answer,
                    "lines": lines,
                }
            )
    finally:
        await house.close()
    if details:
        details.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    shares = {f"{name}_share": round(count / len(rows), 3) for name, count in sorted(counts.items())}
    return {"questions": len(rows), **dict(sorted(counts.items())), **shares}


def judge(answer: str, lines: list[str]) -> str:
    """right | wrong | refused, by whether a sentence of the answer stands in an answering paragraph."""
    said = [text for one in sentences(answer) if len(text := _bare(without_markers(one.text))) > _SHORT]
    if not said or squash(answer) == squash(DONT_KNOW):
        return "refused"
    wanted = [_bare(line) for line in lines]
    return "right" if any(one in line for one in said for line in wanted) else "wrong"


def _rank(found: list[Passage], unit: object) -> int:
    return next((at for at, one in enumerate(found, 1) if unit(one) == ANSWER), K + 1)  # type: ignore[operator]


def _paragraph(page: Path, number: int) -> str:
    """The line with those around it, as far as the next empty ones, as a reader sees them."""
    lines = page.read_text(encoding="utf-8").split("\n")
    first = last = number - 1
    while first > 0 and lines[first - 1].strip():
        first -= 1
    while last + 1 < len(lines) and lines[last + 1].strip():
        last += 1
    return plain("\n".join(lines[first : last + 1])).text


def _bare(text: str) -> str:
    return " ".join("".join(char if char.isalnum() else " " for char in squash(text)).split())


_SHORT = 8

if __name__ == "__main__":
    main()
