"""Claims about a record (JSON or `path: value` lines), compared field by field in code.

`check_record` finds which fields a claim speaks of and says of each whether the record agrees, disagrees or has no such
value. `join` lets those verdicts move the grounder's probability.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from surefoot.core.evidence import Field, flatten, parse_record, stem
from surefoot.core.text import STOPWORDS, fold
from surefoot.core.types import Json, Span
from surefoot.verify.hours import DAY_NAMES, Hours, claimed_hours, read_hours

NEAR = 7
"""Words between a field's name and a number or a negation that still belong together."""
CLOSE = 3
"""Words after a field's name in which a denial still means it: `reservations are not taken`."""
REMARK = 8
"""A text of at least so many words is somebody's remark, which may say what the fields leave open."""


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
    verdicts = [*_check_hours(claim, fields), *_check_flags(words, fields, common)]
    for field in fields:
        verdict = _check_field(words, field, fields, common)
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
    pause: bool
    """A comma, semicolon or bracket stands before it."""


def _words(claim: str) -> list[_Word]:
    found: list[_Word] = []
    for match in re.finditer(r"\d+(?:[.,:]\d+)*[^\W\d_]*|[^\W\d_]+(?:['’][^\W\d_]+)?", claim):
        text = fold(match.group())
        gap = claim[found[-1].end if found else 0 : match.start()]
        pause = not _PAUSE.isdisjoint(gap)
        found.append(_Word(text=text, stem=stem(text), start=match.start(), end=match.end(), pause=pause))
    return found


def _common_stems(fields: Sequence[Field]) -> frozenset[str]:
    """Words of paths that say nothing: those most fields share, and filler such as `info`."""
    counts: dict[str, int] = {}
    for field in fields:
        for word in set(_path_stems(field.path)):
            counts[word] = counts.get(word, 0) + 1
    return frozenset(word for word, times in counts.items() if times > max(3, 0.34 * len(fields))) | _FILLER


def _path_stems(path: str) -> list[str]:
    return [stem(word) for word in re.findall(r"[a-z]+|\d+", fold(path)) if word not in STOPWORDS or word in _TELLING]


@dataclass(frozen=True, kw_only=True)
class _Flag:
    """A field that says yes, no or nothing, alone (`outdoor seating`) or as one of a group (`parking`: `garage`)."""

    field: Field
    value: bool | None
    name: tuple[str, ...]
    """Stems of what it is called within its group."""
    group: str
    """Stem of the group's name; empty for a flag that stands alone."""


def _check_flags(words: Sequence[_Word], fields: Sequence[Field], common: frozenset[str]) -> Iterable[FieldVerdict]:
    """Yes-or-no fields. What the record's remarks speak of too is left to the grounder unless the flag agrees."""
    flags = _read_flags(fields, common)
    if not flags:
        return
    remarks = _remarks(fields)
    seen: set[str] = set()
    for flag in flags:
        place = _flag_place(words, flag)
        if place is None:
            continue
        seen.add(flag.group)
        verdict = _flag_verdict(words, flag.field, flag.value, *place)
        if verdict is not None and (verdict.agreement is Agreement.SUPPORTED or remarks.isdisjoint(flag.name)):
            yield verdict
    groups: dict[str, list[_Flag]] = {}
    for flag in flags:
        if flag.group in _THINGS and flag.group not in seen:
            groups.setdefault(flag.group, []).append(flag)
    for group, members in groups.items():
        at = next((at for at, word in enumerate(words) if _same_word(word.stem, group)), None)
        if at is None or group in remarks:
            continue
        values = [flag.value for flag in members]
        value = True if True in values else None if None in values else False
        verdict = _flag_verdict(words, members[0].field, value, at, at)
        if verdict is not None:
            yield verdict


def _read_flags(fields: Sequence[Field], common: frozenset[str]) -> list[_Flag]:
    values = {field.path: value for field in fields if (value := _as_flag(field.value)) is not _NO_FLAG}
    siblings: dict[str, int] = {}
    for path in values:
        siblings[_parent(path)] = siblings.get(_parent(path), 0) + 1
    flags = []
    for field in fields:
        if field.path not in values:
            continue
        above = [word for word in _path_stems(_parent(field.path)) if word not in _FILLER]
        group = above[-1] if above and siblings[_parent(field.path)] > 1 else ""
        path = field.path.rsplit(" ", 1)[-1] if group else field.path
        stems = dict.fromkeys(_path_stems(path))
        name = tuple(word for word in stems if word not in _FILLER and (group or word not in common))
        if name and not all(word.isdigit() for word in name):
            value = values[field.path]
            flags.append(_Flag(field=field, value=value, name=name, group=group))  # type: ignore[arg-type]
    return flags


