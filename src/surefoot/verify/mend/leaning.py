"""What a claim of the draft loses with the one before it: whom it means by `he`, what it does by `do so`, the amount
that it reckons with. Where `he` is the person who was asked about, it loses nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set

from surefoot.core.redaction import profile_names
from surefoot.core.text import words
from surefoot.core.types import Claim
from surefoot.core.values import equal
from surefoot.verify.read.claims import points_back
from surefoot.verify.read.reading import read_claim
from surefoot.verify.read.submission import Submission


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


def of_the_asked(submission: Submission) -> frozenset[int]:
    """The claims that begin with the `he` or `she` of the question, or of a sentence with the profile's name: each one
    before them speaks of the same person, back to that name or to the first, and the last of them of nobody else."""
    asked = _person(words(submission.question or ""))
    names = {word for name in profile_names(submission.profile) for word in words(name)}
    found: set[int] = set()
    same, alone = asked, True
    for claim in (one for one in submission.claims if one.factual):
        said = words(claim.text)
        spoken = _person(said)
        if alone and same and spoken == same and said[0] in same and _POINTS_LATER.search(claim.text) is None:
            found.add(claim.index)
        if not names.isdisjoint(said):
            same = spoken or asked
        elif spoken != same:
            same = frozenset()
        before = next((at for at, word in enumerate(said) if word in same or word in names), len(said))
        alone = _DETERMINERS.isdisjoint(said[:before])
    return frozenset(found)


def _person(said: Sequence[str]) -> frozenset[str]:
    """The words for the one man or woman that is spoken of; none where it is both, or nobody."""
    spoken = [one for one in _PERSONS if not one.isdisjoint(said)]
    return spoken[0] if len(spoken) == 1 else frozenset()


_DETERMINERS = frozenset("the a an this that these those every each any no another".split())
"""Before `her` they may bring in somebody else: `The nurse rings her.`"""
_PERSONS = (
    frozenset("he he'd he's he'll him his himself".split()),
    frozenset("she she'd she's she'll her hers".split()),
)
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
