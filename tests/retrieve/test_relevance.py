"""Nothing relevant is decided from all signals together."""

from __future__ import annotations

from surefoot.core.types import Passage, ScoredPassage
from surefoot.retrieve.relevance import SIGNALS, coverage, relevance, shipped, signals


def hit(text: str, dense: float | None, rerank: float | None = None) -> ScoredPassage:
    return ScoredPassage(passage=Passage(id=text[:8], text=text), score=0.0, dense=dense, rerank=rerank)


def test_nothing_found_is_nothing_relevant() -> None:
    assert relevance("When is the rent due?", []) == 0.0


def test_a_near_passage_with_the_words_of_the_question_is_relevant() -> None:
    found = [hit("The rent is due on the first of the month.", 0.7, 0.6)]
    assert relevance("When is the rent due?", found) > 2 * shipped().least


def test_a_far_passage_that_shares_a_word_is_not() -> None:
    found = [hit("Working capital of a firm.", 0.1, 0.0001)]
    assert relevance("What is the capital of Mongolia?", found) < shipped().least


def test_a_plain_price_is_relevant_although_the_re_ranker_doubts_it() -> None:
    found = [hit("A consultation costs £48.", 0.75, 0.02)]
    assert relevance("What does a consultation cost?", found) > shipped().least


def test_every_signal_is_weighed_and_no_other() -> None:
    assert set(shipped().weights) == set(SIGNALS) == set(signals("When?", [hit("Now.", 0.5)]))


def test_a_passage_without_the_kind_asked_for_says_so() -> None:
    assert signals("How much is it?", [hit("It is blue.", 0.5)])["kind_missing"] == 1.0
    assert signals("How much is it?", [hit("It is £4.", 0.5)])["kind_missing"] == 0.0


def test_nearer_is_never_less_relevant() -> None:
    chances = [relevance("rent due", [hit("Rent is due.", cosine / 10)]) for cosine in range(11)]
    assert chances == sorted(chances)


def test_coverage_counts_the_questions_words() -> None:
    assert coverage("rent arrears", [hit("The rent.", 0.5)]) == 0.5
    assert coverage("of the", [hit("The rent.", 0.5)]) == 0.0
