"""LlamaIndex: a retriever over the knowledge base, and a verifier for the responses of any query engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from surefoot.core.blocking import blocking
from surefoot.core.errors import MissingExtraError
from surefoot.core.hashing import plain
from surefoot.core.wire import result_to_wire
from surefoot.integrations.evidence import verify_input

try:
    from llama_index.core.base.response.schema import Response
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
except ImportError as error:
    raise MissingExtraError("llama-index-core", "llamaindex") from error

if TYPE_CHECKING:
    from surefoot.wiring import Surefoot


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
    """Replaces a response's text by what its source nodes prove; the verdict stands in the metadata."""

    def __init__(self, house: Surefoot) -> None:
        self._house = house

    async def averify(self, response: Any, *, question: str | None = None) -> Response:
        sources = [(node.node.get_content(), node.node.metadata) for node in response.source_nodes]
        result = await self._house.verify(verify_input(str(response), sources, question=question))
        metadata = {**(response.metadata or {}), "surefoot": result_to_wire(result)}
        return Response(response=result.final_answer, source_nodes=response.source_nodes, metadata=metadata)

    def verify(self, response: Any, *, question: str | None = None) -> Response:
        return blocking(self.averify(response, question=question))
