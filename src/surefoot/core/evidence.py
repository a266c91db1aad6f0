"""Which sentences of the sources a claim is judged by: one selection for grounding, the encoders and training.

A record (JSON or `path: value` lines) becomes one line per field, so that a field is chosen like a sentence.
"""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from surefoot.core.text import STOPWORDS, fold, sentences, words
from surefoot.core.types import Json, Sentence

TOKENS = 320
"""Room for evidence beside a claim, in tokens; the grounders read at most 384 in all."""

SATISFIED = 2
"""A claim's word counts as found once, half as much a second time, and not at all after that."""

LEAST_GAIN = 0.06
"""A sentence must add this share of the claim's weight, or the selection stops."""


class EvidencePool:
    """The sentences of all sources of one answer, indexed once and asked for each claim."""

    def __init__(self, sentences: Sequence[str]) -> None:
        self.sentences = tuple(sentences)
        self._stems = [frozenset(stems(sentence)) for sentence in self.sentences]
        self._lengths = [estimate_tokens(sentence) for sentence in self.sentences]
        self._holders: dict[str, list[int]] = {}
        for at, found in enumerate(self._stems):
            for stem in found:
                self._holders.setdefault(stem, []).append(at)

    def select(self, claim: str, *, hint: str = "", tokens: int = TOKENS) -> tuple[int, ...]:
        """Indexes of the sentences to judge `claim` by, in document order.

        Greedy: each step takes the sentence that adds most of the claim's words not yet found, rare words counting
        more. `hint` (the question, the sentence before) steers weakly: it names what a pronoun stands for.
        """
        need = self._weights(claim, hint)
        if not need:
            return ()
        total = math.fsum(need.values())
        times = dict.fromkeys(need, 0)
        chosen: list[int] = []
        room = tokens
        candidates = {at for stem in need for at in self._holders[stem]}
        while candidates and room > 0:
            gains = {at: self._gain(at, need, times) for at in candidates}
            best = min(candidates, key=lambda at: (-gains[at] / self._lengths[at] ** 0.2, at))
            candidates.discard(best)
            if gains[best] < LEAST_GAIN * total and chosen:
                break
            if self._lengths[best] > room and chosen:
                continue
            chosen.append(best)
            room -= self._lengths[best]
            for stem in self._stems[best] & need.keys():
                times[stem] += 1
        self._add_context(chosen, room)
        return tuple(sorted(chosen))

    def evidence(self, claim: str, *, hint: str = "", tokens: int = TOKENS) -> tuple[str, ...]:
        """The selected sentences themselves."""
        return tuple(self.sentences[at] for at in self.select(claim, hint=hint, tokens=tokens))

    def _weights(self, claim: str, hint: str) -> dict[str, float]:
        count = len(self.sentences)
        need: dict[str, float] = {}
        for text, share in ((hint, 0.25), (claim, 1.0)):
            for stem in stems(text):
                if stem in self._holders:
                    rarity = math.log((count + 1) / (len(self._holders[stem]) + 0.5)) + 0.1
                    need[stem] = share * rarity * (1.5 if stem[0].isdigit() else 1.0)
        return need

    def _gain(self, at: int, need: dict[str, float], times: dict[str, int]) -> float:
        shared = self._stems[at] & need.keys()
        return math.fsum(need[stem] * 0.5 ** times[stem] for stem in shared if times[stem] < SATISFIED)

    def _add_context(self, chosen: list[int], room: int) -> None:
        """The sentence before the best ones, which often says whom they speak of."""
        for at in list(chosen[:2]):
            before = at - 1
            if before >= 0 and before not in chosen and self._lengths[before] <= min(room, 60):
                chosen.append(before)
                room -= self._lengths[before]


def source_sentences(text: str, *, links: bool = False) -> list[str]:
    """A source's sentences; of a record, its fields as `path: value` lines.

    Where Markdown links lead is left out unless asked for: an address says nothing a claim is judged by, and in pages
    full of links it is a third of what an encoder would read.
    """
    record = parse_record(text)
    if record is not None:
        return [f"{field.path}: {field.text}" for field in flatten(record)]
    return [sentence.text for sentence in cut_source(text if links else without_targets(text))]


def without_targets(text: str) -> str:
    """`[the form](https://…)` as `the form`."""
    return _MARKDOWN_LINK.sub(lambda match: match.group(1).strip(), text) if "](" in text else text


