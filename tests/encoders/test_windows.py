"""How sources are laid out for a grounder."""

from __future__ import annotations

from surefoot.encoders.windows import BEFORE, CLAIM, choose, claim_ids, windows

SEPARATOR = 9


def test_short_passages_share_a_window() -> None:
    assert windows([[[1, 2], [3]], [[4]]], SEPARATOR, limit=8) == [[1, 2, 3, SEPARATOR, 4, SEPARATOR]]


def test_a_passage_that_does_not_fit_starts_a_window() -> None:
    assert windows([[[1, 2, 3]], [[4, 5, 6]]], SEPARATOR, limit=6) == [[1, 2, 3, SEPARATOR], [4, 5, 6, SEPARATOR]]


def test_a_long_passage_goes_on_in_the_next_window_and_loses_nothing() -> None:
    sentences = [[at] * 4 for at in range(6)]
    found = windows([sentences], SEPARATOR, limit=10)
    assert all(len(window) <= 10 for window in found)
    assert [token for window in found for token in window if token != SEPARATOR] == [
        token for sentence in sentences for token in sentence
    ]


def test_a_sentence_longer_than_a_window_is_cut() -> None:
    found = windows([[list(range(100, 125))]], SEPARATOR, limit=10)
    assert [token for window in found for token in window if token != SEPARATOR] == list(range(100, 125))


def test_a_claim_opens_and_closes_and_what_stood_before_follows() -> None:
    assert claim_ids([5, 6], [7], 1, SEPARATOR) == ([1, 5, 6, SEPARATOR, 7, SEPARATOR], 2)
    assert claim_ids([5], [], 1, SEPARATOR) == ([1, 5, SEPARATOR], 1)
    ids, own = claim_ids(range(1000), range(1000), 1, SEPARATOR)
    assert (own, len(ids)) == (CLAIM, CLAIM + BEFORE + 3)


def test_sources_that_fit_are_read_whole() -> None:
    passages = [[[1, 2], [3]], [[4]]]
    assert choose(passages, [[4]], 10) == passages


def test_each_claim_gets_its_own_evidence_with_the_sentence_before() -> None:
    passages = [[[1, 1], [2, 2], [3, 3], [4, 4]], [[5, 5], [6, 6], [7, 7]]]
    found = choose(passages, [[4], [7]], 12)
    assert found[0] == [[1, 1], [3, 3], [4, 4]]
    assert [7, 7] in found[1]


def test_claims_that_share_nothing_with_long_sources_are_read_beside_their_beginning() -> None:
    passages = [[[1, 2, 3], [4, 5]], [[6, 7, 8]]]
    assert choose(passages, [[90, 91]], 5) == [[[1, 2, 3], [4, 5]]]
    assert choose(passages, [[90], [91]], 2) == [[[1, 2, 3]]]
