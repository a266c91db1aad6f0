"""Results as text for people: plain, or Markdown with the quoted sources as footnotes."""

from __future__ import annotations

from surefoot.core.types import AskResult, VerificationResult
from surefoot.deliver.answer import DeliveredSentence, delivered_sentences, notes

MARKS = {"proven": "✓", "supported": "~", "not_factual": "·", "vouched_by_caller": "*"}


def as_text(answer: AskResult | VerificationResult) -> str:
    """The decision, every sentence with its verdict, and the notes."""
    result = answer.result if isinstance(answer, AskResult) else answer
    lines = [_headline(result), ""]
    lines += [_line(sentence) for sentence in delivered_sentences(result)] or [result.final_answer]
    if isinstance(answer, AskResult) and (said := notes(answer)):
        lines += ["", *said]
    return "\n".join(lines)


def as_markdown(answer: AskResult | VerificationResult) -> str:
    """The answer as it is, then the notes, then what each sentence rests on."""
    result = answer.result if isinstance(answer, AskResult) else answer
    blocks = [result.final_answer]
    if isinstance(answer, AskResult):
        blocks += [f"> {note}" for note in notes(answer)]
    proofs = [_proof(sentence) for sentence in delivered_sentences(result) if sentence.quotes]
    if proofs:
        blocks.append("\n".join(["**Evidence**", "", *proofs]))
    blocks.append(f"*{_headline(result)}*")
    return "\n\n".join(blocks)


def _headline(result: VerificationResult) -> str:
    reason = f" ({result.metadata.fallback_reason})" if result.metadata.fallback_reason else ""
    return f"{result.decision.value}{reason}, confidence {result.metadata.confidence:.2f}"


def _line(sentence: DeliveredSentence) -> str:
    sources = ", ".join(quote.source for quote in sentence.quotes)
    return f"{MARKS.get(sentence.verdict, '?')} {' '.join(sentence.text.split())}" + (
        f"  <- {sources}" if sources else ""
    )


def _proof(sentence: DeliveredSentence) -> str:
    quotes = "; ".join(f"“{' '.join(quote.text.split())}” ({quote.source})" for quote in sentence.quotes)
    return f"- {MARKS.get(sentence.verdict, '?')} {' '.join(sentence.text.split())}: {quotes}"
