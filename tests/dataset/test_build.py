"""A whole build: five documents, three aspects, a recorded model, the real gate."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from surefoot.core.errors import ModelUnavailableError, RecordingMissingError
from surefoot.core.ports import LanguageModel, Verifier
from surefoot.core.text import without_markers
from surefoot.core.types import DONT_KNOW, ModelReply, ModelRequest
from surefoot.dataset.agents import ROLES, Agents
from surefoot.dataset.budget import Budget, Budgeted
from surefoot.dataset.build import Builder, BuildOptions, Built
from surefoot.dataset.corpus import Corpus
from surefoot.dataset.files import Paths, add_review, find_row, read_audit, write_dataset
from surefoot.dataset.journal import Journal, Journaled
from surefoot.dataset.loop import Loop
from surefoot.dataset.pair import QuestionType
from surefoot.dataset.prompt import load_prompts
from surefoot.dataset.schema import read_lines
from surefoot.generate.extractive import Extractive
from surefoot.llm.structured import Structured
from surefoot.testing import RecordedModel, Recording, ScriptedModel, WordRetriever

Make = Callable[..., Built]


@pytest.fixture
def make(corpus: Corpus, retriever: WordRetriever, gate: Verifier, tmp_path: Path) -> Make:
    """Builds into a journal of the given name."""

    def go(
        model: LanguageModel | None,
        *,
        journal: str = "j",
        tokens: int | None = None,
        blocks: list[str] | None = None,
        **options: Any,
    ) -> Built:
        kept = Journal(tmp_path / f"{journal}.sqlite")
        budget = Budget(tokens=tokens, spent=kept.tokens())

        async def run() -> Built:
            models = {}
            if model is not None:
                wrapped = Structured(model=Journaled(Budgeted(model, budget), kept))
                models = dict.fromkeys(ROLES, wrapped)
            loop = Loop(
                agents=Agents(models=models, prompts=load_prompts()),
                retriever=retriever,
                verifier=gate,
                writer=Extractive(),
            )
            builder = Builder(
                corpus=corpus,
                loop=loop,
                journal=kept,
                budget=budget,
                options=BuildOptions(**{"aspects": 3, "questions": 5, **options}),
                version="test",
                on_block=(blocks if blocks is not None else []).append,
            )
            return await builder.build()

        try:
            return asyncio.run(run())
        finally:
            kept.close()

    return go


def written(built: Built, folder: Path) -> tuple[bytes, bytes]:
    paths = Paths(out=folder / "d.jsonl")
    write_dataset(paths, built, {"models": {}})
    return paths.out.read_bytes(), paths.audit.read_bytes()


def test_a_recorded_build_has_the_seeds_shape_field_by_field(
    make: Make, careless: Callable[[], ScriptedModel], tmp_path: Path
) -> None:
    recordings = tmp_path / "recordings"
    make(Recording(careless(), recordings), journal="recording")
    built = make(RecordedModel(recordings), journal="replay")
    written(built, tmp_path)
    lines = [json.loads(line) for line in (tmp_path / "d.jsonl").read_text().splitlines()]
    assert len(lines) == 3
    for number, line in enumerate(lines, start=1):
        assert list(line) == [
            "conversation_id",
            "article_metadata",
            "session_metadata",
            "messages",
            "quality_metrics",
        ]
        assert line["conversation_id"] == f"campus_life_session_{number}"
        assert line["article_metadata"] == {"title": "Campus Life", "source": "campus/"}
        assert list(line["session_metadata"]) == ["focus_aspect"]
        assert list(line["quality_metrics"]) == ["pairs"]
        pairs = line["quality_metrics"]["pairs"]
        assert len(pairs) == 5
        accepted = [pair for pair in pairs if pair["final_critique"]["grounded"]]
        assert [message["role"] for message in line["messages"]] == ["user", "assistant"] * len(accepted)
        assert [message["content"] for message in line["messages"]] == [
            text for pair in accepted for text in (pair["question"], without_markers(pair["final_answer"]))
        ]
        assert not any("[S1]" in message["content"] for message in line["messages"])
        for pair in pairs:
            assert list(pair) == [
                "question",
                "initial_answer",
                "initial_critique",
                "final_answer",
                "final_critique",
            ]
            for name in ("initial_critique", "final_critique"):
                assert list(pair[name]) == ["grounded", "reasoning"]
                assert isinstance(pair[name]["grounded"], bool)
                assert isinstance(pair[name]["reasoning"], str)
    assert [line["session_metadata"]["focus_aspect"] for line in lines] == [
        "Money for students",
        "Getting around campus",
        "Living and learning",
    ]


def test_wrong_numbers_are_caught_although_the_critic_is_lenient(
    make: Make, careless: Callable[[], ScriptedModel]
) -> None:
    built = make(careless())
    assert built.pairs
    for pair in built.pairs:
        assert pair.initial_critique.said is True
        assert not pair.initial_critique.grounded
    assert built.accepted > 0
    assert all(pair.final_answer.endswith("[S1]") or pair.final_answer == DONT_KNOW for pair in built.pairs)


def test_unanswerable_questions_teach_refusal(make: Make, careless: Callable[[], ScriptedModel]) -> None:
    built = make(careless())
    refusals = [pair for pair in built.pairs if pair.question.type is QuestionType.UNANSWERABLE]
    assert len(refusals) == 3
    assert all(pair.accepted and pair.final_answer == DONT_KNOW for pair in refusals)
    assert all(pair.initial_critique.codes for pair in refusals)


def test_equal_runs_give_equal_bytes_and_the_second_pays_nothing(
    make: Make, careless: Callable[[], ScriptedModel], tmp_path: Path
) -> None:
    first = written(make(careless()), tmp_path)
    silent = ScriptedModel([], identity="scripted:careless")
    again = written(make(silent), tmp_path)
    assert first == again
    assert silent.requests == []


def test_a_fresh_journal_gives_the_same_bytes(
    make: Make, careless: Callable[[], ScriptedModel], tmp_path: Path
) -> None:
    assert written(make(careless(), journal="a", concurrency=1), tmp_path) == written(
        make(careless(), journal="b", concurrency=32), tmp_path
    )


def test_exactly_so_many_accepted_pairs_are_delivered(make: Make, careless: Callable[[], ScriptedModel]) -> None:
    everything = make(careless(), journal="all")
    wanted = everything.accepted - 2
    built = make(careless(), journal="some", accepted=wanted)
    assert (built.accepted, built.ended) == (wanted, None)


def test_a_build_that_runs_out_of_questions_says_so(make: Make, careless: Callable[[], ScriptedModel]) -> None:
    built = make(careless(), accepted=1000)
    assert built.ended == "questions"
    assert built.duplicates > 0
    assert 0 < built.accepted < 1000


def test_a_token_budget_ends_the_build_and_is_never_exceeded(make: Make, careless: Callable[[], ScriptedModel]) -> None:
    model = careless()
    built = make(model, tokens=12_000)
    assert built.ended == "tokens"
    spent = sum(call.prompt_tokens + call.completion_tokens for pair in built.pairs for call in pair.calls)
    assert 0 < spent <= 12_000
    full = make(careless())
    assert len(full.pairs) > len(built.pairs)


def test_a_missing_recording_is_loud(make: Make, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(RecordingMissingError):
        make(RecordedModel(tmp_path / "empty"))


def test_a_model_that_fails_now_and_then_loses_only_its_row(
    make: Make, careless: Callable[[], ScriptedModel], tmp_path: Path
) -> None:
    class Flaky:
        identity = "scripted:careless"

        async def complete(self, request: ModelRequest) -> ModelReply:
            if request.role == "finalizer" and "Why is there" in request.prompt:
                raise ModelUnavailableError("gone")
            return await careless().complete(request)

    built = make(Flaky())
    assert [(one.step, one.code) for one in built.failures] == [("finalize", "llm_unavailable")] * 3
    written(built, tmp_path)
    assert len(read_audit(Paths(out=tmp_path / "d.jsonl")).failures) == 3
    healed = make(careless())
    assert (len(healed.failures), len(healed.pairs)) == (0, 15)


def test_each_sessions_log_is_one_block_in_order(make: Make, careless: Callable[[], ScriptedModel]) -> None:
    blocks: list[str] = []
    make(careless(), blocks=blocks, concurrency=8)
    assert [block.split(":")[0] for block in blocks] == ["session 1", "session 2", "session 3"]
    assert all(len(block.splitlines()) == 1 + 5 * 3 for block in blocks)


def test_without_a_model_a_build_is_extractive_and_repeatable(make: Make, tmp_path: Path) -> None:
    built = make(None, journal="a", aspects=5)
    assert built.accepted > 0
    assert not any(pair.calls for pair in built.pairs)
    answered = [pair for pair in built.pairs if pair.accepted and pair.final_answer != DONT_KNOW]
    assert answered
    assert written(built, tmp_path) == written(make(None, journal="b", aspects=5), tmp_path)


def test_given_aspects_come_first(make: Make) -> None:
    built = make(None, aspects=2, given_aspects=("Bus passes",))
    assert built.sessions[0].aspect.text == "Bus passes"
    assert len(built.sessions) == 2


def test_the_audit_explains_every_row_and_keeps_reviews(
    make: Make, careless: Callable[[], ScriptedModel], tmp_path: Path
) -> None:
    built = make(careless())
    written(built, tmp_path)
    paths = Paths(out=tmp_path / "d.jsonl")
    audit = read_audit(paths)
    assert [row.pair for row in audit.rows] == built.pairs
    kept = next(row for row in audit.rows if row.kept)
    add_review(paths, kept.name, "reject", "too curt")
    written(built, tmp_path)
    again = find_row(read_audit(paths), kept.name)
    assert again.review is not None
    assert again.review["note"] == "too curt"
    assert not again.kept
    assert len(read_lines(paths.out)) == 3


def test_a_persons_yes_does_not_lift_a_refused_row(
    make: Make, careless: Callable[[], ScriptedModel], tmp_path: Path
) -> None:
    model = ScriptedModel(
        lambda request: (
            '{"grounded": false, "reasoning": "no"}' if request.role == "critic" else careless()._next(request)
        ),
        identity="scripted:strict",
    )
    written(make(model), tmp_path)
    paths = Paths(out=tmp_path / "d.jsonl")
    add_review(paths, "1.1", "accept", "fine")
    assert not find_row(read_audit(paths), "1.1").kept
