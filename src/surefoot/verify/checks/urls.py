"""URLs of the draft must occur in the sources or in the pack's allow-list. An address is never 'close enough'."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from surefoot.core.taxonomy import issue_of
from surefoot.core.types import CheckReport, Finding, Passage, Span
from surefoot.verify.read.submission import Submission


@dataclass(frozen=True)
class UrlCheck:
    name: str = "urls"
    version: str = "2"

    def run(self, submission: Submission) -> CheckReport:
        mentioned = urls_of(submission.draft)
        if not mentioned:
            return CheckReport(name=self.name, version=self.version)
        given = [text for passage in submission.passages for text in _said_by(passage)]
        known = {canonical(url) for text in given for url, _ in urls_of(text)}
        findings = [
            _finding(url, span)
            for url, span in mentioned
            if canonical(url) not in known and not _allowed(url, submission.pack.allowed_urls)
        ]
        return CheckReport(name=self.name, version=self.version, findings=tuple(findings))


def _said_by(passage: Passage) -> list[str]:
    """Its text and its metadata; links of a document are addresses beside the text."""
    values = [each for value in passage.metadata.values() for each in (value if isinstance(value, list) else [value])]
    return [passage.text, *(value for value in values if isinstance(value, str))]


def urls_of(text: str) -> list[tuple[str, Span]]:
    """Addresses with their spans: with a scheme, with www, e-mail addresses and bare domains such as nsfas.org.za."""
    found: list[tuple[str, Span]] = []
    if not _MAYBE.search(text):
        return found
    for match in _URL.finditer(text):
        url = match.group().rstrip(".,;:!?'\"”’*_")
        while url.endswith(")") and url.count(")") > url.count("("):
            url = url[:-1].rstrip(".,;:!?")
        found.append((url, (match.start(), match.start() + len(url))))
    return found


def canonical(url: str) -> str:
    """Scheme, www, case of the host, a final slash and the fragment make no difference; anything else does."""
    parts = urlsplit(url if "://" in url else f"http://{url}")
    host = (parts.netloc or "").lower().removeprefix("www.")
    path = parts.path.rstrip("/")
    return f"{host}{path}" + (f"?{parts.query}" if parts.query else "")


def _allowed(url: str, allow_list: tuple[str, ...]) -> bool:
    wanted = canonical(url)
    host = wanted.split("/", 1)[0].split("?", 1)[0]
    if "@" in host:
        return False
    for entry in allow_list:
        known = canonical(entry)
        if "/" not in known and (host == known or host.endswith(f".{known}")):
            return True
        if "/" in known and (wanted == known or wanted.startswith((f"{known}/", f"{known}?"))):
            return True
    return False


def _finding(url: str, span: Span) -> Finding:
    problem = f"{url!r} stands in no source and is not on the pack's list"
    return Finding(issue=issue_of("url_not_in_sources", span, url, problem))


_TOP = (
    "com|org|net|edu|gov|mil|int|info|biz|io|ai|app|dev|co|za|uk|ie|us|eu|de|fr|nl|ca|au|nz|in|ke|ng|na|bw|zw|mz|ls|sz|"
    "online|site|xyz|africa|school|academy|university|college|health|law|legal|jobs|careers|shop|store|click|link|top"
)
_MAYBE = re.compile(r"[.@]\w|://")
"""Every address has one of these; most texts have none."""
_URL = re.compile(
    rf"(?:https?://|ftp://|www\.)[^\s<>\[\]{{}}|\\^`\"]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    rf"|\b(?:[a-z0-9-]{{2,63}}\.)+(?:{_TOP})\b(?:/[^\s<>\[\]{{}}|\\^`\"]*)?",
    re.IGNORECASE,
)
