"""The fields of a record: read from JSON or `path: value` lines, their names cut to stems."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache

from surefoot.core.evidence import Field, flatten, parse_record, spell_key, stem
from surefoot.core.text import STOPWORDS, fold
from surefoot.core.types import Json
from surefoot.verify.structured.words import number_of, read_words

REMARK = 8
"""A text of at least so many words is somebody's remark, which may say what the fields leave open."""


@dataclass(frozen=True, eq=False)
class Record:
    """The fields of one source, and what every claim about it asks of them."""

    fields: tuple[Field, ...]

    @cached_property
    def common(self) -> frozenset[str]:
        """Words of paths that say nothing: those most fields share, and filler such as `info`."""
        counts = Counter(word for field in self.fields for word in set(path_stems(field.path)))
        often = max(3, 0.34 * len(self.fields))
        return frozenset(word for word, times in counts.items() if times > often) | FILLER

    @cached_property
    def remarks(self) -> frozenset[str]:
        """Stems of the words in the record's lists and longer texts: reviews, notes, descriptions."""
        texts = [
            field.text
            for field in self.fields
            if isinstance(field.value, list) or (isinstance(field.value, str) and len(field.text.split()) >= REMARK)
        ]
        return frozenset(word.stem for text in texts for word in read_words(text))

    @cached_property
    def numbers(self) -> frozenset[float]:
        """Every number, whatever field it stands in."""
        words = (word for field in self.fields for word in read_words(field.text))
        return frozenset(number for word in words if (number := number_of(word)) is not None)


def read_record(source: str) -> Record:
    """A record is read once for all claims about it; prose, which has no fields, mostly not at all."""
    may_be_one = ":" in source or source.lstrip().startswith(("{", "["))
    return _read_record(source) if may_be_one else _NO_RECORD


@lru_cache(maxsize=64)
def _read_record(source: str) -> Record:
    return Record(fields=read_fields(source))


def read_fields(source: str) -> tuple[Field, ...]:
    """The fields of a record, from JSON or from `path: value` lines; empty for prose."""
    record = parse_record(source)
    if record is not None:
        return tuple(flatten(record))
    lines = [line.strip() for line in source.splitlines() if line.strip()]
    if len(lines) < 2:
        return ()
    cut = [match for line in lines if (match := _LINE.fullmatch(line))]
    if len(cut) < 0.6 * len(lines):
        return ()
    return tuple(Field(path=spell_key(m.group(1)), value=_typed(m.group(2)), text=m.group(2).strip()) for m in cut)


def _typed(text: str) -> Json:
    lowered = text.strip().lower()
    if lowered in ("yes", "true"):
        return True
    if lowered in ("no", "false"):
        return False
    if lowered in _MISSING:
        return None
    if re.fullmatch(r"-?\d+(?:\.\d+)?", lowered):
        return float(lowered)
    return text.strip()


@lru_cache(maxsize=4096)
def path_stems(path: str) -> tuple[str, ...]:
    words = re.findall(r"[a-z]+|\d+", fold(path))
    return tuple(stem(word) for word in words if word not in STOPWORDS or word in _TELLING)


_NO_RECORD = Record(fields=())
_LINE = re.compile(r"([^:\n]{1,60}):\s+(\S.*)")
_MISSING = frozenset(("not known", "unknown", "none", "null", "n/a", "-", ""))
_TELLING = frozenset(("out", "off", "on"))
"""Stop words that are half of a name: `take out`."""
FILLER = frozenset(
    stem(word) for word in "info attributes details business restaurants data record item items good".split()
)
