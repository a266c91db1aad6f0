"""Finds registered names in a text in one pass, and the registered name a misspelt one is nearest to."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from surefoot.core.text import fold
from surefoot.core.types import Span
from surefoot.packs.schema import Entity, Pack


@dataclass(frozen=True, kw_only=True, slots=True)
class Mention:
    """A registered name as it stands in a text. Several entities may share an alias."""

    entities: tuple[Entity, ...]
    span: Span

    @property
    def entity(self) -> Entity:
        return self.entities[0]


@dataclass(frozen=True, slots=True)
class _Form:
    words: tuple[str, ...]
    exact: str | None
    """Short names and abbreviations count only as they are written: CUT is a university, cut is a verb."""
    entity: Entity


_Distinct = tuple[str, frozenset[str], str, Entity]
"""What sets a name apart, its pairs of letters, the name itself and whose it is."""


class NameIndex:
    """Every name and alias of a pack's registries, by its first word."""

    def __init__(self, entities: Iterable[Entity]) -> None:
        self._forms: dict[tuple[str, ...], list[_Form]] = defaultdict(list)
        self._distinct: dict[str, list[_Distinct]] = defaultdict(list)
        self._generic: dict[str, frozenset[str]] = {}
        by_kind: dict[str, list[Entity]] = defaultdict(list)
        for entity in entities:
            by_kind[entity.kind].append(entity)
            for name in (entity.name, *entity.aliases):
                self._add(name, entity)
        lengths: dict[str, set[int]] = defaultdict(set)
        for words in self._forms:
            lengths[words[0]].add(len(words))
        self._lengths = {word: sorted(counts, reverse=True) for word, counts in lengths.items()}
        self._by_kind: Mapping[str, Sequence[Entity]] = by_kind

    def find(self, text: str) -> tuple[Mention, ...]:
        """Registered names, longest first at each place, none inside another."""
        tokens = _tokens(text)
        words = tuple(token[0] for token in tokens)
        found, at = [], 0
        while at < len(tokens):
            length = 1
            for count in self._lengths.get(words[at], ()):
                forms = self._forms.get(words[at : at + count], ()) if at + count <= len(words) else ()
                entities = tuple({id(f.entity): f.entity for f in forms if _stands(f, tokens, at, text)}.values())
                if entities:
                    found.append(Mention(entities=entities, span=(tokens[at][1], tokens[at + count - 1][2])))
                    length = count
                    break
            at += length
        return tuple(found)

    def nearest(self, name: str, kind: str) -> Entity | None:
        """The one registered name of the kind that differs by a slip of spelling or spacing, if there is one.

        Only the words that set names apart are compared: `University of` says nothing about which university.
        """
        wanted = self._distinctive(name, kind)
        if len(wanted) < 3:
            return None
        near: list[tuple[int, int, str]] = []
        by_name: dict[str, Entity] = {}
        pairs = _pairs(wanted)
        for known, known_pairs, form, entity in self._distinct_names(kind):
            limit = _slips(min(len(known), len(wanted)))
            if abs(len(known) - len(wanted)) > limit:
                continue
            # A slip spoils three pairs of letters at most: most names need no closer look.
            if len(pairs & known_pairs) < max(len(pairs), len(known_pairs)) - 3 * limit:
                continue
            distance = _distance(wanted, known, limit)
            if distance is not None:
                # University of Cape Town and College of Cape Town differ only in what is generic.
                whole = _distance(_joined(name), _joined(form), len(name) + len(form))
                near.append((distance, whole or 0, entity.name))
                by_name[entity.name] = entity
        near.sort()
        if not near or any(other[:2] == near[0][:2] and other[2] != near[0][2] for other in near[1:]):
            return None
        return by_name[near[0][2]]

    def is_generic(self, name: str, kind: str) -> bool:
        """Whether a name has only words that many names of its kind share: `University` is no name."""
        return not self._distinctive(name, kind)

    def _add(self, name: str, entity: Entity) -> None:
        words = tuple(words_of(name))
        if not words:
            return
        exact = name if len(words) == 1 and (len(name) <= 4 or name.isupper()) else None
        self._forms[words].append(_Form(words, exact, entity))
        if exact is None and len(words[-1]) > 3 and not words[-1].endswith("s"):
            last = words[-1][:-1] + "ies" if words[-1].endswith("y") else words[-1] + "s"
            plural = (*words[:-1], last)
            self._forms[plural].append(_Form(plural, None, entity))

    def _distinct_names(self, kind: str) -> list[_Distinct]:
        """Built on the first unknown name: most drafts never need it."""
        if kind not in self._distinct:
            for entity in self._by_kind.get(kind, ()):
                for name in (entity.name, *entity.aliases):
                    words = self._distinctive(name, kind)
                    if len(words) >= 3:
                        self._distinct[kind].append((words, _pairs(words), name, entity))
        return self._distinct[kind]

    def _distinctive(self, name: str, kind: str) -> str:
        if kind not in self._generic:
            counts = Counter(
                word
                for entity in self._by_kind.get(kind, ())
                for word in {token for token, _, _ in _tokens(entity.name)}
            )
            often = max(3, len(self._by_kind.get(kind, ())) // 10)
            common = {word for word, count in counts.items() if count >= often}
            self._generic[kind] = frozenset(common | {"of", "the", "in", "and", "for"})
        generic = self._generic[kind]
        return "".join(word for word in words_of(name) if word not in generic)


@lru_cache(maxsize=32)
def index_of(pack: Pack) -> NameIndex:
    return NameIndex(pack.entities)


@lru_cache(maxsize=256)
def mentions(pack: Pack, text: str) -> tuple[Mention, ...]:
    """The registered names of a text; several checks ask for the same draft."""
    return index_of(pack).find(text)


def has_attributes(entity: Entity, wanted: Mapping[str, Sequence[str]]) -> bool:
    """Whether an entity is of one of the kinds and has, for each attribute, one of the values."""
    for key, values in wanted.items():
        own = [entity.kind] if key == "kind" else _VALUES.split(entity.attributes.get(key, ""))
        if not {fold(value.strip()) for value in own} & {fold(value) for value in values}:
            return False
    return True


def _tokens(text: str) -> list[tuple[str, int, int]]:
    """Words as (folded, start, end) in offsets of the text; hyphens and full stops divide words."""
    if text.isascii():
        lower = text.lower()
        return [(lower[m.start() : m.end()].replace("'", ""), m.start(), m.end()) for m in _WORD.finditer(text)]
    return [(fold(m.group()).replace("'", ""), m.start(), m.end()) for m in _WORD.finditer(text)]


def _stands(form: _Form, tokens: Sequence[tuple[str, int, int]], at: int, text: str) -> bool:
    """Whether words that are those of a name also stand together like one."""
    if form.exact is not None:
        return text[tokens[at][1] : tokens[at][2]] == form.exact
    gaps = (text[tokens[at + i][2] : tokens[at + i + 1][1]] for i in range(len(form.words) - 1))
    return all(gap == " " or _GAP.fullmatch(gap) for gap in gaps)


def _slips(length: int) -> int:
    return 1 if length <= 6 else 2 if length <= 12 else 3


def _distance(one: str, other: str, limit: int) -> int | None:
    """Edits (insert, delete, change, swap neighbours) between two words; None where more than the limit."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, char in enumerate(one, start=1):
        following = [i]
        for j, target in enumerate(other, start=1):
            cost = min(row[j] + 1, following[j - 1] + 1, row[j - 1] + (char != target))
            if i > 1 and j > 1 and char == other[j - 2] and one[i - 2] == target:
                cost = min(cost, before[j - 2] + 1)
            following.append(cost)
        if min(following) > limit:
            return None
        before, row = row, following
    return row[-1] if row[-1] <= limit else None


def _pairs(text: str) -> frozenset[str]:
    return frozenset(text[at : at + 2] for at in range(len(text) - 1))


def _joined(name: str) -> str:
    return " ".join(words_of(name))


def words_of(text: str) -> Iterator[str]:
    return (token for token, _, _ in _tokens(text))


_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_GAP = re.compile(r"(?:[ \t\u00a0]*[-–&/,(:).]?[ \t\u00a0]*\n?[ \t]*)")
_VALUES = re.compile(r"[+|,/]")
