"""The re-ranker's verdict, how near a passage is, its place in the search and what else was found of its document."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from surefoot.core.types import Passage, ScoredPassage
from surefoot.retrieve.rerank import rerank


class Steady:
    """Thinks all passages equally likely but those that name `liked`."""

    identity = "steady:1"

    def __init__(self, liked: str = "") -> None:
        self._liked = liked

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        return [0.99 if self._liked and self._liked in passage else 0.3 for passage in passages]


def hit(name: str, document: str, near: float | None = None) -> ScoredPassage:
    passage = Passage(id=name, text=f"About {name}.", metadata={"file": document})
    return ScoredPassage(passage=passage, score=0.1, dense=near)


def order(reranker: Steady, hits: Sequence[ScoredPassage]) -> list[str]:
    return [found.passage.id for found in asyncio.run(rerank(reranker, "what about it?", hits))]


def test_nothing_found_is_nothing_ranked() -> None:
    assert order(Steady(), []) == []


def test_a_page_found_by_many_of_its_passages_passes_one_found_by_a_single_one() -> None:
    first, alone = hit("first", "a.md"), hit("alone", "b.md")
    many = [hit(f"of-many-{number}", "c.md") for number in range(4)]
    assert order(Steady(), [first, alone, *many])[:2] == ["first", "of-many-0"]
    apart = [hit(f"of-many-{number}", f"c{number}.md") for number in range(4)]
    assert order(Steady(), [first, alone, *apart])[:3] == ["first", "alone", "of-many-0"]


def test_a_sure_re_ranker_lifts_the_last_over_a_page_found_often() -> None:
    many = [hit(f"of-many-{number}", "c.md") for number in range(4)]
    assert order(Steady("last"), [*many, hit("last", "z.md")])[0] == "last"


def test_passages_without_a_document_stand_alone() -> None:
    bare = [ScoredPassage(passage=Passage(id=name, text=name), score=0.1) for name in ("one", "two", "three")]
    assert order(Steady(), bare) == ["one", "two", "three"]


def test_of_two_the_re_ranker_finds_alike_the_nearer_comes_first_even_from_behind() -> None:
    assert order(Steady(), [hit("far", "a.md", 0.3), hit("near", "b.md", 0.6)]) == ["near", "far"]
    assert order(Steady(), [hit("first", "a.md", 0.58), hit("hardly nearer", "b.md", 0.6)])[0] == "first"


def test_a_sure_re_ranker_lifts_a_farther_one_but_not_from_anywhere() -> None:
    first = hit("near", "a.md", 0.5)
    assert order(Steady("liked"), [first, hit("liked", "b.md", 0.45)]) == ["liked", "near"]
    assert order(Steady("liked"), [first, hit("liked", "b.md", 0.1)]) == ["near", "liked"]


def test_what_only_the_words_found_counts_as_the_farthest_that_was_found() -> None:
    hits = [hit("near", "a.md", 0.7), hit("named", "b.md"), hit("far", "c.md", 0.3)]
    found = asyncio.run(rerank(Steady(), "what about it?", hits))
    assert [one.passage.id for one in found] == ["near", "named", "far"]
    assert all(0.0 < one.score < 1.0 for one in found)