def cut_source(text: str) -> list[Sentence]:
    """A source's sentences with their places; of `path: value` lines each is one, so that no two fields share one.
    Items such as `- Adults: £5` are a list like any other."""
    if "\n" not in text:
        return sentences(text)
    lines = [Sentence(text=match.group(), start=match.start(), end=match.end()) for match in _LINE.finditer(text)]
    if len(lines) > 1 and sum(bool(_FIELD.match(line.text)) for line in lines) >= 0.6 * len(lines):
        return lines
    return sentences(text)


@dataclass(frozen=True, kw_only=True, slots=True)
class Field:
    """One field of a record."""

    path: str
    """The keys down to it, in words: `hours Monday`."""
    value: Json
    text: str
    """The value in words: yes, no, not known, a list joined by commas."""


def parse_record(text: str) -> dict[str, Json] | list[Json] | None:
    """A JSON object or array (or its Python spelling); None for anything else."""
    stripped = text.strip()
    if not stripped or stripped[0] not in "{[" or stripped[-1] not in "}]":
        return None
    try:
        found = json.loads(stripped)
    except ValueError:
        try:
            found = ast.literal_eval(stripped)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return None
    return found if isinstance(found, dict | list) and found else None


def flatten(record: Json, path: str = "") -> Iterator[Field]:
    """Every leaf of a record with its path. A list of plain values is one field."""
    if isinstance(record, dict):
        for key, value in record.items():
            yield from flatten(value, f"{path} {spell_key(str(key))}".strip())
    elif isinstance(record, list) and any(isinstance(item, dict | list) for item in record):
        for number, item in enumerate(record, 1):
            yield from flatten(item, f"{path} {_item_name(item) or number}".strip())
    elif isinstance(record, list):
        yield Field(path=path, value=record, text=", ".join(spell_value(item) for item in record) or "none")
    else:
        yield Field(path=path, value=record, text=spell_value(record))


def spell_key(key: str) -> str:
    """`RestaurantsGoodForGroups` and `review_stars` in words."""
    return _KEY_BREAK.sub(" ", key).strip().lower()


def spell_value(value: Json) -> str:
    if value is None or value == "":
        return "not known"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def stems(text: str) -> list[str]:
    """The words of a text that can be looked for, cut to a common stem."""
    return [stem(word) for word in words(text) if word not in STOPWORDS]


def stem(word: str) -> str:
    """A crude common form: `studies`, `studied`, `studying` meet; numbers lose their separators."""
    if word[0].isdigit():
        return word.replace(",", "").rstrip("%")
    for ending, rest in _ENDINGS.get(word[-1], ()):
        if word.endswith(ending) and len(word) - len(ending) + len(rest) >= 3 and not word.endswith("ss"):
            return word[: len(word) - len(ending)] + rest
    return word[:-1] if word.endswith("e") and len(word) > 4 else word


_ENDINGS = {
    "s": (("'s", ""), ("ies", "y"), ("sses", "ss"), ("es", ""), ("s", "")),
    "d": (("ied", "y"), ("ed", "")),
    "g": (("ing", ""),),
}
"""What is cut from a word, and what takes its place, by its last letter."""


def estimate_tokens(text: str) -> int:
    """About how many word pieces an encoder will see; cheap, never zero."""
    return 1 + sum(1 + (len(piece) - 1) // 7 for piece in _PIECE.findall(fold(text)))


def _item_name(item: Json) -> str:
    """What a list's entry calls itself, so that its fields carry a name instead of a number."""
    if isinstance(item, dict):
        for key in ("name", "title", "id", "day", "date", "type", "stop", "team"):
            value = item.get(key)
            if isinstance(value, str | int) and not isinstance(value, bool):
                return str(value)
    return ""


_MARKDOWN_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
_LINE = re.compile(r"[^\s](?:[^\n]*[^\s])?")
_FIELD = re.compile(r"(?!(?:[-*•+#>|]+|\d{1,3}[.)])\s)[^\s:][^:\n]{0,60}:\s+\S")
_KEY_BREAK = re.compile(r"[_\-\s]+|(?<=[a-z0-9])(?=[A-Z])")
_PIECE = re.compile(r"\w+|[^\w\s]")
