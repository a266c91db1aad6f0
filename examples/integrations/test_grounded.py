"""Answers of your system under test: `pytest examples/integrations/test_grounded.py`. One fails on purpose."""

SOURCES = ["The late fee for a DVD is R5 a day. The desk closes at 18:00."]


def test_a_right_answer(assert_grounded):
    assert_grounded("The late fee for a DVD is R5 a day.", SOURCES)


def test_a_wrong_answer(assert_grounded):
    assert_grounded("The desk closes at 18:00. The late fee for a DVD is R9 a day.", SOURCES)
