"""Who did what to whom: a sentence about the case in which the person and the other side have changed places.

`He asked you twice and you laughed` has all the words of `I asked him twice and he laughed`, and a grounder believes it
as it believes the right one. Code sees who stands before each word, and in the account before the same word.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from surefoot.core.case import CASE, retold
from surefoot.core.text import STOPWORDS, pieces
from surefoot.core.types import Claim
from surefoot.verify.ground.retold import Told, read_told
from surefoot.verify.read.alignment import stem
from surefoot.verify.read.submission import Submission

SHORTEST = 3
"""Letters of a word that is looked at."""


class Owner(NamedTuple):
    """Who stands before a word."""

    person: bool
    """`you` and `your`; else somebody else."""
    has: bool
    """`your van`, no deed."""
    is_so: bool
    """`you were paid` is no deed of theirs as `you paid` is."""


def turned(claim: Claim, submission: Submission) -> bool:
    """Whether a word that claim and account have once each is the person's in one and somebody else's in the other. In
    a draft that never says `you` the person may be any `she`."""
    if submission.case is None or claim.cited != (CASE,) or not _SPOKEN_TO.search(submission.draft):
        return False
    told: defaultdict[str, list[Owner | None]] = defaultdict(list)
    for sentence in pieces(submission.case):
        heard = _QUOTED.search(sentence.text) is not None  # whose `I` it is nobody knows
        for word, owner in _owners(read_told(retold(sentence.text))):
            told[word].append(None if heard else owner)
    said: defaultdict[str, list[Owner | None]] = defaultdict(list)
    for word, owner in _owners(read_told(submission.line(claim).sentence.text)):
        said[word].append(owner)
    return any(_opposed(owners, told.get(word, [])) for word, owners in said.items())


def _opposed(said: list[Owner | None], told: list[Owner | None]) -> bool:
    if len(said) != 1 or len(told) != 1 or said[0] is None or told[0] is None:
        return False
    return said[0].person != told[0].person and said[0][1:] == told[0][1:]


def _owners(sentence: Told) -> Iterator[tuple[str, Owner | None]]:
    """Each meaningful word with who stands before it; None where nobody does, or where somebody else is speaking."""
    words = sentence.words
    for at, word in enumerate(words):
        if word in STOPWORDS or word in _BETWEEN or len(word) < SHORTEST:
            continue
        before = next((place for place in range(at - 1, -1, -1) if words[place] not in _BETWEEN), None)
        speaks = not _SAYING.isdisjoint(words[:at])
        yield stem(word), None if before is None or speaks else _owner(sentence, before, at)


def _owner(sentence: Told, before: int, at: int) -> Owner | None:
    words = sentence.words
    is_so = not _BEING.isdisjoint(words[before + 1 : at])
    if words[before] in _SUBJECTS or _begins(sentence, before):
        return Owner(words[before] == "you", False, is_so)
    if words[before] in _POSSESSIVES and before == at - 1:
        return Owner(words[before] == "your", True, False)
    return None


def _begins(sentence: Told, noun: int) -> bool:
    """Whether a clause begins with this noun and its article: `your husband wants`, `and the agent emailed`."""
    words, start = sentence.words, noun - 1
    if start < 0 or words[start] not in _ARTICLES or words[noun] in STOPWORDS:
        return False
    return start == 0 or start in sentence.stops or words[start - 1] in _JOINS


_QUOTED = re.compile(r"[\"\u201c\u201d\u2018]|(?<!\w)'\w")
_SPOKEN_TO = re.compile(r"\byour?\b", re.IGNORECASE)
_SUBJECTS = frozenset({"you", "he", "she", "they"})
_POSSESSIVES = frozenset({"your", "his", "her", "their"})
_ARTICLES = _POSSESSIVES | {"the"}
_JOINS = frozenset({"and", "but", "so", "because", "when", "while"})
_BEING = frozenset({"was", "were", "is", "are", "be", "been", "being"})
_BETWEEN = _BEING | frozenset(
    "has have had did do does not never also already only just then will would still always again even keep keeps "
    "kept".split()
)
"""What may stand between somebody and what they do."""
_SAYING = frozenset("say says said saying tell tells told think thinks thought claim claims claimed".split())
