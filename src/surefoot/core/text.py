"""Sentences, citation markers and words, with exact character offsets into the text they come from."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile

from surefoot.core.asked import is_condition
from surefoot.core.remember import by_text
from surefoot.core.types import Marker, Sentence, Span


def sentences(text: str) -> list[Sentence]:
    """Cuts a text into sentences, headings, list items and table rows.

    Every sentence satisfies `sentence.text == text[sentence.start:sentence.end]`; white space between sentences
    belongs to none. A citation marker that follows a full stop belongs to the sentence before it, and a condition put
    as a question to what holds under it: `Over 65? You travel free.` is one sentence.
    """
    return list(_sentences(text))


def pieces(text: str) -> list[Sentence]:
    """The same with every question by itself: what a person asks is no condition."""
    return _sentences_of(text, _cut)


@by_text(512)
def _sentences(text: str) -> tuple[Sentence, ...]:
    """Remembered, because a draft and its passages are asked for their sentences by many checks."""
    return tuple(_sentences_of(text, _cut_with_conditions if "?" in text else _cut))


def _sentences_of(text: str, cut: Callable[[str, int, int], list[Span]]) -> list[Sentence]:
    found: list[Sentence] = []
    for start, end, kind in _blocks(text):
        cuts = [(start, end)] if kind in ("heading", "row") else cut(text, start, end)
        found += [_make(Sentence, (text[s:e], s, e, kind)) for s, e in cuts]
    return found


def whole(text: str) -> str:
    """The text with a replacement sign for every half of a character pair: with one it cannot be written as UTF-8."""
    return text if text.isascii() else _HALF.sub("\ufffd", text)


def markers(text: str, known: frozenset[str] | set[str] = frozenset()) -> list[Marker]:
    """Citation markers: [S1], [2], [S1, S3], [case], and [id] for a known passage id; never a Markdown link's text."""
    found: list[Marker] = []
    if "[" not in text:
        return found
    for match in _BRACKETED.finditer(text):
        inside = match.group(1)
        targets = [inside] if inside.isalnum() else [part.strip() for part in _BETWEEN_TARGETS.split(inside)]
        for target in targets:
            if target not in known and not _MARKER_TARGET.fullmatch(target):
                break
        else:
            found += [Marker(target=target, span=match.span()) for target in targets]
    return found


def without_markers(text: str, known: frozenset[str] | set[str] = frozenset()) -> str:
    """The text with its citation markers (and the space before them) taken out."""
    return without(text, markers(text, known)) if "[" in text else text


def without(text: str, found: Sequence[Marker]) -> str:
    """The text without these markers of it."""
    if not found:
        return text
    pieces, last = [], 0
    for span in sorted({marker.span for marker in found}):
        pieces.append(text[last : span[0]].rstrip(" "))
        last = span[1]
    return "".join([*pieces, text[last:]])


def blank_markers(text: str, known: frozenset[str] | set[str] = frozenset()) -> str:
    """The text with its markers overwritten by spaces, so that offsets stay what they are."""
    for marker in markers(text, known):
        start, end = marker.span
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def row_end(row: str) -> int:
    """Where the last cell of a table's row ends: a marker behind the last pipe would be a cell too many."""
    row = row.rstrip()
    return len(row[:-1].rstrip()) if row.endswith("|") and not row.endswith("\\|") else len(row)


def words(text: str) -> list[str]:
    """Lower-case words and numbers, accents folded; for comparing, not for showing."""
    return folded_words(fold(text))


def folded_words(folded: str) -> list[str]:
    """The words of a text that is folded already."""
    found: list[str] = _WORD.findall(folded)
    return found


def begins_inside(text: str) -> bool:
    """Whether a text begins inside a sentence: with a small letter that opens no name such as `v1` or `iPhone`."""
    first = text.split(maxsplit=1)[0] if text.strip() else ""
    return first[:1].islower() and not any(char.isdigit() or char.isupper() for char in first)


