"""Promises of the gate over generated drafts and sources: the design's eight properties and three contracts.

The oracles are independent of the gate: they look at the released text and at the sources with plain string search.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from surefoot.core.hashing import canonical_json
from surefoot.core.types import DONT_KNOW, Decision, Passage, VerificationResult, VerifyInput
from surefoot.core.wire import result_to_wire
from surefoot.settings import Settings
from surefoot.testing import FakeClock
from surefoot.verify.prove.recheck import problems_of
from surefoot.wiring import Surefoot, build

SUBJECTS = ["The yearly card", "The meeting room", "A lost book", "The evening course", "Locker hire"]
FACTS = [
    (f"{subject} costs R{amount} {period}.", amount)
    for subject in SUBJECTS
    for amount, period in ((45, "a day"), (120, "a year"), (980, "a month"), (35, "an hour"))
]
BASELESS = [
    "Penguins guard the archive at night.",
    "Every visitor receives a golden bicycle.",
    "The basement leads to an underground lake.",
    "Quantum tunnels connect the shelves.",
]

profile = settings(
    max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Surefoot:
    return build(Settings(kb=Path(tmp_path_factory.mktemp("kb")), grounder_size="none"))


sources = st.lists(
    st.sampled_from(FACTS), min_size=1, max_size=6, unique_by=lambda fact: fact[0].split(" costs")[0]
).map(lambda facts: tuple(Passage(id=f"doc-{n}", text=text) for n, (text, _) in enumerate(facts, 1)))
sentences_of = st.lists(
    st.one_of(
        st.tuples(st.just("true"), st.integers(0, 5)),
        st.tuples(st.just("wrong number"), st.integers(0, 5)),
        st.tuples(st.just("wrong marker"), st.integers(0, 5)),
        st.tuples(st.just("no marker"), st.integers(0, 5)),
        st.tuples(st.just("baseless"), st.integers(0, 3)),
    ),
    min_size=1,
    max_size=6,
)


def draft_of(parts: list[tuple[str, int]], passages: tuple[Passage, ...]) -> str:
    return " ".join(sentence_of(kind, number, passages) for kind, number in parts)


def sentence_of(kind: str, number: int, passages: tuple[Passage, ...]) -> str:
    if kind == "baseless":
        return BASELESS[number].replace(".", " [S1].")
    place = number % len(passages)
    text = passages[place].text
    if kind == "wrong number":
        text = re.sub(r"\d+", lambda match: str(int(match.group()) + 7), text)
    marker = f"[S{place + 1}]" if kind != "wrong marker" else "[S42]"
    return text if kind == "no marker" else text.replace(".", f" {marker}.")


def run(house: Surefoot, request: VerifyInput) -> VerificationResult:
    return asyncio.run(house.gate.verify(request))


def plain_numbers(text: str) -> set[str]:
    return set(re.findall(r"\d+", re.sub(r"\[S?\d+\]", "", text)))


@profile
@given(passages=sources, parts=sentences_of)
def test_whatever_is_released_stands_in_the_sources(
    house: Surefoot, passages: tuple[Passage, ...], parts: list[tuple[str, int]]
) -> None:
    """Properties 1 and 2: grounding is complete, and no invention gets out, whatever the draft mixes."""
    result = run(house, VerifyInput(draft_answer=draft_of(parts, passages), chunks=passages))
    joined = " ".join(passage.text for passage in passages)
    assert plain_numbers(result.final_answer) <= plain_numbers(joined)
    assert not any(invention[:20] in result.final_answer for invention in BASELESS)
    assert problems_of(result_to_wire(result)) == []


@profile
@given(passages=sources, parts=sentences_of)
def test_every_released_marker_points_to_a_passage_that_says_it(
    house: Surefoot, passages: tuple[Passage, ...], parts: list[tuple[str, int]]
) -> None:
    """Contract of citation integrity; a draft without any marker is attributed."""
    result = run(house, VerifyInput(draft_answer=draft_of(parts, passages), chunks=passages))
    if result.decision in (Decision.APPROVED, Decision.REVISED) and "[S" in result.final_answer:
        for sentence in re.split(r"(?<=\.) ", result.final_answer):
            cited = re.findall(r"\[S(\d+)\]", sentence)
            assert cited, sentence
            assert any(plain_numbers(sentence) <= plain_numbers(passages[int(n) - 1].text) for n in cited)


@profile
@given(passages=sources, count=st.integers(1, 4))
def test_true_cited_sentences_are_accepted(house: Surefoot, passages: tuple[Passage, ...], count: int) -> None:
    """Contract 1: retrieval ok, citation ok, evidence hit: accept."""
    chosen = range(min(count, len(passages)))
    draft = " ".join(passages[n].text.replace(".", f" [S{n + 1}].") for n in chosen)
    result = run(house, VerifyInput(draft_answer=draft, chunks=passages))
    assert (result.decision, result.final_answer) == (Decision.APPROVED, draft)


@profile
@given(passages=sources, number=st.integers(0, 3))
def test_a_baseless_draft_ends_in_a_grounded_summary(
    house: Surefoot, passages: tuple[Passage, ...], number: int
) -> None:
    """Contract 2: retrieval ok, but no evidence: fallback to source sentences."""
    draft = sentence_of("baseless", number, passages)
    result = run(house, VerifyInput(draft_answer=draft, chunks=passages))
    assert result.decision is Decision.FALLBACK
    stripped = re.sub(r" \[S\d+\]", "", result.final_answer)
    joined = " ".join(passage.text for passage in passages)
    assert stripped == DONT_KNOW or all(part in joined for part in re.split(r"(?<=\.) ", stripped))


@profile
@given(draft=st.text(max_size=300))
def test_without_evidence_nothing_is_ever_released(house: Surefoot, draft: str) -> None:
    """Contract 3: no retrieval: reject."""
    result = run(house, VerifyInput(draft_answer=draft))
    assert (result.decision, result.final_answer) == (Decision.REJECTED, DONT_KNOW)


@profile
@given(draft=st.text(max_size=400), source=st.text(max_size=200))
def test_arbitrary_text_never_breaks_the_gate_or_its_proof(house: Surefoot, draft: str, source: str) -> None:
    result = run(house, VerifyInput(draft_answer=draft, chunks=(Passage(id="S1", text=source),)))
    assert problems_of(result_to_wire(result)) == []


@profile
@given(passages=sources, parts=sentences_of, safe=st.sampled_from(["Please ask at the desk.", "See the notice board."]))
def test_a_fallback_is_the_callers_safe_text_when_there_is_one(
    house: Surefoot, passages: tuple[Passage, ...], parts: list[tuple[str, int]], safe: str
) -> None:
    """Property 6: a critical failure returns the rag draft, never the unverified text."""
    result = run(house, VerifyInput(draft_answer=draft_of(parts, passages), chunks=passages, rag_draft=safe))
    if result.decision is Decision.FALLBACK:
        assert result.final_answer == safe


@profile
@given(passages=sources, parts=sentences_of, seconds=st.floats(2.0, 100.0))
def test_a_run_past_its_deadline_falls_back(
    house: Surefoot, passages: tuple[Passage, ...], parts: list[tuple[str, int]], seconds: float
) -> None:
    """Property 7, with a held clock."""
    clock = FakeClock()
    slow = _SlowGate(house, clock, seconds)
    result = asyncio.run(slow.verify(VerifyInput(draft_answer=draft_of(parts, passages), chunks=passages)))
    assert result.metadata.fallback_reason == "deadline_exceeded"


@profile
@given(passages=sources, parts=sentences_of)
def test_equal_input_gives_an_equal_result_byte_for_byte(
    house: Surefoot, passages: tuple[Passage, ...], parts: list[tuple[str, int]]
) -> None:
    """Property 8: determinism, timings aside."""
    request = VerifyInput(draft_answer=draft_of(parts, passages), chunks=passages)
    assert untimed(run(house, request)) == untimed(run(house, request))


def untimed(result: VerificationResult) -> str:
    metadata = replace(result.metadata, processing_time_ms=0.0, stage_times_ms={})
    return canonical_json(replace(result, metadata=metadata))


class _SlowGate:
    """The real gate behind a clock that loses time while the first check runs."""

    def __init__(self, house: Surefoot, clock: FakeClock, seconds: float) -> None:
        from surefoot.verify.gate import Gate

        first, *others = house.rules
        self._gate = Gate(
            packs=house.pack,
            rules=(_Slow(first, clock, seconds), *others),
            grounding=house.grounding,
            safe_writer=house.safe_writer,
            clock=clock,
        )

    async def verify(self, request: VerifyInput) -> VerificationResult:
        return await self._gate.verify(request)


class _Slow:
    def __init__(self, check: Any, clock: FakeClock, seconds: float) -> None:
        self._check, self._clock, self._seconds = check, clock, seconds
        self.name, self.version = check.name, check.version

    def run(self, submission: Any) -> Any:
        self._clock.advance(self._seconds)
        return self._check.run(submission)
