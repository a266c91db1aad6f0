"""Questions without a model: templates filled with what the passages speak of."""

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
    """What a passage speaks of: its most telling runs of content words, as they are written."""
    scores: Counter[str] = Counter()
    written: dict[str, str] = {}
    for sentence in sentences(text):
        if sentence.kind == "row" or "](" in sentence.text:
            continue
        for run in _runs(sentence.text):
            key = fold(run)
            written.setdefault(key, run)
            scores[key] += 1 + min(len(run.split()), 3)
    ranked = sorted(scores, key=lambda key: (-scores[key], key))
    kept: list[str] = []
    for key in ranked:
        if not any(key in fold(other) or fold(other) in key for other in kept):
            kept.append(written[key])
    return kept


def _supply(kind: QuestionType, aspect: Aspect, passages: Sequence[Passage]) -> Iterator[str]:
    if kind is QuestionType.FACT:
        return chain(_asked_headings(passages), _facts(aspect, passages))
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
        yield from (text for text in plain if len(content_words(text)) >= 2)


def _asked_headings(passages: Sequence[Passage]) -> Iterator[str]:
    """Many documents ask their own questions."""
    for passage in passages:
        for sentence in sentences(passage.text):
            text = sentence.text.lstrip("# ").strip()
            if sentence.kind == "heading" and text.endswith("?") and len(content_words(text)) >= 2:
                yield text


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
    for passage in passages:
        found = topics(passage.text)
        for one, other in zip(found[0::2], found[1::2], strict=False):
            yield f"How does {one} compare with {other}?"


def _across(passages: Sequence[Passage]) -> Iterator[str]:
    """A topic of one document together with one of another."""
    by_source: dict[str, str] = {}
    for passage in passages:
        source = str(passage.metadata.get("source", passage.id))
        known = {fold(name) for name in by_source.values()}
        found = next((topic for topic in topics(passage.text) if fold(topic) not in known), None)
        if found is not None:
            by_source.setdefault(source, found)
    names = list(by_source.values())
    for one, other in pairwise(names):
        yield f"What do the documents say about {one}, and what about {other}?"


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
    return text if len(words) > 1 and words[1][:1].isupper() else text[:1].lower() + text[1:]


def _runs(text: str) -> Iterator[str]:
    """Runs of two to four words that are no function words, within one stretch without punctuation."""
    for stretch in re.split(r"[^\w' -]+", text):
        run: list[str] = []
        for word in [*stretch.split(), "the"]:
            if fold(word) in STOPWORDS or fold(word) in _VERBS or not word[0].isalpha():
                if 2 <= len(run) <= 4:
                    yield " ".join(run)
                run = []
            else:
                run.append(word)


_VERBS = frozenset(
    "get gets give gives given go goes make makes made take takes taken find need needs use used pay pays paid "
    "cost costs come comes keep kept hold holds held open opens opened close closes closed ask asks asked begin begins "
    "end ends include includes included apply applies applied".split()
)
"""Common verbs that would make a run of words no thing to ask about."""
_REASON = re.compile(r"\b(?:because|so that|in order to|due to)\b", re.I)
_LEAST_CLAUSE, _LONGEST_CLAUSE = 4, 20
_LEANING = re.compile(
    r"(?:it|they|he|she|this|these|those|that|such|however|and|but|so|if|when|while|as|its|their)\b", re.I
)
_UNKNOWN = (
    ("What colour is the cover of the first brochure about {topic}?", "brochure"),
    ("Which radio station first reported on {topic}?", "radio"),
    ("How many parking spaces are reserved for {topic}?", "parking"),
    ("Who composed the anthem of {topic}?", "anthem"),
    ("What was the temperature when {topic} began?", "temperature"),
    ("Which football club sponsors {topic}?", "football"),
    ("How much did the statue of {topic} weigh?", "statue"),
    ("What is the name of the ship that carried {topic}?", "ship that"),
)
