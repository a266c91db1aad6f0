"""Errors planted by code into answers that are true by construction: what a critic is measured with. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from surefoot.core.hashing import sha256_text
from surefoot.core.text import content_words, fold, sentences
from surefoot.core.types import Passage
from surefoot.dataset.pair import Question, QuestionType
from surefoot.dataset.templates import topics


class Error(StrEnum):
    ENTITY = "entity"
    NUMBER = "number"
    NEGATION = "negation"
    CITATION = "wrong citation"


@dataclass(frozen=True, kw_only=True, slots=True)
class Specimen:
    """An answer for the critic, and whether something is wrong with it."""

    question: Question
    passages: tuple[Passage, ...]
    answer: str
    error: Error | None = None
    """None: a control, true by construction."""
    reworded: bool = False


def specimens(groups: Sequence[tuple[Passage, ...]], *, per_class: int) -> list[Specimen]:
    """Controls from the passages' own sentences, and the same with one error each; stable for the same passages."""
    controls = list(_controls(groups))
    names = _names(passage for group in groups for passage in group)
    found = _few([one for one in controls if not one.reworded], per_class)
    found += _few([one for one in controls if one.reworded], per_class)
    quoted = [one for one in controls if not one.reworded]
    for error in Error:
        planted = (plant(one, error, names) for one in quoted)
        found += _few([one for one in planted if one is not None], per_class)
    return found


def plant(control: Specimen, error: Error, names: Sequence[str]) -> Specimen | None:
    """The control with one error; None where it gives no room for one."""
    changed = {
        Error.ENTITY: lambda: _with_other_name(control, names),
        Error.NUMBER: lambda: _with_other_number(control),
        Error.NEGATION: lambda: _negated(control.answer),
        Error.CITATION: lambda: _with_other_marker(control),
    }[error]()
    if changed is None or changed == control.answer:
        return None
    return Specimen(question=control.question, passages=control.passages, answer=changed, error=error)


def _controls(groups: Sequence[tuple[Passage, ...]]) -> Iterator[Specimen]:
    seen: set[str] = set()
    for group in groups:
        for passage in group:
            for sentence in sentences(passage.text):
                text = " ".join(sentence.text.split())
                if sentence.kind != "prose" or text in seen or not _stands_alone(text):
                    continue
                seen.add(text)
                about = topics(text)
                subject = about[0] if about else "this"
                question = Question(
                    text=f"What do the sources say about {subject}?",
                    type=QuestionType.FACT,
                    session=0,
                    number=len(seen),
                )
                body = text.rstrip(".")
                yield Specimen(question=question, passages=group, answer=f"{body} [{passage.id}].")
                yield Specimen(
                    question=question,
                    passages=group,
                    answer=f"According to the source, {_continued(body)} [{passage.id}].",
                    reworded=True,
                )


def _stands_alone(text: str) -> bool:
    """A plain statement of some length that leans on no other sentence and carries no markup."""
    words = text.split()
    plain = not re.search(r"[\[\]|*_#<>]|https?://", text)
    leans = fold(words[0]) in _LEANING
    return plain and 6 <= len(words) <= 35 and text.endswith(".") and not leans and text[0].isupper()


def _with_other_number(control: Specimen) -> str | None:
    body, marker = _cut_marker(control.answer)
    held = " ".join(passage.text for passage in control.passages)
    for match in re.finditer(r"\d+", body):
        digits = match.group()
        for shift in range(1, 10):
            other = (
                digits[:-1] + str((int(digits[-1]) + shift) % 10) if len(digits) > 1 else str(int(digits) % 9 + shift)
            )
            if not re.search(rf"(?<!\d){other}(?!\d)", held) and not other.startswith("0"):
                return body[: match.start()] + other + body[match.end() :] + marker
    return None


def _with_other_name(control: Specimen, names: Sequence[str]) -> str | None:
    body, marker = _cut_marker(control.answer)
    held = fold(" ".join(passage.text for passage in control.passages if f"[{passage.id}]" in marker))
    match = next((one for one in _NAME.finditer(body) if one.start() > 0), None)
    if match is None:
        return None
    start = int(sha256_text(control.answer)[:8], 16)
    for step in range(len(names)):
        other = names[(start + step) % len(names)]
        if fold(other) not in held and len(other.split()) == len(match.group().split()):
            return body[: match.start()] + other + body[match.end() :] + marker
    return None


def _negated(answer: str) -> str | None:
    match = re.search(r"\b(is|are|was|were|can|may|must|will|has|have|should)( not)?\b", answer)
    if match is None:
        return None
    word, already = match.group(1), match.group(2)
    if already:
        return answer[: match.start()] + word + answer[match.end() :]
    if word in ("has", "have") and not re.match(r"\s+\w+ed\b", answer[match.end() :]):
        turned = "does not have" if word == "has" else "do not have"
        return answer[: match.start()] + turned + answer[match.end() :]
    return answer[: match.start()] + f"{word} not" + answer[match.end() :]


def _with_other_marker(control: Specimen) -> str | None:
    body, marker = _cut_marker(control.answer)
    wanted = set(content_words(body))
    for passage in control.passages:
        shared = wanted & set(content_words(passage.text))
        if f"[{passage.id}]" not in marker and len(shared) < 0.5 * len(wanted):
            return f"{body} [{passage.id}]."
    return None


def _names(passages: Iterable[Passage]) -> list[str]:
    found = {match.group() for passage in passages for match in _NAME.finditer(passage.text) if match.start() > 0}
    return sorted(name for name in found if fold(name.split()[0]) not in _LEANING)


def _cut_marker(answer: str) -> tuple[str, str]:
    body, _, marker = answer.rpartition(" [")
    return body, f" [{marker}"


def _continued(body: str) -> str:
    """A sentence after a comma: its first word in lower case unless it is a name or an acronym."""
    first, *rest = body.split(" ")
    return " ".join([first.lower() if fold(first) in _ARTICLES else first, *rest])


def _few(found: Sequence[Specimen], count: int) -> list[Specimen]:
    """So many of them, in an order that has nothing to do with where they come from."""
    return sorted(found, key=lambda one: sha256_text(one.answer))[:count]


_NAME = re.compile(r"(?<![.!?] )\b[A-Z][a-z]{2,}(?: (?:[A-Z][a-z]{2,}|of(?= [A-Z])))*")
_ARTICLES = frozenset(
    "the a an all every each some many most any students people you your if in on at for there".split()
)
_LEANING = frozenset(
    "it its this that these those they them their he she his her here there such both also however but and or so then "
    "therefore otherwise instead who which what when where why how".split()
)
