"""A value of the person's case or profile set against one of a source: `three weeks is longer than the 14 days of the
guide`, `your 71 % clears the 60 %`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from surefoot.core.case import is_case, reckoned
from surefoot.core.told import told
from surefoot.core.types import Claim
from surefoot.core.values import Value, equal, extract, half_named, minutes
from surefoot.verify.read.reading import Line, denials, read, stems_in
from surefoot.verify.read.submission import Submission

CLEARLY = 0.05
"""Share by which two values must differ before one is called the greater, where months are set against days or one of
them is only about so much."""
DAYS = {"day": 1.0, "month": 30.44}
LEAST_NEW = 2
"""Words by which a sentence about a person says more than their profile."""
HALF_DAY, DAY = 720.0, 1440.0
"""Minutes."""


class Comparison(NamedTuple):
    one: Value
    other: Value
    more: bool | None
    """The first is said to be the greater, the smaller, or None: equal."""
    denied: bool = False
    """`is not longer than`."""
    times: float = 1.0
    """What the second is multiplied with: `is more than twice the 20 minutes`."""


def outcome(claim: Claim, submission: Submission) -> bool | None:
    """Whether the comparison a claim makes is right; None where it sets nothing told against a source or none is clear.

    The first value must be the person's own and the second stand in a source the claim is bound to, or the reverse.
    """
    if submission.case is None and not (submission.profile and submission.about_person(claim)):
        return None
    weighed = _weighed(claim, submission)
    return None if weighed is None or (weighed.holds and weighed.says_more) else weighed.holds


def concludes(claim: Claim, submission: Submission) -> bool:
    """Whether a comparison comes out and something is concluded from it: `Four days are fewer than seven, so …`."""
    if submission.case is None:
        return False
    weighed = _weighed(claim, submission)
    return weighed is not None and weighed.holds and weighed.says_more


class _Weighed(NamedTuple):
    holds: bool
    says_more: bool


def _weighed(claim: Claim, submission: Submission) -> _Weighed | None:
    values = _with_units(submission.line(claim).values, claim, submission)
    found = [*_within(values, claim.text), *_with_the_last(claim, submission)]
    meant = _meant(found[0], claim, submission) if len(found) == 1 else None
    if meant is None or (holds := _holds(meant)) is None:
        return None
    if holds and _another_may_be_meant(meant, claim, submission):
        return None
    return _Weighed(holds, holds and _says_more(found[0], claim, submission))


def _with_units(values: Sequence[Value], claim: Claim, submission: Submission) -> list[Value]:
    """A bare number beside a measured one is measured as a source has it: `four days are fewer than seven`, `46 hours
    are under the 48 a week`."""
    if submission.case is None:
        return list(values)
    known = [value for _, value in _limits(claim, submission)] + extract(submission.case)
    measures = {value.written_unit for value in values if value.written_unit}
    things = {value.head for value in values if value.kind == "count" and value.head}

    def measured(value: Value) -> Value:
        if value.kind not in ("number", "count") or value.unit or value.is_range:
            return value
        for one in known:
            alike = one.written_unit in measures if one.written_unit else one.head in things
            if alike and one.raw == value.raw and not one.is_range:
                return one._replace(start=value.start, end=value.end, text=value.text, comparator="", period="")
        return value

    return [measured(value) for value in values]


def outside_limit(claim: Claim, submission: Submission) -> bool:
    """Whether a claim grants a person what the sentence nearest to it ties to a limit that their own value does not
    keep: `You weigh 63 kg, so you take half a tablet` where those under 50 kg do. Only where one value meets one limit;
    who is told of a lack, a condition or what to do is granted nothing."""
    if submission.case is not None or not submission.profile or not submission.about_person(claim):
        return False
    nearest = submission.supports(claim)[:1]
    if not nearest or _LACKS.search(claim.text) or _OTHERWISE.search(nearest[0].line.sentence.text):
        return False
    line, said = nearest[0].line, submission.line(claim)
    own = [one for one in said.values if _among(one, _told(Comparison(one, one, None), submission))]
    new = said.skeleton - frozenset(stems_in(told(submission.profile)))  # `You weigh 63 kg` only tells of the person
    if len(own) != 1 or denials(line) or len(new) < LEAST_NEW or line.stems.isdisjoint(new):
        return False
    limits = [limit for limit in line.values if _one_measure(own[0], limit)]
    named = [
        one
        for one in said.values
        if one != own[0]
        and any(one.kind == own_kind and one.unit in (unit, "") for own_kind, unit in _kinds(own, limits))
    ]
    return len(limits) == 1 and not named and _breaks(own[0], limits[0], required=_required(line, limits[0]))


def _kinds(own: Sequence[Value], limits: Sequence[Value]) -> list[tuple[str, str]]:
    return [(one.kind, one.unit) for one in (*own, *limits)]


def _one_measure(value: Value, limit: Value) -> bool:
    """`17` and `18 years` may both be ages."""
    if value.approximate or limit.approximate or value.is_range:
        return False
    if _ends(value, limit) is not None:
        return value.period == limit.period
    bare, aged = ("number", "count"), ("", "year")
    ages = value.written_unit in aged and limit.written_unit in aged
    return ages and value.head == limit.head and {value.kind, limit.kind} <= {*bare, "duration"}


def _required(line: Line, limit: Value) -> bool:
    """Whether a bare figure is the least there must be: `requires 55%`, `from the age of 21`."""
    text = line.sentence.text
    asked = limit.kind in ("percent", "points") and _REQUIRES.search(text) is not None
    return asked or _FROM.search(text[: limit.start - line.sentence.start]) is not None


def _breaks(value: Value, limit: Value, *, required: bool) -> bool:
    same = value.unit == limit.unit
    mine = value.low if same else value.raw
    low, high = (limit.low, limit.high) if same else (limit.raw, limit.raw)
    if limit.is_range:
        return same and not low <= mine <= high
    if limit.comparator in ("at_most", "less_than"):
        return mine > high or (limit.comparator == "less_than" and mine == high)
    if limit.comparator or required:
        return mine < low or (limit.comparator == "more_than" and mine == low)
    return False


def _says_more(said: Comparison, claim: Claim, submission: Submission) -> bool:
    """Whether a sentence goes on beyond its comparison: `…, so you get the bursary` is not shown by the figures."""
    text = submission.line(claim).sentence.text
    places = [said.one.span, said.other.span]
    before, behind = text[: min(start for start, _ in places)], text[max(end for _, end in places) :]
    return bool(_GOES_ON.search(before) or _GOES_ON.search(behind))


def _within(values: Sequence[Value], text: str) -> Iterator[Comparison]:
    """Two values of a sentence and what the words between them say; `three times` may stand there too."""
    sized = [value for value in values if not _TIMES.match(text, value.end)]
    for one, other in pairwise(sized):
        if _SHARE_OF.search(text[max(0, one.start - 16) : one.start]):
            continue
        factor = [value.low for value in values if one.end <= value.start and value.end <= other.start]
        found = _said(one, other, text[one.end : other.start], *factor)
        if found is not None:
            yield found


def _with_the_last(claim: Claim, submission: Submission) -> Iterator[Comparison]:
    """`That is longer than the 6 hours`: the other value stands in the sentence before."""
    leans = _LEANS.match(claim.text)
    values = submission.line(claim).values
    if leans is None or claim.index == 0:
        return
    before = submission.line(submission.claims[claim.index - 1]).values
    alike = [(one, value) for one in before for value in values if _ends(one, value) is not None]
    if len(alike) != 1:  # `the 12 months between two checks`: the checks are no measure of the time before
        return
    [(one, other)] = alike
    found = _said(one, other, claim.text[leans.end() : other.start])
    if found is not None:
        yield found


def _said(one: Value, other: Value, between: str, *factors: float) -> Comparison | None:
    more, less = _MORE.search(between) is not None, _LESS.search(between) is not None
    meets = _MEETS.search(between) is not None
    word = _FACTOR.search(between)
    times = [*factors, *([_FACTORS[word.group(1).lower()]] if word else [])]
    equals = _SAME.search(between) is not None or (bool(times) and not more and not less)
    if more + less + equals + meets != 1 or len(times) > 1 or _UNSURE.search(between) or _of_another(between):
        return None
    denied = _NOT.search(between) is not None
    if meets:  # whoever meets a limit is not below it
        return Comparison(one, other, False, not denied)
    return Comparison(one, other, None if equals else more, denied, times[0] if times else 1.0)


def _of_another(between: str) -> bool:
    """Whether `more than` has a verb of its own before it, so that it bounds what follows and compares nothing with the
    value before: `After three years you work more than three weeks`, `three years, since it may not exceed two`."""
    found = _MORE.search(between) or _LESS.search(between)
    if found is None:
        return False
    before = between[: found.start()]
    return bool(_BOUNDS.search(before)) if _VERBS.match(found.group()) else not _SAID_OF_IT.search(before)


def _holds(said: Comparison) -> bool | None:
    first, second = _ends(said.one, said.other), _ends(said.other, said.one)
    if first is None or second is None:
        return None
    second = second[0] * said.times, second[1] * said.times
    exact = said.one.unit == said.other.unit and not (said.one.approximate or said.other.approximate)
    spare = 0.0 if exact else CLEARLY
    less, more = first[1] < second[0] * (1 - spare), first[0] * (1 - spare) > second[1]
    same = first == second and not spare
    if not less and not more and not same:
        return None
    right = same if said.more is None else more if said.more else less
    return right != said.denied


def _meant(said: Comparison, claim: Claim, submission: Submission) -> Comparison | None:
    """The comparison with the person's value first; None where the two are not one of theirs and one of a source."""
    own = _told(said, submission)
    written = [value for _, value in _limits(claim, submission)]
    if _among(said.one, own) and _among(said.other, written):
        return said
    if _among(said.other, own) and _among(said.one, written) and said.times == 1.0:
        return Comparison(said.other, said.one, None if said.more is None else not said.more, said.denied)
    return None