def heads(line: str, under: str, room: int) -> bool:
    """Whether a line over running text is a heading: short, it ends no sentence and breaks none, since the next word
    had room on it."""
    begins = _BEGINS.match(under)
    if not begins or not _TITLE.fullmatch(line) or line.split()[-1].lower() in STOPWORDS:
        return False
    return len(line) + 1 + len(begins.group()) <= room


def titled(besides: str = "") -> re.Pattern[str]:
    """How a title looks that stands on a line by itself; these signs are in none of them either."""
    numbered = r"(?:\d{1,2}(?:\.\d{1,2})*[.)]?\s+)?"
    return re.compile(rf"{numbered}[A-Z][^\n:;{besides}]{{1,58}}[^\s.,:;!?…{besides}]")


def content_words(text: str) -> list[str]:
    """Words that carry meaning: function words left out."""
    return [word for word in words(text) if word not in STOPWORDS]


def fold(text: str) -> str:
    """Lower case without accents and with plain quotes and dashes. The length may change."""
    if text.isascii():
        return text.lower()
    if _TYPOGRAPHIC.search(text):
        text = text.translate(_PLAIN)
    return _COMBINING.sub("", unicodedata.normalize("NFKD", text)).casefold()


def squash(text: str) -> str:
    """Folded text with runs of white space made one space: equal squashes are equal sentences."""
    folded = fold(text)
    if folded.isascii() and "  " not in folded and len(folded.encode().translate(None, _BREAKS)) == len(folded):
        return folded.strip()  # all white space is single spaces: nothing to make one
    return " ".join(folded.split())


def _blocks(text: str) -> Iterator[tuple[int, int, str]]:
    """Paragraphs, headings, items and rows as (start, end, kind), lines of one paragraph joined."""
    open_start: int | None = None
    open_end, open_kind, counted, before, margin = 0, "prose", 0, "", 0
    lines = list(_LINE.finditer(text))
    rows = _open_rows([line.group().strip() for line in lines]) if "|" in text else frozenset()
    for at, line in enumerate(lines):
        body, begin = line.group(), line.start()
        stripped = body.strip()
        start = begin + len(body) - len(body.lstrip())
        end = begin + len(body.rstrip())
        kind = "row" if at in rows else _line_kind(stripped)
        bullet = _ITEM.match(stripped) if kind == "item" else None
        if bullet and bullet.group(1):
            # Only a number that counts on is a list's: "(900) rand a month" states an amount.
            number = int(bullet.group(1))
            kind = "item" if number in (1, counted + 1) else "prose"
            counted = number if kind == "item" else counted
        under_item = kind == "prose" and open_kind == "item" and start - begin <= margin
        if open_start is not None and under_item and _leaves(lines, at):
            yield open_start, open_end, open_kind
            open_start, open_kind = None, "prose"
        if kind == "prose" and open_kind == "prose":
            after = lines[at + 1].group().strip() if at + 1 < len(lines) else ""
            kind = _alone(before, stripped, after) or kind
        if open_start is not None and (not stripped or kind != "prose"):
            yield open_start, open_end, open_kind
            open_start = None
        before = stripped
        if not stripped:
            open_kind = "prose"
            continue
        if kind in ("heading", "row", "greeting", "field"):
            yield start, end, kind if kind in ("heading", "row") else "prose"
            open_kind = "prose"
        elif kind == "item":
            open_start, open_end, open_kind = start + (bullet.end() if bullet else 0), end, "item"
            margin = start - begin
        elif open_start is None:
            open_start, open_end, open_kind = start, end, "prose"
        else:
            open_end = end
    if open_start is not None:
        yield open_start, open_end, open_kind


def _leaves(lines: Sequence[re.Match[str]], at: int) -> bool:
    """Whether a line right under a list's item, no further in than it, begins a paragraph: with a capital letter,
    though its first word had room on the line above, which broke nothing off. One of the two ends a sentence, or the
    line holds the end of one."""
    above, line = lines[at - 1].group().rstrip(), lines[at].group().strip()
    if not _OPENS.match(line) or _BROKEN_OFF.search(above):
        return False
    before, behind = lines[max(0, at - _NEAR) : at], lines[at : at + _NEAR]
    if len(above) + 1 + len(line.split()[0]) > max(len(one.group().rstrip()) for one in (*before, *behind)):
        return False
    rest = takewhile(lambda one: _line_kind(one) == "prose", (one.group().strip() for one in behind[1:]))
    return _GOES_ON.search(line) is not None or any(_ENDED.search(one) for one in (above, [line, *rest][-1]))


