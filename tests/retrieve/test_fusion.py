from __future__ import annotations

from surefoot.core.types import Passage, ScoredPassage
from surefoot.retrieve.fusion import fuse


def near(*ids: str) -> list[ScoredPassage]:
    return [
        ScoredPassage(passage=Passage(id=i, text=i), score=1 - r / 10, dense=1 - r / 10, dense_rank=r)
        for r, i in enumerate(ids, start=1)
    ]


def named(*ids: str) -> list[ScoredPassage]:
    return [
        ScoredPassage(passage=Passage(id=i, text=i), score=20 - r, lexical=20 - r, lexical_rank=r)
        for r, i in enumerate(ids, start=1)
    ]


def test_a_passage_both_searches_found_comes_before_one_that_only_one_found() -> None:
    fused = fuse(near("a", "b"), named("c", "b"))
    assert fused[0].passage.id == "b"


def test_each_passage_appears_once_with_both_scores() -> None:
    fused = fuse(near("a", "b"), named("b", "a"))
    assert sorted(hit.passage.id for hit in fused) == ["a", "b"]
    assert all(hit.dense is not None and hit.lexical is not None and hit.fused == hit.score for hit in fused)


def test_equal_scores_fall_by_id_so_that_runs_agree() -> None:
    assert [hit.passage.id for hit in fuse(near("z"), named("a"), dense_weight=1, lexical_weight=1)] == ["a", "z"]


def test_a_weight_of_zero_silences_a_search() -> None:
    fused = fuse(near("a"), named("b", "c"), lexical_weight=0.0)
    assert fused[0].passage.id == "a"
    assert [hit.score for hit in fused[1:]] == [0.0, 0.0]


def test_nothing_found_is_nothing_fused() -> None:
    assert fuse([], []) == []