def _told(said: Comparison, submission: Submission) -> list[Value]:
    """The person's own values. A profile has bare numbers: `Mathematics: 71` is the claim's 71 %."""
    if submission.case is not None:
        return extract(f"{submission.case}\n{reckoned(submission.case)}")
    bare = {value.low for value in extract(told(submission.profile)) if not value.unit and not value.is_range}
    own = [
        value for value in (said.one, said.other) if value.raw in bare and value.scale == 1.0 and _may_be_bare(value)
    ]
    return [*own, *extract(told(submission.profile))]


def _may_be_bare(value: Value) -> bool:
    """Whether a form has the value as a bare number: a mark, an age, a count; `children: 2` are not the claim's two
    weeks."""
    return value.kind != "duration" or value.written_unit == "year"


def _limits(claim: Claim, submission: Submission) -> list[tuple[Line, Value]]:
    references = [one for one in submission.evidence_for(claim) if not is_case(one)]
    return [(line, value) for one in references for line in read(one.text) for value in line.values]


def _another_may_be_meant(said: Comparison, claim: Claim, submission: Submission) -> bool:
    """Whether a reference gives another limit of the same measure in the same sentence (`2 km up to year 6, older ones
    3 km`), or one in a sentence no further from the claim by its words that would turn the comparison round."""
    stems = submission.line(claim).stems
    limits = [(line, value) for line, value in _limits(claim, submission) if _ends(said.one, value) is not None]
    own = [line for line, value in limits if _among(said.other, [value])]
    nearest = max((len(stems & line.stems) for line in own), default=0)
    for line, value in limits:
        if _among(said.other, [value]):
            continue
        if any(line is one for one in own):
            rival = value.written_unit == said.other.written_unit
        else:
            rival = len(stems & line.stems) >= nearest and not _holds(said._replace(other=value))
        if rival:
            return True
    return False


