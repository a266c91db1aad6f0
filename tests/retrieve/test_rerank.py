"""The re-ranker's verdict, the search's order and what else was found of the same document, joined."""

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


def hit(name: str, document: str) -> ScoredPassage:
    return ScoredPassage(passage=Passage(id=name, text=f"About {name}.", metadata={"file": document}), score=0.1)


def order(reranker: Steady, hits: Sequence[ScoredPassage]) -> list[str]:
    return [found.passage.id for found in asyncio.run(rerank(reranker, "what about it?", hits))]


def test_nothing_found_is_nothing_ranked() -> None:
    assert order(Steady(), []) == []


def test_a_page_found_by_many_of_its_passages_passes_one_found_by_a_single_one() -> None:
    first, alone = hit("first", "a.md"), hit("alone", "b.md")
    many = [hit(f"of-many-{number}", "c.md") for number in range(4)]
    assert order(Steady(), [first, alone, *many])[:3] == ["first", "of-many-0", "alone"]
    apart = [hit(f"of-many-{number}", f"c{number}.md") for number in range(4)]
    assert order(Steady(), [first, alone, *apart])[:3] == ["first", "alone", "of-many-0"]


def test_a_sure_re_ranker_lifts_the_last_over_a_page_found_often() -> None:
    many = [hit(f"of-many-{number}", "c.md") for number in range(4)]
    assert order(Steady("last"), [*many, hit("last", "z.md")])[1] == "last"


def test_passages_without_a_document_stand_alone() -> None:
    bare = [ScoredPassage(passage=Passage(id=name, text=name), score=0.1) for name in ("one", "two", "three")]
    assert order(Steady(), bare) == ["one", "two", "three"]
