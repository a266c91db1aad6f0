"""A question that leans on earlier ones, made whole: "And how heavy is it?" after "What is the CX250?"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from surefoot.core.kinds import kind_of
from surefoot.core.questions import sub_questions
from surefoot.core.text import content_words, without_markers, words
from surefoot.core.types import Turn


def resolved(question: str, history: Sequence[Turn]) -> str:
    """The question as it would be asked alone; unchanged where it needs nothing or the forms are not known."""
    text = " ".join(question.split())
    if not history or not leans_back(text):
        return text
    last = history[-1]
    if (short := _ELLIPSIS.match(text)) and not _HAS_VERB.search(short.group(1)):
        return _with_tail(last.question, short.group(1))
    text = _CONNECTIVE.sub("", text)
    return _with_subject(text[:1].upper() + text[1:], history)


def whole_parts(question: str) -> tuple[str, ...]:
    """The sub-questions, each made whole by the ones before it: "how many people work there" names the place."""
    return made_whole(sub_questions(question))


def made_whole(parts: Sequence[str]) -> tuple[str, ...]:
    """The same of sub-questions that are known already. One that says hardly anything by itself is about what the first
    one is: "which form (help bill)?"."""
    wholes: list[str] = []
    for part in parts:
        whole = resolved(part, [Turn(question=earlier) for earlier in wholes])
        wholes.append(_of_the_same_kind(part, wholes[0]) if wholes and whole == part and rests(part) else whole)
    return tuple(wholes)


def rests(part: str) -> bool:
    """Whether a part of a question has one word of its own at most, and nothing that it says it of: "which form?",
    "what do I pay?", but not "when is payday?"."""
    return len(content_words(part)) <= 1 and _RESTS.match(part) is not None


def searchable(part: str, question: str) -> str:
    """A part of a question as somebody may read it who has not read the rest: with the name it leaves to the others."""
    parts = sub_questions(question)
    if part not in parts:
        return part
    at = parts.index(part)
    whole = whole_parts(question)[at]
    if whole != part or _names(part):
        return whole
    named = list(dict.fromkeys(name for other in parts for name in _names(other)))
    return f"{part.rstrip('?.! ')} ({' '.join(named)})?" if named else _with_words(part, " ".join(parts[:at]))


def leans_back(question: str) -> bool:
    """Whether it points at something it does not name, or is no whole question."""
    said = words(question)
    if bool(_POINTERS & set(said)) or _ELLIPSIS.match(question):
        return True
    return len(content_words(question)) == 0


def _with_tail(earlier: str, phrase: str) -> str:
    """The earlier question with its last phrase of the same make replaced: "on Saturdays" by "on Sundays"."""
    base, phrase = earlier.strip().rstrip("?.! "), phrase.strip().rstrip("?.! ")
    opening = phrase.split()[0].lower() if phrase.split() else ""
    if opening in _ARTICLES and (things := _things_like(base, phrase)):
        start, end = things[-1].span()
        return f"{base[:start]}{phrase}{base[end:]}?"
    places = [match.start() for match in re.finditer(rf"\b{re.escape(opening)}\b", base, re.I)] if opening else []
    if opening in _OPENINGS and places and places[-1] > 0:
        return f"{base[: places[-1]]}{phrase}?"
    alike = _last_like(base, phrase)
    if alike is not None:
        start, end = alike
        return f"{base[:start]}{phrase}{base[end:]}?"
    return f"{base}: {phrase}?"


def _things_like(base: str, phrase: str) -> list[re.Match[str]]:
    """The things a question names as a phrase does: "the Heron" for "the Bittern", "the red key" for "the blue one"."""
    named = phrase.split()[1:2]
    like = _NAMED_THING if named and named[0][:1].isupper() else _THING
    return list(like.finditer(base))


def _last_like(base: str, phrase: str) -> tuple[int, int] | None:
    """Where the last thing named of the same kind stands: a name for a name, "the X" for "the Y"."""
    if re.match(r"[A-Z]|\w*\d", phrase):
        names = [match for match in _NAME.finditer(base) if match.start() > 0]
        return names[-1].span() if names else None
    return None


def _with_subject(question: str, history: Sequence[Turn]) -> str:
    said = set(words(question))
    person = bool(_PERSONS & said)
    subject = next((found for turn in reversed(history) if (found := _subject(turn, person=person))), None)
    if subject is None:
        return _with_words(question, history[-1].question)
    if not _PRONOUN.search(question):
        return f"{question.rstrip('?.! ')} ({subject})?"

    def put(match: re.Match[str]) -> str:
        word = match.group().lower()
        if word == "there":
            return f"at {subject}"
        return f"{subject}'s" if word in _OWNING else subject

    return _PRONOUN.sub(put, question, count=1)


def _with_words(question: str, earlier: str) -> str:
    """Where no name and no thing can be told apart, with all that was asked before: it holds the subject somewhere."""
    about = [word for word in content_words(earlier) if word not in words(question)]
    return f"{question.rstrip('?.! ')} ({' '.join(about)})?" if about else question


def _of_the_same_kind(part: str, first: str) -> str:
    """With the first part's words, but for those that ask for something else: no `cost` in "which form?"."""
    kind = kind_of(part)
    about = (word for word in content_words(first) if kind_of(f"{part.rstrip('?.! ')} ({word})?") is kind)
    return _with_words(part, " ".join(about))


