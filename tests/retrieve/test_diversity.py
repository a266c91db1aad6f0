from __future__ import annotations

from surefoot.core.types import Passage, ScoredPassage
from surefoot.retrieve.diversity import spread


def hit(name: str, source: str, text: str | None = None) -> ScoredPassage:
    return ScoredPassage(passage=Passage(id=name, text=text or name, metadata={"file": source}), score=1.0)


def test_one_page_does_not_fill_the_list() -> None:
    hits = [hit(f"a{n}", "a.md") for n in range(6)] + [hit("b", "b.md"), hit("c", "c.md")]
    assert [h.passage.id for h in spread(hits, k=4)] == ["a0", "a1", "b", "c"]


def test_a_knowledge_base_of_one_page_still_fills_the_list() -> None:
    hits = [hit(f"a{n}", "a.md") for n in range(6)]
    assert len(spread(hits, k=4)) == 4


def test_the_same_words_are_shown_once() -> None:
    hits = [hit("a", "a.md", "Rent is due."), hit("b", "b.md", "rent  is due."), hit("c", "c.md")]
    assert [h.passage.id for h in spread(hits, k=3)] == ["a", "c"]
