"""E-mails kept as plain text: what stands over the empty line says of the letter what front matter says of a page."""

from __future__ import annotations

import re
from email.utils import parseaddr, parsedate_to_datetime

from surefoot.core.types import Json


def of_mail(text: str) -> tuple[int, dict[str, Json]]:
    """Where the letter begins, and its title, author and date; nothing of a text that is no e-mail."""
    head = _HEAD.match(text)
    fields = {name.lower(): " ".join(value.split()) for name, value in _FIELD.findall(head.group() if head else "")}
    sender, subject = fields.get("from", ""), _REPLY.sub("", fields.get("subject", ""))
    day = _day(fields.get("date") or fields.get("sent") or "")
    if head is None or not subject or not sender or not (day or "@" in sender):
        return 0, {}
    said: dict[str, Json] = {"title": subject, "author": parseaddr(sender)[0] or sender}
    return head.end(), {**said, "date": day} if day else said


def _day(value: str) -> str | None:
    for given in (value, f"{value} 00:00"):
        try:
            return parsedate_to_datetime(given).date().isoformat()
        except ValueError:
            continue
    return None


_NAMES = "From|To|Cc|Bcc|Subject|Date|Sent|Reply-To|Message-ID|Importance|Attachments?|MIME-Version|Content-[A-Za-z-]+"
_FIELD = re.compile(rf"^({_NAMES}):[ \t]*(.*(?:\n[ \t]+\S.*)*)$", re.MULTILINE)
_HEAD = re.compile(rf"\s*(?:(?:{_NAMES}):.*\n(?:[ \t]+\S.*\n)*)+[ \t\r]*\n")
_REPLY = re.compile(r"^(?:(?:re|fwd?):\s*)+", re.IGNORECASE)
