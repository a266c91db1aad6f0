"""Claims about a record (JSON or `path: value` lines), compared field by field in code.

`check_record` finds which fields a claim speaks of and says of each whether the record agrees, disagrees or has no such
value. `join` lets those verdicts move the grounder's probability.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from surefoot.core.evidence import Field, flatten, parse_record, stem
from surefoot.core.text import STOPWORDS, fold
from surefoot.core.types import Json, Span
from surefoot.verify.hours import DAY_NAMES, Hours, claimed_hours, read_hours

NEAR = 7
"""Words between a field's name and a number or a negation that still belong together."""


class Agreement(StrEnum):
    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    UNKNOWN = "unknown"
    """The record names the field and gives no value for it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FieldVerdict:
    """What one field of the record says about the claim."""

    path: str
    agreement: Agreement
    claimed: str
    found: str
    span: Span
    """The words of the claim that speak of the field."""


def check_record(claim: str, source: str) -> tuple[FieldVerdict, ...]:
    """Verdicts on every field of `source` that `claim` speaks of; none where the source is no record."""
    fields = read_fields(source)
    if not fields:
        return ()
    words = _words(claim)
    common = _common_stems(fields)
    verdicts = [*_check_hours(claim, fields)]
    for field in fields:
        verdict = _check_field(claim, words, field, common)
        if verdict is not None:
            verdicts.append(verdict)
    return tuple(_best_by_place(verdicts))


def join(unsupported: float, verdicts: Sequence[FieldVerdict]) -> float:
    """The grounder's probability moved by the fields: one contradiction is enough, agreement helps a little."""
    if any(verdict.agreement is Agreement.CONTRADICTED for verdict in verdicts):
        return max(unsupported, 0.95)
    if any(verdict.agreement is Agreement.UNKNOWN for verdict in verdicts):
        return max(unsupported, 0.85)
    return unsupported * 0.7 if verdicts else unsupported


def read_fields(source: str) -> tuple[Field, ...]:
    """The fields of a record, from JSON or from `path: value` lines; empty for prose."""
    record = parse_record(source)
    if record is not None:
        return tuple(flatten(record))
    lines = [line.strip() for line in source.splitlines() if line.strip()]
    cut = [match for line in lines if (match := _LINE.fullmatch(line))]
    if len(lines) < 2 or len(cut) < 0.6 * len(lines):
        return ()
    return tuple(Field(path=m.group(1).strip(), value=_typed(m.group(2)), text=m.group(2).strip()) for m in cut)


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


@dataclass(frozen=True, kw_only=True, slots=True)
class _Word:
    text: str
    stem: str
    start: int
    end: int


def _words(claim: str) -> list[_Word]:
    found = []
    for match in re.finditer(r"\d+(?:[.,:]\d+)*[^\W\d_]*|[^\W\d_]+(?:['’][^\W\d_]+)?", claim):
        text = fold(match.group())
        found.append(_Word(text=text, stem=stem(text), start=match.start(), end=match.end()))
    return found


def _common_stems(fields: Sequence[Field]) -> frozenset[str]:
    """Words of paths that say nothing: those most fields share, and filler such as `info`."""
    counts: dict[str, int] = {}
    for field in fields:
        for word in set(_path_stems(field.path)):
            counts[word] = counts.get(word, 0) + 1
    return frozenset(word for word, times in counts.items() if times > max(3, 0.34 * len(fields))) | _FILLER


def _path_stems(path: str) -> list[str]:
    return [stem(word) for word in re.findall(r"[a-z]+|\d+", fold(path)) if word not in STOPWORDS]


def _check_field(claim: str, words: Sequence[_Word], field: Field, common: frozenset[str]) -> FieldVerdict | None:
    if read_hours(field.text) is not None or (isinstance(field.value, str) and not field.value.strip()):
        return None
    mention = _mention(words, field, common)
    if mention is None:
        return None
    first, last = mention
    if isinstance(field.value, bool):
        said = not _denied(words, first, last)
        agrees = said == field.value
        return _verdict(field, agrees, "yes" if said else "no", words, first, last)
    if field.value is None:
        return _check_missing(field, words, first, last)
    if isinstance(field.value, int | float):
        return _check_number(field, float(field.value), words, first, last)
    if isinstance(field.value, list):
        return _check_count(field, field.value, words, first, last)
    return None


def _check_missing(field: Field, words: Sequence[_Word], first: int, last: int) -> FieldVerdict | None:
    """A field without a value: saying that it is unknown is right, giving a value is not."""
    around = {word.text for word in words[max(0, first - NEAR) : last + NEAR]}
    said = {word.text for word in words}
    whole_name = all(word in said or stem(word) in _FILLER for word in re.findall(r"[a-z]+", fold(field.path)))
    if not whole_name or around & _UNSURE or _denied(words, first, last):
        return None
    span = (words[first].start, words[last].end)
    return FieldVerdict(path=field.path, agreement=Agreement.UNKNOWN, claimed="a value", found="not known", span=span)


def _check_number(field: Field, value: float, words: Sequence[_Word], first: int, last: int) -> FieldVerdict | None:
    near = [
        at for at in range(max(0, first - NEAR), min(len(words), last + NEAR + 1)) if _number(words[at]) is not None
    ]
    if not near:
        return None
    nearest = min(near, key=lambda at: (min(abs(at - first), abs(at - last)), at))
    claimed = [_number(words[at]) for at in near]
    agrees = any(number is not None and abs(number - value) < 1e-6 for number in claimed)
    return _verdict(field, agrees, words[nearest].text, words, min(first, nearest), max(last, nearest))


