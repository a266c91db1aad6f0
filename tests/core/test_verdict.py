"""Yes and No are said only where one statement settles it."""

from __future__ import annotations

import pytest

from surefoot.core.verdict import verdict


@pytest.mark.parametrize(
    ("question", "text", "word"),
    [
        ("Is diesel included in the price?", "Diesel is included in the price.", "Yes"),
        ("Do you treat horses?", "We do not treat horses or farm animals.", "No"),
        ("Is the library open on Sundays?", "The library is never open on Sundays.", "No"),
        ("Is diesel included in the price?", "Diesel is included in the price only in winter.", ""),
        ("Do you treat horses?", "We treat horses if a second vet is here.", ""),
        ("Is gas included in the price?", "Gas or diesel is included in the price.", ""),
        ("May dogs ride in the box?", "Dogs may not ride in the box.", "No"),
        ("May dogs ride in the box?", "Dogs may ride in the box.", "Yes"),
        ("May all dogs ride in the box?", "Dogs may ride in the box.", ""),
        ("Do you treat hamsters?", "We do not treat horses.", ""),
        ("What does diesel cost?", "Diesel is included in the price.", ""),
    ],
)
def test_a_verdict_needs_a_statement_that_settles_it(question: str, text: str, word: str) -> None:
    assert verdict(question, text) == word
