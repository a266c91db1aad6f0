"""The day that a web page gives itself: what stands in it besides, a year of building or of a law, is no date of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any


def day_of(page: str) -> str | None:
    """When the page was last changed or else published, as its marks say it, or words such as `Last updated`."""
    from trafilatura.utils import load_html

    tree = load_html(page)
    if tree is None:
        return None
    marks = [(name, day.group()) for name, value in _marks(tree) if (day := _ISO_DAY.match(value.strip()))]
    for kind in (_CHANGED, _PUBLISHED):
        if days := [day for name, day in marks if kind.search(name)]:
            return max(days)
    for time in tree.xpath("//time[@datetime]"):
        if day := _ISO_DAY.match(time.get("datetime").strip()):
            time.text = day.group()
    return _stamped(" ".join(" ".join(tree.xpath(_WORDS)).split()))


def _stamped(text: str) -> str | None:
    """The latest whole date beside words that begin a sentence and tell of the page: `Last updated 3 March 2025`."""
    return max((iso(found) for found in _STAMPED.finditer(text) if found["iso"] or found["day"]), default=None)


def iso(match: re.Match[str]) -> str:
    """As exact as it was said: a day, a month or a year."""
    if match["iso"]:
        return str(match["iso"])
    month = f"-{_MONTHS.index(match['month'].lower()) + 1:02d}" if match["month"] else ""
    return f"{match['year']}{month}" + (f"-{int(match['day']):02d}" if match["day"] else "")


def _marks(tree: Any) -> Iterator[tuple[str, str]]:
    """Names with values, of which some are dates."""
    for meta in tree.xpath("//meta[@content]"):
        name = next(filter(None, map(meta.get, ("property", "name", "itemprop", "http-equiv"))), "")
        yield name, meta.get("content")
    for time in tree.xpath("//time[@datetime]"):
        yield " ".join(filter(None, map(time.get, ("itemprop", "class")))), time.get("datetime")
    for time in tree.xpath(_OF_THE_ARTICLE):
        yield "date", time.get("datetime")
    for script in tree.xpath("//script[@type='application/ld+json']"):
        yield from _linked_data(script.text or "")


def _linked_data(text: str) -> Iterator[tuple[str, str]]:
    """Of the page itself, not of what is nested in it, such as its comments."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return
    if isinstance(found, dict):
        found = found.get("@graph", [found])
    for record in found if isinstance(found, list) else []:
        if isinstance(record, dict):
            yield from ((name, value) for name, value in record.items() if isinstance(value, str))


_ISO_DAY = re.compile(r"(?:19|20)\d\d-\d\d-\d\d")
_CHANGED = re.compile(r"(?i)modified|updated")
_PUBLISHED = re.compile(r"(?i)^(?:dc\.|dcterms\.)?date$|published|pub-?date|issued|entry-date")
_OF_THE_ARTICLE = "//article[count(//article) = 1]/header//time[@datetime]"
_WORDS = "//body//text()[not(ancestor::script or ancestor::style or ancestor::table)]"
"""What a table says is said of its rows."""
_MONTHS = "january february march april may june july august september october november december".split()
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
DATE = (
    rf"(?:(?P<iso>\d{{4}}-\d\d-\d\d)|(?:(?:{_DAY} )?(?P<month>{'|'.join(_MONTHS)}),? )?(?P<year>(?:19|20)\d\d))"
    r"(?![\w-])"
)
_STAMPED = re.compile(
    r"(?<!\w)(?-i:(?=[A-Z]))(?:(?:this )?page )?(?:was )?(?:last (?:update|change|review|revision)|(?:last )?"
    r"(?:updated|reviewed|changed|checked|modified|revised|edited|issued|published|dated))(?: on| of)?:? "
    rf"{DATE}",
    re.IGNORECASE,
)
