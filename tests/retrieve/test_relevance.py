from __future__ import annotations

from surefoot.core.types import Passage, ScoredPassage
from surefoot.retrieve.relevance import THRESHOLD, coverage, relevance


def hit(text: str, cosine: float | None) -> ScoredPassage:
    return ScoredPassage(passage=Passage(id=text, text=text), score=1.0, dense=cosine)


def test_nothing_found_is_nothing_relevant() -> None:
    assert relevance("When is the rent due?", []) == 0.0


def test_a_near_passage_with_the_questions_words_is_relevant() -> None:
    assert relevance("When is the rent due?", [hit("The rent is due monthly.", 0.7)]) > 0.9


def test_a_far_passage_is_a_miss_even_when_it_shares_a_word() -> None:
    assert relevance("What is the capital of Mongolia?", [hit("Working capital of a firm.", 0.2)]) < THRESHOLD


def test_a_passage_found_by_words_alone_counts_as_far() -> None:
    assert relevance("zebra", [hit("zebra", None)]) < THRESHOLD


def test_nearer_is_never_less_relevant() -> None:
    chances = [relevance("rent due", [hit("Rent is due.", cosine / 10)]) for cosine in range(11)]
    assert chances == sorted(chances)


def test_coverage_counts_content_words_by_stem() -> None:
    assert coverage("Which plumbers repair pipes?", [hit("A plumber repairs a pipe.", 0.5)]) == 1.0
    assert coverage("what is the", [hit("anything", 0.5)]) == 0.0
