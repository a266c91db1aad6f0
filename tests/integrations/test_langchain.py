"""The LangChain adapter."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from langchain_core.documents import Document

from surefoot.core.types import Retrieval, ScoredPassage
from surefoot.integrations.langchain import SurefootRetriever, verifier
from surefoot.testing import passage
from surefoot.wiring import Surefoot, build


class OnePassage:
    def __init__(self, *, relevant: bool) -> None:
        self.relevant = relevant

    async def retrieve(self, question: str, *, k: int = 8, where: object = None) -> Retrieval:
        found = (ScoredPassage(passage=passage("The fee is R5 a day.", id="S1"), score=0.9),)
        return Retrieval(question=question, passages=found, relevance=0.9, relevant=self.relevant)


@pytest.fixture
def house(tmp_path: Path) -> Surefoot:
    return build(kb=tmp_path)


def test_passages_become_documents(house: Surefoot) -> None:
    house.retriever = OnePassage(relevant=True)  # type: ignore[misc]
    documents = SurefootRetriever(house=house).invoke("What is the fee?")
    assert [document.page_content for document in documents] == ["The fee is R5 a day."]


def test_a_retrieval_miss_gives_no_documents(house: Surefoot) -> None:
    house.retriever = OnePassage(relevant=False)  # type: ignore[misc]
    assert asyncio.run(SurefootRetriever(house=house).ainvoke("What?")) == []


def test_only_proven_text_comes_through(house: Surefoot) -> None:
    given = {"answer": "The fee is R9 a day [S1].", "documents": [Document(page_content="The fee is R5 a day.")]}
    result = verifier(house).invoke(given)
    assert result["decision"] == "revised"
    assert result["finalAnswer"] == "The fee is R5 a day [S1]."


def test_without_documents_nothing_is_proven(house: Surefoot) -> None:
    result = verifier(house).invoke({"answer": "The fee is R5 a day.", "documents": []})
    assert result["decision"] == "rejected"


def test_the_runnable_has_a_house_of_its_own_and_takes_the_citation_choice() -> None:
    given = {"answer": "The fee is R5 a day.", "documents": ["The fee is R5 a day."]}
    assert verifier().invoke(given)["text"] == "The fee is R5 a day."
    assert verifier(citations="required").invoke(given)["text"] == "The fee is R5 a day [S1]."
