"""Errors planted by code, and the critic they measure."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from surefoot.core.ports import Verifier
from surefoot.core.text import content_words
from surefoot.core.types import Passage
from surefoot.dataset.agents import Agents
from surefoot.dataset.card import card_text, measured_text, write_card
from surefoot.dataset.files import Audit
from surefoot.dataset.loop import Loop
from surefoot.dataset.measure import Rate, measure, wilson
from surefoot.dataset.planted import Error, Specimen, specimens
from surefoot.dataset.prompt import load_prompts
from surefoot.generate.extractive import Extractive
from surefoot.llm.structured import Structured
from surefoot.testing import FailingModel, ScriptedModel, WordRetriever

PASSAGES = (
    Passage(
        id="S1",
        text="The Marula bursary is paid by the Kopano Trust in Limpopo. "
        "The bursary pays R42,000 a year to 15 students. Students in grade 12 can apply until 30 September 2026.",
        metadata={"source": "a.md"},
    ),
    Passage(
        id="S2",
        text="The swimming pool near the Baobab Hall is 25 metres long. Visitors may not enter the pool on Sundays. "
        "The rowing club was founded by Thabo Mokoena in 1987.",
        metadata={"source": "b.md"},
    ),
)


@pytest.fixture(scope="module")
def found() -> list[Specimen]:
    return specimens([PASSAGES], per_class=10)


def of(found: list[Specimen], error: Error | None, reworded: bool = False) -> list[str]:
    return [one.answer for one in found if one.error is error and one.reworded is reworded]


def test_controls_are_the_sources_own_sentences(found: list[Specimen]) -> None:
    controls = of(found, None)
    assert len(controls) == 6
    everything = " ".join(one.text for one in PASSAGES)
    assert all(answer.rpartition(" [")[0] in everything for answer in controls)


def test_a_planted_number_stands_in_no_passage(found: list[Specimen]) -> None:
    numbers = of(found, Error.NUMBER)
    assert len(numbers) == 4
    everything = " ".join(one.text for one in PASSAGES)
    assert not any(answer.rpartition(" [")[0] in everything for answer in numbers)


def test_a_planted_name_is_another_name_of_the_corpus(found: list[Specimen]) -> None:
    names = of(found, Error.ENTITY)
    assert names
    held = {word for one in PASSAGES for word in content_words(one.text)}
    assert all(set(content_words(answer.rpartition(" [")[0])) <= held for answer in names)


def test_a_negation_turns_the_sentence_round(found: list[Specimen]) -> None:
    negated = of(found, Error.NEGATION)
    assert "Visitors may enter the pool on Sundays [S2]." in negated
    assert "The swimming pool near the Baobab Hall is not 25 metres long [S2]." in negated


def test_a_wrong_citation_points_to_a_passage_that_does_not_say_it(found: list[Specimen]) -> None:
    wrong = of(found, Error.CITATION)
    assert len(wrong) == 6
    assert "The bursary pays R42,000 a year to 15 students [S2]." in wrong


def test_the_same_passages_give_the_same_specimens() -> None:
    assert specimens([PASSAGES], per_class=3) == specimens([PASSAGES], per_class=3)


def judged(gate: Verifier, found: list[Specimen], critic: str | None):  # type: ignore[no-untyped-def]
    async def go():  # type: ignore[no-untyped-def]
        models = {}
        if critic is not None:
            models["critic"] = Structured(model=ScriptedModel(lambda request: critic))
        loop = Loop(
            agents=Agents(models=models, prompts=load_prompts()),
            retriever=WordRetriever([]),
            verifier=gate,
            writer=Extractive(),
        )
        return await measure(loop, found)

    return {one.judge: one for one in asyncio.run(go())}


def test_the_gate_alone_catches_planted_numbers_and_citations(gate: Verifier, found: list[Specimen]) -> None:
    alone = judged(gate, found, None)
    assert list(alone) == ["gate"]
    assert alone["gate"].caught["number"].share == 1.0
    assert alone["gate"].caught["wrong citation"].share == 1.0
    assert alone["gate"].false_alarms["quoted"].share == 0.0


def test_a_critic_that_passes_everything_catches_nothing_alone_but_cannot_lower_the_gate(
    gate: Verifier, found: list[Specimen]
) -> None:
    judges = judged(gate, found, '{"grounded": true, "reasoning": "fine"}')
    assert list(judges) == ["gate", "model", "joined"]
    assert all(rate.hits == 0 for rate in judges["model"].caught.values())
    assert judges["joined"].caught == judges["gate"].caught


def test_a_critic_that_refuses_everything_is_shown_as_what_it_is(gate: Verifier, found: list[Specimen]) -> None:
    model = judged(gate, found, '{"grounded": false, "reasoning": "no"}')["model"]
    assert all(rate.share == 1.0 for rate in [*model.caught.values(), *model.false_alarms.values()])


def test_a_critic_that_fails_gives_no_verdict_at_all(gate: Verifier, found: list[Specimen]) -> None:
    async def go():  # type: ignore[no-untyped-def]
        loop = Loop(
            agents=Agents(models={"critic": FailingModel()}, prompts=load_prompts()),
            retriever=WordRetriever([]),
            verifier=gate,
            writer=Extractive(),
        )
        return await measure(loop, found)

    measured = asyncio.run(go())
    assert measured[0].unjudged == len(found)
    assert all(rate.total == 0 for rate in measured[0].caught.values())
    assert f"{len(found)} specimens got no verdict" in measured_text(measured)


@pytest.mark.parametrize(
    ("hits", "total", "low", "high"), [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (50, 100, 0.4038, 0.5962)]
)
def test_intervals_are_wilsons(hits: int, total: int, low: float, high: float) -> None:
    assert wilson(hits, total) == (pytest.approx(low, abs=1e-3), pytest.approx(high, abs=1e-3))
    assert Rate(hits=hits, total=total).interval == wilson(hits, total)


def test_a_class_without_cases_claims_nothing() -> None:
    assert Rate(hits=0, total=0).interval == (0.0, 1.0)


def test_the_card_shows_rates_provenance_and_plots(gate: Verifier, found: list[Specimen], tmp_path: Path) -> None:
    document = {"source": "a.md", "title": "A | B", "sha256": "0" * 64, "licence": "CC-BY-4.0"}
    audit = Audit(
        build={
            "title": "Campus",
            "corpus": "campus/",
            "fingerprint": "f" * 64,
            "duplicates_dropped": 2,
            "coverage": {"documents": 1, "retrieved": 1, "cited": 1},
            "documents": [document],
            "models": {},
        },
        rows=(),
        failures=(),
        reviews={},
    )
    measured = list(judged(gate, found, None).values())
    files = write_card(audit, measured, tmp_path / "card.md")
    text = files[0].read_text(encoding="utf-8")
    assert "CC-BY-4.0" in text
    assert "gate alone" in text
    assert "(4/4)" in text
    assert {file.name for file in files} >= {"card.md", "card.types.svg", "card.critic.svg"}
    assert "Not measured" in card_text(audit, [], {})
    assert measured_text(measured) in text
