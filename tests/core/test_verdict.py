"""Yes and No are said only where one statement settles it."""

from __future__ import annotations

import pytest

from surefoot.core.verdict import asks_openly, verdict


@pytest.mark.parametrize(
    ("question", "text", "word"),
    [
        ("Is diesel included in the price?", "Diesel is included in the price.", "Yes"),
        ("Do you treat horses?", "We do not treat horses or farm animals.", ""),
        ("Is the pool closed on Mondays?", "The pool is open on Mondays, closed on Sundays.", ""),
        ("Is the pool open on Sundays?", "The pool is open on Mondays and closed on Sundays.", ""),
        ("Do children pay the fee?", "Adults pay the fee and children swim free.", ""),
        ("Does the landlord pay the rent to the tenant?", "The tenant pays the rent to the landlord.", ""),
        ("Are cats allowed in the hall?", "Dogs are not allowed in the hall, cats are.", ""),
        ("Is parking free?", "Parking is free on Sundays.", ""),
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


@pytest.mark.parametrize(
    ("question", "openly"),
    [
        ("how long is the pass good for and when are those evenings again?", True),
        ("i've just begun, sales maybe 15 thousand. what's this account?", True),
        ("Who is it for? I am 16.", True),
        ("Can I bring a dog?", False),
        ("Where is it and can I bring a dog?", False),
        ("Which day is it? And dogs may come?", False),
        ("what does it cost or is it free", False),
        ("When is it, on Sundays too?", False),
        ("What about Sundays?", False),
        ("I hear the fee is refundable. When do I get it?", False),
        ("Dogs are allowed?", False),
        ("The zoo.", False),
    ],
)
def test_only_what_asks_what_when_or_how_throughout_is_asked_openly(question: str, openly: bool) -> None:
    assert asks_openly(question) is openly
