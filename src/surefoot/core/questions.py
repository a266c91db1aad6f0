"""A question taken apart: its sub-questions, the premise it takes for granted, and what kind of answer it wants."""

from __future__ import annotations

import re
from itertools import chain

from surefoot.core.remember import by_word
from surefoot.core.text import STOPWORDS, content_words, fold, folded_words, pieces, squash, words

MAX_PARTS = 6


def sub_questions(question: str) -> tuple[str, ...]:
    """The parts to be answered one by one; a plain question is its own only part.

    "What does it cost and when must I pay?" has two. "How do research and teaching differ?" has one: an `and` cuts
    only where a new question begins behind it. A statement before a question goes with it: "One of my radiators stays
    cold. What should I try?" is one part.
    """
    parts: list[str] = []
    for sentence in _questions(question):
        for part in _at_conjunctions(sentence):
            if content_words(part) or (parts and _refers_back(part)):
                parts.append(part)
    unique = list({squash(part): part for part in parts}.values())
    return tuple(unique[:MAX_PARTS]) or (question.strip(),)


def asking(question: str) -> str:
    """What asks, without the statement before it: "What should I try?" of "My radiator stays cold. What should I try?".

    >>> asking("handed my homework in late, what does that do to my grade")
    'what does that do to my grade'
    """
    text = " ".join(question.split())
    if _BREAK.search(text) is None:
        return text
    found = _pieces(text)
    asks = next((piece for piece in reversed(found) if piece.endswith("?") or _starts_question(piece)), found[-1])
    if not _starts_question(asks) and (behind := _BEHIND.search(asks)):
        return asks[behind.end() :]
    return asks


def asks(question: str, statement: str) -> str:
    """The claim that a statement answers a question, in the form that grounders are taught it."""
    return f'This answers "{question}": {statement}'


def premise(question: str) -> str | None:
    """The statement a question takes for granted, as a sentence; None when it takes nothing for granted.

    "Why does NSFAS pay for postgraduate study?" presupposes "NSFAS pay for postgraduate study."; the wording is
    rough, but the names and numbers in it are what a source can contradict.
    """
    text = " ".join(question.split())
    for pattern in _PREMISES:
        match = pattern.search(text)
        if match is None:
            continue
        statement = " ".join(group.strip() for group in match.groups() if group and group.strip())
        if len(content_words(statement)) >= 2:
            return statement[0].upper() + statement[1:].rstrip(" ?.,") + "."
    return None


def operands(question: str) -> tuple[str, str] | None:
    """The two things a question compares: "the CX100 or the CX250", "a male cat … than a female cat"."""
    text = " ".join(question.split()).rstrip(" ?.")
    for pattern in _COMPARED:
        if match := pattern.search(text):
            return match.group(1), match.group(2)
    return None


def wants_number(question: str) -> bool:
    """Whether only a number, an amount or a date can answer it."""
    return _NUMERIC.search(question.lower()) is not None


@by_word(16_384)
def stem(word: str) -> str:
    """A word without its commonest endings, so that `applies` meets `apply` and `fees` meets `fee`."""
    word = word.removesuffix("'s").removesuffix("s'")
    word = _IRREGULAR.get(word, word)
    if len(word) <= 3 or word[0].isdigit():
        return word
    for ending, put in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)] + put
    return word


def terms(text: str) -> frozenset[str]:
    """Stemmed content words: what a question and a sentence are compared by."""
    if "long" in text.lower() and _HOW_LONG.search(text):
        return frozenset([stem(word) for word in content_words(text) if word not in _ASKING | _LASTING])
    return frozenset(chain.from_iterable(map(_terms_in, fold(text).split())))


@by_word(65_536)
def _terms_in(part: str) -> tuple[str, ...]:
    """The terms of what stands between two spaces: hardly ever more than one, and seldom a new one."""
    return tuple([stem(word) for word in folded_words(part) if word not in STOPWORDS and word not in _ASKING])


def _questions(text: str) -> list[str]:
    """Sentences that ask, each with the statements before it; those behind the last one go with that."""
    found: list[str] = []
    background = ""
    for piece in _pieces(text):
        if piece.endswith("?") or _starts_question(piece):
            found.append(f"{background} {piece}".strip())
            background = ""
        elif len(content_words(piece)) > 1 and _POLITE.match(piece) is None:
            background = f"{background} {piece}".strip()
    if found and background:
        found[-1] = f"{background} {found[-1]}"
    return found or [" ".join(text.split())]


def _pieces(text: str) -> list[str]:
    """Its sentences, one that asks in small letters behind a question by itself too where it says enough."""
    found: list[str] = []
    for sentence in pieces(text):
        piece, last = " ".join(sentence.text.split()), 0
        for match in _NEXT.finditer(piece):
            behind = piece[match.end() :]
            if len(content_words(behind)) > 1 and not _refers_back(behind):
                found.append(piece[last : match.start()])
                last = match.end()
        found.append(piece[last:])
    return found


def _at_conjunctions(sentence: str) -> list[str]:
    """Cut where a new question begins behind one; behind a statement ("homework four days late, what happens") not."""
    parts, last = [], 0
    for match in _CONJUNCTION.finditer(sentence):
        before = sentence[last : match.start()]
        if len(words(asking(before))) >= 3 and _asks(before):
            parts.append(before)
            last = match.start(1)
    parts.append(sentence[last:])
    return [part.strip(" ,;.?") + "?" for part in parts if part.strip(" ,;.?")]


