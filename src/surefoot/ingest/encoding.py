"""Bytes to text: marks first, then UTF-8, then the most likely of the old code pages; binary is refused."""

from __future__ import annotations

import codecs

from surefoot.core.errors import InputError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 65_536


def decode(data: bytes) -> tuple[str, str]:
    """The text and the name of its encoding. Offsets into this text are the offsets a citation uses."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return _strictly(data[len(mark) :], name), name
    wide = _unmarked_utf16(data)
    if wide:
        return _strictly(data, wide), wide
    if _looks_binary(data):
        raise InputError("a binary file, not text")
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return _old_code_page(data)


def _strictly(data: bytes, name: str) -> str:
    try:
        return data.decode(name)
    except UnicodeDecodeError as error:
        raise InputError(f"marked as {name} but broken at byte {error.start}; save it again as UTF-8") from error


def _unmarked_utf16(data: bytes) -> str | None:
    """English text in UTF-16 without a mark: every second byte is zero."""
    sample = data[:_SAMPLE]
    if len(sample) < 4 or len(data) % 2:
        return None
    even, odd = sample[0::2], sample[1::2]
    if odd.count(0) > 0.7 * len(odd) and even.count(0) < 0.1 * len(even):
        return "utf-16-le"
    if even.count(0) > 0.7 * len(even) and odd.count(0) < 0.1 * len(odd):
        return "utf-16-be"
    return None


def _looks_binary(data: bytes) -> bool:
    sample = data[:_SAMPLE]
    if b"\0" in sample:
        return True
    controls = sum(sample.count(byte) for byte in _CONTROLS)
    return controls > 0.05 * len(sample)


def _old_code_page(data: bytes) -> tuple[str, str]:
    try:
        from charset_normalizer import from_bytes
    except ImportError:
        best = None
    else:
        best = from_bytes(data[:_SAMPLE]).best()
    for name in [best.encoding] if best else []:
        try:
            return data.decode(name), name
        except (UnicodeDecodeError, LookupError):
            continue
    try:
        return data.decode("cp1252"), "cp1252"
    except UnicodeDecodeError:
        return data.decode("latin-1"), "latin-1"


_CONTROLS = [bytes([code]) for code in range(32) if code not in (9, 10, 12, 13, 27)]