def _open_rows(lines: Sequence[str]) -> frozenset[int]:
    """Numbers of the lines that are rows of tables though no bar opens them: around `--- | ---` all with bars in them,
    else three or more lines of text in a row with as many bars."""
    found: set[int] = set()
    for at, line in enumerate(lines):
        ruled = "|" in line and at + 1 < len(lines) and _UNDER_NAMES.fullmatch(lines[at + 1]) is not None
        bars = 0 if ruled else line.count(" | ")
        if at not in found and (ruled or bars):
            end = at
            while end < len(lines) and _is_open_row(lines[end], bars):
                end += 1
            found.update(range(at, end) if ruled or end - at >= _FEWEST_ROWS else ())
    return frozenset(found)


def _is_open_row(line: str, bars: int) -> bool:
    """Whether a line has bars in it or, where it takes them to know a row, so many and nothing else to be."""
    return "|" in line if not bars else line.count(" | ") == bars and _line_kind(line) == "prose"


def _alone(before: str, line: str, after: str) -> str:
    """What a line of running text is that stands by itself though no empty line follows it: `greeting`, `heading`,
    `field`, or nothing. A heading is short, is broken off although the next word had room, and sentences follow it. A
    field, `Saturday: 10 to 12`, has another one above or below it."""
    if _FIELD.fullmatch(line) and not after[:1].islower() and (_FIELD.fullmatch(before) or _FIELD.fullmatch(after)):
        return "field"
    if UNDERLINE.fullmatch(after) and _TITLE.fullmatch(line):
        return "heading"
    if not after or _line_kind(after) != "prose":
        return ""
    if _GREETING.fullmatch(line):
        return "greeting"
    ended = not before or before[-1] in ".!?:" or _GREETING.fullmatch(before)
    return "heading" if ended and after[-1] in ".!?" and heads(line, after, len(after)) else ""


def _line_kind(stripped: str) -> str:
    if not stripped:
        return "blank"
    if (stripped.startswith("#") and _HEADING.match(stripped)) or _BOLD_LINE.fullmatch(stripped):
        return "heading"
    if _BOLD_QUESTION.fullmatch(stripped) and not is_condition(stripped):
        return "heading"
    if stripped.startswith("|") or _RULE.fullmatch(stripped):
        return "row"
    if _ITEM.match(stripped):
        return "item"
    return "prose"


def _cut_with_conditions(text: str, start: int, end: int) -> list[Span]:
    """The sentences of one block; a condition, with all that is asked behind it, goes with the statement after it."""
    found: list[Span] = []
    bound = False
    for begin, stop in _cut(text, start, end):
        found.append((found.pop()[0], stop) if bound else (begin, stop))
        bound = is_condition(text[begin:stop]) or (bound and text[stop - 1] == "?")
    return found


def _cut(text: str, start: int, end: int) -> list[Span]:
    """The sentences of one block."""
    return _cut_plainly(text, start, end) or list(_cut_at_stops(text, start, end))


def _cut_plainly(text: str, start: int, end: int) -> list[Span]:
    """The same in a fraction of the time, for a block of nothing but sentences that end as most do; else nothing."""
    block = text[start:end]
    pieces = block.split(". ")
    full_stops = len(pieces) if block.endswith(".") else len(pieces) - 1
    if block.count(".") != full_stops or "!" in block or "?" in block or "…" in block:
        return []
    found, begin = [], start
    for piece in pieces[:-1]:
        at = begin + len(piece)
        if not _plainly_ends(text, begin, at, text[at + 2]):
            return []
        found.append((begin, at + 1))
        begin = at + 2
    return [*found, (begin, end)]


