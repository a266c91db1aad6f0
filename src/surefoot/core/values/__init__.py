"""Typed quantities: money, percent, dates, durations, counts with units, ranges and comparators.

`extract` finds them with exact spans, `compare` says how two of them differ, `derived` recognises sums and
differences. Text in, values out: nothing here knows of claims or passages.
"""

from surefoot.core.values.compare import Comparison, compare, derived, equal
from surefoot.core.values.extract import extract
from surefoot.core.values.units import names_of_measure
from surefoot.core.values.value import Value

__all__ = ["Comparison", "Value", "compare", "derived", "equal", "extract", "names_of_measure"]
