"""How a citation marker is written, and the edits that put one into a sentence."""

from __future__ import annotations

from surefoot.core.types import Claim, Edit
from surefoot.verify.submission import Submission


def label(identity: str, submission: Submission) -> str:
    """A marker's inside for a passage: its own id where that is a marker, else its number in the given order."""
    order = submission.order
    number = order.index(identity) + 1 if identity in order else 0
    if submission.pack.citations.style == "[n]":
        return identity if identity.isdigit() else str(number)
    return identity if identity[:1] == "S" and identity[1:].isdigit() else f"S{number}"


def with_marker(claim: Claim, marker: str, *, replace: bool) -> tuple[Edit, ...]:
    """Edits after which the claim cites `marker`: in place of its own markers, or beside them."""
    spans = sorted({own.span for own in claim.markers})
    if not spans:
        text = claim.text.rstrip()
        at = claim.span[0] + len(text.rstrip(".!?…\"'”’"))
        return (Edit(span=(at, at), replacement=f" [{marker}]", kind="recite"),)
    if not replace:
        at = spans[-1][1]
        return (Edit(span=(at, at), replacement=f" [{marker}]", kind="recite"),)
    first = Edit(span=spans[0], replacement=f"[{marker}]", kind="recite")
    return (first, *(Edit(span=span, replacement="", kind="recite") for span in spans[1:]))
