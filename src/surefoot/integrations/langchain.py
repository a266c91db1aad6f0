"""LangChain: a retriever over the knowledge base, and a runnable that lets only proven text through."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from surefoot.core.blocking import blocking
from surefoot.core.errors import MissingExtraError
from surefoot.core.hashing import plain
from surefoot.core.wire import result_to_wire
from surefoot.integrations.evidence import verify_input

try:
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import Runnable, RunnableLambda
except ImportError as error:
    raise MissingExtraError("langchain-core", "langchain") from error

if TYPE_CHECKING:
    from surefoot.wiring import Surefoot


class SurefootRetriever(BaseRetriever):
    """Passages as documents; none at all when the knowledge base holds no answer."""

    house: Any
    k: int = 8

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return blocking(self._found(query))

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        return await self._found(query)

    async def _found(self, query: str) -> list[Document]:
        found = await self.house.retriever.retrieve(query, k=self.k)
        return [
            Document(id=item.passage.id, page_content=item.passage.text, metadata=plain(item.passage.metadata))
            for item in (found.passages if found.relevant else ())
        ]


def verifier(house: Surefoot) -> Runnable[dict[str, Any], dict[str, Any]]:
    """Takes {answer, documents, question?}; gives the verification result, whose `finalAnswer` may be shown."""

    async def verify(given: dict[str, Any]) -> dict[str, Any]:
        sources = [(document.page_content, document.metadata) for document in given["documents"]]
        request = verify_input(given["answer"], sources, question=given.get("question"))
        return result_to_wire(await house.verify(request))

    return RunnableLambda(lambda given: blocking(verify(given)), afunc=verify, name="surefoot_verifier")