def _starts_question(text: str) -> bool:
    return _OPENER.match(text) is not None


def _asks(text: str) -> bool:
    """Whether a question stands here, at the start of it, behind a statement or within a sentence."""
    return _starts_question(asking(text)) or _INSIDE.search(text) is not None


def _refers_back(text: str) -> bool:
    return bool({"it", "they", "this", "that", "these", "those"} & set(words(text)))


_QUESTION_WORDS = r"what|when|where|who|whom|whose|which|why|how"
_AUXILIARIES = r"is|are|was|were|do|does|did|can|could|will|would|should|must|may|has|have|had"
_AUXILIARY = rf"(?:{_AUXILIARIES})\b(?!['’]| (?:to|been|just|already)\b)"
_SUBJECT = r"(?:i|I|you|we|they|he|she|it|there|the|a|an|my|this|that)\b"
_FIRST = r"(?:(?:and|but|so|or|also|please|then)\s+)*(?:(?:for|at|in|on|by|from|to|until|with|since)\s+)?"
"""What may stand before a question word without making a statement of it."""
_OPENER = re.compile(rf"{_FIRST}(?:(?:{_QUESTION_WORDS}|tell me|explain|describe|list|compare)\b|{_AUXILIARY})", re.I)
_NEXT = re.compile(rf"(?<=\w\?) (?=(?:and |but |or )?(?:(?:{_QUESTION_WORDS})\b|(?:{_AUXILIARIES}) {_SUBJECT}))")
_INSIDE = re.compile(
    rf"\b(?:{_QUESTION_WORDS}) (?!(?:i|you|we|they|he|she|it)\b)(?:[\w'’-]+ ){{0,2}}?(?:{_AUXILIARIES})\b"
    rf"|\b(?:know|ask|wonder|wondering|out|see|say)\s+(?:{_QUESTION_WORDS})\b"
    r"|\b(?:tell me|explain|describe|compare|list (?:all|the|every|what|which|any|your|me))\b",
    re.I,
)
"""A question within a sentence: "For the CX250 what is the price", "I need to know what it costs"; not "muddled when I
read", which only says when."""
_POLITE = re.compile(
    r"(?:thanks?|cheers|hi|hello|dear|good (?:morning|afternoon|evening)|(?:kind|best) regards)\b", re.I
)
_BREAK = re.compile(r"[.!?;:,] |\s[–—-]\s")
_BEHIND = re.compile(rf"(?:[;:,]|\s[–—-])\s+(?={_OPENER.pattern})", re.I)
_CONJUNCTION = re.compile(
    r"(?:,?\s+(?:and|or)(?:\s+also)?|[,;](?!\s+(?:where|when)\s+(?:the|they|he|she|it|we|you|i)\b))\s+"
    rf"((?:(?:for|at|in|on|by|from|to|until|till|with)\s+)?(?:{_QUESTION_WORDS})\b"
    rf"|(?!have an?\b)(?:{_AUXILIARIES})\s+{_SUBJECT})",
    re.I,
)
_PREMISES = (
    re.compile(r"^(?:since|given that|because|as|now that|seeing that)\s+(.+?),\s", re.I),
    re.compile(r"^why\s+(?:does|do|did|is|are|was|were|has|have|can|will|must|should)\s+(.+?)\??$", re.I),
    re.compile(r"^how come\s+(.+?)\??$", re.I),
    re.compile(r"^(?:what|which)\s.+?\b(?:if|when|because|since|given that)\s+(.+?)\??$", re.I),
    re.compile(r"^(?:when|where|how)\s+did\s+(.+?)\??$", re.I),
)
_COMPARED = (
    re.compile(r"\bbetween (.+?) and (.+)$", re.I),
    re.compile(rf"^(?:{_AUXILIARIES})\s+(.+?)\s+(?:\w{{3,}}er|(?:more|less)\s+\w+)\s+than\s+(.+)$", re.I),
    re.compile(r"[,:]\s*(?:is it )?(.+?),? or (.+)$", re.I),
    re.compile(r"^compare (.+?) (?:and|with|to) (.+)$", re.I),
    re.compile(r"^(?:.*\b)?(?:does|do|is|are|did) (.+?) (?:differ|different) from (.+)$", re.I),
)
_NUMERIC = re.compile(
    r"\b(?:how (?:much|many|long|old|often|far|big|large|high|late|early|soon)|when|what (?:year|date|day|time|"
    r"percentage|percent|number|amount|price|fee|cost|age|rate)|costs?|price|fees?|deadline|salary|minimum|maximum)\b"
)
_IRREGULAR = {"children": "child", "men": "man", "women": "woman", "people": "person", "paid": "pay", "lent": "lend"}
_ENDINGS = (
    ("ations", "ate"),
    ("ation", "ate"),
    ("ies", "y"),
    ("ied", "y"),
    ("ings", ""),
    ("ing", ""),
    ("sses", "ss"),
    ("es", ""),
    ("ed", ""),
    ("ly", ""),
    ("s", ""),
    ("e", ""),
)
_HOW_LONG = re.compile(r"\bhow long\b", re.I)
_LASTING = frozenset(("last", "lasts", "take", "takes"))
"""In "how long does it last" these ask; elsewhere, as in "the last loan", they say something."""
_ASKING = frozenset("tell explain describe list compare please know want need much many long kind sort".split())
