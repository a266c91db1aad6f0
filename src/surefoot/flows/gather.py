"""What is looked for: each part of a question by itself, both sides of a comparison, and the whole of a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import zip_longest

from surefoot.core.followup import whole_parts
from surefoot.core.kinds import Kind, kind_of
from surefoot.core.passages import document_of
from surefoot.core.ports import Retriever
from surefoot.core.questions import operands
from surefoot.core.tabled import CUT_ROWS
from surefoot.core.types import Passage, Retrieval, ScoredPassage, SearchFilter
from surefoot.generate.tables import asks_of_rows

_MOST_OF_A_TABLE = 40
"""Passages; a larger table is a database, and no sentence sums it up."""


async def gather(
    retriever: Retriever,
    question: str,
    *,
    k: int,
    where: SearchFilter | None = None,
    in_time: Callable[[], bool] = lambda: True,
) -> Retrieval:
    """What the question finds, then what its parts find while there is time."""
    found = await retriever.retrieve(question, k=k, where=where)
    finds: list[Retrieval] = []
    for query in _queries(question):
        if not in_time():
            break
        finds.append(await retriever.retrieve(query, k=k, where=where))
    finds.append(found)
    found = replace(
        found,
        passages=_by_turns(finds)[: k + k // 2],
        relevance=max(one.relevance for one in finds),
        relevant=any(one.relevant for one in finds),
    )
    if asks_of_rows(question, kind_of(question)) and found.relevant and in_time():
        found = await _with_whole_table(retriever, found, where)
    return found


def _queries(question: str) -> tuple[str, ...]:
    parts = whole_parts(question)
    if len(parts) > 1:
        return parts
    return operands(question) or () if kind_of(question) is Kind.COMPARISON else ()


def _by_turns(finds: Sequence[Retrieval]) -> tuple[ScoredPassage, ...]:
    """So that none fills the list alone; what the parts find goes before what the whole does."""
    rounds = zip_longest(*(one.passages for one in finds))
    unique = {hit.passage.id: hit for hits in rounds for hit in hits if hit is not None}
    return tuple(unique.values())


async def _with_whole_table(retriever: Retriever, found: Retrieval, where: SearchFilter | None) -> Retrieval:
    """A superlative is of all rows, not of those that were found."""
    wanted = next(filter(None, (_rows_of(hit.passage) for hit in found.passages[:_FIRST])), None)
    if wanted is None:
        return found
    given = where or SearchFilter()
    whole = replace(given, equals={**given.equals, **wanted})
    rest = await retriever.retrieve(found.question, k=_MOST_OF_A_TABLE, where=whole)
    known = {hit.passage.id for hit in found.passages}
    rows = tuple(hit for hit in rest.passages if hit.passage.id not in known)
    return replace(found, passages=found.passages + rows)


def _rows_of(passage: Passage) -> dict[str, tuple[str, ...]] | None:
    """What the passages have in common that hold the rows beside those of this one; None where there are none."""
    said = passage.metadata
    if said.get("type") == "json" and said.get("columns"):  # each record is a page of its own
        return {"type": ("json",), "title": (str(said.get("title")),)}
    return {"file": (document_of(passage),)} if said.get("type") == "table" or said.get(CUT_ROWS) else None


_FIRST = 3