def _among(value: Value, others: Sequence[Value]) -> bool:
    """Whether a value stands there: `longer than six hours` does not where somebody says nine."""
    bare = value._replace(comparator="", period="")
    return any(equal(bare, other._replace(comparator="")) for other in others)


def _ends(value: Value, other: Value) -> tuple[float, float] | None:
    """The least and the most a value is, in what both can be measured by."""
    here, there = minutes(value), minutes(other)
    if here is not None and there is not None and "time" in (value.kind, other.kind):
        return _on_the_clock(value, here, other, there)
    if value.kind != other.kind or value.kind in _NO_SIZE:
        return None
    if value.unit == other.unit:
        return value.low, value.high
    if not {value.unit, other.unit} <= DAYS.keys():
        return None
    return value.low * DAYS[value.unit], value.high * DAYS[value.unit]


def _on_the_clock(value: Value, here: float, other: Value, there: float) -> tuple[float, float] | None:
    """Two times of one half of the day; midnight ends the evening and begins the morning, and a time that does not say
    which half it is in is in the other's. Which day it is nobody says where one is in the morning, one in the evening.
    """
    if not half_named(value):
        here = here % HALF_DAY + (HALF_DAY if there >= HALF_DAY or (not there and half_named(other)) else 0.0)
    elif not half_named(other):
        there = there % HALF_DAY + (HALF_DAY if here >= HALF_DAY or not here else 0.0)
    if not here and there >= HALF_DAY:
        here = DAY
    if not there and here >= HALF_DAY:
        there = DAY
    return (here, here) if (here >= HALF_DAY) == (there >= HALF_DAY) or HALF_DAY in (here, there) else None


