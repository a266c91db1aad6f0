"""The fields of a record: read from JSON or `path: value` lines, their names cut to stems."""

from __future__ import annotations

import re
from collections.abc import Sequence

from surefoot.core.evidence import Field, flatten, parse_record, spell_key, stem
from surefoot.core.text import STOPWORDS, fold
from surefoot.core.types import Json
from surefoot.verify.structured.words import read_words

REMARK = 8
"""A text of at least so many words is somebody's remark, which may say what the fields leave open."""


def read_fields(source: str) -> tuple[Field, ...]:
    """The fields of a record, from JSON or from `path: value` lines; empty for prose."""
    record = parse_record(source)
    if record is not None:
        return tuple(flatten(record))
    lines = [line.strip() for line in source.splitlines() if line.strip()]
    cut = [match for line in lines if (match := _LINE.fullmatch(line))]
    if len(lines) < 2 or len(cut) < 0.6 * len(lines):
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


def common_stems(fields: Sequence[Field]) -> frozenset[str]:
    """Words of paths that say nothing: those most fields share, and filler such as `info`."""
    counts: dict[str, int] = {}
    for field in fields:
        for word in set(path_stems(field.path)):
            counts[word] = counts.get(word, 0) + 1
    return frozenset(word for word, times in counts.items() if times > max(3, 0.34 * len(fields))) | FILLER


def path_stems(path: str) -> list[str]:
    return [stem(word) for word in re.findall(r"[a-z]+|\d+", fold(path)) if word not in STOPWORDS or word in _TELLING]


def remarks(fields: Sequence[Field]) -> frozenset[str]:
    """Stems of the words in the record's lists and longer texts: reviews, notes, descriptions."""
    texts = [
        field.text
        for field in fields
        if isinstance(field.value, list) or (isinstance(field.value, str) and len(field.text.split()) >= REMARK)
    ]
    return frozenset(word.stem for text in texts for word in read_words(text))


_LINE = re.compile(r"([^:\n]{1,60}):\s+(\S.*)")
_MISSING = frozenset(("not known", "unknown", "none", "null", "n/a", "-", ""))
_TELLING = frozenset(("out", "off", "on"))
"""Stop words that are half of a name: `take out`."""
FILLER = frozenset(
    stem(word) for word in "info attributes details business restaurants data record item items good".split()
)
