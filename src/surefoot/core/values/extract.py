"""Finds the typed values of a text, in linear time: digits by one regular expression, words by a set intersection.

A number is read together with what stands directly left of it (currency, comparator) and right of it (scale, unit,
period); both looks are bounded, so cost grows with the text and nothing else.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

import surefoot.core.values.clock as clock
import surefoot.core.values.literals as literals
import surefoot.core.values.numerals as numerals
from surefoot.core.text import STOPWORDS
from surefoot.core.values.frequency import THE_OTHER_WAY, Often, times
from surefoot.core.values.phones import with_code
from surefoot.core.values.right import Right, read_right
from surefoot.core.values.slashed import day_and_month
from surefoot.core.values.spelled import Word, and_a_part, spelled
from surefoot.core.values.units import BEFORE, BEFORE_LAST, CURRENCY_SIGNS, DURATIONS, FILLERS, MEASURES, MONTHS
from surefoot.core.values.value import Value, When

DENYING = frozenset({"not", "never", "cannot", "nor"})
_OTHERWISE = {"more_than": "at_most", "less_than": "at_least"}
_NEARLY = [[word] for word in ("just", "slightly", "bit", "little", "shade", "fraction")]
"""`Just under`: no more than a little."""
ADDING = frozenset({"add", "adds", "added", "adding", "sum", "sums", "comes", "coming", "come"})
HALF_DAY = 720.0
"""Minutes."""
EVENING = 5
"""The hour from which a time `at night` is before midnight."""


def extract(text: str) -> list[Value]:
    """Every typed value of the text in order of appearance, none overlapping another."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
    if "," in text and literals.RECORD.search(text):
        text, lower = (literals.RECORD.sub(_parted, one) for one in (text, lower))
    return _Reader(text, lower).read()


def _parted(line: re.Match[str]) -> str:
    """`paperback,198,9.00,15` with its commas as semicolons: none of them belongs to a number."""
    return line.group().replace(",", ";")


def _denied(entry: tuple[str, bool, bool], before: Sequence[str]) -> tuple[str, bool, bool]:
    """`cannot be higher than R500` is at most R500; a clause that ends between the two denies something else."""
    comparator, approximate, loose = entry
    denies = any(word in DENYING or word.endswith(("n't", "n’t")) for word in before)
    if not denies or any(word.endswith((",", ";", ":", ".")) for word in before):
        return entry
    return _OTHERWISE.get(comparator, comparator), approximate, loose


def _together(one: Value, other: Value, text: str) -> Value | None:
    """One quantity in two units, `2 hours 35 minutes`, `3 kg 450 g`, in the smaller one; `1 m and 75 cm` are two."""
    if one.unit != other.unit or (one.written_unit, other.written_unit) not in _LARGER_AND_SMALLER:
        return None
    between = text[one.end : other.start]
    joins = (" ", " and ") if one.kind == "duration" else (" ",)
    plain = not (one.is_range or other.is_range or one.period or other.comparator or other.approximate)
    if between not in joins or not plain or _TWO_ENDS.search(text[max(0, one.start - 10) : one.start]):
        return None
    if one.raw < 1 or one.raw % 1 or not 0 < other.low < one.low / one.raw:
        return None
    smaller = other.low / other.raw
    raw = round(one.low / smaller) + other.raw
    return one._replace(
        text=text[one.start : other.end],
        end=other.end,
        low=raw * smaller,
        high=raw * smaller,
        raw=raw,
        written_unit=other.written_unit,
        period=other.period,
    )


_LARGER_AND_SMALLER = frozenset(
    tuple(pair.split("/"))
    for pair in "hour/minute hour/min hr/min minute/second day/hour week/day year/month kg/g m/cm cm/mm km/m".split()
)
_TWO_ENDS = re.compile(r"(?i)\b(?:between|from|either|both)\s$")