_LACKS = re.compile(
    r"\b(?:not|no|never|neither|nor|without|lack\w*|fail\w*|miss\w*|short|too|below|under|above|over|outside|beyond|past|within"
    r"|exceed\w*|less|more|fewer|lower|higher|only|if|unless|until|once|but|however|although|though|while|whereas|yet"
    r"|still|need\w*|require\w*|must|should|could|might|would|raise|improve|aim|instead|other|another)\b|n't\b|\?",
    re.I,
)
_REQUIRES = re.compile(r"\b(?:requir\w+|needs?|must|minimum)\b", re.I)
_OTHERWISE = re.compile(r"\b(?:any|and for|or (?!more|over|older|above|less|under|younger|below|fewer))\b", re.I)
"""Another way to what a limit bars: `from the age of 60 and for nurses of any age`."""
_FROM = re.compile(r"\bfrom (?:the age of )?$", re.I)
_NO_SIZE = frozenset({"date", "weekday", "year", "ordinal", "token"})
_MORE = re.compile(
    r"\b(?:longer|more|greater|higher|later|older|larger|bigger|heavier|taller|over|above|beyond|exceed(?:s|ed|ing)?"
    r"|past)\b",
    re.I,
)
_LESS = re.compile(
    r"\b(?:shorter|less|fewer|lower|earlier|younger|smaller|lighter|under|below|within|short of|miss(?:es)?)\b", re.I
)
_MEETS = re.compile(r"\b(?:clears?|meets?|reach(?:es)?|satisf(?:y|ies)|is enough for|suffices? for)\b", re.I)
_SAME = re.compile(r"\b(?:as (?:long|much|many|high|old|late|heavy|tall) as|the same as|equals?|equal to)\b", re.I)
_NOT = re.compile(r"\b(?:not|no)\b|n't\b", re.I)
_UNSURE = re.compile(r"\b(?:never|neither|nor|hardly|if|unless|or|whether|and|but)\b", re.I)
"""Words between two values after which they may belong to two thoughts."""
_GOES_ON = re.compile(
    r"[,;:](?!\s*$)|\b(?:so|and|but|or|because|since|therefore|thus|hence|which means|meaning|while|although|then)\b",
    re.I,
)
_VERBS = re.compile(r"exceed|miss", re.I)
_BOUNDS = re.compile(r"\b(?:may|must|should|shall|can|cannot|could)\b", re.I)
_SAID_OF_IT = re.compile(
    r"(?:[,\u2013\u2014(]|\b(?:is|are|was|were|be|been|being|lies?|lay|goes|go|went|falls?|fell|stays?|stayed|runs?|ran"
    r"|comes?|came|seems?|remains?)|'s|'re)"
    r"(?:\s+(?:\w+ly|far|well|much|a (?:bit|little|lot|good deal)|also|still|not|no|even|already|just|quite|rather|some"
    r"|by far|about|almost))*\s*$",
    re.I,
)
_FACTORS = {"twice": 2.0, "double": 2.0, "half": 0.5}
_FACTOR = re.compile(r"\b(twice|double|half)\b", re.I)
_TIMES = re.compile(r"\s+times\b", re.I)
_SHARE_OF = re.compile(r"(?:%|per ?cent|half|third|quarter|part) of (?:the |your )?$", re.I)
"""`10 % of 200 is less than 25` compares another value than 200."""
_LEANS = re.compile(r"\s*(?:and )?(?:that|this|it|which) (?=is\b|was\b|exceed|lies\b|lasted\b|lasts\b)", re.I)
