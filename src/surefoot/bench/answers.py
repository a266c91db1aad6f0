"""Does a question get its answer, and no other? Questions with known answers through the whole of `ask`.

An answer is judged by what the reader reads, whatever the decision is called: a text that says more than "I don't
know" was released. Beside it, where a language model writes: the same retrieval and model with no gate behind them.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from surefoot.bench.judged import rows
from surefoot.bench.retrieval import mean, percentile
from surefoot.core.errors import InputError
from surefoot.core.text import squash, without_markers
from surefoot.core.types import DONT_KNOW, AskResult, DraftTask, IngestProgress, Json
from surefoot.wiring import Surefoot

RIGHT, PARTLY, WRONG = "right", "partly", "wrong"
WRONGLY_REFUSED, RIGHTLY_REFUSED, CORRECTED = "wrongly_refused", "rightly_refused", "corrected"
OUTCOMES = (RIGHT, PARTLY, WRONG, WRONGLY_REFUSED, RIGHTLY_REFUSED, CORRECTED)


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """A question and what its answer must hold."""

    id: str
    question: str
    kind: str
    answerable: bool
    requires: tuple[str, ...] = ()
    """Strings the answer must hold, each with alternatives between bars; for a false premise, those that correct it."""
    forbids: tuple[str, ...] = ()
    """Strings that make any answer wrong, such as a figure that is no longer valid."""
    verdict: str | None = None
    """yes | no: an answer that begins with the other word is wrong."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    asked: Asked
    outcome: str
    text: str
    decision: str
    reason: str | None
    milliseconds: float

    def to_json(self) -> dict[str, Json]:
        return {
            "id": self.asked.id,
            "kind": self.asked.kind,
            "question": self.asked.question,
            "outcome": self.outcome,
            "decision": self.decision,
            "reason": self.reason,
            "answer": self.text,
            "ms": round(self.milliseconds),
        }


async def measure(
    house: Surefoot,
    folder: Path,
    questions: Path,
    *,
    details: bool = False,
    on_progress: Callable[[IngestProgress], None] | None = None,
) -> dict[str, Json]:
    """The figures of SPEC section 9; with `details` every question with its answer and what it counted as."""
    asked = read(questions)
    if questions.resolve().is_relative_to(folder.resolve()):
        raise InputError(
            f"the questions {str(questions)!r} lie among the documents of {str(folder)!r} and would be answered from "
            "themselves; name the folder that holds the documents alone"
        )
    await house.ingest([folder], on_progress=on_progress)
    outcomes = [await _ask(house, one) for one in asked]
    report: dict[str, Json] = {**_report(outcomes), "passages": await house.store.count()}
    if house.model(house.settings.llm) is not None:
        report["plain_rag"] = _report([await _plain(house, one) for one in asked])
    if details:
        report["details"] = [one.to_json() for one in outcomes]
    return report


def read(file: Path) -> list[Asked]:
    """Rows `{"id", "question", "kind"?, "answerable"?, "requires"?, "forbids"?, "verdict"?, "gold"?}`."""
    found = []
    for number, row in rows(file, ("id", "question")):
        place = f"{str(file)!r} line {number}"
        answerable = row.get("answerable", True)
        requires = _strings(row, "requires", place)
        if not isinstance(answerable, bool) or (answerable and not requires):
            raise InputError(f"{place}: an answerable question needs 'requires', strings that its answer must hold")
        verdict = row.get("verdict")
        if verdict not in (None, "yes", "no"):
            raise InputError(f'{place}: \'verdict\' is {verdict!r}; write "yes" or "no", or leave it out')
        found.append(
            Asked(
                id=str(row["id"]),
                question=str(row["question"]),
                kind=str(row.get("kind", "")),
                answerable=answerable,
                requires=requires,
                forbids=_strings(row, "forbids", place),
                verdict=str(verdict) if verdict else None,
            )
        )
    if not found:
        raise InputError(f"{str(file)!r} has no question; write one JSON object a line")
    return found


