"""LangChain: a retriever over the knowledge base, and a runnable that lets only proven text through."""

from __future__ import annotations

from typing import Any

from surefoot.core.blocking import blocking
from surefoot.core.errors import MissingExtraError
from surefoot.core.hashing import plain
from surefoot.core.request import Citing
from surefoot.core.wire import result_to_wire
from surefoot.wiring import Surefoot

try:
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import Runnable, RunnableLambda
except ImportError as error:
    raise MissingExtraError("langchain-core", "langchain") from error


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


def verifier(
    house: Surefoot | None = None, *, pack: str | None = None, citations: Citing | None = None
) -> Runnable[dict[str, Any], dict[str, Any]]:
    """Takes {answer, documents, question?, profile?}; gives the verification result, whose `text` may be shown.

    Without a house it has one of its own, which writes nothing. `documents` may be any sources.
    """
    gate = house or Surefoot(keeps_runs=False)

    async def verify(given: dict[str, Any]) -> dict[str, Any]:
        result = await gate.verify(
            given["answer"],
            given["documents"],
            question=given.get("question"),
            profile=given.get("profile"),
            citations=citations,
            pack=pack,
        )
        return {"text": result.text, **result_to_wire(result)}

    return RunnableLambda(lambda given: blocking(verify(given)), afunc=verify, name="surefoot_verifier")
