"""Questions without a model: what a statement answers, asked for; else templates filled with what parts are called."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise

from surefoot.core.hashing import sha256_text
from surefoot.core.text import STOPWORDS, content_words, fold, sentences
from surefoot.core.types import Passage
from surefoot.dataset.aspects import is_navigation
from surefoot.dataset.duplicates import SeenQuestions
from surefoot.dataset.pair import Aspect, QuestionType


def template_questions(
    aspect: Aspect, passages: Sequence[Passage], types: Sequence[QuestionType], avoid: Sequence[str]
) -> list[tuple[QuestionType, str]]:
    """One question of each wanted type, as far as the passages give material; each only once."""
    seen = SeenQuestions()
    for text in avoid:
        seen.add(text)
    chosen: list[tuple[QuestionType, str]] = []
    supplies: dict[QuestionType, Iterator[str]] = {}
    for kind in types:
        # A type the passages give no material for is replaced by the plain one.
        for actual in dict.fromkeys((kind, QuestionType.FACT)):
            supply = supplies.setdefault(actual, _supply(actual, aspect, passages))
            fresh = next((one for one in supply if seen.repeats(one) is None), None)
            if fresh is not None:
                seen.add(fresh)
                chosen.append((actual, fresh))
                break
    return chosen


def topics(text: str) -> list[str]:
    """What a passage speaks of: the things it names with an article, the most frequent first, as they are written."""
    scores: Counter[str] = Counter()
    written: dict[str, str] = {}
    for sentence in sentences(text):
        if sentence.kind == "row" or "](" in sentence.text:
            continue
        for match in _THING.finditer(sentence.text):
            key = fold(match.group(1))
            if not set(key.split()) & (STOPWORDS | _NO_THING):
                written.setdefault(key, match.group(1))
                scores[key] += 1
    return [written[key] for key in sorted(scores, key=lambda key: (-scores[key], key))]


def asked_of(statement: str) -> str | None:
    """The question that a plain statement answers, as a person would ask it; None where its form is not known.

    >>> asked_of("A lost key costs 35 euros.")
    'What does a lost key cost?'
    """
    text = " ".join(statement.split())
    for pattern, question in _ASKED_OF:
        match = pattern.match(text)
        if match is None or _LEANING.match(text) or _NO_SUBJECT & set(fold(match["it"]).split()):
            continue
        verb = match.groupdict().get("verb") or ""
        does = "does" if verb.endswith("s") else "do"
        parts = {key: value or "" for key, value in match.groupdict().items()}
        asked = question.format(**{**parts, "it": _inside(match["it"]), "does": does, "do": _plain_verb(verb)})
        return asked[:1].upper() + asked[1:]
    return None


def _supply(kind: QuestionType, aspect: Aspect, passages: Sequence[Passage]) -> Iterator[str]:
    if kind is QuestionType.FACT:
        return chain(_asked_headings(passages), _asked_facts(passages), _facts(aspect, passages))
    if kind is QuestionType.WHY:
        return _reasons(passages)
    if kind is QuestionType.COMPARE:
        return _comparisons(passages)
    if kind is QuestionType.MULTI_DOCUMENT:
        return _across(passages)
    return _unanswerable(passages)


def _headings(passages: Sequence[Passage]) -> Iterator[str]:
    """What the documents themselves call their parts; the title, often the aspect itself, is passed over."""
    for passage in passages:
        texts = [one.text.lstrip("# ").strip() for one in sentences(passage.text) if one.kind == "heading"]
        plain = (text for text in texts if not text.endswith("?") and not is_navigation(text))
        yield from (text for text in plain if len(content_words(text)) >= 2 or _NAMED.fullmatch(text))


def _asked_headings(passages: Sequence[Passage]) -> Iterator[str]:
    """Many documents ask their own questions."""
    for passage in passages:
        for sentence in sentences(passage.text):
            text = sentence.text.lstrip("# ").strip()
            if sentence.kind == "heading" and text.endswith("?") and len(content_words(text)) >= 2:
                yield text


def _asked_facts(passages: Sequence[Passage]) -> Iterator[str]:
    for passage in passages:
        for sentence in sentences(passage.text):
            if sentence.kind == "prose" and "](" not in sentence.text and (asked := asked_of(sentence.text)):
                yield asked


def _facts(aspect: Aspect, passages: Sequence[Passage]) -> Iterator[str]:
    own = fold(aspect.text)
    parts = [text for text in _headings(passages) if fold(text) != own]
    for topic in [*parts, *(topic for passage in passages for topic in topics(passage.text)[:4])]:
        if fold(topic) not in own:
            yield f"What do the documents say about {_inside(topic)}?"


def _reasons(passages: Sequence[Passage]) -> Iterator[str]:
    """What a sentence gives a reason for, asked for that reason: its main clause, as it stands."""
    for passage in passages:
        for sentence in sentences(passage.text):
            match = _REASON.search(sentence.text) if sentence.kind == "prose" else None
            clause = " ".join(sentence.text[: match.start()].split()).rstrip(" ,;") if match else ""
            if _LEAST_CLAUSE <= len(clause.split()) <= _LONGEST_CLAUSE and not _LEANING.match(clause):
                yield f"Why is it that {_inside(clause)}?"


def _comparisons(passages: Sequence[Passage]) -> Iterator[str]:
    """Two parts of one document, of one rank and called alike: "The Heron" and "The Bittern"."""
    alike: dict[tuple[str, int], list[str]] = {}
    for passage in passages:
        for one in (one.text for one in sentences(passage.text) if one.kind == "heading"):
            name = one.lstrip("# ").strip()
            place = (str(passage.metadata.get("source", passage.id)), one.count("#"))
            if _NAMED.fullmatch(name) and name.startswith("The ") and name not in alike.setdefault(place, []):
                alike[place].append(name)
    for names in alike.values():
        for one, other in pairwise(names):
            yield f"What is the difference between {_inside(one)} and {_inside(other)}?"


def _across(passages: Sequence[Passage]) -> Iterator[str]:
    """A part of one document together with one of another."""
    firsts = [names[0] for names in _by_document(passages).values() if names]
    for one, other in pairwise(firsts):
        yield f"What do the documents say about {_inside(one)}, and what about {_inside(other)}?"


def _by_document(passages: Sequence[Passage]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for passage in passages:
        names = found.setdefault(str(passage.metadata.get("source", passage.id)), [])
        names += [name for name in _headings([passage]) if name not in names]
    return found


def _unanswerable(passages: Sequence[Passage]) -> Iterator[str]:
    """A real topic, asked for something no passage mentions."""
    known = fold(" ".join(passage.text for passage in passages))
    usable = [template for template, word in _UNKNOWN if word not in known]
    for passage in passages:
        for topic in topics(passage.text)[:2]:
            # Each topic begins elsewhere in the list, so that neighbouring sessions do not ask the same thing.
            start = int(sha256_text(topic)[:8], 16)
            for place in range(len(usable)):
                yield usable[(start + place) % len(usable)].format(topic=topic)


def _inside(text: str) -> str:
    """A heading within a sentence: its first letter small unless it begins a name."""
    words = text.split()
    if words and words[0] in ("The", "A", "An", "Our", "Your"):
        return text[:1].lower() + text[1:]
    return text if len(words) > 1 and words[1][:1].isupper() else text[:1].lower() + text[1:]


def _plain_verb(verb: str) -> str:
    """The verb as it stands behind `does`: `passes` is `pass`, `costs` is `cost`."""
    return verb[:-2] if verb.endswith(("sses", "ches", "shes", "xes")) else verb.removesuffix("s")


_THING = re.compile(
    r"\b(?:[Tt]he|[Aa]n?|[Oo]ur|[Yy]our)\s+([\w'’-]+(?:\s[\w'’-]+){0,2}?)"
    r"(?=[.,;:!?)]|\s+(?:is|are|was|were|has|have|had|costs?|takes?|lasts?|opens?|closes?|must|may|can|cannot|will|of|for|"
    r"in|on|at|to|with|by|and|or|from|until|before|after|when|if|that|which|who)\b)"
)
"""What an article leads to, up to a word that cannot belong to it."""
_NO_THING = frozenset("back off away again way time day end same other first last next most least lot few more".split())
_NAMED = re.compile(r"(?:The\s+)?[A-Z][\w'’-]*(?:\s[A-Z][\w'’-]*){0,2}")
_IT = r"(?P<it>(?:The|An?|Our|Your|[A-Z][\w'’-]+)(?: [\w'’-]+){0,7}?)"
_NO_SUBJECT = frozenset(
    "and or but which that who takes costs lasts is are was were has have must may can will opens closes if".split()
)
"""A subject with one of these holds a verb of its own, or is two."""
_SPAN = r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b"
_ASKED_OF = tuple(
    (re.compile(pattern), question)
    for pattern, question in (
        (rf"{_IT} (?P<verb>costs?) .*\d", "What {does} {it} cost?"),
        (rf"{_IT} (?P<verb>weighs?) .*\d", "How much {does} {it} weigh?"),
        (rf"{_IT} (?P<verb>takes?|lasts?) .*{_SPAN}", "How long {does} {it} {do}?"),
        (rf"{_IT} (?P<verb>opens?|closes?|starts?|begins?|ends?) (?:at|on|in|from) .*\d", "When {does} {it} {do}?"),
        (
            rf"{_IT} (?P<be>was|were) (?P<done>founded|built|written|designed|painted|invented) by ",
            "Who {be} {it} {done} by?",
        ),
        (rf"{_IT} (?P<be>was|were) (?P<done>founded|built|opened|closed|introduced) in \d", "When {be} {it} {done}?"),
        (
            rf"{_IT} (?P<verb>has|have) (?:\d+|two|three|four|five|six|eight|ten) (?P<thing>[a-z]+s)\b(?! old)",
            "How many {thing} {does} {it} have?",
        ),
        (rf"{_IT} (?P<be>is|are) (?:behind|next to|opposite|near|above|below) ", "Where {be} {it}?"),
        (rf"{_IT} (?P<be>is|are) (?:an?|our|the) [a-z]", "What {be} {it}?"),
        (rf"{_IT} (?P<may>must|may|can)(?:not| not)? (?P<rest>[a-z][^,;:.()]{{3,60}})\.$", "{may} {it} {rest}?"),
    )
)
"""Statements by their form, and what each is the answer to."""
_REASON = re.compile(r"\b(?:because|so that|in order to|due to)\b", re.I)
_LEAST_CLAUSE, _LONGEST_CLAUSE = 4, 20
_LEANING = re.compile(
    r"(?:it|they|he|she|this|these|those|that|such|however|and|but|so|if|when|while|as|its|their)\b", re.I
)
_UNKNOWN = (
    ("Who designed the {topic}?", "design"),
    ("What colour is the {topic}?", "colour"),
    ("Who owns the {topic}?", "own"),
    ("Is the {topic} insured?", "insur"),
    ("What is the phone number for the {topic}?", "phone"),
    ("In which year was the {topic} introduced?", "introduc"),
    ("How many people use the {topic}?", "people"),
    ("Which company supplies the {topic}?", "company"),
)
"""What people ask of a thing, and the word that shows that the passages may say it."""
