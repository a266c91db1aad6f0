"""How fast the gate is: p50, p95 and p99 of each stage and of the whole, alone and with eight callers, and its curve.

Every draft and every passage is new text, so nothing is answered from memory. Passages have 120 words; a draft of five
sentences repeats some of them word for word and says others otherwise. `rules` is all of stage 1: reading the claims
and the passages, then the checks; `rules_known` is the same for a new draft over passages that were read before, as
they are in a knowledge base; `fallback` is what comes after the stages of a draft that failed them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from surefoot.bench.metrics import quantile
from surefoot.core.ports import Verifier
from surefoot.core.types import Decision, Json, Passage, VerificationResult, VerifyInput, VerifyOptions

SENTENCES, PASSAGES, CALLERS = 5, 8, 8
CURVE = ((5, 8), (10, 10), (25, 25), (50, 25), (25, 50), (50, 50))


@dataclass(frozen=True, kw_only=True, slots=True)
class GateReport:
    stages: dict[str, dict[str, float]]
    """rules, rules_known, grounding, total, fallback: p50_ms, p95_ms, p99_ms"""
    per_second: float
    curve: tuple[dict[str, float], ...]

    def to_json(self) -> dict[str, Json]:
        stages: dict[str, Json] = {name: dict(numbers) for name, numbers in self.stages.items()}
        return {**stages, "per_second_8_callers": self.per_second, "curve": [dict(row) for row in self.curve]}


async def run(gate: Verifier, *, runs: int = 100, curve: bool = True) -> GateReport:
    await gate.verify(_request(Random("warm-up"), SENTENCES, PASSAGES))
    alone = [await gate.verify(_request(Random(f"one {number}"), SENTENCES, PASSAGES)) for number in range(runs)]
    known = [await gate.verify(_known(number)) for number in range(runs)]
    lost = [await gate.verify(_hopeless(Random(f"lost {number}"))) for number in range(max(10, runs // 4))]
    stages = {
        "rules": _spread([result.metadata.stage_times_ms.get("rules", 0.0) for result in alone]),
        "rules_known": _spread([result.metadata.stage_times_ms.get("rules", 0.0) for result in known]),
        "grounding": _spread([result.metadata.stage_times_ms.get("grounding", 0.0) for result in alone]),
        "total": _spread([result.metadata.processing_time_ms for result in alone]),
        "fallback": _spread([_beyond_stages(result) for result in lost if result.decision is Decision.FALLBACK]),
    }
    return GateReport(
        stages=stages,
        per_second=await _crowd(gate, runs),
        curve=tuple([await _point(gate, many, sources) for many, sources in CURVE]) if curve else (),
    )


async def _crowd(gate: Verifier, runs: int) -> float:
    """Verifications a second with eight callers at once."""
    requests = [_request(Random(f"crowd {number}"), SENTENCES, PASSAGES) for number in range(runs)]
    began = time.perf_counter()

    async def caller(own: Sequence[VerifyInput]) -> None:
        for request in own:
            await gate.verify(request)

    await asyncio.gather(*(caller(requests[number::CALLERS]) for number in range(CALLERS)))
    return round(len(requests) / (time.perf_counter() - began), 2)


async def _point(gate: Verifier, many: int, sources: int, repeats: int = 5) -> dict[str, float]:
    """The best of a few runs at one size: what the work costs when nothing else runs."""
    results = [await gate.verify(_request(Random(f"{many} {sources} {at}"), many, sources)) for at in range(repeats)]
    return {
        "sentences": many,
        "passages": sources,
        "rules_ms": min(result.metadata.stage_times_ms.get("rules", 0.0) for result in results),
        "total_ms": min(result.metadata.processing_time_ms for result in results),
    }


def _request(rng: Random, many: int, sources: int) -> VerifyInput:
    passages = [_passage(rng) for _ in range(sources)]
    return _drafted(rng, passages, many)


def _known(number: int) -> VerifyInput:
    """Another draft over the passages of the draft with this number."""
    rng = Random(f"one {number}")
    passages = [_passage(rng) for _ in range(PASSAGES)]
    return _drafted(Random(f"known {number}"), passages, SENTENCES)


def _drafted(rng: Random, passages: Sequence[Sequence[str]], many: int) -> VerifyInput:
    lines = []
    for at in range(many):
        home = at % len(passages)
        sentence = rng.choice(passages[home])
        text = sentence if at % 5 < 3 else _otherwise(sentence)
        lines.append(f"{text[:-1]} [S{home + 1}].")
    return VerifyInput(
        draft_answer=" ".join(lines),
        chunks=tuple(Passage(id=f"S{at}", text=" ".join(text)) for at, text in enumerate(passages, 1)),
        pack="default",
        options=VerifyOptions(skip_llm_verification=True),
    )


def _hopeless(rng: Random) -> VerifyInput:
    """A draft about something else: nothing of it can be kept."""
    given = _request(rng, 2, PASSAGES)
    draft = " ".join(f"Penguins {verb} submarine violins beyond Saturn [S1]." for verb in ("juggle", "paint", "sell"))
    return VerifyInput(
        draft_answer=draft, chunks=given.chunks, question=_QUESTION, pack="default", options=given.options
    )


def _passage(rng: Random) -> list[str]:
    """Eight sentences of fifteen words, each with a value or a name."""
    sentences = []
    for _ in range(8):
        subject, thing, place = rng.choice(_SUBJECTS), rng.choice(_THINGS), rng.choice(_PLACES)
        amount = rng.randrange(100, 9_900)
        share, weeks = rng.randrange(2, 98), rng.randrange(2, 51)
        year = rng.randrange(1990, 2026)
        sentences.append(
            rng.choice(
                (
                    f"The {subject} in {place} pays R{amount} per month for the {thing} of every registered member.",
                    f"At least {share}% of the {subject} members in {place} applied for the {thing} during {year}.",
                    f"Members of the {subject} must wait {weeks} weeks before they can collect the {thing} in {place}.",
                    f"Since {year} the {subject} has not offered the {thing} to visitors who live outside {place}.",
                )
            )
        )
    return sentences


def _otherwise(sentence: str) -> str:
    return sentence.replace("per month", "a month").replace("must", "have to").replace("can collect", "may collect")


def _beyond_stages(result: VerificationResult) -> float:
    """What decision, safe text and certificate take, once the stages have failed the draft."""
    return max(0.0, result.metadata.processing_time_ms - sum(result.metadata.stage_times_ms.values()))


def _spread(values: Sequence[float]) -> dict[str, float]:
    return {f"p{int(share * 100)}_ms": round(quantile(values, share), 3) for share in (0.5, 0.95, 0.99)}


_QUESTION = "How much does the library in Springfield pay for the yearly card?"
_SUBJECTS = "library museum theatre garden workshop harbour market school clinic archive".split()
_THINGS = "yearly card,reading room,bicycle permit,parking pass,film ticket,study grant,tool kit,boat licence".split(
    ","
)
_PLACES = "Springfield,Riverton,Lakeside,Hillview,Oakdale,Fairhaven,Milltown,Seaport,Westbrook,Northgate".split(",")
