"""A sentence said otherwise, its meaning kept: what a careful writer does with a source.

Each change takes a sentence and gives another one, or None where it has nothing to change. `reword` takes any of them;
`restate` only those that change a word's form and not the word: what a reader must not take for another statement.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from training.wordlists import MONTHS, NUMBER_WORDS, PLAINER, SAME, pairs

Change = Callable[[str, random.Random], "str | None"]


def reword(text: str, dice: random.Random, *, frame: bool = True) -> tuple[str, bool]:
    """A change that keeps the meaning: a synonym, another form of a number or a verb, another order, an opening."""
    if frame and dice.random() < 0.12:
        return introduce(text, dice), True
    for change in dice.sample(_HARMLESS, len(_HARMLESS)):
        new = change(text, dice)
        if new and new != text:
            return new, True
    return text, False


def restate(text: str, dice: random.Random) -> str | None:
    """The sentence with one to three of its forms changed."""
    wanted, made = dice.choice((1, 1, 2, 3)), 0
    for change in dice.sample(FORMS, len(FORMS)):
        new = change(text, dice)
        if new and new != text:
            text, made = new, made + 1
        if made == wanted:
            break
    return text if made else None


def introduce(text: str, dice: random.Random) -> str:
    """The sentence as part of an answer: where it is from, or what it is to the sentence before."""
    lead = dice.choice(_LEADS)
    return lead + (text if _NAME.match(text) else text[0].lower() + text[1:])


def shorten(sentence: str, dice: random.Random) -> str | None:
    """The sentence without one bracket or one comma phrase: it says less, so it stays true."""
    brackets = list(re.finditer(r"\s*\([^()]*\)", sentence))
    if brackets and dice.random() < 0.6:
        cut = dice.choice(brackets)
        return sentence[: cut.start()] + sentence[cut.end() :]
    phrases = [m for m in re.finditer(r",\s[^,;:]{8,60},\s", sentence) if not _LISTING.search(m.group())]
    if phrases:
        cut = dice.choice(phrases)
        return sentence[: cut.start()] + " " + sentence[cut.end() :]
    tail = re.search(r",\s(?:which|who|where|including|with|after|before|making|such as)\b[^,]*\.$", sentence)
    return sentence[: tail.start()] + "." if tail and tail.start() > 25 else None


def contract(text: str, dice: random.Random) -> str | None:
    """`are not` as `aren't`, `you will` as `you'll`."""
    mark = dice.choice("''’")
    new = re.sub(rf"\b({_NOT_TAKERS}) not\b", rf"\1n{mark}t", text)
    new = re.sub(r"\bcan ?not\b", f"can{mark}t", new)
    new = re.sub(r"\bwill not\b", f"won{mark}t", new)
    if dice.random() < 0.5:
        new = re.sub(r"\b([Yy]ou|[Tt]hey|[Ww]e) are (?=\w)", rf"\1{mark}re ", new)
        new = re.sub(r"\b([Yy]ou|[Tt]hey|[Ww]e|[Ii]t) will (?=\w)", rf"\1{mark}ll ", new)
        new = re.sub(r"\b([Ii]t|[Hh]e|[Ss]he|[Tt]here) is (?=\w)", rf"\1{mark}s ", new)
    return new


def expand(text: str, dice: random.Random) -> str | None:
    """`aren't` as `are not`, `you'll` as `you will`."""
    new = re.sub(r"\b([Cc])an['’]t\b", r"\1annot", text)
    new = re.sub(r"\b([Ww])on['’]t\b", r"\1ill not", new)
    new = re.sub(rf"\b({_NOT_TAKERS})n['’]t\b", r"\1 not", new)
    new = re.sub(r"\b(\w+)['’]re\b", r"\1 are", new)
    new = re.sub(r"\b(\w+)['’]ll\b", r"\1 will", new)
    return re.sub(r"\b([Ii]t|[Tt]here)['’]s (?=(?:a|an|the|not|no|in|on|also)\b)", r"\1 is ", new)


def oblige(text: str, dice: random.Random) -> str | None:
    """A duty, a permission or their absence in other words: `must` as `have to`, `need not` as `do not have to`."""
    found = [(spot, others) for pattern, others in _DUTIES for spot in pattern.finditer(text)]
    if not found:
        return None
    spot, others = dice.choice(found)
    new = dice.choice(others)
    if not _many(text[: spot.start()]):
        for several, one in (("have ", "has "), ("need to", "needs to"), ("are ", "is "), ("do ", "does ")):
            new = one + new.removeprefix(several) if new.startswith(several) else new
    return text[: spot.start()] + new + text[spot.end() :]


def respell_money(text: str, dice: random.Random) -> str | None:
    """`€12.70` as `12.70 euro`, and back."""
    signs = {"€": ("euro", "euros"), "£": ("pounds", "pounds sterling"), "$": ("dollars", "US dollars")}
    names = {"euro": "€", "euros": "€", "dollars": "$"}
    found = list(re.finditer(rf"([€£$])\s?({_AMOUNT})((?: (?:million|billion))?)(?![\w,.]*\d)", text))
    if found:
        spot = dice.choice(found)
        sign, amount, size = spot.groups()
        return text[: spot.start()] + f"{amount}{size} {dice.choice(signs[sign])}" + text[spot.end() :]
    found = list(re.finditer(rf"\b({_AMOUNT})((?: (?:million|billion))?) (euros?|dollars)\b", text))
    if not found:
        return None
    spot = dice.choice(found)
    amount, size, name = spot.groups()
    return text[: spot.start()] + names[name] + amount + size + text[spot.end() :]


def respell_number(text: str, dice: random.Random) -> str | None:
    """`1,200` as `1200`, `three` as `3`, `3 months` as `three months`, and back."""
    ways: list[tuple[re.Match[str], str]] = []
    for spot in re.finditer(r"(?<![\w.,€£$])\d{1,3}(?:,\d{3})+\b(?!\.\d)", text):
        ways.append((spot, spot.group().replace(",", "")))
    for spot in re.finditer(r"(?<![\w.,-])(?<!\d )[1-9]\d{3,5}\b(?!\s*[-–%.,]\d)", text):
        if not 1500 <= int(spot.group()) <= 2100:
            ways.append((spot, f"{int(spot.group()):,}"))
    for spot in re.finditer(r"\b[a-z]+\b", text):
        if spot.group() in NUMBER_WORDS[1:]:
            ways.append((spot, str(NUMBER_WORDS.index(spot.group()) + 1)))
    for spot in re.finditer(r"(?<![\w.,:€£$/-])\d{1,2}(?= [a-z]{3,})", text):
        if 2 <= int(spot.group()) <= len(NUMBER_WORDS):
            ways.append((spot, NUMBER_WORDS[int(spot.group()) - 1]))
    for spot in re.finditer(r"(?<![\w.,])(\d{1,3})(?:\.(\d))? million\b", text):
        ways.append((spot, f"{int(spot.group(1)) * 1_000_000 + int(spot.group(2) or 0) * 100_000:,}"))
    if not ways:
        return None
    spot, new = dice.choice(ways)
    return text[: spot.start()] + new + text[spot.end() :]


def respell_percent(text: str, dice: random.Random) -> str | None:
    if "%" in text:
        return re.sub(r"(\d)\s?%", rf"\1 {dice.choice(('percent', 'per cent'))}", text)
    return re.sub(r"(\d) per ?cent\b", r"\1%", text)


def respell_date(text: str, dice: random.Random) -> str | None:
    """`1 May 2024` as `May 1, 2024`, as `1st May 2024` or as `the 1st of May 2024`."""
    spot = _DATE.search(text)
    if spot is None:
        return None
    day, month = (spot["day"], spot["month"]) if spot["day"] else (spot["day2"], spot["month2"])
    year = spot["year"] or spot["year2"] or ""
    nth = day + ("th" if 10 < int(day) < 14 else {"1": "st", "2": "nd", "3": "rd"}.get(day[-1], "th"))
    tail = f" {year}" if year else ""
    forms = [f"{day} {month}{tail}", f"{month} {day}" + (f", {year}" if year else ""), f"{nth} {month}{tail}"]
    if not re.search(r"\bthe $", text[: spot.start()]):
        forms.append(f"the {nth} of {month}{tail}")
    forms = [form for form in forms if form != spot.group()]
    return text[: spot.start()] + dice.choice(forms) + text[spot.end() :]


def respell_time(text: str, dice: random.Random) -> str | None:
    """`5.30pm` as `5:30 p.m.` or `17:30`."""
    spot = _TIME.search(text)
    if spot is None:
        return None
    hour, minute, half = int(spot[1]), spot[2] or "00", spot[3].lower()[0]
    if not 1 <= hour <= 12:
        return None
    short = f"{hour}" if minute == "00" else f"{hour}:{minute}"
    clock = f"{hour % 12 + (12 if half == 'p' else 0):02}:{minute}"
    forms = [form for form in (f"{short}{half}m", f"{short} {half}m", clock) if form != spot.group()]
    return text[: spot.start()] + dice.choice(forms) + text[spot.end() :]


def respell_rate(text: str, dice: random.Random) -> str | None:
    """`per week` as `a week`, and back after an amount."""
    unit = "(hour|day|week|month|year|person|child)"
    if re.search(rf"\bper {unit}\b", text):
        article = dice.choice(("a", "each", "every"))
        return re.sub(rf"\bper {unit}\b", lambda m: f"{'an' if article + m[1] == 'ahour' else article} {m[1]}", text)
    return re.sub(rf"(?<=\d) an? {unit}\b", r" per \1", text)


def move_condition(text: str, dice: random.Random) -> str | None:
    """`If A, B.` as `B if A.`, and back."""
    found = re.fullmatch(
        r"((?:If|When|Unless|In|On|At|During|After|Before|Since|By|From|Until) [^,]{3,80}), ([^,]{10,})\.", text
    )
    if found:
        opening, rest = found.groups()
        return f"{rest[0].upper() + rest[1:]} {opening[0].lower() + opening[1:]}."
    found = re.fullmatch(r"([^,]{10,}) ((?:if|when|unless) [^,]{5,80})\.", text)
    if found is None or re.search(r"\b(?:even|only|what|know|ask|as) $", found[1] + " "):
        return None
    rest, opening = found.groups()
    return f"{opening[0].upper() + opening[1:]}, {rest if _NAME.match(rest) else rest[0].lower() + rest[1:]}."


def drop_opening(text: str, dice: random.Random) -> str | None:
    found = re.match(r"(?:However|Also|In addition|Additionally|Therefore|Moreover|Furthermore|Thus), (\w)", text)
    return found[1].upper() + text[found.end() :] if found else None


def synonym(text: str, dice: random.Random) -> str | None:
    found = list(_SAME.finditer(text))
    if not found:
        return None
    spot = dice.choice(found)
    return text[: spot.start()] + dice.choice(_SAME_WORDS[spot.group()]) + text[spot.end() :]


def any_of(phrases: Sequence[str]) -> re.Pattern[str]:
    """Any of the phrases, whole words, the longest first."""
    return re.compile(r"\b(?:" + "|".join(sorted(map(re.escape, phrases), key=len, reverse=True)) + r")\b")


def _many(before: str) -> bool:
    """Whether the last word before a verb looks like more than one, or like `you`."""
    words = re.findall(r"[\w']+", before)
    last = words[-1].lower() if words else ""
    return last in ("you", "they", "we", "i", "people", "children", "who", "also") or bool(re.search(r"[^s]s$", last))


_MONTH = "|".join(MONTHS)
_DATE = re.compile(
    rf"\b(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?P<month>{_MONTH})(?: (?P<year>\d{{4}}))?"
    rf"|(?P<month2>{_MONTH}) (?P<day2>\d{{1,2}})(?:, (?P<year2>\d{{4}}))?)\b(?!\d)"
)
_TIME = re.compile(r"\b(\d{1,2})(?:[.:](\d\d))?\s?(am|pm|AM|PM|a\.m\.|p\.m\.)(?!\w)")
_AMOUNT = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_NAME = re.compile(r"[A-Z]\w+ [A-Z]|I\b|[A-Z]{2}")
_LISTING = re.compile(r"\band\b|\bor\b")
_NOT_TAKERS = "is|are|was|were|do|does|did|has|have|had|could|should|would"
_ALONE = "".join(f"(?<!{word} )" for word in "not n't n’t to the may might will would could should".split())
"""Before a verb that no other verb stands before."""
_DUTIES = [
    (re.compile(pattern), others)
    for pattern, others in (
        (r"\bmust\b(?! not\b|n['’]t)", ("have to", "have to", "need to", "are required to", "are obliged to")),
        (_ALONE + r"\bha(?:ve|s) to\b", ("must", "must", "need to", "are required to")),
        (_ALONE + r"\bneeds? to\b", ("must", "have to", "have to")),
        (r"\b(?:are|is) (?:required|obliged) to\b", ("must", "have to", "need to")),
        (
            r"\b(?:do|does)(?: not|n['’]t) (?:have|need) to\b|\bneed not\b",
            ("do not have to", "do not need to", "need not", "are not required to", "are not obliged to"),
        ),
        (r"\b(?:are|is)(?: not|n['’]t) (?:required|obliged) to\b", ("do not have to", "need not")),
        (r"(?<=\b[Yy]ou )can\b(?! ?not|['’]t)", ("may", "are able to")),
        (r"\b(?:are|is) (?:allowed|permitted) to\b", ("may",)),
        (r"\bcannot\b|\bcan['’]t\b", ("are not able to", "are unable to")),
        (r"\bmust not\b|\bmustn['’]t\b", ("are not allowed to", "may not")),
        (r"\bshould\b(?! not|n['’]t)", ("ought to",)),
        (r"\b(?:are|is) entitled to\b", ("have a right to", "have the right to")),
        (r"\bha(?:ve|s) (?:a|the) right to\b", ("are entitled to",)),
    )
]
_LEADS = (
    *("According to the source, ", "The text says that ", "It is stated that ", "The document notes that "),
    *(
        "Based on the passage, ",
        "The passage mentions that ",
        "According to the first passage, ",
        "The third passage states that ",
    ),
    *("The second passage explains that ", "Based on the information provided, ", "The page says that "),
    *("In summary, ", "Overall, ", "In addition, ", "Therefore, ", "This means that ", "Please note that "),
)
_SAME_WORDS = pairs(PLAINER, both_ways=False) | pairs(SAME)
_SAME = any_of(list(_SAME_WORDS))
FORMS: tuple[Change, ...] = (
    *(contract, expand, oblige, respell_money, respell_number),
    *(respell_percent, respell_date, respell_time, respell_rate),
)
"""Changes of form; in `restate` each is as likely as the others."""
_HARMLESS: tuple[Change, ...] = (*FORMS, *(4 * (synonym,)), move_condition, move_condition, drop_opening)
