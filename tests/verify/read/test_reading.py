"""A line's words, asked for one way or another, are the same words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.core.text import STOPWORDS
from surefoot.verify.read.reading import Line, denials, read_claim, stems_in, tokens_of

WORDS = st.sampled_from(
    "The tenants' Members' Iran's don’t didn't pays R500 R4,250.50 5% 30s 2006's 10-day 12th of May, 2025 may and but "
    "under over (free) café naïve İstanbul COVID-19 P45 weeks per month _x_ o'5 ½ third half; twenty-five".split(" ")
)


@given(st.lists(WORDS, max_size=12).map(" ".join))
def test_words_are_the_same_with_and_without_their_places(text: str) -> None:
    line, tokens = read_claim(text), tokens_of(text)
    inside = [value.span for value in line.values]
    meant = {token.stem for token in tokens if token.word not in STOPWORDS and not token.stem[:1].isdigit()}
    outside = {token.stem for token in tokens if not any(start <= token.start < end for start, end in inside)}

    assert stems_in(text) == [token.stem for token in tokens]
    assert line.said == {token.stem for token in tokens}
    assert line.stems == meant
    assert line.skeleton == meant & outside


@pytest.mark.parametrize(
    ("text", "skeleton"),
    [
        ("The card costs R120 per month.", {"card", "cost"}),
        ("The card costs R120 for a month.", {"card", "cost", "month"}),
        ("Born in the 1990s, the club has 30 members.", {"born", "club", "member"}),
    ],
)
def test_a_skeleton_is_what_stands_beside_the_values(text: str, skeleton: set[str]) -> None:
    assert read_claim(text).skeleton == skeleton


def test_a_line_within_a_text_has_the_skeleton_it_has_alone() -> None:
    text = "It opens at 9. The card costs R120 per month."
    alone = read_claim(text[15:])
    within = Line(sentence=alone.sentence._replace(start=15, end=len(text)))

    assert [value.span for value in within.values] == [(value.start + 15, value.end + 15) for value in alone.values]
    assert within.skeleton == alone.skeleton


def test_the_no_that_answers_a_question_denies_nothing_in_the_sentence() -> None:
    assert denials(read_claim("No: hitting does harm.")) == 0
    assert denials(read_claim("No, hitting does not help.")) == 1
    assert denials(read_claim("No landlord does that.")) == 1
