"""Words that nobody knows are spelled as the documents do, and no other word is touched."""

from __future__ import annotations

import pytest

from surefoot.core.spelling import respelled

TEXTS = ["A full service takes two days and costs 85 euros. The paper bin is emptied on Thursday.", "House rules"]
KNOWN = frozenset("horse horses pepper cost dose day".split())


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How mutch is a ful servise?", "How much is a full service?"),
        ("wich day do they empty the papr bin", "which day do they empty the paper bin"),
        ("what dose a service csot", "what dose a service cost"),
        ("When is the bin emptide?", "When is the bin emptied?"),
        ("Do you treat horses?", "Do you treat horses?"),
        ("Is there pepper?", "Is there pepper?"),
        ("What does Servise Ltd charge?", "What does Servise Ltd charge?"),
        ("Mail papr@servise.org or see papr-bin", "Mail papr@servise.org or see papr-bin"),
        ("Where is the zeppelin?", "Where is the zeppelin?"),
    ],
)
def test_a_strange_word_is_spelled_as_the_documents_do(question: str, said: str) -> None:
    assert respelled(question, TEXTS, KNOWN.__contains__) == said


def test_a_word_that_may_be_two_others_is_left_alone() -> None:
    assert respelled("the pape", ["paper and paper", "papel and papel"], lambda word: False) == "the pape"
