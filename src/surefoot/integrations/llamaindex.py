"""LlamaIndex: a retriever over the knowledge base, and a query engine around any other that shows proven text only."""

from __future__ import annotations

from typing import Any

from surefoot.core.blocking import blocking
from surefoot.core.errors import MissingExtraError
from surefoot.core.hashing import plain
from surefoot.core.request import Citing
from surefoot.core.wire import result_to_wire
from surefoot.integrations.evidence import verify_input
from surefoot.wiring import Surefoot

try:
    from llama_index.core.base.base_query_engine import BaseQueryEngine
    from llama_index.core.base.response.schema import Response
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
except ImportError as error:
    raise MissingExtraError("llama-index-core", "llamaindex") from error


class SurefootRetriever(BaseRetriever):  # type: ignore[misc]
    """Passages as scored nodes; none at all when the knowledge base holds no answer."""

    def __init__(self, house: Surefoot, *, k: int = 8) -> None:
        self._house, self._k = house, k
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return blocking(self._aretrieve(query_bundle))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = await self._house.retriever.retrieve(query_bundle.query_str, k=self._k)
        return [
            NodeWithScore(
                node=TextNode(id_=item.passage.id, text=item.passage.text, metadata=plain(item.passage.metadata)),
                score=item.score,
            )
            for item in (found.passages if found.relevant else ())
        ]


class SurefootVerifier:
    """Replaces a response's text by what its source nodes prove; the verdict stands in the metadata.

    Without a house it has one of its own, which writes nothing.
    """

    def __init__(
        self, house: Surefoot | None = None, *, pack: str | None = None, citations: Citing | None = None
    ) -> None:
        self._house, self._pack, self._citations = house or Surefoot(keeps_runs=False), pack, citations

    async def averify(self, response: Any, *, question: str | None = None) -> Response:
        request = verify_input(
            str(response), response.source_nodes, question=question, pack=self._pack, citations=self._citations
        )
        result = await self._house.verify(request)
        metadata = {**(response.metadata or {}), "surefoot": result_to_wire(result)}
        return Response(response=result.final_answer, source_nodes=response.source_nodes, metadata=metadata)

    def verify(self, response: Any, *, question: str | None = None) -> Response:
        return blocking(self.averify(response, question=question))


class VerifiedQueryEngine(BaseQueryEngine):  # type: ignore[misc]
    """Any query engine, with a gate at its end: `VerifiedQueryEngine(index.as_query_engine())`."""

    def __init__(self, engine: BaseQueryEngine, verifier: SurefootVerifier | None = None) -> None:
        self._engine, self._verifier = engine, verifier or SurefootVerifier()
        super().__init__(callback_manager=engine.callback_manager)

    def _query(self, query_bundle: QueryBundle) -> Response:
        return self._verifier.verify(self._engine.query(query_bundle), question=query_bundle.query_str)

    async def _aquery(self, query_bundle: QueryBundle) -> Response:
        response = await self._engine.aquery(query_bundle)
        return await self._verifier.averify(response, question=query_bundle.query_str)

    def _get_prompt_modules(self) -> dict[str, Any]:
        return {"engine": self._engine}
