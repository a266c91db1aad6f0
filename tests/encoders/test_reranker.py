from __future__ import annotations

import pytest

from surefoot.encoders.reranker import OnnxReranker

pytest.importorskip("surefoot_models")


@pytest.fixture(scope="module")
def reranker() -> OnnxReranker:
    return OnnxReranker(threads=1)


def test_the_answering_passage_comes_first(reranker: OnnxReranker) -> None:
    passages = [
        "Maternity leave lasts 26 weeks. You can take up to 16 further weeks without pay.",
        "A landlord must return the deposit within 14 days of the end of the tenancy.",
        "The minimum wage rises every January.",
    ]
    scores = reranker.score("When do I get my deposit back?", passages)
    assert max(range(3), key=scores.__getitem__) == 1
    assert all(0.0 <= score <= 1.0 for score in scores)


def test_no_passages_give_no_scores(reranker: OnnxReranker) -> None:
    assert reranker.score("anything?", []) == []


def test_an_empty_passage_is_scored_not_refused(reranker: OnnxReranker) -> None:
    assert len(reranker.score("anything?", ["", "text"])) == 2
