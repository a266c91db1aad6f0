"""Questions a knowledge base surely answers, read off its own sentences: a beginning for a person at the page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from surefoot.core.ports import Retriever
from surefoot.core.text import sentences
from surefoot.core.types import Passage

_TRIES = 3
"""Candidates looked up for each question wanted; a large knowledge base must not make the page wait."""


async def example_questions(
    documents: Sequence[Sequence[Passage]], retriever: Retriever, *, limit: int = 4
) -> list[str]:
    """At most `limit` questions, each from another document where there are enough; only those retrieval answers."""
    supplies = [questions_of(passages) for passages in documents]
    chosen: list[str] = []
    tries = _TRIES * limit
    while supplies and len(chosen) < limit and tries:
        supply = supplies.pop(0)
        for question in supply:
            tries -= 1
            if question not in chosen and (await retriever.retrieve(question, k=1)).relevant:
                chosen.append(question)
                supplies.append(supply)  # again when every other document had its turn
                break
            if not tries:
                break
    return chosen


def questions_of(passages: Sequence[Passage]) -> Iterator[str]:
    """The questions a document asks itself, then those its sentences answer, then those its headings name."""
    parts = [part for passage in passages for part in sentences(passage.text)]
    headings = [part.text.strip("#* ") for part in parts if part.kind == "heading"]
    yield from (heading for heading in headings if heading.endswith("?"))
    for part in parts:
        if part.kind in ("prose", "item"):
            plain = re.sub(r"^[-*+•]\s+|[*_`]", "", part.text).strip()
            for pattern, question in _ASKED:
                found = pattern.match(plain)
                if found and not found.group(1).endswith((" there", " here")):
                    yield question.format(_inside(found.group(1)))
                    break
    for heading in headings:
        if len(heading.split()) > 1 and not heading.endswith("?"):
            yield f"What do the documents say about {heading[:1].lower()}{heading[1:]}?"


def _inside(text: str) -> str:
    """A sentence's first words within a question: an article loses its capital, a name does not."""
    return re.sub(r"^(?:The|An?|All|Each|Every)\b", lambda found: found.group().lower(), text)


_SUBJECT = r"((?:The|An?) [\w' -]{3,60}?)(?:, [^,]{3,60},)?"
_LONG = r"((?:The|An?)(?: [\w'-]+){3,9}?)(?:, [^,]{3,60},)?"
"""Of 'the usual start' nobody can tell what starts; a longer subject says so itself."""
_AMOUNT = r"(?:[A-Z]{0,3}[$€£¥]? ?\d|(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve)\b)"
_ASKED: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(rf"{_SUBJECT} costs? {_AMOUNT}"), "What does {} cost?"),
    (re.compile(rf"{_LONG} is (?:about |at most |at least |up to )?{_AMOUNT}"), "What is {}?"),
    (re.compile(rf"{_LONG} are (?:about |at most |at least |up to )?{_AMOUNT}"), "What are {}?"),
    (re.compile(rf"{_SUBJECT} opens? (?:at|from|on) "), "When does {} open?"),
    (re.compile(rf"{_SUBJECT} closes? (?:at|on) "), "When does {} close?"),
    (re.compile(rf"{_SUBJECT} lasts? "), "How long does {} last?"),
    (re.compile(rf"{_SUBJECT} pays? {_AMOUNT}"), "What does {} pay?"),
    (re.compile(rf"{_SUBJECT} weighs? {_AMOUNT}"), "How much does {} weigh?"),
    (re.compile(rf"{_LONG} (?:is|are) called "), "What is {} called?"),
    (re.compile(rf"{_LONG} is (?:the|an?) "), "What is {}?"),
)
"""Forms of sentences and the question each of them answers."""