def _plainly_ends(text: str, begin: int, at: int, following: str) -> bool:
    """Whether a stop at `at`, with a space and another letter behind it, ends the sentence as most do: behind a marker
    or a word that is neither an abbreviation nor the number of a list's item, and before a capital letter."""
    if not "A" <= following <= "Z" or at <= begin:
        return False
    if text[at - 1] == "]":
        return True
    space = text.rfind(" ", begin, at)
    word = text[max(begin, space + 1) : at]
    if len(word) < 2 or not word.isalnum() or word.lower() in _ABBREVIATIONS:
        return False
    return space >= 0 or not word.isdigit()


def _cut_at_stops(text: str, start: int, end: int) -> Iterator[Span]:
    begin = start
    marked = text.find("[", start, end) >= 0
    for stop in _STOP.finditer(text, start, end):
        after = stop.end()
        if after >= end or not _ends_sentence(text, begin, stop, end):
            continue
        tail = _TRAILING_MARKERS.match(text, after, end) if marked else None
        if tail:
            after = tail.end()
        yield begin, after
        between = _BETWEEN.match(text, after, end)
        begin = between.end() if between else after
    if begin < end:
        yield begin, end


def _ends_sentence(text: str, begin: int, stop: re.Match[str], end: int) -> bool:
    at, after = stop.span()
    if text[after] == " " and after + 1 < end and _plainly_ends(text, begin, at, text[after + 1]):
        return True
    if not _BETWEEN.match(text, after, end) and not _TRAILING_MARKERS.match(text, after, end):
        return False
    rest = _NEXT.match(text, after, end)
    if rest is None:
        return False
    if stop.group(1) != ".":
        return True
    token = _last_token(text, begin, stop.start(1))
    if len(token) > _LONGEST_ABBREVIATION and not token.isdigit():
        return True
    lower = token.lower()
    if token == "No" and stop.start(1) - len(token) == begin and (rest.group(1) or "").isalpha():
        return True  # "No. Dogs may not.": a verdict, and no number
    if len(lower) == 1 and token.isalpha() and token.isupper():
        following = _WORD.match(text[rest.start(1) : end].lower()) if rest.group(1) else None
        return following is None or following.group() in STOPWORDS or text[stop.start(1) - 2] == "°"
    if lower in _ABBREVIATIONS:
        return False
    if lower in _DOTTED_TAIL and "." in text[max(begin, stop.start(1) - 4) : stop.start(1)]:
        return rest.group(1).isupper() and lower == "m"
    return not (token.isdigit() and not text[begin : stop.start(1) - len(token)].strip())


def _last_token(text: str, begin: int, end: int) -> str:
    """What stands right before a full stop, back to a space, a dot or an opening mark."""
    at = end
    while at > begin and text[at - 1] not in _TOKEN_EDGES and not text[at - 1].isspace():
        at -= 1
    return text[at:end]


