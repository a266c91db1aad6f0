"""Typed quantities: money, percent, dates, durations, counts with units, ranges and comparators.

`extract` finds them with exact spans, `compare` says how two of them differ, `follows` recognises what was worked out
from others. Text in, values out: nothing here knows of claims or passages.
"""

from surefoot.core.values.compare import Comparison, compare, equal, half_named, minutes
from surefoot.core.values.extract import extract
from surefoot.core.values.follow import follows, is_rounded, may_follow
from surefoot.core.values.reckon import is_due_for, lies_off
from surefoot.core.values.units import names_of_measure
from surefoot.core.values.value import Value

__all__ = [
    "Comparison",
    "Value",
    "compare",
    "equal",
    "extract",
    "follows",
    "half_named",
    "is_due_for",
    "is_rounded",
    "lies_off",
    "may_follow",
    "minutes",
    "names_of_measure",
]
