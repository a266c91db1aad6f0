"""How numbers, dates, times and their neighbours look: the patterns of extraction, and what a literal is worth."""

from __future__ import annotations

import re

from surefoot.core.values.numerals import ANY_SMALL
from surefoot.core.values.units import MONTHS, PARTS_OF_MONTH


def parse(written: str) -> float:
    """The number a literal stands for: '350 000', '350,000', '1,5' and '12.75'."""
    if written.isdigit():
        return float(written)
    plain = written.translate(SPACES)
    if "," in plain:
        whole, _, rest = plain.rpartition(",")
        grouped = len(rest.split(".")[0]) == 3
        plain = plain.replace(",", "") if grouped else f"{whole.replace(',', '')}.{rest}"
    return float(plain)


def is_year(written: str) -> bool:
    return len(written) == 4 and written.isdigit() and 1500 <= int(written) <= 2150


def may_hide(text: str) -> bool:
    return "://" in text or "www." in text or "](" in text or "@" in text or ".ie" in text


def may_be_month(text: str, end: int) -> bool:
    """Whether the next word is one a month can begin with: much cheaper to ask than the whole pattern. `A girl of 16
    may bring` names none."""
    word = WORD_AFTER.match(text, end)
    return word is not None and word.group(1).lower() in MONTHS and word.group(1) not in ("may", "march")


def part_of_month(lower: str, first: int, start: int) -> tuple[int, str]:
    """Where `the end of March` begins, and the part it names; `early to mid-March` names two, and for code none."""
    named = PART_OF_MONTH.search(lower, first, start)
    if named is None or PARTS_JOINED.search(lower, first, named.start()):
        return start, ""
    return named.start(), PARTS_OF_MONTH[named.group(1) or named.group(2)]


