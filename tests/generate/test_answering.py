"""Which statement answers, with a reader and without."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest

from surefoot.core.types import ClaimText, GroundingScore, Passage
from surefoot.encoders.grounder import OnnxGrounder
from surefoot.generate import answering
from surefoot.generate.answering import (
    FEATURES,
    READ_BESIDE,
    READER_FEATURES,
    Answering,
    Weights,
    lead,
    named_by,
    named_in,
    shipped,
    shipped_for,
    sides,
)
from surefoot.generate.quotable import Quotable, quotables
from surefoot.generate.reader import LONGEST, LONGEST_QUESTION, Reader
from surefoot.testing.embedding import HashingEmbedder
from surefoot.wiring import build

QUESTION = "What may I carry on the ferry?"
FERRY = Passage(
    id="ferry#0",
    text="What you carry on the ferry is weighed. One bag of 20 kg travels free of charge.",
    metadata={"title": "Crossing"},
)
PORT = Passage(id="port#0", text="The ferry leaves from the old port. Bicycles are lashed to the rail.")
WITHOUT = Weights(bias=0.0, weights={"words": 1.0}, least=0.3)
WITH = Weights(bias=0.0, weights={"words": 1.0, "answers": 4.0, "answers_unread": -4.0}, least=0.3)


@dataclass
class Taught:
    """A grounder that calls every claim with these words supported."""

    words: str
    identity: str = "taught:1"
    bands: dict[str, float] = field(default_factory=dict)
    asked: list[tuple[list[str], tuple[str, ...]]] = field(default_factory=list)

    def warm(self) -> None: ...

    def judge(self, claims: Sequence[ClaimText], sources: Sequence[str]) -> list[GroundingScore]:
        self.asked.append(([claim.text for claim in claims], tuple(sources)))
        return [GroundingScore(unsupported=0.01 if self.words in claim.text else 0.99) for claim in claims]


def statements(*passages: Passage) -> list[Quotable]:
    return list(quotables(passages or (FERRY, PORT), style="[S#]", rows=True))


def reading(
    grounder: Taught, *, seconds: float = 6.0, now: Callable[[], float] = lambda: 0.0, weights: Weights = WITH
) -> Answering:
    reader = Reader(grounder=grounder, seconds=seconds, now=now)
    return Answering(embedder=HashingEmbedder(), weights=WITHOUT, reader=reader, reading=weights)


def likeliest(found: Answering, candidates: Sequence[Quotable]) -> str:
    chances = found.chances(QUESTION, candidates)
    return candidates[chances.index(max(chances))].text


def without() -> list[float]:
    return Answering(embedder=HashingEmbedder(), weights=WITHOUT).chances(QUESTION, statements())


def test_what_the_reader_finds_to_answer_is_likelier_than_what_shares_more_words() -> None:
    plain = Answering(embedder=HashingEmbedder(), weights=WITHOUT)
    assert likeliest(plain, statements()) == "What you carry on the ferry is weighed."
    assert likeliest(reading(Taught("One bag")), statements()) == "One bag of 20 kg travels free of charge."


def test_a_passage_is_read_once_for_all_its_statements_with_what_stands_above_it() -> None:
    grounder = Taught("One bag")
    reading(grounder).chances(QUESTION, statements())
    assert sorted(sources for _, sources in grounder.asked) == [(f"Crossing\n{FERRY.text}",), (PORT.text,)]
    claims = [claim for texts, _ in grounder.asked for claim in texts]
    assert len(claims) == 4
    assert f'This answers "{QUESTION}": One bag of 20 kg travels free of charge.' in claims


def test_nothing_is_read_twice() -> None:
    grounder = Taught("One bag")
    found = reading(grounder)
    first = found.chances(QUESTION, statements())
    count = len(grounder.asked)
    assert found.chances(QUESTION, statements()) == first
    assert found.holds(QUESTION, "One bag of 20 kg travels free of charge [1].", [FERRY, PORT])
    assert not found.holds(QUESTION, "What you carry on the ferry is weighed [1].", [FERRY, PORT])
    assert len(grounder.asked) == count


def test_a_sentence_of_an_answer_that_is_no_quote_is_read_beside_all_passages() -> None:
    grounder = Taught("20 kg go free")
    assert reading(grounder).holds(QUESTION, "Bags up to 20 kg go free [S1].", [FERRY, PORT])
    assert grounder.asked[0][1] == (f"Crossing\n{FERRY.text}", PORT.text)


def test_only_the_likeliest_are_read_and_none_without_the_kind_asked_for() -> None:
    grounder = Taught("nothing")
    many = Passage(id="many", text=" ".join(f"Deck {letter} carries cars." for letter in "ABCDEFGHIJKLMNOPQR"))
    found = reading(grounder)
    rows = found.read(QUESTION, statements(FERRY, many), found.features(QUESTION, statements(FERRY, many)))
    assert rows is not None
    assert sum(row["answers_unread"] == 0.0 for row in rows) == READ_BESIDE
    grounder.asked.clear()
    found.chances("How much does the ferry cost?", statements(PORT))
    assert grounder.asked == []


@dataclass
class Broken(Taught):
    fault: str = ""

    def judge(self, claims: Sequence[ClaimText], sources: Sequence[str]) -> list[GroundingScore]:
        if self.fault == "raises":
            raise RuntimeError("out of memory")
        scores = super().judge(claims, sources)
        return scores[1:] if self.fault == "too few" else [replace(one, unsupported=float("nan")) for one in scores]


@pytest.mark.parametrize("fault", ["raises", "too few", "no number"])
def test_a_reader_that_fails_changes_nothing(fault: str) -> None:
    found = reading(Broken("One bag", fault=fault))
    assert found.chances(QUESTION, statements()) == without()
    assert found.holds(QUESTION, "What you carry on the ferry is weighed [1].", [FERRY])


def test_a_reader_that_takes_too_long_changes_nothing_and_stops() -> None:
    grounder = Taught("One bag")
    ticks = iter(range(0, 1000, 5))
    assert reading(grounder, seconds=6, now=lambda: next(ticks)).chances(QUESTION, statements()) == without()
    assert len(grounder.asked) == 1


def test_a_question_too_long_for_a_claim_is_not_read_and_a_long_statement_is_cut() -> None:
    grounder = Taught("One bag")
    found = reading(grounder)
    found.chances(f"{QUESTION} {'I have so much to carry. ' * 20}"[: LONGEST_QUESTION + 1], statements())
    assert grounder.asked == []
    long = Passage(id="long", text=f"You carry {'a bag, ' * 60}and a coat.")
    found.chances(QUESTION, statements(long))
    assert [len(claim) for claim in grounder.asked[0][0]] == [LONGEST]


def test_weights_with_a_reader_are_for_the_grounder_they_were_fitted_to(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = {"grounder": "taught:1", "bias": 2.0, "weights": {}}
    given = {"bias": 1.0, "weights": {}, "least": 0.3, "stands": 0.6, "reader": reader}
    monkeypatch.setattr(answering, "_fitted", lambda: given)
    shipped.cache_clear()
    found = shipped_for("taught:1")
    assert found is not None
    assert (found.bias, found.least, found.stands) == (2.0, 0.3, 0.6)
    assert shipped_for("taught:2") is None
    del given["reader"]
    assert shipped_for("taught:1") is None
    shipped.cache_clear()


def test_the_weights_that_ship_fit_the_models_that_ship() -> None:
    assert set(shipped().weights) == set(FEATURES)
    fitted = answering._fitted().get("reader")
    if fitted is not None:  # else fit again: benchmarks/answers/fit.py --reader-only
        assert fitted["grounder"] == OnnxGrounder().identity
        assert set(fitted["weights"]) == {*FEATURES, *READER_FEATURES}


def test_the_reader_is_the_gates_own_grounder_and_there_is_none_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("surefoot.wiring.answering.shipped_for", lambda grounder: WITH)
    house = build(cache=False, grounder_size="accurate", ask_budget_ms=20_000)
    house.__dict__["grounders"] = (Taught("One bag"), None)
    reader = house.answering.reader
    assert reader is not None
    assert reader.grounder is house.grounders[0]
    assert reader.seconds == 2.0
    for size in ("fast", "none"):
        bare = build(cache=False, grounder_size=size).answering
        assert (bare.reader, bare.reading) == (None, None)


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Is the loom dearer than the wheel?", ["How much is the loom?", "How much is the wheel?"]),
        ("Which is heavier, the pram or the trike?", ["How heavy is the pram?", "How heavy is the trike?"]),
        ("What is the difference between a day pass and a week pass?", ["What is a day pass?", "What is a week pass?"]),
        ("What does the loom cost?", []),
    ],
)
def test_of_each_thing_compared_its_measure_is_asked(question: str, asked: list[str]) -> None:
    assert [side.question for side in sides(question)] == asked


class Measuring(Answering):
    """Answers how much a thing is, and nothing else."""

    def chances(self, question: str, candidates: Sequence[Quotable]) -> list[float]:
        return [0.5 if question.startswith("How much is") and "£" in one.text else 0.01 for one in candidates]


def test_a_comparison_is_answered_by_what_is_said_of_both_things_and_not_of_one() -> None:
    prices = Passage(id="p", text="The loom costs £90. The wheel costs £40. The wheel is old.")
    found = Measuring(embedder=HashingEmbedder(), weights=WITHOUT)
    question = "Is the loom dearer than the wheel?"
    assert found.holds(question, "The loom costs £90 [1]. The wheel costs £40 [1].", [prices])
    assert not found.holds(question, "The loom costs £90 [1].", [prices])
    assert not found.holds(question, "The loom costs £90 [1]. The wheel is old [1].", [prices])
    assert not found.holds("What is a loom?", "The loom costs £90 [1].", [prices])


@pytest.mark.parametrize(
    ("chances", "stands"),
    [
        ([0.4, 0.01, 0.0], True),  # unsure, and nothing else comes near
        ([0.5, 0.5, 0.4], False),  # either may be meant
        ([0.9, 0.3, 0.1], True),
        ([0.02], False),
        ([0.0, 0.0], False),
        ([], False),
    ],
)
def test_the_likeliest_is_an_answer_by_its_chance_and_its_lead(chances: list[float], stands: bool) -> None:
    assert (lead(chances) >= shipped().stands) is stands


def test_the_asker_is_no_name() -> None:
    assert named_in("Can I bring Tom if I've 2 dogs, and I’m late?") == ["tom", "2"]


def test_what_a_page_says_of_itself_answers_only_who_asks_for_that() -> None:
    page = Passage(
        id="fees#0",
        text="# School fees\n\nThis schedule replaces the one of 18 November 2024.\n\nGrade 8 pays R14 600 a year.\n",
    )
    found = list(quotables([page], style="[n]"))
    judge = Answering(embedder=HashingEmbedder())
    assert judge.chances("what will the school fees be?", found)[0] == 0.0
    assert judge.chances("Which schedule does this one replace?", found)[0] > 0.0


def test_what_is_left_of_a_torn_text_is_held_to_the_bar_of_a_chosen_statement() -> None:
    likely = Answering(embedder=HashingEmbedder(), weights=Weights(bias=0.0, weights={}, least=0.6))  # 0.5 each
    said = "What you carry on the ferry is weighed [1]."
    assert likely.holds(QUESTION, said, [FERRY])
    assert not likely.holds(QUESTION, said, [FERRY], torn=True)
    sure = Answering(embedder=HashingEmbedder(), weights=Weights(bias=1.0, weights={}, least=0.6))
    assert sure.holds(QUESTION, said, [FERRY], torn=True)


@pytest.mark.parametrize(
    ("question", "text", "named"),
    [
        ("When are you open?", "**Opening times:** Tuesday to Saturday, 8.30 to 17.30.", True),
        ("When are you open?", "Opening hours: Tuesday to Saturday, 8.30 to 17.30.", True),
        ("When is the office open?", "**Office hours:** Wednesday from 2 pm to 5 pm.", True),
        ("When can I hire a boat?", "Boat hire times: from 9 am to 5 pm.", True),
        ("When are you open?", "Boat hire times: from 9 am to 5 pm.", False),
        ("When is the kitchen open?", "Opening hours: Tuesday to Saturday, 8.30 to 17.30.", False),
        ("When are you open?", "Opening day: Saturday 3 June at noon.", False),
        ("When is it?", "Opening hours: Tuesday to Saturday, 8.30 to 17.30.", False),
        ("When are the fires?", "**Fires:** out by 11 pm at the latest.", False),
    ],
)
def test_a_label_names_what_was_asked_for_and_nothing_else(question: str, text: str, named: bool) -> None:
    (one,) = statements(Passage(id="a", text=text, metadata={"title": "Camp"}))
    assert bool(named_by(question, [one])) is named


def test_hours_of_something_under_a_heading_are_not_yours_nor_are_those_of_two() -> None:
    baths = Passage(id="a", text="# Cafe\n\nOpening hours: 10 am to 4 pm.", metadata={"title": "Baths"})
    museum = Passage(id="b", text="**Opening hours:** Daily from 11 am to 5 pm.", metadata={"title": "Museum"})
    cafe, daily = statements(baths, museum)
    assert not named_by("When are you open?", [cafe])
    assert not named_by("When are you open?", [cafe, daily])
    assert named_by("When is the cafe open?", [cafe, daily]) == {cafe.order}
    assert named_by("When is the museum open?", [cafe, daily]) == {daily.order}


def test_what_stands_under_the_label_that_was_asked_for_needs_less_to_answer() -> None:
    weak = Answering(embedder=HashingEmbedder(), weights=Weights(bias=-1.5, weights={}, least=0.35))
    hours, other = statements(
        Passage(id="a", text="**Opening hours:** Monday to Friday, 9 am to 6 pm.\n\n# Bar\n\nIt closes at 11 pm today.")
    )
    assert weak.chances("When are you open?", [hours, other]) == pytest.approx([0.521, 0.182], abs=0.001)
    far = Answering(embedder=HashingEmbedder(), weights=Weights(bias=-2.5, weights={}, least=0.35))
    assert max(far.chances("When are you open?", [hours, other])) < 0.1