_BREAKS = bytes(code for code in range(128) if chr(code).isspace() and chr(code) != " ")
_make = tuple.__new__
"""What a named tuple does, but without a function of its own in between: a verification makes a hundred sentences."""
_HALF = re.compile("[\ud800-\udfff]")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_HEADING = re.compile(r"#{1,6}\s")
_BOLD_LINE = re.compile(r"(\*\*|__)[^*_]*[^*_.!?]\1:?")
"""`**Next steps**` on a line of its own."""
_BOLD_QUESTION = re.compile(r"(\*\*|__)[^*_]*\?\1")
"""`**What does it cost?**`; `**Over 65?**` says for whom the next line holds."""
_GREETING = re.compile(
    r"(?i:dear|hello|hi|hey|good (?:morning|afternoon|evening))\b(?:[^.?!,:\n]{0,60}[,!:]|(?: [A-Z][\w'’-]*\.?){0,3})"
)
_TITLE = titled(r"|\t\[\]")
_FIELD = re.compile(r"[^\w#|<>]{0,4}[A-ZÀ-ÖØ-Þ][^.:!?|\n]{0,30}:(?: |\*\* ?)[^\s,;:][^|]{0,60}[^|,;:]")
UNDERLINE = re.compile(r"([=~^-])\1{2,}")
"""What stands below a heading: `-----`."""
_BEGINS = re.compile(r"[\"'“‘(]?[A-Z0-9£€$]\S*")
_RULE = re.compile(r"[-*_=]{3,}")
_UNDER_NAMES = re.compile(r"\|?(?: *:?-+:? *\|)+(?: *:?-+:? *)?")
"""The rule of a table: `--- | ---`."""
_FEWEST_ROWS = 3
_NEAR = 12
"""Lines before and behind that show how wide a text is."""
_OPENS = re.compile(r"(?:\d{1,2}(?:\.\d{1,2})*[.)]?\s+)?[\"'“‘(*_]*[A-ZÀ-ÖØ-Þ]")
_BROKEN_OFF = re.compile(
    r"(?i)(?:[,;:?&/–-][*_]*|[(\[][^()\[\]]*|\b(?:an?|the|and|n?or|but|of|in|on|at|to|for|from|by|with|as|into|about|between"
    r"|if|than|that|which|who|whose|your|our|his|their|its|my|is|are|was|were|be))\Z"
)
_ENDED = re.compile(r"[.!?…:][\"'”’)\]»*_]*(?:\s*\[[^\[\]]*\])*\Z")
_GOES_ON = re.compile(r"\w{3}[.!?] [A-ZÀ-ÖØ-Þ]")
_ITEM = re.compile(r"(?:[-*+•‣–]|\(?(\d{1,3})[.)]|\(?[a-z]\))\s+")
_STOP = re.compile(r"([.!?…])[.!?…]*[\"'”’)\]»]*")
_TRAILING_MARKERS = re.compile(r"(?:\s*\[(?:(?:[A-Za-z]?\d+|case)(?:\s*[,;]\s*(?:[A-Za-z]?\d+|case))*)\](?!\())+")
_NEXT = re.compile(
    r"(?:\s*\[(?:(?:[A-Za-z]?\d+|case)(?:\s*[,;]\s*(?:[A-Za-z]?\d+|case))*)\](?!\())*"
    r"(?:\s|<[bB][rR] ?/?>)+[\"'“‘(\[«*_]*([A-Z0-9À-ÞĀ-ſ€£$R]|\Z)|\s*\Z"
)
_BETWEEN = re.compile(r"(?:\s|<br ?/?>)+", re.IGNORECASE)
"""Between two sentences: what starts a new line on a web page ends a sentence as a space does."""
_TOKEN_EDGES = frozenset(".([\"'“‘")
_BRACKETED = re.compile(r"\[([^\[\]\n]{1,80})\](?!\()")
_BETWEEN_TARGETS = re.compile(r"[,;]")
_MARKER_TARGET = re.compile(r"[Ss]?\d{1,6}|case")
_WORD = re.compile(r"[a-z0-9]+(?:['’][a-z]+)?(?:[.,]\d+)*%?")
_PLAIN = str.maketrans(
    {
        "’": "'",
        "‘": "'",
        "“": '"',
        "”": '"',
        "–": "-",
        "—": "-",
        "−": "-",
        "\u00a0": " ",
        "\u202f": " ",
        "\u2009": " ",
    }
)
_TYPOGRAPHIC = re.compile("[" + "".join(map(chr, _PLAIN)) + "]")
_COMBINING = re.compile(
    "[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u064b-\u065f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+"
)
_ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof rev hon st sr jr vs etc approx dept est fig no nos vol pp ed eds cf al inc ltd co corp "
    "pty jan feb mar apr jun jul aug sep sept oct nov dec tel ext art sec para min max adv gov gen sgt capt".split()
)
_LONGEST_ABBREVIATION = max(map(len, _ABBREVIATIONS))
_DOTTED_TAIL = frozenset({"g", "e", "m", "a", "i", "p", "s", "u", "k"})
STOPWORDS = frozenset(
    "a an the and or but if then than that this these those there here it its is are was were be been being am do does "
    "did has have had having of in on at to for from by with as into about over under between through during before "
    "after above below up down out off again further once so such not no nor only own same too very can will just "
    "should would could may might must shall you your yours he she they them their theirs his her hers we us our "
    "ours i me my mine who whom which what when where why how all any both each few more most other some also per "
    "via".split()
)
