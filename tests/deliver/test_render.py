"""What people read is what the certificate says."""

from __future__ import annotations

from surefoot.core.types import (
    DONT_KNOW,
    AskResult,
    Decision,
    ResultMetadata,
    Round,
    RuleStatus,
    VerificationResult,
)
from surefoot.deliver.answer import delivered_sentences, notes
from surefoot.deliver.render import as_markdown, as_text

QUOTE = {"source": "loans", "span": [0, 21], "quote": "A loan lasts\n21 days.", "quote_sha256": ""}
SENTENCE = {"span": [0, 26], "text": "A loan lasts 21 days [S1].", "verdict": "proven", "evidence": [QUOTE]}


def result(decision: Decision = Decision.APPROVED, text: str = "A loan lasts 21 days [S1].") -> VerificationResult:
    accepted = decision is Decision.APPROVED
    return VerificationResult(
        success=True,
        decision=decision,
        final_answer=text,
        metadata=ResultMetadata(
            processing_time_ms=1.0,
            stages_completed=(),
            issues_detected=(),
            revisions_applied=(),
            sources_used=("loans", "https://web.example/a#0") if accepted else (),
            llm_model=None,
            fallback_reason=None if accepted else "retrieval_miss",
            rule_status=RuleStatus.PASS,
            confidence=1.0,
            certificate={"sentences": [SENTENCE] if accepted else []},
        ),
    )


def asked(**more: object) -> AskResult:
    return AskResult(question="q", passages=(), **{"result": result(), **more})  # type: ignore[arg-type]


def test_sentences_come_from_the_certificate() -> None:
    (sentence,) = delivered_sentences(result())
    assert (sentence.verdict, sentence.span, sentence.quotes[0].source) == ("proven", (0, 26), "loans")


def test_text_shows_decision_verdict_and_source() -> None:
    assert as_text(asked()).splitlines() == [
        "approved, confidence 1.00",
        "",
        "✓ A loan lasts 21 days [S1].  <- loans",
    ]


def test_a_refusal_shows_its_reason_and_sentence() -> None:
    text = as_text(result(Decision.REJECTED, DONT_KNOW))
    assert text.splitlines() == ["rejected (retrieval_miss), confidence 1.00", "", DONT_KNOW]


def test_markdown_quotes_what_each_sentence_rests_on() -> None:
    shown = as_markdown(result())
    assert shown.startswith("A loan lasts 21 days [S1].")
    assert "“A loan lasts 21 days.” (loans)" in shown


def test_open_parts_and_false_premises_are_named() -> None:
    answer = asked(unanswered=("where is the cellar?",), premises=("A loan last 40 days.",))
    assert notes(answer) == (
        'The question assumes: "A loan last 40 days." The sources say otherwise.',
        "Not answered by the documents: where is the cellar?",
    )
    assert "> Not answered by the documents: where is the cellar?" in as_markdown(answer)


def test_outside_evidence_is_named_only_where_it_was_used() -> None:
    def turn(*urls: str) -> Round:
        return Round(
            number=2, score=1, groundedness=1, completeness=1, relevance=1, outdated=False, accepted=True, external=urls
        )

    answer = asked(rounds=(turn("https://web.example/a", "https://web.example/b"),))
    assert notes(answer) == ("Evidence from outside the knowledge base: https://web.example/a",)