def judge(asked: Asked, text: str) -> str:
    """What an answer counts as."""
    said = _plain_words(text)
    refused = not said or said == _plain_words(DONT_KNOW)
    held = sum(_holds(said, wanted) for wanted in asked.requires)
    if not asked.answerable:
        if refused:
            return RIGHTLY_REFUSED
        return CORRECTED if asked.requires and held == len(asked.requires) else WRONG
    if refused:
        return WRONGLY_REFUSED
    opposite = {"yes": "no", "no": "yes"}.get(asked.verdict or "", "")
    if held == 0 or any(_holds(said, word) for word in asked.forbids):
        return WRONG
    # "No licence is needed" begins with the word and gives no verdict: a verdict stands apart.
    if opposite and re.match(rf"{opposite}[,.:;]", said):
        return WRONG
    return RIGHT if held == len(asked.requires) else PARTLY


async def _ask(house: Surefoot, asked: Asked) -> Outcome:
    begun = time.perf_counter()
    result: AskResult = await house.ask(asked.question)
    return Outcome(
        asked=asked,
        outcome=judge(asked, result.result.final_answer),
        text=result.result.final_answer,
        decision=result.result.decision.value,
        reason=result.result.metadata.fallback_reason,
        milliseconds=(time.perf_counter() - begun) * 1000,
    )


async def _plain(house: Surefoot, asked: Asked) -> Outcome:
    """What the model writes from the same passages when nobody checks it."""
    begun = time.perf_counter()
    pack = house.pack()
    found = await house.retriever.retrieve(asked.question, k=house.settings.top_k)
    passages = tuple(hit.passage for hit in found.passages)
    draft = await house.generator(pack).draft(
        DraftTask(
            question=asked.question,
            passages=passages,
            style=pack.citations.style,
            timeout_ms=house.settings.llm_timeout_ms,
        )
    )
    return Outcome(
        asked=asked,
        outcome=judge(asked, draft.text),
        text=draft.text,
        decision="unchecked",
        reason=None,
        milliseconds=(time.perf_counter() - begun) * 1000,
    )


def _report(outcomes: Sequence[Outcome]) -> dict[str, Json]:
    """Counts, and the four shares that are promised: of the answerable, of all, of the answerable, of the others."""
    counts = Counter(one.outcome for one in outcomes)
    answerable = sum(one.asked.answerable for one in outcomes)
    others = len(outcomes) - answerable
    kinds: dict[str, Counter[str]] = {}
    for one in outcomes:
        kinds.setdefault(one.asked.kind, Counter())[one.outcome] += 1
    return {
        "questions": len(outcomes),
        "answerable": answerable,
        **{name: counts[name] for name in OUTCOMES},
        "right_share": _share(counts[RIGHT], answerable),
        "wrong_and_released_share": _share(counts[WRONG], len(outcomes)),
        "wrongly_refused_share": _share(counts[WRONGLY_REFUSED], answerable),
        "unanswerable_handled_share": _share(counts[RIGHTLY_REFUSED] + counts[CORRECTED], others),
        "by_kind": {kind: {name: found[name] for name in OUTCOMES if found[name]} for kind, found in kinds.items()},
        "ms_mean": round(mean([one.milliseconds for one in outcomes])),
        "ms_p95": round(percentile([one.milliseconds for one in outcomes], 0.95)),
    }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _strings(row: Mapping[str, object], key: str, place: str) -> tuple[str, ...]:
    value = row.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) and item.strip() for item in value):
        raise InputError(f"{place}: {key!r} must be a list of strings, not {value!r}")
    return tuple(value)


def _holds(said: str, wanted: str) -> bool:
    """Any of the alternatives, as whole words: `5` is not in `15`."""
    return any(re.search(rf"(?<!\w){re.escape(_plain_words(one))}(?!\w)", said) for one in wanted.split("|"))


def _plain_words(text: str) -> str:
    return squash(without_markers(text)).strip()
