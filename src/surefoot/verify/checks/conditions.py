"""Decides whether a pack's `when` holds for a submission, and where in the draft it was seen to hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from functools import cached_property

from surefoot.core.text import fold, squash
from surefoot.core.types import Json, Span
from surefoot.packs.names import has_attributes, mentions
from surefoot.packs.patterns import View
from surefoot.packs.schema import Pack, Test, When
from surefoot.verify.read.submission import Submission

FREE_TEXT = 3
"""Words from which a value of the profile is something the person said, and no entry of a form."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Holding:
    """A `when` that holds; `span` is where the draft shows it, None where the draft has no part in it."""

    span: Span | None = None


class Facts:
    """What tests may look at: made once per submission."""

    def __init__(self, submission: Submission) -> None:
        self.pack: Pack = submission.pack
        self.draft = View(submission.draft)
        self.profile = submission.profile
        said = (submission.case, submission.question)
        self._question = "\n\n".join(filter(None, said)) or submission.question

    @property
    def asked(self) -> bool:
        """Whether the caller gave a question at all; the seed's own call has none."""
        return bool(self._question and self._question.strip())

    @cached_property
    def question(self) -> View:
        """What the person said: the question and whatever the profile holds in sentences."""
        texts = [leaf for leaf in _leaves(dict(self.profile)) if isinstance(leaf, str)]
        free = [text for text in texts if len(text.split()) >= FREE_TEXT]
        return View("\n".join(filter(None, (self._question, *free))))

    def as_asked(self, text: str) -> Facts:
        """The same as if the text were the question."""
        other = copy(self)
        other.__dict__["question"] = View(text)
        return other

    def profile_value(self, path: str) -> Json:
        value: Json = dict(self.profile)
        for part in path.split("."):
            if not isinstance(value, Mapping):
                return None
            value = next((item for key, item in value.items() if _key(key) == _key(part)), None)
        return value


def holds(when: When, facts: Facts, *, sentence: Span | None = None) -> Holding | None:
    """None where it does not hold. An empty `when` always holds."""
    found: list[Holding] = []
    for test in when.all_of:
        result = _test(test, facts, sentence)
        if result is None:
            return None
        found.append(result)
    if when.any_of:
        met = [result for result in (_test(test, facts, sentence) for test in when.any_of) if result is not None]
        if not met:
            return None
        found += met
    if any(_test(test, facts, sentence) is not None for test in when.none_of):
        return None
    return next((holding for holding in found if holding.span), Holding())


def _test(test: Test, facts: Facts, sentence: Span | None) -> Holding | None:
    if test.on.startswith("profile."):
        return _on_value(test, facts.profile_value(test.on.removeprefix("profile.")), facts)
    if test.on == "question":
        return Holding() if _on_text(test, facts.question, facts) else None
    if test.on == "sentence":
        if sentence is None:
            return None
        start, end = sentence
        span = _on_text(test, View(facts.draft.original[start:end]), facts)
        return Holding(span=(span[0] + start, span[1] + start)) if span else None
    span = _on_text(test, facts.draft, facts)
    return Holding(span=span) if span else None


def _on_text(test: Test, view: View, facts: Facts) -> Span | None:
    whole = (0, len(view.original))
    if test.op == "present":
        return whole if bool(view.text.strip()) is test.value else None
    if test.op == "matches":
        hit = view.first(_texts(test.value))
        return hit.span if hit else None
    if test.op == "contains":
        hit = view.first([rf"\b{re.escape(text)}\b" for text in _texts(test.value)])
        return hit.span if hit else None
    if test.op == "mentions" and isinstance(test.value, Mapping):
        wanted = {key: _texts(value) for key, value in test.value.items()}
        for mention in mentions(facts.pack, view.original):
            if any(has_attributes(entity, wanted) for entity in mention.entities):
                return mention.span
        return None
    if test.op in ("at_least", "at_most"):
        return whole if _compares(test, view.text) else None
    return whole if squash(view.text) in {squash(str(text)) for text in _texts(test.value)} else None


def _on_value(test: Test, value: Json, facts: Facts) -> Holding | None:
    if test.op == "present":
        return Holding() if (value not in (None, "", [], {})) is test.value else None
    if test.op == "is":
        wanted = test.value if isinstance(test.value, list) else [test.value]
        met = any(_same(leaf, item) for leaf in _leaves(value) for item in wanted)
    elif test.op in ("at_least", "at_most"):
        met = any(_compares(test, leaf) for leaf in _leaves(value))
    else:
        text = "; ".join(str(leaf) for leaf in _leaves(value, keys=True) if leaf is not None)
        met = bool(text) and _on_text(test, View(text), facts) is not None
    return Holding() if met else None


def _leaves(value: Json, *, keys: bool = False) -> Iterator[str | int | float | bool | None]:
    if isinstance(value, list):
        for item in value:
            yield from _leaves(item, keys=keys)
    elif isinstance(value, dict):
        for key, item in value.items():
            if keys:
                yield key
            yield from _leaves(item, keys=keys)
    else:
        yield value


def _same(given: Json, wanted: Json) -> bool:
    """Forms send `true`, `"yes"` and `"Yes"` for the same tick."""
    if isinstance(given, bool) or isinstance(wanted, bool):
        return _tick(given) is not None and _tick(given) is _tick(wanted)
    if isinstance(given, int | float) and isinstance(wanted, int | float):
        return given == wanted
    return given is not None and squash(str(given)) == squash(str(wanted))


def _tick(value: Json) -> bool | None:
    if isinstance(value, bool):
        return value
    return {"true": True, "yes": True, "y": True, "false": False, "no": False, "n": False}.get(fold(str(value)).strip())


def _compares(test: Test, given: Json) -> bool:
    number = _number(given)
    limit = _number(test.value)
    if number is None or limit is None:
        return False
    return number >= limit if test.op == "at_least" else number <= limit


def _number(value: Json) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    match = _NUMBER.search(str(value)) if isinstance(value, str) else None
    return float(re.sub(r"[ ,\u00a0]", "", match.group())) if match else None


def _texts(value: Json) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


def _key(name: str) -> str:
    """financialNeed and financial_need are one key."""
    return name.replace("_", "").replace("-", "").casefold()


_NUMBER = re.compile(r"\d{1,3}(?:[ ,\u00a0]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")
