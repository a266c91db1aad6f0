from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from surefoot.core.spans import Spans

spans = st.tuples(st.integers(0, 30), st.integers(0, 12)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@given(st.lists(spans, max_size=8), spans)
def test_every_answer_is_that_of_looking_at_each(among: list[tuple[int, int]], one: tuple[int, int]) -> None:
    found, (start, end) = Spans(among), one
    assert found.hold(start) == any(a <= start < b for a, b in among)
    assert found.contain(one) == any(a <= start and end <= b for a, b in among)
    assert found.overlap(one) == any(a < end and start < b for a, b in among)


def test_no_spans_hold_nothing() -> None:
    none = Spans([])
    assert not none.hold(0)
    assert not none.contain((0, 0))
    assert not none.overlap((0, 1))
