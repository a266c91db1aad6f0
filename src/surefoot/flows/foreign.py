"""A question in a language the documents are not in: nobody looks for it in vain and then says "I don't know"."""

from __future__ import annotations

from dataclasses import dataclass

from surefoot.core.language import language_of
from surefoot.core.types import Retrieval


@dataclass(frozen=True, kw_only=True, slots=True)
class Foreign:
    question: str
    documents: str

    @property
    def message(self) -> str:
        return (
            f"The question seems to be in {self.question} and the documents are in {self.documents}. "
            f"Please ask in {self.documents}."
        )


def foreign_to(question: str, found: Retrieval) -> Foreign | None:
    """Only where both languages are certain and differ."""
    asked = language_of([question])
    if asked is None or not found.passages:
        return None
    written = language_of(hit.passage.text for hit in found.passages)
    return Foreign(question=asked, documents=written) if written is not None and written != asked else None