def _parent(path: str) -> str:
    return path.rpartition(" ")[0]


def _as_flag(value: Json) -> bool | object | None:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        bare = value.strip().lower().removeprefix("u").strip("'\"")
        if bare in _SAYS_NO:
            return False
        if bare in _SAYS_YES:
            return True
    return _NO_FLAG


def _remarks(fields: Sequence[Field]) -> frozenset[str]:
    """Stems of the words in the record's lists and longer texts: reviews, notes, descriptions."""
    texts = [
        field.text
        for field in fields
        if isinstance(field.value, list) or (isinstance(field.value, str) and len(field.text.split()) >= REMARK)
    ]
    return frozenset(word.stem for text in texts for word in _words(text))


def _flag_place(words: Sequence[_Word], flag: _Flag) -> tuple[int, int] | None:
    """Where the claim speaks of the flag; one of a group counts only where the group is spoken of as well."""
    place = _mention(words, flag.name)
    if place is None or (len(flag.name) == 1 and _is_idle(words, place[0])):
        return None
    if not flag.group:
        return place
    cues = _ALSO_CALLED.get(flag.group, frozenset()) | {flag.group}
    spots = [at for at, word in enumerate(words) if any(_same_word(word.stem, cue) for cue in cues)]
    return place if any(abs(at - place[0]) <= 2 * NEAR for at in spots) else None


def _is_idle(words: Sequence[_Word], at: int) -> bool:
    """`a lot of`: a word that happens to be a field's name."""
    return words[at].text == "lot" and at + 1 < len(words) and words[at + 1].text == "of"


def _flag_verdict(
    words: Sequence[_Word], field: Field, value: bool | None, first: int, last: int
) -> FieldVerdict | None:
    said = not _denied(words, first, last)
    if value is not None:
        return _verdict(field, said == value, "yes" if said else "no", words, first, last)
    around = {word.text for word in words[max(0, first - NEAR) : last + NEAR]}
    ending = fold(field.path).rsplit(" ", 1)[-1]
    if around & _UNSURE or (ending in STOPWORDS and ending not in around):
        return None
    span = (words[first].start, words[last].end)
    claimed = "yes" if said else "no"
    return FieldVerdict(path=field.path, agreement=Agreement.UNKNOWN, claimed=claimed, found="not known", span=span)


def _check_field(
    words: Sequence[_Word], field: Field, fields: Sequence[Field], common: frozenset[str]
) -> FieldVerdict | None:
    """Numbers and lists."""
    if isinstance(field.value, bool) or not isinstance(field.value, int | float | list):
        return None
    stems = dict.fromkeys(_path_stems(field.path))
    telling = tuple(word for word in stems if word not in common and not word.isdigit())
    mention = _mention(words, telling)
    if mention is None:
        return None
    if isinstance(field.value, list):
        return _check_count(field, field.value, words, *mention)
    return _check_number(field, _right_numbers(words, field, fields), words, *mention)


def _right_numbers(words: Sequence[_Word], field: Field, fields: Sequence[Field]) -> frozenset[float]:
    """What the field says, and what other fields say that the claim may mean as well.

    Those are fields with a word of the claim in their own name (`serves` is not `protein per serving`) and, where the
    claim speaks of one of several, like-named ones.
    """
    said = {word.stem for word in words}
    own = _path_stems(field.path)
    several = not said.isdisjoint(_ONE_OF_SEVERAL)
    right = {_float(field.value)}
    for other in fields:
        stems = _path_stems(other.path)
        if not said.isdisjoint(set(stems) - set(own)) or (several and stems[-1:] == own[-1:]):
            right.add(_float(other.value))
    return frozenset(number for number in right if number is not None)


def _float(value: Json) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _check_number(
    field: Field, right: frozenset[float], words: Sequence[_Word], first: int, last: int
) -> FieldVerdict | None:
    near = [
        at for at in range(max(0, first - NEAR), min(len(words), last + NEAR + 1)) if _number(words[at]) is not None
    ]
    if not near:
        return None
    nearest = min(near, key=lambda at: (min(abs(at - first), abs(at - last)), at))
    claimed = [_number(words[at]) for at in near]
    agrees = any(number is not None and abs(number - value) < 1e-6 for number in claimed for value in right)
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


