"""Sentences that only say again what was told: whole clauses of the case or of a reference, one beside the other.

`Your contract says 7.30, and now they want you there by 6` is two clauses of the account, turned to the person.
`Nobody asked you, although the employer must consult those concerned` is one of the account and one of the guide. Code
is certain of these; of a clause under an `if` or a `he says`, of an inference, and of any other wording it is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from surefoot.core.case import CASE, is_case, retold, states_rule
from surefoot.core.text import pieces
from surefoot.core.types import Claim
from surefoot.verify.read.alignment import spelled_out
from surefoot.verify.read.claims import leans
from surefoot.verify.read.submission import Submission

LEAST_WORDS = 3
"""Of a clause that can be recognised."""
MOST_WORDS = 60
"""Of a sentence that is looked at."""


def retells(claim: Claim, submission: Submission) -> bool:
    """Whether every clause of a claim stands in what it cites, word for word but for `I` and `you`."""
    if not any(map(is_case, submission.passages)) or CASE not in claim.cited or leans(claim.text):
        return False
    said = read_told(_CONCEDED.sub(r"\1 and ", _ACCORDING.sub("", submission.line(claim).sentence.text))).words
    if not LEAST_WORDS <= len(said) <= MOST_WORDS:
        return False
    told = [read_told(retold(one.text)) for one in pieces(submission.case or "") if not _ASKS.search(one.text)]
    references = [one for one in submission.evidence_for(claim) if not is_case(one)]
    written = [read_told(one.text) for passage in references for one in pieces(passage.text) if one.kind == "prose"]
    return _all_stand(said, told, written)


class Told(NamedTuple):
    words: tuple[str, ...]
    stops: frozenset[int]
    """Numbers of the words that stand behind a comma, a semicolon or the like."""


def read_told(text: str) -> Told:
    words: list[str] = []
    stops = set()
    for found in _TOKEN.finditer(_THAT.sub(r"\1", spelled_out(text.lower()))):
        if found.group(1) is None:
            stops.add(len(words))
        else:
            words.append(_SAME.get(found.group(1), found.group(1)))
    return Told(tuple(words), frozenset(stops))


def _all_stand(said: Sequence[str], told: Sequence[Told], written: Sequence[Told]) -> bool:
    """Whole, or cut at a word that only sets one thing beside another."""
    if said and said[0] in _BESIDE:
        said = said[1:]
    if len(said) < LEAST_WORDS:
        return False
    sources = written if states_rule(" ".join(said)) else [*told, *written]
    if any(_stands(said, sentence) for sentence in sources):
        return True
    return any(
        _all_stand(said[:at], told, written) and _all_stand(said[at + 1 :], told, written)
        for at, word in enumerate(said)
        if word in _BESIDE
    )


def _stands(said: Sequence[str], sentence: Told) -> bool:
    return any(_alike(said, sentence, start, end) for start, end in _clauses(sentence, len(said)))


def _clauses(sentence: Told, length: int) -> Iterator[tuple[int, int]]:
    """Runs of whole clauses, about so long, that nothing around them puts under a condition or in a mouth."""
    words, stops = sentence
    for start in range(len(words)):
        opens = start == 0 or start in stops or words[start - 1] in _JOINS
        if not opens or not _UNDER.isdisjoint(words[:start]):
            continue
        for end in {start + length - 1, start + length} & set(range(start + 1, len(words) + 1)):
            closes = end == len(words) or words[end] in _JOINS or (end in stops and words[end] in _SUBJECTS)
            if closes and _TAKES_BACK.isdisjoint(words[end:]):
                yield start, end


def _alike(said: Sequence[str], sentence: Told, start: int, end: int) -> bool:
    words = sentence.words[start:end]
    if len(words) == len(said):
        return tuple(words) == tuple(said)
    # a clause behind `and` leaves out the subject that its sentence begins with: `They moved it and want us there`
    subject = sentence.words[0]
    if start == 0 or len(words) != len(said) - 1 or subject not in _SUBJECTS or words[0] in _SUBJECTS:
        return False
    return any(said[at] == subject and (*said[:at], *said[at + 1 :]) == tuple(words) for at in (0, 1))


_TOKEN = re.compile(r"([^\W_]+(?:[.:'-][^\W_]+)*)|[,;:()\u2013\u2014]|[\"\u201c\u201d]")
_THAT = re.compile(r"\b((?:say|says|said)|(?:tell|tells|told) (?:you|him|her|them|us))\s+that\b")
"""`The teacher said that boys will be boys` is `The teacher said boys will be boys`."""
_SAME = {
    word: str(number)
    for number, word in enumerate("two three four five six seven eight nine ten eleven twelve".split(), start=2)
}
_ACCORDING = re.compile(
    r"^\s*(?:(?:yes|no)[,:]\s*)?(?:(?:according to you|as you (?:say|tell it|describe it|wrote?)|by your account),\s*"
    r"|you (?:say|said|tell us|told us|report|write|wrote) that\s+)",
    re.IGNORECASE,
)
_CONCEDED = re.compile(r"^\s*(?:although|though|whereas) ([^,;]+), ", re.IGNORECASE)
_ASKS = re.compile(r"\?\s*$")
_BESIDE = frozenset({"and", "but", "although", "though", "whereas", "yet"})
_JOINS = frozenset({"and", "but", "so", "because"})
_SUBJECTS = frozenset("you he she they it we nobody the your his her their our this that there".split())
_UNDER = frozenset(
    "if unless whether when where while before after until till since as say says said saying tell tells told think "
    "thinks thought believe believes believed claim claims claimed feel feels felt hope hopes hoped promise promised "
    "want wants wanted ask asks asked would could might may should must will can shall apparently maybe perhaps "
    "supposed suppose pretend pretended expect expected plan planned dream dreamt imagine wish wished not never no "
    "nobody nothing neither nor or either without according heard reckon reckons insists insisted threatened warned "
    "wrote writes write agreed denies denied suggested hinted rumour myth false wrong that who which whose".split()
)
"""Words before a clause by which it may be anything but so; rather too many."""
_TAKES_BACK = frozenset("but except unless until if only or though although however provided where when".split())
