"""Claims about a record (JSON or `path: value` lines), compared field by field in code.

`check_record` finds which fields a claim speaks of and says of each whether the record agrees, disagrees or has no
such value: yes-or-no fields in `flags`, numbers in `numbers`, opening hours in `opening`. `join` lets those verdicts
move the grounder's probability.
"""

from surefoot.verify.structured.fields import read_fields
from surefoot.verify.structured.record import check_record, confirms
from surefoot.verify.structured.units import gives_unit, other_unit
from surefoot.verify.structured.verdict import Agreement, FieldVerdict, join, worst

__all__ = [
    "Agreement",
    "FieldVerdict",
    "check_record",
    "confirms",
    "gives_unit",
    "join",
    "other_unit",
    "read_fields",
    "worst",
]