def _mention(words: Sequence[_Word], name: Sequence[str]) -> tuple[int, int] | None:
    """Where the claim says every word of a field's name, close together or written as one (`takeout`, `wifi`)."""
    if not name:
        return None
    whole = "".join(name)
    if len(name) > 1:
        for at, word in enumerate(words):
            if word.stem == whole or word.text == whole:
                return at, at
    places = {word: [at for at, seen in enumerate(words) if _same_word(seen.stem, word)] for word in name}
    if not all(places.values()):
        return None
    anchor = places[name[-1]][0]
    chosen = [min(spots, key=lambda at: abs(at - anchor)) for spots in places.values()]
    first, last = min(chosen), max(chosen)
    return (first, last) if last - first <= NEAR + len(name) else None


def _same_word(seen: str, wanted: str) -> bool:
    return seen == wanted or (len(wanted) >= 5 and seen.startswith(wanted[:5]) and abs(len(seen) - len(wanted)) <= 3)


def _denied(words: Sequence[_Word], first: int, last: int) -> bool:
    """Whether a denial before the name, in its clause, within it, or at the verb after it means the field."""
    if any(_is_denial(word.text) for word in words[first : last + 1]):
        return True
    subject = True
    for at in range(first - 1, max(-1, first - 1 - 2 * NEAR), -1):
        if _is_denial(words[at].text):
            return True
        if words[at].text in _OFFERS:
            if at and _is_denial(words[at - 1].text):
                return True
            subject = False
            break
        if words[at].text in _TURNS or (first - at > NEAR and not words[at].pause):
            break
    return _denied_after(words, last, subject=subject)


def _denied_after(words: Sequence[_Word], last: int, *, subject: bool) -> bool:
    """`reservations are not taken`; for a subject also across its partners: `WiFi and parking are not offered`."""
    crossed = False
    for at in range(last + 1, min(len(words), last + 1 + (2 * NEAR if subject else CLOSE))):
        word = words[at].text
        if words[at].pause or word in ("and", "or"):
            crossed = True
        if word in _TURNS - {"and"} or (crossed and not subject):
            return False
        if word in _VERBS:
            return any(_is_denial(after.text) or after.text in _DENIED_AFTER for after in words[at + 1 : at + 3])
        if not crossed and (word in _DENIED_AFTER or word.endswith(("n't", "n’t"))):
            return True
    return False


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
_PAUSE = frozenset(",;:()–—")
_NO_FLAG = object()
_MISSING = frozenset(("not known", "unknown", "none", "null", "n/a", "-", ""))
_SAYS_NO = frozenset(("no", "none", "false", "not available"))
_SAYS_YES = frozenset(("yes", "true", "free", "paid", "available"))
_FILLER = frozenset(
    stem(word) for word in "info attributes details business restaurants data record item items good".split()
)
_ONE_OF_SEVERAL = frozenset(
    stem(word) for word in "review reviewer customer guest diner patron user visitor one another some gave each".split()
)
_TELLING = frozenset(("out", "off", "on"))
"""Stop words that are half of a name: `take out`."""
_THINGS = frozenset(("park", "deliver", "payment"))
"""Groups that are a thing to be had, so that the group's name alone is a claim: `there is no parking`."""
_ALSO_CALLED: Mapping[str, frozenset[str]] = {
    stem("ambience"): frozenset(
        stem(word)
        for word in "ambiance atmosphere vibe setting environment feel decor style restaurant dining eatery spot place "
        "bar cafe establishment".split()
    ),
}
"""What people say for a group's name."""
_UNSURE = frozenset(
    "unknown unclear unspecified clear known specify specifies specified stated listed mention mentions mentioned "
    "information indicate indicates indicated whether".split()
)
_DENIALS = frozenset("no not never without lacks lack lacking neither nor cannot excludes".split())
_DENIED_AFTER = frozenset("not never unavailable prohibited forbidden excluded missing false".split())
_VERBS = frozenset("is are was were be can may do does will".split())
_OFFERS = frozenset("offers provides accepts features has have includes include including with allows".split())
_TURNS = _OFFERS | frozenset("but however although while whereas and yet".split())
_NUMBER_WORDS = {
    word: number
    for number, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
}
