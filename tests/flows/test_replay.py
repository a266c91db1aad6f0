"""A recorded run, decided again, comes to what was decided then, whichever flow had the last word."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest
from house import FINES, LOANS, Writes, ask, flow, gate
from test_ask import BASELESS, LONG, QUOTES
from test_judge import GOLDEN, OPINION, PACK, SINGING, judge

from surefoot.core.types import Json, VerificationResult, VerifyInput
from surefoot.flows.audited import run_record
from surefoot.flows.judge import NOTHING_TO_SAY
from surefoot.flows.replay import Replayed, replay
from surefoot.verify.checks.policy import PolicyCheck

JUDGES = gate(PACK, more=(PolicyCheck(),))


@dataclass
class Written:
    """Keeps the last run as the run log does."""

    kind: str
    record: Mapping[str, Json] = field(default_factory=dict)

    async def __call__(self, request: VerifyInput, result: VerificationResult) -> VerificationResult:
        self.record = {"run_id": "r", "at": "2026-11-19", **run_record(request, result, kind=self.kind)}
        return result


def judged(*said: object, context: str = GOLDEN["context"], query: str = GOLDEN["query"]) -> Mapping[str, Json]:
    log = Written("judge")
    judge(*said, context=context, query=query, audit=log)
    return log.record


def again(record: Mapping[str, Json]) -> Replayed:
    return asyncio.run(replay(JUDGES, record))


@pytest.mark.parametrize("said", [(), (OPINION,)])
def test_a_verdict_without_references_is_reproduced(said: tuple[object, ...]) -> None:
    record = judged(*said, context=SINGING, query="Is that fair?")
    item = again(record)
    assert (item.before, item.after) == ("fallback (retrieval_miss)", "fallback (retrieval_miss)")
    assert item.result.final_answer == record["final_answer"]
    assert item.result.metadata.certificate == {}


def test_a_verdict_with_references_is_reproduced() -> None:
    item = again(judged(GOLDEN["recorded"]))
    assert (item.before, item.flipped) == ("approved", False)


def test_an_opinion_that_the_gate_objects_to_by_now_flips() -> None:
    record = judged(OPINION, context=SINGING, query="Is that fair?")
    kept = {**record["request"], "draft_answer": f"{NOTHING_TO_SAY}\n\nThe law says so [7]."}  # type: ignore[dict-item]
    item = again({**record, "request": kept})
    assert item.after == "rejected (retrieval_miss)"


def test_a_draft_without_passages_is_no_opinion_of_a_judge() -> None:
    record = judged(context=SINGING, query="Is that fair?")
    item = again({**record, "kind": "verify"})
    assert item.flipped


def test_an_answer_beside_the_question_is_reproduced_as_unanswered() -> None:
    log = Written("ask")
    ask(
        flow(
            LOANS,
            FINES,
            generator=Writes([BASELESS]),
            quotes=lambda pack: QUOTES,
            scorer=lambda *_, **__: False,
            audit=log,
        ),
        LONG,
    )
    item = asyncio.run(replay(gate(), log.record))
    assert (item.before, item.after) == ("rejected (unanswered)", "rejected (unanswered)")
    assert asyncio.run(replay(gate(), {**log.record, "reason": "deadline_exceeded"})).flipped
