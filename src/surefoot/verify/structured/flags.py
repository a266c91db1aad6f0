"""Fields that say yes, no or nothing, alone or as one of a group, against what a claim says of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from surefoot.core.evidence import Field, stem
from surefoot.core.text import STOPWORDS, fold
from surefoot.core.types import Json, Span
from surefoot.verify.structured.denial import denied
from surefoot.verify.structured.fields import FILLER, Record, path_stems
from surefoot.verify.structured.verdict import Agreement, FieldVerdict, verdict_of
from surefoot.verify.structured.words import NEAR, Word, mention, same_word


def check_flags(words: Sequence[Word], record: Record) -> Iterable[FieldVerdict]:
    """Yes-or-no fields. What the record's remarks speak of too is left to the grounder unless the flag agrees."""
    flags = _read_flags(record)
    said = record.remarks if flags else frozenset()
    seen: set[str] = set()
    for flag in flags:
        place = _flag_place(words, flag)
        if place is None:
            continue
        seen.add(flag.group)
        verdict = _flag_verdict(words, flag.field, flag.value, *place)
        told = any(word.stem in said for word in words[place[0] : place[1] + 1] if word.text not in STOPWORDS)
        if verdict is not None and (verdict.agreement is Agreement.SUPPORTED or not told):
            yield verdict
    yield from _check_groups(words, [flag for flag in flags if flag.group not in seen], said)


def _check_groups(words: Sequence[Word], flags: Sequence[_Flag], said: frozenset[str]) -> Iterable[FieldVerdict]:
    """A group spoken of as a whole: `there is no parking`."""
    groups: dict[str, list[_Flag]] = {}
    for flag in flags:
        if flag.group in _THINGS:
            groups.setdefault(flag.group, []).append(flag)
    for group, members in groups.items():
        at = next((at for at, word in enumerate(words) if same_word(word.stem, group)), None)
        if at is None or group in said:
            continue
        values = [flag.value for flag in members]
        value = True if True in values else None if None in values else False
        verdict = _flag_verdict(words, members[0].field, value, at, at)
        if verdict is not None:
            yield verdict


@dataclass(frozen=True, kw_only=True)
class _Flag:
    """A field that says yes, no or nothing, alone (`outdoor seating`) or as one of a group (`parking`: `garage`)."""

    field: Field
    value: bool | None
    name: tuple[str, ...]
    """Stems of what it is called within its group."""
    group: str
    """Stem of the group's name; empty for a flag that stands alone."""


@lru_cache(maxsize=64)
def _read_flags(record: Record) -> tuple[_Flag, ...]:
    fields = record.fields
    shared = _shared_starts(fields)
    values = {field.path: value for field in fields if (value := _as_flag(field.value)) is not _NO_FLAG}
    siblings = Counter(_parent(path, shared) for path in values)
    flags = []
    for field in fields:
        if field.path not in values:
            continue
        parent = _parent(field.path, shared)
        above = [word for word in path_stems(parent) if word not in FILLER]
        group = above[-1] if above and siblings[parent] > 1 else ""
        stems = dict.fromkeys(path_stems(field.path[len(parent) :] if group else field.path))
        name = tuple(word for word in stems if word not in FILLER and (group or word not in record.common))
        if name and not all(word.isdigit() for word in name):
            value = values[field.path]
            flags.append(_Flag(field=field, value=value, name=name, group=group))  # type: ignore[arg-type]
    return tuple(flags)


def _shared_starts(fields: Sequence[Field]) -> frozenset[str]:
    """The beginnings that several paths have in common: what the nested keys were."""
    starts = Counter(
        " ".join(field.path.split()[:length]) for field in fields for length in range(1, len(field.path.split()))
    )
    return frozenset(start for start, times in starts.items() if times > 1)


def _parent(path: str, shared: frozenset[str]) -> str:
    words = path.split()
    starts = (" ".join(words[:length]) for length in range(len(words) - 1, 0, -1))
    return next((start for start in starts if start in shared), "")


