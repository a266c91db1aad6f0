"""A small house: the real gate and run log, and a retrieval so small that it needs no model."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from surefoot.core.text import content_words
from surefoot.core.types import (
    AskEvent,
    AskResult,
    IngestReport,
    Json,
    JudgeResult,
    Passage,
    Reference,
    ScoredPassage,
    SearchFilter,
    Shown,
    StoredDocument,
    Turn,
    VerifyInput,
)
from surefoot.server.app import create_app
from surefoot.wiring import Surefoot

PASSAGES = (
    Passage(id="S1", text="The bursary pays R35 000 per year. Applications close on 30 September 2026."),
    Passage(id="S2", text="The library opens at 08:00."),
)


class SmallHouse(Surefoot):
    """Retrieval by shared words over two passages and whatever was uploaded; everything else is the real house."""

    passages: tuple[Passage, ...] = PASSAGES
    uploads: Sequence[Path] = ()
    before_ask: Callable[[], Any] | None = None
    kept: AskResult | None = None
    """An answer given before, to its question."""
    heard: tuple[Turn, ...] = ()
    """The earlier turns the last question came with."""

    async def ask(
        self,
        question: str,
        *,
        pack: str | None = None,
        profile: Mapping[str, Json] | None = None,
        history: Sequence[Turn] = (),
        where: SearchFilter | None = None,
        session_id: str | None = None,
        options: object = None,
        on_event: Callable[[AskEvent], None] | None = None,
        on_release: Callable[[Shown], None] | None = None,
    ) -> AskResult:
        self.heard = tuple(history)
        if self.before_ask is not None:
            await self.before_ask()
        for node in ("retrieve", "generate", "validate", "deliver"):
            for state in ("started", "finished"):
                if on_event is not None:
                    on_event(AskEvent(node=node, state=state, round=1))
        asked = set(content_words(question))
        found = [passage for passage in self.passages if asked & set(content_words(passage.text))]
        draft = self.safe_writer.write(question, found)
        result = await self.verify(
            VerifyInput(
                draft_answer=draft,
                chunks=tuple(found),
                question=question,
                pack=pack,
                profile=profile or {},
                session_id=session_id,
            )
        )
        scored = tuple(ScoredPassage(passage=passage, score=1.0) for passage in found)
        return AskResult(question=question, result=result, passages=scored)

    async def remembered(
        self,
        question: str,
        *,
        pack: str | None = None,
        profile: Mapping[str, Json] | None = None,
        where: SearchFilter | None = None,
        session_id: str | None = None,
        on_event: Callable[[AskEvent], None] | None = None,
    ) -> AskResult | None:
        return self.kept if self.kept is not None and self.kept.question == question else None

    async def warm(self) -> None:
        self.pack()

    async def judge(self, context: str, query: str) -> JudgeResult:
        text = "The bursary pays R35 000 per year [S1]."
        result = await self.verify(VerifyInput(draft_answer=text, chunks=self.passages, question=query))
        reference = Reference(number=1, url="https://example.org/a", title="A", snippet="a")
        return JudgeResult(
            summary=text, rationale="as the source says", domain="default", references=(reference,), result=result
        )

    async def ingest(self, paths: Sequence[Path], *, on_progress: object = None) -> IngestReport:
        files = sorted(file for path in paths for file in Path(path).glob("[!.]*"))
        self.uploads = [file.absolute() for file in files]
        self.passages = (*PASSAGES, *(Passage(id=file.name, text=file.read_text("utf-8", "replace")) for file in files))
        return IngestReport(added=len(files))

    async def documents(self) -> list[StoredDocument]:
        return [StoredDocument(source=path.name, state="done", chunks=1, path=path) for path in self.uploads]

    async def example_questions(self, *, limit: int = 4) -> list[str]:
        return []


def local_client(house: Surefoot, *, host: str = "127.0.0.1", address: str = "127.0.0.1") -> TestClient:
    return TestClient(
        create_app(house), base_url=f"http://{host}", client=(address, 50000), raise_server_exceptions=False
    )


def events_of(body: str) -> list[tuple[str, dict[str, Any]]]:
    """Server-sent events as (name, data)."""
    found = []
    for block in body.strip().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if "data" in lines and lines["data"] != "[DONE]":
            found.append((lines.get("event", "message"), json.loads(lines["data"])))
    return found