class _Reader:
    """One pass over one text."""

    def __init__(self, text: str, lower: str) -> None:
        self.text = text
        self.lower = lower
        self.found: list[Value] = []
        self.done = 0

    def read(self) -> list[Value]:
        words = spelled(self.text, self.lower)
        hidden = [span.span() for span in literals.HIDDEN.finditer(self.text)] if literals.may_hide(self.text) else []
        starts = [start for start, _ in hidden]
        at = 0
        # a simple pattern finds where digits begin; the dear one is tried only there
        for run in literals.DIGIT_RUN.finditer(self.text):
            start = run.start()
            while at < len(words) and words[at].start < start:
                self.word(words[at])
                at += 1
            if start < self.done:
                continue
            if starts:
                place = bisect_right(starts, start) - 1
                if place >= 0 and start < hidden[place][1]:
                    continue
            match = literals.DIGITS.match(self.text, start)
            if match is not None:
                self.digits(match)
        for word in words[at:]:
            self.word(word)
        return self.found

    def add(self, value: Value) -> None:
        whole = _together(self.found[-1], value, self.text) if self.found else None
        if whole is not None:
            self.found[-1] = whole
        else:
            self.found.append(value)
        self.done = value.end

    def digits(self, match: re.Match[str]) -> None:
        group = match.lastgroup
        start, end = match.span()
        text = self.text
        before = text[start - 1] if start else ""
        if before.isalpha() and not self.currency(start)[0]:
            return self.name_token(start, end)
        if before == "-" and literals.JOINED_NAME.search(text[max(0, start - 16) : start]):
            return self.name_token(start, end)
        phone = with_code(text, start) if before == "+" and start > self.done else None
        if phone is not None:
            stop, token = phone
            return self.add(Value(kind="token", text=text[start - 1 : stop], start=start - 1, end=stop, token=token))
        if before == "[" and text[end : end + 1] == "]":
            return None
        if group == "number":
            if before in "\n" and literals.ENUMERATOR.match(text, end):
                return None
            often = times(self.lower, end, literals.parse(match.group()))
            if often is not None:
                return self.frequency(start, often)
            if match.group().isdigit() and (
                self.hour(start, end, int(match.group())) or self.first_hour(start, end, int(match.group()))
            ):
                return None
            if self.dotted(start, end):
                return None
            more, end = and_a_part(self.lower, end)
            return self.number(start, end, literals.parse(match.group()) + more)
        if group in ("iso", "slash"):
            return self.numeric_date(group, match)
        if group == "clock":
            if self.currency(start)[0]:
                amount = literals.PLAIN_NUMBER.match(text, start)
                assert amount is not None
                return self.number(start, amount.end(), literals.parse(amount.group()))
            return self.clock(match)
        if group == "years":
            return self.years(match)
        token = re.sub(r"\D", "", match.group()) if group == "phone" else match.group()
        when = day_and_month(self.lower, start, end)
        return self.add(Value(kind="token", text=match.group(), start=start, end=end, token=token, when=when))

    def name_token(self, start: int, end: int) -> None:
        """Letters and digits grown together: P45, COVID-19, A4."""
        head = literals.NAME_LEFT.search(self.text[max(0, start - 24) : start])
        tail = literals.NAME_RIGHT.match(self.text, end)
        start -= len(head.group()) if head else 0
        end = tail.end() if tail else end
        if start < self.done or self.text[start - 1 : start] == "[":
            return
        written = self.text[start:end]
        name = re.sub(r"[\s-]", "", written)
        one = name[:-1] if literals.PLURAL_NAME.fullmatch(name) else name
        self.add(Value(kind="token", text=written, start=start, end=end, token=one.lower()))

    def numeric_date(self, group: str, match: re.Match[str]) -> None:
        parts = [int(part) for part in re.split(r"\D", match.group())]
        year, month, day = parts if group == "iso" else (parts[2], parts[1], parts[0])
        if month > 12 and day <= 12:
            month, day = day, month
        if year < 100:
            year += 2000
        if not (1 <= month <= 12 and 1 <= day <= 31):
            return self.add(
                Value(kind="token", text=match.group(), start=match.start(), end=match.end(), token=match.group())
            )
        return self.date(match.start(), match.end(), (year, month, day))

    def date(self, start: int, end: int, when: When, part: str = "") -> None:
        if when[2] is None and not part:
            start, part = literals.part_of_month(self.lower, max(self.done, start - 24), start)
        self.add(Value(kind="date", text=self.text[start:end], start=start, end=end, when=when, part=part))

    def clock(self, match: re.Match[str]) -> None:
        parts = literals.CLOCK.match(match.group())
        assert parts is not None
        hour, minute = int(parts.group(1)), int(parts.group(2) or 0)
        half = (parts.group(3) or "").replace(".", "").lower()
        if hour > 24 or minute > 59:
            written = match.group()
            return self.add(
                Value(kind="token", text=written, start=match.start(), end=match.end(), token=written.lower())
            )
        if half == "pm" and hour < 12:
            hour += 12
        if half == "am" and hour == 12:
            hour = 0
        return self.time(match.start(), match.end(), hour % 24 * 60.0 + minute)

    def hour(self, start: int, end: int, hour: int) -> bool:
        """`8 o'clock`, `until 4 in the morning`, `from 3 to 4 in the afternoon`; whether it was a time. `Take 1 in the
        morning` counts something else: but for `o'clock` a word that leads to a time must stand before it."""
        named = literals.HOUR_AFTER.match(self.lower, end)
        if named is None or not 1 <= hour <= 12:
            return False
        if not named.group("clock") and not literals.HOUR_BEFORE.search(self.lower[max(0, start - 40) : start]):
            return False
        part, second = named.group("part"), named.group("second")
        if part:
            hour %= 12
            late = part in ("afternoon", "evening") or (part == "night" and hour >= EVENING)
            before = second is not None and int(second) % 12 < hour  # 11 to 2 in the afternoon begins in the morning
            hour += 12 if late != before else 0
        self.time(start, end if second else named.end(), hour * 60.0)
        return True

    def first_hour(self, start: int, end: int, hour: int) -> bool:
        at = None if self.currency(start)[0] else clock.till_a_time(self.lower, start, end, hour)
        if at is not None:
            self.time(start, end, at)
        return at is not None

    def dotted(self, start: int, end: int) -> bool:
        """`Monday: 9.00 to 17.30`, both ends; whether it was that. An end below the beginning is in the afternoon."""
        found = literals.DOTTED_HOURS.match(self.text, start)
        if found is None or found.end("first") != end or self.currency(start)[0]:
            return False
        line = self.lower[self.lower.rfind("\n", 0, start) + 1 :].partition("\n")[0]
        if literals.TELLS_HOURS.search(line) is None:
            return False
        first, second = (int(hour) * 60.0 + int(minute) for hour, minute in (found.group(2, 3), found.group(5, 6)))
        if second < first and second < HALF_DAY:
            second += HALF_DAY
        self.time(start, end, first)
        self.time(*found.span("second"), second)
        return True

    def time(self, start: int, end: int, at: float) -> None:
        self.add(Value(kind="time", text=self.text[start:end], start=start, end=end, low=at, high=at, raw=at))

    def years(self, match: re.Match[str]) -> None:
        first, second = re.split(r"\D", match.group())
        low = int(first)
        high = int(second) if len(second) == 4 else low // 100 * 100 + int(second)
        self.add(
            Value(
                kind="year",
                text=match.group(),
                start=match.start(),
                end=match.end(),
                low=float(low),
                high=float(high),
                raw=float(low),
            )
        )

    def word(self, word: Word) -> None:
        if word.start < self.done:
            return
        start, end = word.start, word.end
        if word.kind == "month":
            self.date(start, end, (None, int(word.number), None))
        elif word.kind == "weekday":
            self.add(
                Value(
                    kind="weekday", text=self.text[start:end], start=start, end=end, low=word.number, high=word.number
                )
            )
        elif word.kind == "ordinal":
            self.ordinal(start, end, word.number)
        elif word.kind == "duration":
            measured = word.unit not in DURATIONS
            base, factor = MEASURES[word.unit] if measured else DURATIONS[word.unit]
            size = word.number * factor
            comparator, approximate, loose = self.left(start)
            self.add(
                Value(
                    kind="count" if measured else "duration",
                    text=self.text[start:end],
                    start=start,
                    end=end,
                    low=size,
                    high=size,
                    raw=word.number,
                    unit=base,
                    written_unit=word.unit,
                    comparator=comparator,
                    loose=loose,
                    approximate=approximate,
                )
            )
        elif word.often is not None:
            self.frequency(start, word.often)
        elif word.kind == "time":
            self.time(start, end, word.number)
        elif word.kind == "fraction":
            self.add(
                Value(
                    kind="percent",
                    text=self.text[start:end],
                    start=start,
                    end=end,
                    low=word.number,
                    high=word.number,
                    raw=word.number,
                    unit="%",
                    approximate=True,
                )
            )
        elif (found := times(self.lower, end, word.number)) is not None:
            self.frequency(start, found)
        elif word.number % 1 or not self.hour(start, end, int(word.number)):
            self.number(start, end, word.number, spelled_out=True)

    def frequency(self, start: int, found: Often) -> None:
        comparator, approximate, loose = self.left(start)
        if comparator and self.text[start : start + 5].lower() != "every":
            comparator = THE_OTHER_WAY[comparator]  # at most twice a year: six months or more between
        self.add(
            Value(
                kind="frequency",
                text=self.text[start : found.end],
                start=start,
                end=found.end,
                low=found.size,
                high=found.size,
                raw=found.size / DURATIONS[found.unit][1],
                unit=found.base,
                written_unit=found.unit,
                scale=found.times,
                comparator=comparator,
                loose=loose,
                approximate=approximate,
                head=found.day,
            )
        )

    def ordinal(self, start: int, end: int, number: float) -> None:
        if self.text[start].isalpha() and self.day_month(start, end, number):
            return
        counted = literals.COUNTED_AFTER.match(self.lower, end)
        # "first, apply" and "second to none" count nothing
        counts = counted is not None and counted.group(1) not in STOPWORDS and not self.tells_when(start)
        if self.text[start].isalpha() and not counts:
            return
        self.add(
            Value(kind="ordinal", text=self.text[start:end], start=start, end=end, low=number, high=number, raw=number)
        )

    def tells_when(self, start: int) -> bool:
        return literals.TELLS_WHEN.search(self.lower[max(0, start - 10) : start]) is not None

    def number(self, start: int, end: int, number: float, *, spelled_out: bool = False) -> None:
        """A number with everything around it that belongs to it."""
        currency, begin = self.currency(start) if not spelled_out else ("", start)
        right = read_right(self.text, self.lower, end, money=bool(currency), number=number)
        number += right.more
        if not currency and not spelled_out:
            if right.ordinal:
                if not self.day_month(start, right.end, number):
                    self.ordinal(start, right.end, number)
                return None
            if right.month or right.kind in ("number", "count"):
                before = self.day_month(start, end, number)
                if before:
                    return None
        end_of = self.range_in_words(right, number) if spelled_out else self.range_end(right, bool(currency))
        high, high_right, stop = end_of
        if spelled_out and right.kind in ("number", "count") and number == 1.0 and right.scale == 1.0 and high is None:
            return None
        # "fell by 9% to 41,200 tonnes" has two values and no range
        apart = high_right is not None and right.unit and high_right.unit and right.unit != high_right.unit
        if high is not None and not apart:
            return self.range(begin, stop, number, high, currency, right, high_right)
        return self.plain(begin, start, number, currency, right)

    def plain(self, begin: int, start: int, number: float, currency: str, right: Right) -> None:
        comparator, approximate, loose = self.left(begin)
        if right.comparator:
            comparator, loose = right.comparator, False
        approximate = approximate or right.about
        kind = "money" if currency else right.kind
        size = number * right.scale
        value_end = right.end
        if kind in ("number", "count") and not right.unit and right.scale == 1.0:
            if literals.is_year(self.text[start : right.number_end]) and not (right.head and right.head.endswith("s")):
                kind = "year"
            value_end = right.number_end
        self.add(
            # by place, not by name: most values are made here, and names would take twice as long
            Value(
                kind,
                self.text[begin:value_end],
                begin,
                value_end,
                size * right.factor,
                size * right.factor,
                number,
                currency or right.unit,
                right.written,
                right.scale,
                right.period,
                comparator,
                loose,
                approximate,
                right.head,
            )
        )
        self.done = max(value_end, right.end if right.unit or currency else value_end)

    def range_end(self, right: Right, money: bool) -> tuple[float | None, Right | None, int]:
        """The second number of '15-20', '15 to 20', 'between 15 and 20'."""
        joint = literals.TO.match(self.text, right.end)
        if joint is None and right.number_end != right.end:
            joint = literals.TO.match(self.text, right.number_end)
        if joint is None:
            return None, None, 0
        if joint.group(2) == "and" and not self.opened_by("between", right):
            return None, None, 0
        at = joint.end()
        sign = literals.SIGN_BEFORE.match(self.text, at)
        if sign:
            at = sign.end()
        second = literals.PLAIN_NUMBER.match(self.text, at)
        if second is None:
            return None, None, 0
        number = literals.parse(second.group())
        after = read_right(self.text, self.lower, second.end(), money=money or bool(sign), number=number)
        dated = money and not sign and literals.may_be_month(self.text, second.end())  # `R250 until 30 September`
        if after.ordinal or after.month or dated or (after.kind == "time"):
            return None, None, 0
        return number, after, after.end

    def range_in_words(self, right: Right, low: float) -> tuple[float | None, Right | None, int]:
        """The second number of `four to five hours`, `between two and three kilos`; of what, must be said."""
        joint = literals.TO_IN_WORDS.match(self.lower, right.number_end)
        if joint is None or (joint.group(1) == "and" and not self.opened_by("between", right)):
            return None, None, 0
        high = float(numerals.size(joint.group(2).replace("[ ]", " ")))
        after = read_right(self.text, self.lower, joint.end(), money=False, number=high)
        return (high, after, after.end) if after.unit and high > low else (None, None, 0)

    def opened_by(self, word: str, right: Right) -> bool:
        return word in self.lower[max(0, right.number_end - 40) : right.number_end]

    def range(
        self, begin: int, stop: int, low: float, high: float, currency: str, left: Right, right: Right | None
    ) -> None:
        assert right is not None
        # "R15-20k": the scale and unit of the end hold for the start too, unless it has its own
        scale_low = left.scale if left.scale != 1.0 else right.scale if low < high else 1.0
        unit = currency or right.unit or left.unit
        kind = "money" if currency else right.kind if right.unit else left.kind if left.unit else "count"
        if right.kind == "money":
            unit, kind = right.unit, "money"
        factor_low = left.factor if left.unit and left.factor != 1.0 else right.factor
        end = stop if right.unit or right.scale != 1.0 or right.period or kind == "money" else right.number_end
        if low > high and not (left.unit or right.unit or currency):
            end = right.number_end
        self.add(
            Value(
                kind=kind,
                text=self.text[begin:end],
                start=begin,
                end=end,
                low=low * scale_low * factor_low,
                high=high * right.scale * right.factor,
                raw=low,
                unit=unit,
                written_unit=right.written or left.written,
                scale=right.scale,
                period=right.period or left.period,
                head=right.head,
            )
        )

    def day_month(self, start: int, end: int, number: float) -> bool:
        """'12 March 2025', '12th of March', 'March 12, 2025', 'March 2025'; whether it was a date."""
        text = self.text
        after = literals.MONTH_AFTER.match(text, end) if literals.may_be_month(text, end) else None
        if after and 1 <= number <= 31 and number == int(number):
            month = MONTHS.get(after.group(1).lower())
            if month:
                year = int(after.group(2)) if after.group(2) else None
                self.date(start, after.end(), (year, month, int(number)))
                return True
        if self.found:
            last = self.found[-1]
            if last.kind == "date" and last.when[0] is None and literals.NEXT_TO_MONTH.fullmatch(text, last.end, start):
                return self.extend(last, start, end, number)
        left = text[max(0, start - 14) : start]
        if left.rstrip().rstrip(".,")[-3:].lower() not in literals.MONTH_TAILS:
            return False
        before = literals.MONTH_BEFORE.search(left)
        month = MONTHS.get(before.group(1).lower().rstrip(".")) if before else None
        if before is None or month is None or not before.group(1)[0].isupper():
            return False
        begin = start - len(before.group())
        if 1000 <= number <= 2200:
            self.date(begin, end, (int(number), month, None))
            return True
        if 1 <= number <= 31 and number == int(number):
            year_after = literals.YEAR_AFTER.match(text, end)
            year = int(year_after.group(1)) if year_after else None
            self.date(begin, year_after.end() if year_after else end, (year, month, int(number)))
            return True
        return False

    def extend(self, last: Value, start: int, end: int, number: float) -> bool:
        """A month that was found as a word before gets its day or year."""
        year, month, day = last.when
        if 1000 <= number <= 2200 and number == int(number):
            year = int(number)
        elif day is None and 1 <= number <= 31 and number == int(number):
            day = int(number)
            year_after = literals.YEAR_AFTER.match(self.text, end)
            if year_after:
                year, end = int(year_after.group(1)), year_after.end()
        else:
            return False
        self.found.pop()
        self.date(last.start, end, (year, month, day), last.part if day is None else "")
        return True

    def currency(self, start: int) -> tuple[str, int]:
        """The currency sign left of a number and where it starts."""
        last = self.text[start - 1 : start]
        if last in (" ", "\u00a0"):
            last = self.text[max(0, start - 2) : start - 1]
        if not last or last not in "R€£$DPY¥₹FNS₦":
            return "", start
        sign = literals.SIGN.search(self.text[max(0, start - 5) : start])
        if sign is None:
            return "", start
        return CURRENCY_SIGNS[sign.group(1)], start - len(sign.group())

    def left(self, start: int) -> tuple[str, bool, bool]:
        """Comparator, approximation and looseness, from the words left of a value."""
        before = self.lower[max(self.done, start - 36, 0) : start]
        words = before.replace("(", " ").replace("-", " ").replace("–", " ").split()
        if words[-2:] == ["than", "the"]:
            # "fewer than the 297 of last year": the number itself is exact
            return "", False, False
        if words[-2:] == ["up", "to"] and words[-3:-2] and words[-3] in ADDING:
            return "", False, False  # "which adds up to R900" says how much it is
        taken = 0
        while words and words[-1] in FILLERS and taken < 4:
            if (*words[-2:],) in BEFORE:
                break
            words.pop()
            taken += 1
        if not words or words[-1] not in BEFORE_LAST:
            return "", False, False
        for size in (3, 2, 1):
            entry = BEFORE.get(tuple(words[-size:])) if len(words) >= size else None
            if entry is not None:
                comparator, approximate, loose = _denied(entry, words[-size - 3 : -size])
                return comparator, approximate or words[-size - 1 : -size] in _NEARLY, loose
        return "", False, False
