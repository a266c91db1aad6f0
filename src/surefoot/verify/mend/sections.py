"""Of which section of its document a sentence is, and which one is spoken of: `Applying costs 680 pounds.` under
`Bankruptcy` says nothing of a debt relief order, which has a heading of its own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from surefoot.core.passages import document_of
from surefoot.core.remember import by_text, once
from surefoot.core.types import Passage
from surefoot.verify.read.alignment import stems_of
from surefoot.verify.read.reading import read

NAMED = 0.5
"""Share of the words of a heading, or of a part of it, by which a sentence names it: `Loperan (diarrhoea)`. What leads
to the sentence must have all of them."""
FEWEST, ALIKE = 3, 0.2
"""So many words, and this share of the shorter one's, two sections have in common that tell of things of a kind."""

Path = tuple[str, ...]
"""The headings over a sentence, the title first."""


class _Document(NamedTuple):
    opened: Mapping[str, Sequence[tuple[int, Path]]]
    """By a passage's id where its sections begin."""
    words: Mapping[Path, frozenset[str]]
    """Of each section without its headings."""
    named: Mapping[str, frozenset[str]]
    """The headings that are spoken of, with the words that name them."""
    near: bool
    """Whether the sentence itself names them."""


@dataclass(frozen=True, kw_only=True)
class Sections:
    """The sections of some passages, and those of them that are spoken of."""

    passages: Sequence[Passage]
    said: str = ""
    """The sentence that a quote is looked for."""
    before: Sequence[str] = ()
    """What leads to it, the nearest first. The first text that names a section of a document says which is meant."""

    def is_elsewhere(self, text: str, at: int, within: str) -> bool:
        """Whether a sentence at a place of a passage is of another section than the one that is spoken of, and has not
        the words that name it. What stands over several sections is of all of them. What only leads to a sentence does
        not bind it to one part of a matter, `Cards` or `Fines`, but to one of several things of a kind."""
        document = self._documents[within]
        unsaid = {heading for heading, words in document.named.items() if not words & stems_of(text)}
        own = next(path for start, path in reversed(document.opened[within]) if start <= at) if unsaid else ()
        return any(
            path[-1] in unsaid
            and _is_apart(own, path, document.named)
            and (document.near or _are_alike(own, path, document.words))
            for path in document.words
            if path
        )

    @once
    def _documents(self) -> dict[str, _Document]:
        """By the ids of their passages."""
        ids = {one.id: document_of(one) for one in self.passages}
        found = {name: self._read([one for one in self.passages if ids[one.id] == name]) for name in {*ids.values()}}
        return {one: found[name] for one, name in ids.items()}

    def _read(self, passages: Sequence[Passage]) -> _Document:
        opened = {one.id: _opened(one) for one in passages}
        words: dict[Path, frozenset[str]] = {}
        for one in passages:
            for (start, path), (end, _) in pairwise([*opened[one.id], (len(one.text), ())]):
                words[path] = words.get(path, frozenset()) | stems_of(one.text[start:end]) - stems_of(" ".join(path))
        names = _own_words(list(filter(None, words)))
        for text in (self.said, *self.before) if len(names) > 1 else ():
            stems, least = stems_of(text), NAMED if text == self.said else 1.0
            named = {
                heading: stems & own
                for heading, parts in names.items()
                for own in parts
                if stems & own and len(stems & own) >= least * len(own)
            }
            if named:
                return _Document(opened, words, named, text == self.said)
        return _Document(opened, words, {}, near=False)


def _is_apart(own: Path, other: Path, named: Container[str]) -> bool:
    """Whether two sections stand beside each other, and none of the headings over the first alone is named."""
    alone = [heading for heading in own if heading not in other]
    return bool(alone) and other[-1] not in own and not any(heading in named for heading in alone)


def _are_alike(one: Path, other: Path, words: Mapping[Path, frozenset[str]]) -> bool:
    """Whether two sections tell of two things of a kind: `Hill branch` and `Harbour branch`, prices of two tickets."""
    if stems_of(one[-1]) & stems_of(other[-1]):
        return True
    shared = [word for word in words[one] & words[other] if word.isalpha()]
    return len(shared) >= max(FEWEST, ALIKE * min(len(words[one]), len(words[other])))


def _own_words(paths: Sequence[Path]) -> dict[str, list[frozenset[str]]]:
    """Of each part of a heading the words that no other heading has. The title, which stands over all, names none."""
    words = {heading: stems_of(heading) for path in paths for heading in path}
    often = Counter(stem for stems in words.values() for stem in stems)
    return {
        heading: [frozenset(stem for stem in stems_of(part) if often[stem] == 1) for part in _PARTS.split(heading)]
        for heading in words
        if not all(heading in path for path in paths)
    }


def _opened(passage: Passage) -> list[tuple[int, Path]]:
    """Where the sections of a passage begin; the first by what is written beside it."""
    beside = passage.metadata.get("headings")
    path = [(level, str(one)) for level, one in enumerate(beside, 1)] if isinstance(beside, list) else []
    found = [(0, tuple(words for _, words in path))]
    for start, level, words in _headings(passage.text):
        path = [one for one in path if one[0] < level and one[1] != words] + [(level, words)]
        found.append((start, tuple(one for _, one in path)))
    return found


@by_text(1024)
def _headings(text: str) -> list[tuple[int, int, str]]:
    """(place, level, words); one that no sign marks is the title at the beginning, else of the lowest level."""
    lines = [one.sentence for one in read(text) if one.sentence.kind == "heading" or one.sentence.text.startswith("#")]
    levels = [len(line.text) - len(line.text.lstrip("#")) or (_LOWEST if line.start else 0) for line in lines]
    return [(line.start, level, line.text.strip("#*_: ")) for line, level in zip(lines, levels, strict=True)]


_LOWEST = 7
_PARTS = re.compile(r"[(),:;/–—]| - |\b(?:and|or)\b")