def _as_flag(value: Json) -> bool | object | None:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        if _bare(value) in _SAYS_NO:
            return False
        if _bare(value) in _SAYS_YES:
            return True
    return _NO_FLAG


def _flag_place(words: Sequence[Word], flag: _Flag) -> Span | None:
    """Where the claim speaks of the flag; one of a group counts only where the group is spoken of as well."""
    names = (flag.name, *_OTHER_NAMES.get(flag.name, ()))
    place = next((found for name in names if (found := mention(words, name)) is not None), None)
    if place is None or (len(flag.name) == 1 and _is_idle(words, place[0])):
        return None
    if not flag.group:
        return place
    cues = _ALSO_CALLED.get(flag.group, frozenset()) | {flag.group}
    spots = [at for at, word in enumerate(words) if any(same_word(word.stem, cue) for cue in cues)]
    return place if any(abs(at - place[0]) <= 2 * NEAR for at in spots) else None


def _is_idle(words: Sequence[Word], at: int) -> bool:
    """`a lot of`: a word that happens to be a field's name."""
    return words[at].text == "lot" and at + 1 < len(words) and words[at + 1].text == "of"


def _flag_verdict(
    words: Sequence[Word], field: Field, value: bool | None, first: int, last: int
) -> FieldVerdict | None:
    said = not denied(words, first, last)
    around = {word.text for word in words[max(0, first - NEAR) : last + NEAR]}
    if value is not None:
        if around & _SCARCE or (not said and around & _NEEDED):
            return None
        agrees = said == value and not _other_price(words[max(0, first - 2) : first], field)
        agrees = agrees or (_is_paid(field) and [word.text for word in words[last + 2 : last + 4]] == ["not", "free"])
        return verdict_of(field, agrees, "yes" if said else "no", words, first, last)
    ending = fold(field.path).rsplit(" ", 1)[-1]
    if around & _UNSURE or (ending in STOPWORDS and ending not in around):
        return None
    span = (words[first].start, words[last].end)
    claimed = "yes" if said else "no"
    return FieldVerdict(path=field.path, agreement=Agreement.UNKNOWN, claimed=claimed, found="not known", span=span)


def _other_price(before: Sequence[Word], field: Field) -> bool:
    """`free WiFi` of one that is paid."""
    other = {"paid": "free", "free": "paid"}.get(_bare(field.text))
    return any(word.text == other for word in before)


def _is_paid(field: Field) -> bool:
    return _bare(field.text) == "paid"


def _bare(text: str) -> str:
    """`u'free'` as some records write it."""
    return text.strip().lower().removeprefix("u'").strip("'\"")


_NO_FLAG = object()
_SAYS_NO = frozenset(("no", "none", "false", "not available"))
_SAYS_YES = frozenset(("yes", "true", "free", "paid", "available"))
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
_SCARCE = frozenset("limited scarce difficult tricky challenging hard tough".split())
"""Neither yes nor no: `parking is limited`."""
_NEEDED = frozenset("required necessary needed mandatory need".split())
"""`reservations are not required` does not say whether they are taken."""


def _stems(names: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(stem(word) for word in name.split()) for name in names.split(","))


_OTHER_NAMES: Mapping[tuple[str, ...], tuple[tuple[str, ...], ...]] = {
    one: _stems(others)
    for names, others in (
        ("outdoor seating", "outdoor dining,patio seating,sit outdoors,sit outside,seating outside,al fresco"),
        ("take out", "takeaway,carryout,to-go orders"),
        ("reservations", "bookings,booking"),
        ("wi fi", "wireless internet,internet access"),
        ("ambience", "ambiance,atmosphere,vibe"),
        ("kids", "children,kid friendly,family friendly"),
        ("dogs allowed", "dog friendly,pet friendly,pets allowed"),
        ("wheelchair accessible", "people disabilities,wheelchair access"),
    )
    for one in _stems(names)
}
"""What people say for a field's name."""
