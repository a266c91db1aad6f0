"""The house for code that does not await: the same names, plain calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol, overload

from surefoot.core.blocking import blocking
from surefoot.core.request import Citing, as_request
from surefoot.core.sources import Sources
from surefoot.core.types import (
    AskResult,
    IngestProgress,
    IngestReport,
    Json,
    JudgeResult,
    Retrieval,
    SearchFilter,
    StoredDocument,
    Turn,
    VerificationResult,
    VerifyInput,
    VerifyOptions,
)


class House(Protocol):
    """What is made blocking."""

    async def verify(self, answer: VerifyInput) -> VerificationResult: ...
    async def ask(
        self,
        question: str,
        *,
        pack: str | None = None,
        profile: Mapping[str, Json] | None = None,
        history: Sequence[Turn] = (),
        where: SearchFilter | None = None,
        session_id: str | None = None,
        options: VerifyOptions | None = None,
    ) -> AskResult: ...
    async def judge(self, context: str, query: str) -> JudgeResult: ...
    async def ingest(
        self,
        paths: str | Path | Sequence[str | Path],
        *,
        tags: Mapping[str, Json] | None = None,
        on_progress: Callable[[IngestProgress], None] | None = None,
    ) -> IngestReport: ...
    async def search(self, question: str, *, k: int | None = None, where: SearchFilter | None = None) -> Retrieval: ...
    async def documents(self) -> list[StoredDocument]: ...
    async def close(self) -> None: ...


class BlockingSurefoot:
    """What `with surefoot.Surefoot(…) as sf:` gives. Safe inside a running event loop, and for many threads."""

    def __init__(self, house: House) -> None:
        self._house = house

    @overload
    def verify(self, answer: VerifyInput) -> VerificationResult: ...

    @overload
    def verify(
        self,
        answer: str,
        sources: Sources,
        *,
        question: str | None = None,
        profile: Mapping[str, Json] | None = None,
        citations: Citing | None = None,
        pack: str | None = None,
        rag_draft: str | None = None,
        options: VerifyOptions | None = None,
    ) -> VerificationResult: ...

    def verify(
        self,
        answer: str | VerifyInput,
        sources: Sources | None = None,
        *,
        question: str | None = None,
        profile: Mapping[str, Json] | None = None,
        citations: Citing | None = None,
        pack: str | None = None,
        rag_draft: str | None = None,
        options: VerifyOptions | None = None,
    ) -> VerificationResult:
        """The gate's verdict on a draft from any other system; see `surefoot.verify`."""
        request = as_request(
            answer,
            sources,
            question=question,
            profile=profile,
            citations=citations,
            pack=pack,
            rag_draft=rag_draft,
            options=options,
        )
        return blocking(self._house.verify(request))

    def ask(
        self,
        question: str,
        *,
        pack: str | None = None,
        profile: Mapping[str, Json] | None = None,
        history: Sequence[Turn] = (),
        where: SearchFilter | None = None,
        session_id: str | None = None,
        options: VerifyOptions | None = None,
    ) -> AskResult:
        """One verified answer from the knowledge base, with its proof, or an honest refusal."""
        return blocking(
            self._house.ask(
                question,
                pack=pack,
                profile=profile,
                history=history,
                where=where,
                session_id=session_id,
                options=options,
            )
        )

    def judge(self, context: str, query: str) -> JudgeResult:
        """A cited verdict on an everyday dispute."""
        return blocking(self._house.judge(context, query))

    def ingest(
        self,
        paths: str | Path | Sequence[str | Path],
        *,
        tags: Mapping[str, Json] | None = None,
        on_progress: Callable[[IngestProgress], None] | None = None,
    ) -> IngestReport:
        """Makes the knowledge base hold what the files, folders and patterns hold now."""
        return blocking(self._house.ingest(paths, tags=tags, on_progress=on_progress))

    def search(self, question: str, *, k: int | None = None, where: SearchFilter | None = None) -> Retrieval:
        """The passages nearest to a question, best first, and whether they hold an answer at all."""
        return blocking(self._house.search(question, k=k, where=where))

    def documents(self) -> list[StoredDocument]:
        """Every source the knowledge base knows, with the state of its indexing."""
        return blocking(self._house.documents())

    def close(self) -> None:
        """Lets go of the store, the run log and the caches; leaving the `with` block does it too."""
        blocking(self._house.close())
