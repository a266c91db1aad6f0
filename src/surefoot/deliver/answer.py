"""A delivered answer sentence by sentence: what is said, how far it is proven, and by which words of which source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from surefoot.core.types import AskResult, Json, Span, VerificationResult


@dataclass(frozen=True, kw_only=True, slots=True)
class Quote:
    source: str
    """Id of the passage."""
    text: str
    span: Span


@dataclass(frozen=True, kw_only=True, slots=True)
class DeliveredSentence:
    text: str
    span: Span
    verdict: str
    """proven | supported | not_factual | vouched_by_caller"""
    quotes: tuple[Quote, ...] = ()


def delivered_sentences(result: VerificationResult) -> tuple[DeliveredSentence, ...]:
    """Read from the certificate, so that what is shown is what was certified; empty for a refusal."""
    return tuple(
        DeliveredSentence(
            text=str(entry["text"]),
            span=_span(entry["span"]),
            verdict=str(entry["verdict"]),
            quotes=tuple(
                Quote(source=str(item["source"]), text=str(item["quote"]), span=_span(item["span"]))
                for item in _rows(entry.get("evidence"))
            ),
        )
        for entry in _rows(result.metadata.certificate.get("sentences"))
    )


def notes(asked: AskResult) -> tuple[str, ...]:
    """What a reader must know beside the answer: false premises, parts left open, evidence from outside."""
    found = [f"The question assumes: {_quoted(one)} The sources say otherwise." for one in asked.premises]
    if asked.unanswered:
        found.append("Not answered by the documents: " + " ".join(asked.unanswered))
    outside = sorted({url for turn in asked.rounds if asked.result.accepted for url in turn.external})
    used = [url for url in outside if _is_used(url, asked)]
    if used:
        found.append("Evidence from outside the knowledge base: " + ", ".join(used))
    return tuple(found)


def _is_used(url: str, asked: AskResult) -> bool:
    return any(url in identity for identity in asked.result.metadata.sources_used)


def _quoted(statement: str) -> str:
    return f'"{statement}"'


def _rows(value: object) -> list[Mapping[str, Json]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _span(value: object) -> Span:
    start, end = value if isinstance(value, list | tuple) else (0, 0)
    return (int(start), int(end))