def _subject(turn: Turn, *, person: bool) -> str | None:
    """What a turn was about: the last name in its question, its last "the …", or the name its answer begins with."""
    asked = turn.question.strip().rstrip("?.! ")
    names = _names(asked)
    if names:
        at = asked.rfind(names[-1])
        article = re.search(r"\b(the|our|your|my)\s+$", asked[:at], re.I)
        return f"{article.group(1).lower()} {names[-1]}" if article else names[-1]
    answered = re.match(_NAME.pattern, without_markers(turn.answer).strip())
    if person:
        return answered.group() if answered else None
    things = [match.group() for match in _THING.finditer(asked)]
    if things:
        return re.sub(r"^(?:a|an)\b", "the", things[-1], flags=re.I)
    return answered.group() if answered and len(answered.group().split()) > 1 else None


def _names(text: str) -> list[str]:
    """Names a question says behind its first word; "I" and "Sunday" are none that another question could be about."""
    found = [match.group() for match in _NAME.finditer(text.partition(" ")[2])]
    return [name for name in found if name.lower().rstrip("s") not in _NO_SUBJECTS]


_PERSONS = frozenset("he she him her his hers".split())
_OWNING = frozenset("its their his hers".split())
_POINTERS = frozenset("it its they them their he she him his hers that this those these there one ones".split())
_NO_SUBJECTS = frozenset(
    "i i'm i've i'd i'll monday tuesday wednesday thursday friday saturday sunday january february march april may "
    "june july august september october november december what when where who which why how".split()
)
_PRONOUN = re.compile(
    r"\b(?:it|its|they|them|their|he|she|him|his|hers|(?<!is )(?<!are )(?<!was )there$|there(?=\?)|"
    r"this one|that one|that|this|those|these)\b"
    r"(?! (?:\w+ing|is why|means|there|[a-z]+s?\b (?:is|are|was)))",
    re.I,
)
_NAME = re.compile(
    r"\b(?:(?:Dr|Mr|Mrs|Ms|Prof)\.?\s)?(?:[A-Z][\w'’-]*\d*|\w*\d[\w-]*)(?:\s+(?:[A-Z][\w'’-]*|\d[\w-]*))*"
)
_THING = re.compile(
    r"\b(?:the|a|an|our|your|my)\s+(?:[a-z][\w-]*\s+){0,2}?[a-z][\w-]*(?=$|\s+(?:of|for|in|on|at|to|cost|"
    r"costs|take|last|have|has|need|work|open|is|are|and|include|includes|weigh|end|start)\b)",
    re.I,
)
_ARTICLES = frozenset("the a an our your my".split())
_NAMED_THING = re.compile(rf"\b(?:[Tt]he|[Aa]n?|[Oo]ur|[Yy]our|[Mm]y)\s+{_NAME.pattern}")
_CONNECTIVE = re.compile(r"^(?:and|but|so|also|ok|okay|then)[, ]+", re.I)
_RESTS = re.compile(
    r"(?:and |but )?(?:(?:for|at|in|on|by|from|to|until|with) )?(?:what|when|where|who|whom|which|how)\b"
    r"(?: (?!(?:is|are|was|were|do|does|did|can|could|will|would|should|must|may|has|have|had)\b)[\w'’-]+){0,2}"
    r"(?: (?:do|can|could|will|would|should|must|may|have) (?:i|we|you)\b(?: [\w'’-]+){0,3})?\W*$",
    re.I,
)
_ELLIPSIS = re.compile(
    r"^(?:(?:and|but|so|ok|okay)[, ]+)?(?:(?:what|how) about\s+|and\s+|but\s+)([^?]{1,80})\??$", re.I
)
_HAS_VERB = re.compile(
    r"^(?:what|when|where|who|whom|whose|which|why|how|is|are|was|were|do|does|did|can|could|will|"
    r"would|should|must|may|"
    r"has|have|had)\b",
    re.I,
)
_OPENINGS = frozenset("on in at for from by with to of the a an before after during until under over".split())
