"""A fetched page as evidence: main text, title, date; external, quarantined, tainted when it gives orders."""

from __future__ import annotations

from dataclasses import dataclass

from surefoot.core.day import day_of
from surefoot.core.errors import FetchError, MissingExtraError
from surefoot.core.taint import carries_instructions
from surefoot.core.text import whole
from surefoot.core.types import Json, Passage

HTML = ("text/html", "application/xhtml+xml")
PLAIN = ("text/plain", "text/markdown")


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """What came over the wire, within all limits."""

    url: str
    """Where it came from in the end, after redirects."""
    content_type: str
    body: bytes
    charset: str | None = None


def as_passage(page: Page, *, asked_url: str, today: str) -> Passage:
    """The page's main text as a passage whose id is the URL that was asked for."""
    text, title, day = _read_html(page) if page.content_type in HTML else (_decoded(page), "", None)
    if not text.strip():
        raise FetchError(f"{asked_url!r} holds no text to read; name another page")
    metadata: dict[str, Json] = {
        "source": asked_url,
        "title": title,
        "external": True,
        "retrieved": today,
    }
    if day:
        metadata["date"] = day
    # The whole page is looked at, not only what is quoted of it: orders often hide beside the main text.
    if carries_instructions(text) or carries_instructions(_decoded(page)):
        metadata["tainted"] = True
    return Passage(id=asked_url, text=text.strip(), metadata=metadata)


def load_reader() -> None:
    """Loads what reads HTML: seconds the first time, which are no page's fault."""
    try:
        import trafilatura  # noqa: F401
    except ImportError:
        raise MissingExtraError("trafilatura", "documents") from None


def _read_html(page: Page) -> tuple[str, str, str | None]:
    import trafilatura

    read = trafilatura.bare_extraction(
        page.body, url=page.url, include_comments=False, include_tables=False, favor_precision=True, with_metadata=True
    )
    if read is None:
        return "", "", None
    found = read if isinstance(read, dict) else read.as_dict()
    return (
        whole(str(found.get("text") or "")),
        whole(" ".join(str(found.get("title") or "").split())),
        day_of(_decoded(page)),
    )


def _decoded(page: Page) -> str:
    """As the page says it is coded. Some codings spell characters out, and so halves of them."""
    try:
        return whole(page.body.decode(page.charset or "utf-8", "replace"))
    except LookupError:
        return page.body.decode("utf-8", "replace")
