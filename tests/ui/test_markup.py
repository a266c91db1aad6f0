"""Texts as HTML: safe, and never by colour alone."""

from __future__ import annotations

import pytest

from surefoot.ui import markup
from surefoot.ui.metrics import parse

EVIL = "<script>alert(1)</script>"


@pytest.mark.parametrize(
    "made",
    [
        markup.claim(EVIL, "proven"),
        markup.passage(EVIL, (0, 4)),
        markup.marked(EVIL, [(0, 4), (9, 14)]),
        markup.difference(EVIL, EVIL + " more"),
        markup.table(["a"], [[EVIL]]),
        markup.decision("approved", EVIL),
        markup.issues([{"severity": "high", "code": EVIL, "location": EVIL, "problem": EVIL}]),
    ],
)
def test_what_a_source_or_a_person_wrote_is_escaped(made: str) -> None:
    assert "<script>" not in made


@pytest.mark.parametrize("verdict", list(markup.VERDICTS))
def test_every_verdict_has_a_sign_and_a_word(verdict: str) -> None:
    sign, word, _ = markup.VERDICTS[verdict]
    assert f"{sign} {word}" in markup.claim("Text.", verdict)


def test_the_quote_is_marked_where_it_stands() -> None:
    assert "Fees: <mark>R5 a day</mark>." in markup.passage("Fees: R5 a day.", (6, 14))


def test_every_unsupported_part_of_a_draft_is_marked() -> None:
    made = markup.marked("Free for all on Mondays.", [(0, 4), (16, 23)])
    assert "<mark>Free</mark> for all on <mark>Mondays</mark>." in made
    assert "<mark>" not in markup.marked("Free for all.", [])


def test_a_difference_strikes_out_and_underlines() -> None:
    assert markup.difference("It is R53 now.", "It is R35 now.") == (
        '<div class="sf-diff">It is <del>R53</del><ins>R35</ins> now.</div>'
    )


def test_headings_and_items_keep_their_shape() -> None:
    assert "<h4>Costs</h4>" in markup.claim("## Costs", "not_factual")
    assert "• one" in markup.claim("- one", "proven")


def test_prometheus_text_is_read_back() -> None:
    page = '# HELP x y\nsurefoot_a_total{decision="approved",reason="a\\"b"} 3.0\nsurefoot_b 1e-3\n'
    assert parse(page) == {
        "surefoot_a_total": [({"decision": "approved", "reason": 'a\\"b'}, 3.0)],
        "surefoot_b": [({}, 0.001)],
    }
