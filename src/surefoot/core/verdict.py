"""Yes or No, where one statement settles it; nothing where it only bears on it."""

from __future__ import annotations

import re

from surefoot.core.kinds import Kind, kind_of
from surefoot.core.questions import asking, sub_questions, terms
from surefoot.core.text import fold, words


def verdict(question: str, text: str, about: frozenset[str] = frozenset()) -> str:
    """ "Yes", "No" or "": only for a statement that says what is asked, word by word in its order, and no more.

    The same words in another order are another thing (who pays whom), and a word more may restrict it (`on Sundays`).
    `about` are the terms of what stands above the statement.
    """
    if kind_of(question) is not Kind.YES_NO:
        return ""
    asked, said = terms(question), terms(text)
    if not asked or not asked <= said | about or not asked & said:
        return ""
    if _in_order(text) != [term for term in _in_order(asking(question)) if term in said] or _JOINED.search(text):
        return ""
    plain, opener, rest = fold(text), *fold(asking(question)).partition(" ")[::2]
    if _CONDITION.search(plain) or _LOOSE.search(rest):
        return ""
    if opener in ("may", "can"):  # "Dogs may ride in the box" settles whether they may
        plain = re.sub(r"\bmay\b", "can", plain)
    if _denies(question) != _denies(text):
        return "No"
    # what is said of some, or of one of two, is no Yes; a denial of two things denies each
    return "" if _LOOSE.search(plain) else "Yes"


def asks_openly(question: str) -> bool:
    """Whether nothing in a question can be answered by yes or no: it only asks what, when or how, in every part, and
    what is said beside that only tells of the person who asks. `What about Sundays?` and `I hear it is free. When is
    it?` can be."""
    said = _BETWEEN.split(question.strip())
    parts = [part for one in said for part in (sub_questions(one) if _asks(one) else (one,))]
    return any(map(_asks, parts)) and all(_OPEN.match(fold(one)) if _asks(one) else _tells(fold(one)) for one in parts)


def _asks(text: str) -> bool:
    return text.rstrip().endswith("?") or _OPEN.match(fold(text)) is not None


def _tells(plain: str) -> bool:
    return _OF_ONESELF.match(plain) is not None and _SUPPOSES.search(plain) is None


def _in_order(text: str) -> list[str]:
    """Its terms in their order, each once."""
    spoken = [word for word in words(text) if word not in _NEGATIONS]
    return list(dict.fromkeys(term for word in spoken for term in sorted(terms(word))))


def _denies(text: str) -> bool:
    said = words(text)
    return bool(_NEGATIONS & set(said)) or any(word.endswith("n't") for word in said) or said[:1] == ["no"]


_JOINED = re.compile(r"[,;:(–—]|\b(?:and|while|whereas)\b", re.I)
"""What joins two statements: the words asked for may belong to both."""
_NEGATIONS = frozenset("not no never cannot nobody none neither without nor".split())
_CONDITION = re.compile(r"\b(?:only|unless|except|but|however|if|until|usually|often|sometimes|always|every|all)\b")
_LOOSE = re.compile(
    r"\b(?:some|most|many|few|up to|at least|at most|may|might|between|or|than|more|less|always|any|every|all|other|"
    r"another|also|only)\b|;"
)
_BETWEEN = re.compile(r"(?<=[.!?])\s+")
_OPEN = re.compile(
    r"(?:(?:and|but|so|also|at|by|for|from|in|on|since|to|until|with) )*"
    r"(?:what|when|where|which|who|whom|whose|why|how)\b(?! (?:about|come|if|not)\b)"
    r"(?!.*(?:[,;:(–—]|\b(?:also|even|if|or|too|whether)\b))"
)
"""Asks what, when or how, and adds nothing that proposes an answer: `When is it, on Sundays too?`"""
_OF_ONESELF = re.compile(r"(?:i|i'm|i've|i'd|my|we|we're|we've|our|hi|hello|hey|thanks?)\b")
_SUPPOSES = re.compile(
    r"\b(?:if|whether|or|right|correct|true|allowed|wonder\w*|th(?:ink|ought)|guess\w*|suppos\w*|assum\w*|believ\w*|"
    r"h(?:ear|eard|ope)|told|said|read|seen|saw|gather|understand|understood|take it|expect\w*|sure|want\w*|like|"
    r"ask\w*|know|need\w*|can|could|may|might|must|should|will|would)\b"
)
