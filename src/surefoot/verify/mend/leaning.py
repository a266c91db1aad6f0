"""What a claim of the draft loses with the one before it: whom it means by `he`, what it does by `do so`, the amount
that it reckons with."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set

from surefoot.core.types import Claim
from surefoot.core.values import equal
from surefoot.verify.read.claims import points_back
from surefoot.verify.read.reading import read_claim


def is_left_alone(before: Claim, claim: Claim, gone: Set[int], quotes: Mapping[int, str]) -> bool:
    """Whether a claim needs the one before it, which goes, or whose quote has none of the amounts it reckons with. An
    `it` in its middle may stay: seven of 3,900 right sentences fell by it."""
    if before.index in gone:
        text = claim.text
        return points_back(text) or _POINTS_LATER.search(text) is not None
    quote = quotes.get(before.index)
    return quote is not None and _RECKONS.search(claim.text) is not None and not share_a_value(before.text, quote)


def share_a_value(one: str, other: str) -> bool:
    return any(equal(mine, theirs) for mine in read_claim(one).values for theirs in read_claim(other).values)


_POINTS_LATER = re.compile(
    r"(?i)\b(?:do|does|did|doing|done) so\b(?! (?:much|many|well|far)\b)"
    r"|^\W*(?:(?:as|since|because|although|though|while|if|when|once|before|after|until|had|should) (?:he|she)"
    r"|(?:at|from|until|by) \d+,? (?:he|she)|being [^,;:.]+, (?:he|she))\b"
    r"|^\D*\b(?:half|third|quarter|fifth|tenth|most|none|all) of (?:that|this)\b"
)
_RECKONS = re.compile(
    r"(?i)^\W*(?:(?:so|and) )?(?:that|this|it) (?:makes|gives|comes to|adds up to)\b"
    r"|^\D*\b(?:half|third|quarter|fifth|tenth|most|none|all) of (?:that|this)\b"
)
