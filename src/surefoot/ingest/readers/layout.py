"""What a PDF page looks like, said in Markdown: large or bold lines are headings, columns on lines are tables."""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

_LARGER = 1.12
"""A line this much larger than the body's letters is a heading."""
_GAP = 1.2
"""White space between two cells of a row, in letter sizes; between words it is a quarter of one."""
_APART = 1.75
"""Lines of one paragraph are nearer to each other than this, in letter sizes."""
_SAME_COLUMN = 1.0
"""How far the cells of a column may begin from each other, in letter sizes."""
_LONGEST_HEADING = 90
_LEAST_SIZE = 3.0
_HEIGHTS = 1.3
"""A page that is scaled as a whole says 1 for every size; the height of its tallest letter then tells it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    cells: tuple[str, ...]
    """One for plain text; more where wide gaps part it."""
    lefts: tuple[float, ...]
    """Where each cell begins."""
    base: float
    size: float
    bold: bool

    @property
    def text(self) -> str:
        return " ".join(self.cells)


def lines_of(page: Any) -> list[Line]:
    """The lines of a pypdfium2 text page, in its own order: columns of text come one after the other."""
    found: list[Line] = []
    letters: list[_Letter] = []
    for letter in _letters(page):
        if letter.char in "\r\n":
            found += _line(page, letters)
            letters = []
        else:
            letters.append(letter)
    return found + _line(page, letters)


def body_size(lines: Iterable[Line]) -> float:
    """The size most letters of the document have."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(line.size, 1)] += len(line.text)
    return max(sizes, key=lambda size: (sizes[size], -size), default=0.0)


def as_markdown(lines: Sequence[Line], body: float) -> str:
    ranks = sorted({round(line.size, 1) for line in lines if line.size > body * _LARGER}, reverse=True)
    out: list[str] = []
    at = 0
    while at < len(lines):
        table = _table(lines, at)
        line = lines[at]
        if table:
            out += ["", *_rows(table), ""]
            at += len(table)
            continue
        if _is_heading(line, body):
            # A bold line of the body's size ranks below every larger one.
            level = ranks.index(round(line.size, 1)) + 1 if round(line.size, 1) in ranks else len(ranks) + 1
            out += ["", f"{'#' * min(level, 6)} {line.text}", ""]
        else:
            if at and abs(lines[at - 1].base - line.base) > _APART * line.size:
                out.append("")
            out.append(_item(line.text))
        at += 1
    return "\n".join(out).strip("\n") + "\n"


@dataclass(frozen=True, slots=True)
class _Letter:
    char: str
    index: int
    left: float
    right: float
    bottom: float
    top: float
    size: float
    made_up: bool
    """A space or line end that PDFium put between two pieces of text."""


def _letters(page: Any) -> Iterator[_Letter]:
    import pypdfium2.raw as pdfium

    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    for index in range(page.count_chars()):
        char = chr(pdfium.FPDFText_GetUnicode(page, index))
        if char in "\ufffe\x00":
            continue
        pdfium.FPDFText_GetCharBox(page, index, left, right, bottom, top)
        yield _Letter(
            char,
            index,
            left.value,
            right.value,
            bottom.value,
            top.value,
            pdfium.FPDFText_GetFontSize(page, index),
            pdfium.FPDFText_IsGenerated(page, index) == 1,
        )


def _line(page: Any, letters: Sequence[_Letter]) -> list[Line]:
    real = [letter for letter in letters if not letter.made_up and not letter.char.isspace()]
    if not real:
        return []
    size = Counter(round(letter.size, 2) for letter in real).most_common(1)[0][0]
    if size < _LEAST_SIZE:
        size = round(_HEIGHTS * max(letter.top - letter.bottom for letter in real), 1)
    cells, lefts, cell = [], [real[0].left], ""
    before: _Letter | None = None
    for letter in letters:
        if letter.char.isspace():
            cell += " "
            continue
        if before is not None and letter.left - before.right > _GAP * size:
            cells.append(" ".join(cell.split()))
            lefts.append(letter.left)
            cell = ""
        cell += letter.char
        before = letter
    cells.append(" ".join(cell.split()))
    base = sorted(letter.bottom for letter in real)[len(real) // 2]
    return [Line(cells=tuple(cells), lefts=tuple(lefts), base=base, size=size, bold=_is_bold(page, real))]


def _is_bold(page: Any, letters: Sequence[_Letter]) -> bool:
    import pypdfium2.raw as pdfium

    name, flags = ctypes.create_string_buffer(128), ctypes.c_int()
    for letter in (letters[0], letters[-1]):
        pdfium.FPDFText_GetFontInfo(page, letter.index, name, 128, flags)
        if b"bold" not in name.value.lower() and b"black" not in name.value.lower():
            return False
    return True


def _is_heading(line: Line, body: float) -> bool:
    text = line.text
    if len(line.cells) != 1 or len(text) > _LONGEST_HEADING or not any(map(str.isalpha, text)):
        return False
    if line.size > body * _LARGER:
        return True
    return line.bold and line.size >= body and not text.endswith((".", ",", ";", ":"))


def _table(lines: Sequence[Line], at: int) -> list[Line]:
    """The rows that begin here: at least two lines with as many cells, each cell under the one above it."""
    first = lines[at]
    if len(first.cells) < 2:
        return []
    rows = [first]
    for line in lines[at + 1 :]:
        if len(line.cells) != len(first.cells) or not _aligned(first, line):
            break
        rows.append(line)
    return rows if len(rows) >= 2 else []


def _aligned(one: Line, other: Line) -> bool:
    return all(abs(left - right) <= _SAME_COLUMN * one.size for left, right in zip(one.lefts, other.lefts, strict=True))


def _rows(table: Sequence[Line]) -> list[str]:
    told = ["| " + " | ".join(cell.replace("|", "/") for cell in line.cells) + " |" for line in table]
    return [told[0], "|" + " --- |" * len(table[0].cells), *told[1:]]


def _item(text: str) -> str:
    return f"- {text[1:].strip()}" if text[:1] in "•‣▪●◦" and text[1:].strip() else text