SPACES = str.maketrans("", "", " \u00a0\u202f\u2009'")
GROUPED = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,]\d)|\d{1,3}(?:[ \u00a0\u202f\u2009]\d{3})+(?:[.,]\d{1,2})?(?!\d)"
LITERAL = GROUPED + r"|\d+(?:[.,]\d+)?"
DIGIT_RUN = re.compile(r"[0-9]+")
DIGITS = re.compile(
    r"(?P<iso>\d{4}-\d{2}-\d{2}(?!\d))"
    r"|(?P<slash>\d{1,2}/\d{1,2}/(?:\d{4}|\d{2})(?!\d))"
    r"|(?P<years>(?:1[5-9]|20)\d\d[-–/](?:(?:1[5-9]|20)\d\d|\d\d)(?![\d-]))"
    r"|(?P<phone>0\d{1,4}[ -]\d{3,4}[ -]?\d{3,4}(?!\d)|0\d{8,12}(?!\d)|1[38]\d0[ -]\d{2,3}[ -]?\d{3,4}(?!\d))"
    r"|(?P<opaque>\d+/\d+(?!\d)|\d+(?:\.\d+){2,}|\d{4}s\b)"
    r"|(?P<clock>\d{1,2}(?:[:.]\d{2})?\s?(?:[aApP]\.?[mM]\b\.?)|\d{1,2}:\d{2}(?!\d)"
    r"|\d{1,2}:\d(?=-\d{1,2}:\d{1,2}(?!\d))|(?<=:\d-)\d{1,2}:\d(?!\d)|(?<=:\d\d-)\d{1,2}:\d(?!\d))"
    rf"|(?P<number>{LITERAL})"
)
PLAIN_NUMBER = re.compile(LITERAL)
HOUR_AFTER = re.compile(
    r"(?:\s?(?:to|until|till|and|-|–)\s?(?P<second>\d{1,2}))?"
    r"(?=\s?o['’]clock|\s(?:in the (?:morning|afternoon|evening)|at night)\b)(?P<clock>\s?o['’]clock\b)?"
    r"(?:\s(?:in the|at) (?P<part>morning|afternoon|evening|night)\b)?"
)
_DOTTED = r"([01]?\d|2[0-4])\.([0-5][05])"
DOTTED_HOURS = re.compile(
    rf"(?P<first>{_DOTTED})\s?(?:[-–—]|to|until|till)\s?(?P<second>{_DOTTED})(?![\d.]*\d|\s?[%€£$°])"
)
TELLS_HOURS = re.compile(
    r"\b(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:days?)?|weekdays?|weekends?|daily|every day"
    r"|open\w*|clos\w+|hours?|(?:bank )?holidays?|mornings?|afternoons?|evenings?|nights?|noon|midday|shifts?"
    r"|o['’]clock)\b"
)
"""Words of a line by which `9.00 to 17.30` are times."""
HOUR_BEFORE = re.compile(
    r"\b(?:(?:at|by|until|till|before|after|from|since|around|between)\s"
    r"|(?:from|between)\s(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
    r"(?:\s(?:in the (?:morning|afternoon|evening)|at night))?\s(?:to|until|till|and)\s"
    r"|at\s\d{1,2}\s(?:to|until|till|and)\s)\Z"
)
"""What stands before a time of day."""
CLOCK = re.compile(r"(\d{1,2})(?:[:.](\d{1,2}))?\s?([aApP]\.?[mM])?")
HIDDEN = re.compile(r"(?:https?://|www\.)\S+|\]\([^)\n]{0,400}\)|\S+@\S+")
SIGN = re.compile(r"(?<![A-Za-z])(R|ZAR|€|EUR|£|GBP|US\$|A\$|C\$|N\$|\$|USD|¥|JPY|₹|INR|CHF|KES|NGN|₦)[ \u00a0]?\Z")
SIGN_BEFORE = re.compile(r"(?:R|€|£|US\$|\$)[ \u00a0]?(?=\d)")
TO = re.compile(r"(?:\s?([-–—])\s?|\s+(to|and|until|till)\s+)(?=[R€£$]?\s?\d)")
TO_IN_WORDS = re.compile(rf"(?:\s?[-–—]\s?|\s+(to|and|until|till)\s+)({ANY_SMALL})\b")
ENUMERATOR = re.compile(r"[.)]\s")
JOINED_NAME = re.compile(r"(?:[A-Z]{2,}|[A-Z][a-z]*[A-Z]\w*|[Cc]ovid)-\Z")
NAME_LEFT = re.compile(r"[^\W_]+-?\Z|[^\W_]+(?:-[^\W_]+)*-\Z")
PLURAL_NAME = re.compile(r"[A-Z]+\d+s")
"""`P60s`."""
NAME_RIGHT = re.compile(r"[^\W_]*")
MONTH_NAMES = "|".join(sorted(MONTHS, key=len, reverse=True))
MONTH_TAILS = frozenset(name[-3:] for name in MONTHS)
WORD_AFTER = re.compile(r"\s+(?:of\s+)?([a-z]+)", re.I)
MONTH_AFTER = re.compile(rf"\s+(?:of\s+)?({MONTH_NAMES})\b\.?(?:,?\s+((?:1[5-9]|20|21)\d\d)\b)?", re.I)
MONTH_BEFORE = re.compile(rf"\b({MONTH_NAMES})\.?,?\s+\Z", re.I)
NEXT_TO_MONTH = re.compile(r"\.?,?\s+(?:of\s+)?(?:the\s+)?")
YEAR_AFTER = re.compile(r",?\s+((?:1[5-9]|20|21)\d\d)\b")
_PART = rf"(?:{'|'.join(PARTS_OF_MONTH)})"
PART_OF_MONTH = re.compile(rf"(?<!\w)(?:the )?(?:very )?(?:(early|mid|late)[ -]|({_PART}) of )\Z")
PARTS_JOINED = re.compile(rf"\b{_PART}[ -]?(?:to|or|and|until|through|[-–/])[ -]?(?:the )?\Z")
RECORD = re.compile(r"^(?=(?:[^\n,]*,\S){3})(?=[^\n]*(?:[^\W\d],|,[^\W\d]))(?![^\n]*(?:,\s|\"))[^\n]*$", re.MULTILINE)
"""A line of a CSV file without quotes."""
TELLS_WHEN = re.compile(
    r"(?:,|\b(?:must|should|can|could|may|might|will|would|shall|to|you|we|they|he|she|it|who|which|was|were|is|are|be|been|"
    r"has|have|had|when|then))\s+\Z"
)
"""What stands before an adverb: 'you must first apply', 'was first introduced'."""
COUNTED_AFTER = re.compile(r"\s+(?:and \w+ )?([a-z]+)")
