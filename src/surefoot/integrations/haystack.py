"""Haystack: a retriever and a verifier as pipeline components."""

from __future__ import annotations

from typing import Any

from surefoot.core.blocking import blocking
from surefoot.core.errors import InputError, MissingExtraError
from surefoot.core.hashing import plain
from surefoot.core.request import Citing
from surefoot.core.wire import result_to_wire
from surefoot.integrations.evidence import verify_input
from surefoot.wiring import Surefoot

try:
    from haystack import Document, component, default_to_dict
except ImportError as error:
    raise MissingExtraError("haystack-ai", "haystack") from error


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
    """Lets only proven text through: `answer` may be shown, `decision` and `result` say why.

    `replies` are those of a generator or of a chat generator; the first one is read. Without a house it has one of
    its own, which writes nothing, and can be saved with its pipeline.
    """

    def __init__(
        self, house: Surefoot | None = None, *, pack: str | None = None, citations: Citing | None = None
    ) -> None:
        self._house, self._pack, self._citations = house or Surefoot(keeps_runs=False), pack, citations
        self._own = house is None

    def to_dict(self) -> dict[str, Any]:
        if not self._own:
            raise InputError("a verifier over a house cannot be saved; make one without: SurefootVerifier()")
        saved: dict[str, Any] = default_to_dict(self, pack=self._pack, citations=self._citations)
        return saved

    @component.output_types(answer=str, decision=str, result=dict[str, Any])  # type: ignore[untyped-decorator]
    def run(self, replies: list[Any], documents: list[Document], query: str | None = None) -> dict[str, Any]:
        return blocking(self._verified(replies, documents, query))

    @component.output_types(answer=str, decision=str, result=dict[str, Any])  # type: ignore[untyped-decorator]
    async def run_async(
        self, replies: list[Any], documents: list[Document], query: str | None = None
    ) -> dict[str, Any]:
        return await self._verified(replies, documents, query)

    async def _verified(self, replies: list[Any], documents: list[Document], query: str | None) -> dict[str, Any]:
        first = replies[0] if replies else ""
        answer = first if isinstance(first, str) else first.text or ""
        request = verify_input(answer, documents, question=query, pack=self._pack, citations=self._citations)
        result = await self._house.verify(request)
        return {"answer": result.final_answer, "decision": result.decision.value, "result": result_to_wire(result)}
