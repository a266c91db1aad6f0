"""What a typed value is."""

from __future__ import annotations

from typing import NamedTuple

from surefoot.core.types import Span

When = tuple[int | None, int | None, int | None]
"""Year, month, day; None where the text does not say."""


class Value(NamedTuple):
    """A quantity in a text: text == whole[start:end]. A tuple, because a page holds hundreds of them."""

    kind: str
    """money | percent | points | date | weekday | time | year | duration | frequency | count | ordinal | number |
    token"""
    text: str
    start: int
    end: int
    low: float = 0.0
    """In base units: 350 thousand is 350000, 0.35 kg is 350 (grams), two weeks are 14 (days)."""
    high: float = 0.0
    """Equals low unless the value is a range."""
    raw: float = 0.0
    """The number as written, before scale and unit: what stays the same when only the unit was changed."""
    unit: str = ""
    """ISO currency, base unit of a measure or duration, '%'; empty for plain counts."""
    written_unit: str = ""
    """The unit as written, singular: week, kg."""
    scale: float = 1.0
    """1000 for thousand or k, and so on; of a frequency, how many times in its period."""
    period: str = ""
    """hour | day | week | fortnight | month | year ...: per what an amount is due"""
    comparator: str = ""
    """at_least | more_than | at_most | less_than"""
    loose: bool = False
    """The comparator is one that everyday language also uses otherwise: over, under, within, from."""
    approximate: bool = False
    head: str = ""
    """The word that follows a plain number, what is counted; of a frequency its weekday."""
    when: When = (None, None, None)
    """Of a token, `15/11`, the day that it may name."""
    token: str = ""
    """Normalised text of opaque tokens such as phone numbers and form names."""
    part: str = ""
    """early | mid | late: the part of its month that a date without a day names."""

    @property
    def span(self) -> Span:
        return (self.start, self.end)

    def moved(self, by: int) -> Value:
        """The same value, so many characters further on: `_replace` takes three times as long."""
        return Value._make((self.kind, self.text, self.start + by, self.end + by, *self[4:]))

    @property
    def is_range(self) -> bool:
        return self.low != self.high
