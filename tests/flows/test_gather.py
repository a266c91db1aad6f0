"""The rows beside those that were found are fetched where a question is about all of them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest

from surefoot.core.tabled import CUT_ROWS
from surefoot.core.types import Json, Passage, Retrieval, ScoredPassage, SearchFilter
from surefoot.flows.gather import gather


@dataclass
class Shelf:
    """Finds the first passage, and all that a filter names."""

    passages: list[Passage]
    asked: list[SearchFilter | None] = field(default_factory=list)

    async def retrieve(self, question: str, *, k: int = 8, where: SearchFilter | None = None) -> Retrieval:
        self.asked.append(where)
        wanted = where.equals if where else {}
        found = [one for one in self.passages if all(one.metadata.get(key) in some for key, some in wanted.items())]
        hits = tuple(ScoredPassage(passage=one, score=1.0) for one in (found if where else found[:1])[:k])
        return Retrieval(question=question, passages=hits, relevance=1.0, relevant=True)


def rows(**said: Json) -> list[Passage]:
    return [
        Passage(id=name, text=f"Hut: {name}; Beds: 2.", metadata={"title": "huts", "file": f"huts.json#{name}", **said})
        for name in ("Ash", "Elm", "Oak")
    ]


@pytest.mark.parametrize(
    ("said", "question", "found"),
    [
        ({"type": "json", "columns": ["Hut", "Beds"], "rows": 3}, "Which hut has the most beds?", 3),
        ({"type": "json", "columns": ["Hut", "Beds"], "rows": 3}, "Which huts have 2 beds?", 3),
        ({"type": "table", "file": "huts.csv"}, "How many huts are there?", 3),
        ({"type": "markdown", "file": "huts.md", CUT_ROWS: ["after"]}, "Which hut is the cheapest?", 3),
        ({"type": "markdown", "file": "huts.md"}, "Which hut is the cheapest?", 1),
        ({"type": "table", "file": "huts.csv"}, "When does the hut open?", 1),
    ],
)
def test_a_table_is_fetched_whole_for_a_question_over_its_rows(
    said: dict[str, Json], question: str, found: int
) -> None:
    got = asyncio.run(gather(Shelf(rows(**said)), question, k=8))
    assert len(got.passages) == found


class Finds:
    """Two passages for the question, and two for each part."""

    async def retrieve(self, question: str, *, k: int = 8, where: SearchFilter | None = None) -> Retrieval:
        letters = "xa" if " and " in question else "ab" if question.startswith("When") else "cd"
        hits = tuple(ScoredPassage(passage=Passage(id=one, text=one), score=1.0) for one in letters)
        return Retrieval(question=question, passages=hits, relevance=0.1, relevant="a" in letters)


def test_what_each_part_finds_goes_before_what_the_whole_question_does() -> None:
    got = asyncio.run(gather(Finds(), "When are you open and is there a sauna?", k=8))
    assert "".join(hit.passage.id for hit in got.passages) == "acxbd"
    assert got.relevant
    only = asyncio.run(gather(Finds(), "When are you open and is there a sauna?", k=8, in_time=lambda: False))
    assert "".join(hit.passage.id for hit in only.passages) == "xa"
