"""Sources as callers hold them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from surefoot.core.errors import InputError
from surefoot.core.sources import as_passages
from surefoot.core.types import Passage, ScoredPassage

TEXT = "The fee is R5."
ABOUT = {"title": "Fees", "client": object()}


@dataclass
class LangChainLike:
    page_content: str = TEXT
    metadata: dict[str, Any] = field(default_factory=lambda: dict(ABOUT))
    id: str | None = "x"


@dataclass
class LlamaLike:
    metadata: dict[str, Any] = field(default_factory=lambda: dict(ABOUT))
    score: float | None = 0.5

    def get_content(self, metadata_mode: str = "none") -> str:
        return TEXT


@dataclass
class HaystackLike:
    content: str | None = TEXT
    meta: dict[str, Any] = field(default_factory=lambda: dict(ABOUT))


@pytest.mark.parametrize(
    "source",
    [
        {"text": TEXT, "title": "Fees"},
        {"content": TEXT, "metadata": ABOUT},
        {"chunk_text": TEXT, "chunk_metadata": ABOUT},
        (TEXT, ABOUT),
        LangChainLike(),
        LlamaLike(),
        HaystackLike(),
    ],
    ids=lambda source: type(source).__name__,
)
def test_a_document_becomes_a_passage_with_its_plain_metadata(source: Any) -> None:
    assert as_passages([source]) == (Passage(id="S1", text=TEXT, metadata={"title": "Fees"}),)
    assert as_passages(source) == as_passages([source])


def test_texts_are_numbered_and_passages_keep_their_ids() -> None:
    own = Passage(id="fees", text=TEXT)
    found = as_passages(
        [TEXT, own, ScoredPassage(passage=Passage(id="p", text=TEXT), score=1.0), {"id": 7, "text": TEXT}]
    )
    assert [passage.id for passage in found] == ["S1", "fees", "p", "7"]


def test_one_text_is_one_source_not_its_letters() -> None:
    assert [passage.text for passage in as_passages(TEXT)] == [TEXT]


def test_an_id_used_twice_is_an_error() -> None:
    with pytest.raises(InputError, match="'a' is used twice"):
        as_passages([{"id": "a", "text": "x"}, {"id": "a", "text": "y"}])


def test_a_text_that_is_none_is_an_error() -> None:
    with pytest.raises(InputError, match="source 1 has no 'text'"):
        as_passages([{"text": None}])
