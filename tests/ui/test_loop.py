"""The loop on the page: scores, reasons, searches, web marks and cuts, all escaped."""

from __future__ import annotations

from typing import Any

import pytest

from surefoot.ui import loop

EVIL = "<script>alert(1)</script>"


def result(**more: Any) -> dict[str, Any]:
    metadata = {"fallbackReason": None, "issuesDetected": [], "revisionsApplied": [], "nodes": []}
    given = more.pop("metadata", {})
    return {"decision": "approved", "unanswered": [], "metadata": {**metadata, **given}, **more}


def turn(number: int, score: float, *reasons: str) -> dict[str, Any]:
    shares = {"groundedness": score, "completeness": 1.0, "relevance": 0.9}
    return {"number": number, "score": score, "accepted": not reasons, "reasons": list(reasons), **shares}


def test_each_round_has_its_score_and_why_it_went_on() -> None:
    made = loop.rounds(result(rounds=[turn(1, 0.41, "outdated source", "unanswered: the fee?"), turn(2, 0.93)]))
    assert "0.41" in made
    assert "→ went on: the source is out of date; not answered: the fee?" in made
    assert "0.93" in made
    assert "✓ accepted" in made


def test_a_last_round_that_was_not_accepted_ended_there() -> None:
    assert "✕ ended here: the score is below the threshold" in loop.rounds(
        result(rounds=[turn(1, 0.3, "below the threshold")])
    )


def test_a_verdict_has_the_rounds_its_steps_tell() -> None:
    nodes = [
        {"node": "generate", "round": 1, "ms": 3.0, "score": None, "reason": None},
        {"node": "validate", "round": 1, "ms": 3.0, "score": None, "reason": "invalid_citation"},
        {"node": "validate", "round": 2, "ms": 3.0, "score": 0.74, "reason": None},
    ]
    made = loop.rounds(result(metadata={"nodes": nodes}))
    assert "→ went on: it cited a reference that is not there, or none" in made
    assert made.index("went on") < made.index("0.74") < made.index("✓ accepted")


@pytest.mark.parametrize(("unanswered", "title"), [([], "Approved"), (["the fee?"], "Answered in part")])
def test_approved_stands_only_over_an_answer_to_all_that_was_asked(unanswered: list[str], title: str) -> None:
    made = loop.headline(result(unanswered=unanswered))
    assert title in made
    assert ("Approved" in made) == (not unanswered)


def test_a_column_without_a_figure_is_left_out() -> None:
    nodes = [{"node": "validate", "round": 1, "ms": 3.0, "score": 0.74, "reason": None}]
    assert "complete" not in loop.rounds(result(metadata={"nodes": nodes}))
    assert "complete" in loop.rounds(result(rounds=[turn(1, 0.41)]))


def test_what_was_searched_is_told_with_what_came_of_it() -> None:
    search = {"round": 2, "where": "searxng", "query": "late fee", "pages": [], "problem": "no page was found"}
    assert "for round 2, searxng: “late fee” — no page read; no page was found" in loop.searches(
        result(searches=[search])
    )


def test_only_what_is_from_the_web_is_marked_with_address_and_day() -> None:
    page = {"id": "u", "metadata": {"external": True, "source": "http://x.example/a", "retrieved": "2026-01-02"}}
    own = {"id": "k", "metadata": {"source": "loans.md"}}
    made = loop.sources(result(passages=[own, page]))
    assert made.count("⇱ from the web") == 1
    assert 'S2 <span class="sf-web">' in made
    assert "http://x.example/a" in made
    assert "fetched on 2026-01-02" in made
    assert "loans.md" not in made


def test_a_cut_sentence_is_shown_with_its_reason() -> None:
    cut = {"code": "evidence_miss", "kind": "drop", "before": " A lie [S1].", "after": ""}
    issue = {"code": "evidence_miss", "location": "A lie [S1].", "problem": "no passage says so"}
    made = loop.cuts(result(metadata={"revisionsApplied": [cut], "issuesDetected": [issue]}))
    assert "<del>A lie [S1].</del>" in made
    assert "<b>Cut</b>" in made
    assert 'title="evidence_miss">no passage says so' in made


def test_a_step_that_failed_has_another_sign() -> None:
    made = loop.steps(
        [
            {"node": "retrieve", "round": 1, "ms": 12.0, "score": 0.9, "reason": None},
            {"node": "generate", "round": 1, "ms": 3.0, "score": None, "reason": "llm_unavailable"},
        ]
    )
    assert 'title="retrieve">✓ looked for passages' in made, "plain words; the step's own name on hover"
    assert "✕ wrote a draft" in made
    assert "the language model did not answer" in made


def test_where_nothing_happened_nothing_is_shown() -> None:
    parts = (loop.rounds, loop.searches, loop.sources, loop.cuts)
    assert [part(result()) for part in parts] == ["", "", "", ""]


def test_what_a_source_or_a_person_wrote_is_escaped() -> None:
    page = {"id": "u", "metadata": {"external": True, "source": f"http://x/{EVIL}", "title": EVIL, "retrieved": EVIL}}
    made = [
        loop.rounds(result(rounds=[turn(1, 0.1, f"unanswered: {EVIL}")])),
        loop.searches(result(searches=[{"round": 1, "where": EVIL, "query": EVIL, "pages": [], "problem": EVIL}])),
        loop.sources(result(passages=[page])),
        loop.sources(result(references=[{"number": 1, "title": EVIL, "note": EVIL, "url": "", "external": False}])),
        loop.cuts(result(metadata={"revisionsApplied": [{"code": EVIL, "before": EVIL, "after": EVIL}]})),
    ]
    assert all(made)
    assert not any("<script>" in one for one in made)


def test_no_link_leads_anywhere_but_to_the_web() -> None:
    page = {"id": "u", "metadata": {"external": True, "source": "javascript:alert(1)"}}
    assert "href" not in loop.sources(result(passages=[page]))