def _check_count(
    field: Field, items: Sequence[Json], words: Sequence[_Word], first: int, last: int
) -> FieldVerdict | None:
    """`three sizes` against a list of sizes."""
    before = words[first - 1] if first else None
    count = _number(before) if before else None
    if before is None or count is None or count > 50:
        return None
    return _verdict(field, int(count) == len(items), before.text, words, first - 1, last)


def _verdict(field: Field, agrees: bool, claimed: str, words: Sequence[_Word], first: int, last: int) -> FieldVerdict:
    agreement = Agreement.SUPPORTED if agrees else Agreement.CONTRADICTED
    span = (words[first].start, words[last].end)
    return FieldVerdict(path=field.path, agreement=agreement, claimed=claimed, found=field.text, span=span)


def _mention(words: Sequence[_Word], field: Field, common: frozenset[str]) -> tuple[int, int] | None:
    """Where the claim names the field: every telling word of its name, close together."""
    telling = [word for word in dict.fromkeys(_path_stems(field.path)) if word not in common]
    if not telling or all(word.isdigit() for word in telling):
        return None
    places = {word: [at for at, seen in enumerate(words) if _same_word(seen.stem, word)] for word in telling}
    if not all(places.values()):
        return None
    anchor = places[telling[-1]][0]
    chosen = [min(spots, key=lambda at: abs(at - anchor)) for spots in places.values()]
    first, last = min(chosen), max(chosen)
    return (first, last) if last - first <= NEAR + len(telling) else None


def _same_word(seen: str, wanted: str) -> bool:
    return seen == wanted or (len(wanted) >= 5 and seen.startswith(wanted[:5]) and abs(len(seen) - len(wanted)) <= 3)


def _denied(words: Sequence[_Word], first: int, last: int) -> bool:
    before = [word.text for word in words[max(0, first - NEAR) : first]]
    for cut in reversed(range(len(before))):
        if before[cut] in _TURNS:
            before = before[cut + 1 :]
            break
    after = [word.text for word in words[last + 1 : last + 4]]
    return any(_is_denial(word) for word in before) or any(_is_denial(word) or word in _ABSENT for word in after)


def _is_denial(word: str) -> bool:
    return word in _DENIALS or word.endswith(("n't", "n’t"))


def _number(word: _Word) -> float | None:
    if word.text in _NUMBER_WORDS:
        return float(_NUMBER_WORDS[word.text])
    text = word.text.replace(",", "")
    return float(text) if re.fullmatch(r"\d+(?:\.\d+)?", text) else None


def _check_hours(claim: str, fields: Sequence[Field]) -> Iterable[FieldVerdict]:
    """Opening hours by day."""
    known: dict[str, Hours] = {}
    for field in fields:
        hours = read_hours(field.text)
        day = next((name for name in DAY_NAMES if name in field.path.lower()), None)
        if hours is not None and day is not None:
            known[day] = hours
    if not known:
        return
    for said in claimed_hours(claim):
        for day in said.days or tuple(known):
            actual = known.get(day, Hours(opens=None, closes=None))
            agrees = said.hours.agrees(actual)
            yield FieldVerdict(
                path=f"hours {day}",
                agreement=Agreement.SUPPORTED if agrees else Agreement.CONTRADICTED,
                claimed=str(said.hours),
                found=str(actual),
                span=said.span,
            )


def _best_by_place(verdicts: Iterable[FieldVerdict]) -> list[FieldVerdict]:
    """Two fields of like names at one place of the claim: agreement of either counts, so the kinder verdict stays.

    `credits` of the course must not deny what `modules Botany credits` confirms: a like-named field that agrees wins.
    """
    order = {Agreement.SUPPORTED: 0, Agreement.UNKNOWN: 1, Agreement.CONTRADICTED: 2}
    hours = [verdict for verdict in verdicts if verdict.path.startswith("hours ")]
    found: dict[Span, FieldVerdict] = {}
    for verdict in verdicts:
        if verdict in hours:
            continue
        kept = found.get(verdict.span)
        if kept is None or order[verdict.agreement] < order[kept.agreement]:
            found[verdict.span] = verdict
    agreed = {verdict.path.split()[-1] for verdict in found.values() if verdict.agreement is Agreement.SUPPORTED}
    kept_fields = [
        verdict
        for verdict in found.values()
        if verdict.agreement is Agreement.SUPPORTED or verdict.path.split()[-1] not in agreed
    ]
    return [*hours, *kept_fields]


_LINE = re.compile(r"([^:\n]{1,60}):\s+(\S.*)")
_MISSING = frozenset(("not known", "unknown", "none", "null", "n/a", "-", ""))
_FILLER = frozenset(("info", "attribut", "detail", "busines", "restaurant", "data", "record", "item", "good"))
_UNSURE = frozenset(
    ("unknown", "unclear", "unspecified", "unavailable", "known", "specified", "stated", "listed", "mentioned")
)
_DENIALS = frozenset(
    ("no", "not", "never", "without", "lacks", "lack", "lacking", "neither", "nor", "cannot", "excludes")
)
_ABSENT = frozenset(("unavailable", "prohibited", "forbidden", "excluded", "missing", "false"))
_TURNS = frozenset(("but", "however", "although", "while", "whereas", "and"))
_NUMBER_WORDS = {
    word: number
    for number, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
}
