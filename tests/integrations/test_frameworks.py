"""The LlamaIndex and Haystack components inside their frameworks; make integrations runs what is skipped here."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from surefoot.core.errors import InputError
from surefoot.settings import Settings
from surefoot.wiring import Surefoot

FEE, WRONG = "The late fee for a DVD is R5 a day.", "The late fee for a DVD is R9 a day."


@pytest.fixture
def house() -> Surefoot:
    return Surefoot(Settings(kb=Path("nowhere"), deadline_ms=60_000), keeps_runs=False)


def test_a_llamaindex_response_is_replaced_by_what_its_nodes_prove(house: Surefoot) -> None:
    pytest.importorskip("llama_index", reason="make integrations runs this one")
    from llama_index.core.base.response.schema import Response
    from llama_index.core.schema import NodeWithScore, TextNode

    from surefoot.integrations.llamaindex import SurefootVerifier

    nodes = [NodeWithScore(node=TextNode(text=FEE), score=0.9)]
    given = Response(response=WRONG, source_nodes=nodes, metadata={"kept": 1})
    plain = SurefootVerifier(house).verify(given)
    assert (plain.response, plain.metadata["kept"], plain.source_nodes) == (FEE, 1, nodes)
    marked = asyncio.run(SurefootVerifier(house, citations="required").averify(given))
    assert marked.response == f"{FEE[:-1]} [S1]."
    bare = SurefootVerifier(house).verify(Response(response=WRONG, source_nodes=[]))
    assert bare.metadata["surefoot"]["decision"] == "rejected"


def test_a_haystack_verifier_reads_texts_and_chat_messages(house: Surefoot) -> None:
    haystack = pytest.importorskip("haystack", reason="make integrations runs this one")
    from haystack.dataclasses import ChatMessage

    from surefoot.integrations.haystack import SurefootVerifier

    documents = [haystack.Document(content=FEE)]
    replies: tuple[list[Any], ...] = ([WRONG], [ChatMessage.from_assistant(WRONG)])
    for reply in replies:
        assert SurefootVerifier(house).run(replies=reply, documents=documents)["answer"] == FEE
    awaited = asyncio.run(SurefootVerifier(house).run_async(replies=[WRONG], documents=documents))
    assert (awaited["decision"], awaited["answer"]) == ("revised", FEE)
    assert SurefootVerifier(house).run(replies=[], documents=documents)["decision"] != "approved"


def test_a_haystack_verifier_is_saved_with_its_choices(house: Surefoot) -> None:
    pytest.importorskip("haystack", reason="make integrations runs this one")
    from haystack import default_from_dict

    from surefoot.integrations.haystack import SurefootVerifier

    saved = SurefootVerifier(pack="thandi", citations="required").to_dict()
    assert saved["init_parameters"] == {"pack": "thandi", "citations": "required"}
    assert default_from_dict(SurefootVerifier, saved).to_dict() == saved
    with pytest.raises(InputError, match="cannot be saved"):
        SurefootVerifier(house).to_dict()
