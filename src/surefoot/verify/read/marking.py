"""How a citation marker is written, and the edits that put one into a sentence."""

from __future__ import annotations

from surefoot.core.case import CASE
from surefoot.core.text import row_end, sentences
from surefoot.core.types import Claim, Edit
from surefoot.verify.read.submission import Submission


def label(identity: str, submission: Submission) -> str:
    """A marker's inside for a passage: its own id where that is a marker, else its number in the given order."""
    if identity == CASE and submission.case is not None:
        return CASE
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
        in_row = row_end(text) if text.startswith("|") else len(text.rstrip(".!?…\"'”’"))
        at = claim.span[0] + in_row
        return (Edit(span=(at, at), replacement=f" [{marker}]", kind="recite"),)
    if not replace:
        at = spans[-1][1]
        return (Edit(span=(at, at), replacement=f" [{marker}]", kind="recite"),)
    first = Edit(span=spans[0], replacement=f"[{marker}]", kind="recite")
    return (first, *(Edit(span=span, replacement="", kind="recite") for span in spans[1:]))


def cites(submission: Submission) -> bool:
    """Whether what leaves carries markers."""
    citations = submission.pack.citations
    marked = any(claim.markers for claim in submission.claims)
    return citations.mode == "required" or citations.show or (citations.mode == "auto" and marked)


def cited(text: str, passage: str, submission: Submission) -> str:
    """A source's sentences, each with its marker inside the final full stop, where the draft has markers at all."""
    if not cites(submission):
        return text
    return " ".join(_with(one.text, f"[{label(passage, submission)}]") for one in sentences(text))


def _with(text: str, marker: str) -> str:
    return f"{text[:-1]} {marker}{text[-1]}" if text[-1:] in (".", "!") else f"{text} {marker}"
