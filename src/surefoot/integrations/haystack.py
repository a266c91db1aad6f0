"""Haystack: a retriever and a verifier as pipeline components."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from surefoot.core.blocking import blocking
from surefoot.core.errors import MissingExtraError
from surefoot.core.hashing import plain
from surefoot.core.wire import result_to_wire
from surefoot.integrations.evidence import verify_input

try:
    from haystack import Document, component
except ImportError as error:
    raise MissingExtraError("haystack-ai", "haystack") from error

if TYPE_CHECKING:
    from surefoot.wiring import Surefoot


@component
class SurefootRetriever:
    """Passages as documents; none at all when the knowledge base holds no answer."""

    def __init__(self, house: Surefoot, k: int = 8) -> None:
        self._house, self._k = house, k

    @component.output_types(documents=list[Document])  # type: ignore[untyped-decorator]
    def run(self, query: str) -> dict[str, Any]:
        found = blocking(self._house.retriever.retrieve(query, k=self._k))
        documents = [
            Document(id=item.passage.id, content=item.passage.text, meta=plain(item.passage.metadata), score=item.score)
            for item in (found.passages if found.relevant else ())
        ]
        return {"documents": documents}


@component
class SurefootVerifier:
    """Lets only proven text through: `answer` may be shown, `result` says why."""

    def __init__(self, house: Surefoot) -> None:
        self._house = house

    @component.output_types(answer=str, decision=str, result=dict[str, Any])  # type: ignore[untyped-decorator]
    def run(self, replies: list[str], documents: list[Document], query: str | None = None) -> dict[str, Any]:
        sources = [(document.content or "", document.meta) for document in documents]
        request = verify_input(replies[0] if replies else "", sources, question=query)
        result = blocking(self._house.verify(request))
        return {"answer": result.final_answer, "decision": result.decision.value, "result": result_to_wire(result)}
