"""A result on one screen, in a terminal and in a notebook."""

from __future__ import annotations

from surefoot.core.screen import Line, Screen

HOSTILE = "<script>alert(1)</script>\x1b[31m"
SCREEN = Screen(
    decision="revised",
    reason=HOSTILE,
    confidence=0.5,
    text=HOSTILE,
    claims=[
        Line("proven", HOSTILE, [('S1"', 'a "quote" onmouseover=x')]),
        Line("unsupported", "x", issue="evidence_miss"),
    ],
    issues=[HOSTILE],
    changes=[("R9", "R5"), ("gone", "")],
    question=HOSTILE,
)


def test_the_text_marks_every_claim_and_shows_the_changes() -> None:
    shown = SCREEN.as_text()
    assert "  ✗ x  (evidence_miss)" in shown
    assert "  - gone\n  + (dropped)" in shown


def test_no_control_character_reaches_a_terminal() -> None:
    assert "\x1b" not in SCREEN.as_text()


def test_everything_in_a_notebook_is_escaped() -> None:
    shown = SCREEN.as_html()
    assert "<script" not in shown
    assert "S1&quot;: “a &quot;quote&quot; onmouseover=x”" in shown


def test_a_claim_is_coloured_and_shows_its_evidence_on_hover() -> None:
    assert '<span title="unsupported: evidence_miss" style="background:#fbd9d6' in SCREEN.as_html()
