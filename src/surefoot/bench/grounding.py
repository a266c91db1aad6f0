"""How well the gate tells supported from unsupported answers, on labelled rows, without an LLM.

A row counts as flagged when the gate would not approve its answer for want of grounding. Its sources are the cited
evidence, so missing markers alone do not count. The score behind AUROC says how likely any claim about the world is
unsupported; what an answer says of its sources' silence is none, and a refusal claims nothing. `balanced_accuracy` is
that of the gate's own decisions, `balanced_accuracy_at_best_threshold` that of the score, cut where these very rows
are told apart best. `span_f1` holds the words stage 2 located against those people marked, character by character, over
all rows together; rows labelled unsupported in which nothing is marked are left out.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from surefoot.bench.metrics import auroc, best_balanced_accuracy, judgement, reliability, span_f1
from surefoot.core.errors import InputError
from surefoot.core.ports import Verifier
from surefoot.core.silence import is_refusal
from surefoot.core.types import (
    Decision,
    Json,
    Passage,
    Span,
    VerificationResult,
    VerifyInput,
    VerifyOptions,
)

PLENTY_MS = 60_000
"""The bench measures judgement, not speed."""
UNGROUNDED = frozenset(
    "evidence_miss contradicted value_mismatch unit_mismatch unknown_entity source_conflict self_contradiction "
    "url_not_in_sources retrieval_miss".split()
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    id: str
    task: str
    question: str
    sources: tuple[str, ...]
    answer: str
    label: int
    spans: tuple[Span, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged:
    row: Row
    flagged: bool
    score: float
    """How likely something in it was made up: for ranking answers."""
    worst: float
    """What the gate's thresholds are held against, for every claim; 1 where it judged none and so releases nothing."""
    spans: tuple[Span, ...]
    milliseconds: float


async def run(file: Path, gate: Verifier, *, limit: int | None = None) -> list[Judged]:
    """Every row of the file as the gate judges it."""
    judged = []
    for number, row in enumerate(read_rows(file)):
        if limit is not None and number >= limit:
            break
        began = time.perf_counter()
        result = await gate.verify(_request(row))
        spent = (time.perf_counter() - began) * 1000
        claims = not is_refusal(row.answer)
        judged.append(
            Judged(
                row=row,
                flagged=claims and flagged(result),
                score=_score(result) if claims else 0.0,
                worst=result.metadata.measures.get("unsupported_max", 1.0),
                spans=result.metadata.unsupported_spans if claims else (),
                milliseconds=spent,
            )
        )
    return judged


def report(judged: Sequence[Judged]) -> dict[str, Json]:
    """The keys of the command line contract."""
    tasks = sorted({item.row.task for item in judged})
    per_task: dict[str, Json] = {task: _numbers([item for item in judged if item.row.task == task]) for task in tasks}
    spent = sum(item.milliseconds for item in judged)
    return {
        "rows": len(judged),
        **_numbers(judged),
        "per_task": per_task,
        "ms_per_row": round(spent / len(judged), 3) if judged else 0.0,
    }


def flagged(result: VerificationResult) -> bool:
    """Whether the gate would not approve it for want of grounding, its sources taken as cited.

    So: a blocking issue about grounding, or a claim that stage 2 found doubtful or unsupported. What the markers cost
    does not count.
    """
    if result.decision is Decision.APPROVED:
        return False
    measures = result.metadata.measures
    held_back = measures.get("claims_undecided", 0.0) + measures.get("claims_unsupported", 0.0)
    return _hard(result) or held_back > 0 or "unsupported_max" not in measures


def calibration(judged: Sequence[Judged]) -> list[tuple[float, float, int]]:
    return reliability([item.score for item in judged], [item.row.label for item in judged])


def plot(judged: Sequence[Judged], title: str) -> str:
    """The reliability curve as an SVG picture."""
    points = calibration(judged)
    most = max((count for _, _, count in points), default=1)
    dots = "".join(
        f'<circle cx="{50 + 300 * mean:.1f}" cy="{350 - 300 * share:.1f}" r="{3 + 9 * count / most:.1f}" '
        f'fill="#1f6feb" fill-opacity="0.7"><title>{count} rows: said {mean:.2f}, were {share:.2f}</title></circle>'
        for mean, share, count in points
    )
    path = " ".join(f"{50 + 300 * mean:.1f},{350 - 300 * share:.1f}" for mean, share, _ in points)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 400" font-family="sans-serif" font-size="12">'
        '<rect width="400" height="400" fill="white"/>'
        f'<text x="200" y="24" text-anchor="middle">{title}</text>'
        '<path d="M50 50V350H350" fill="none" stroke="#444"/>'
        '<path d="M50 350L350 50" stroke="#999" stroke-dasharray="4 4"/>'
        f'<polyline points="{path}" fill="none" stroke="#1f6feb"/>{dots}'
        '<text x="200" y="385" text-anchor="middle">probability that a claim is unsupported</text>'
        '<text x="18" y="200" text-anchor="middle" transform="rotate(-90 18 200)">share unsupported</text></svg>\n'
    )


def read_rows(file: Path) -> Iterator[Row]:
    if not file.is_file():
        raise InputError(f"{file}: no such file; give a JSONL file of labelled answers")
    with file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield _row(line, f"{file}:{number}")


def _row(line: str, place: str) -> Row:
    try:
        data = json.loads(line)
    except ValueError as error:
        raise InputError(f"{place}: not JSON ({error}); each line is one object") from error
    if not isinstance(data, Mapping):
        raise InputError(f"{place}: not an object; each line is one object")
    for key in ("answer", "sources", "label"):
        if key not in data:
            raise InputError(f"{place}: the key {key!r} is missing; a row has answer, sources and label")
    if data["label"] not in (0, 1):
        raise InputError(f"{place}: label is {data['label']!r}; 1 means unsupported, 0 supported")
    return Row(
        id=str(data.get("id", place)),
        task=str(data.get("task") or "all"),
        question=str(data.get("question") or ""),
        sources=tuple(str(source) for source in data["sources"]),
        answer=str(data["answer"]),
        label=int(data["label"]),
        spans=tuple((int(start), int(end)) for start, end in data.get("spans") or ()),
    )


def _request(row: Row) -> VerifyInput:
    return VerifyInput(
        draft_answer=row.answer,
        chunks=tuple(Passage(id=f"S{number}", text=text) for number, text in enumerate(row.sources, 1)),
        question=row.question or None,
        pack="default",
        options=VerifyOptions(skip_llm_verification=True, deadline_ms=PLENTY_MS),
    )


def _score(result: VerificationResult) -> float:
    """How likely any claim about the world is unsupported; where stage 2 did not run, what the rules say."""
    measured = result.metadata.measures.get("unsupported_any")
    return measured if measured is not None else 1.0


def _hard(result: VerificationResult) -> bool:
    return any(issue.blocking and issue.code in UNGROUNDED for issue in result.metadata.issues_detected)


def _numbers(judged: Sequence[Judged]) -> dict[str, Json]:
    labels = [item.row.label for item in judged]
    found: dict[str, Json] = {
        name: round(value, 4) for name, value in judgement([item.flagged for item in judged], labels).items()
    }
    scores = [item.score for item in judged]
    found["auroc"] = round(auroc(scores, labels), 4)
    found["balanced_accuracy_at_best_threshold"] = round(best_balanced_accuracy(scores, labels), 4)
    with_spans = [item for item in judged if item.row.spans or not item.row.label]
    found["span_f1"] = round(span_f1([item.spans for item in with_spans], [item.row.spans for item in with_spans]), 4)
    return found
