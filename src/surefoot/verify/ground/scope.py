"""Words by which a text takes back or reports what stands beside them: a myth, a plan, a list of what is out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from surefoot.core.types import Passage, Span
from surefoot.verify.read.reading import Line, denials, stems_in
from surefoot.verify.read.submission import Submission

NAMED = 0.6
"""Share of the words of a heading that question or draft must have to name its case."""


def calls_false(text: str, *, plainly: bool = False) -> bool:
    """Whether words call what stands beside them a myth, a plan, a thing of the past. `plainly`: in words by which
    most sentences do."""
    return bool(_FALSE.search(_EVERYDAY.sub(" ", text) if plainly else text))


def takes_rows_back(text: str, names: Sequence[str]) -> bool:
    """Whether a sentence below a table may call its rows false or over. "To cancel, write to us." and "Open until
    noon." say nothing of the rows unless they point at them or name a column."""
    if not calls_false(text):
        return False
    columns = frozenset(stems_in(" ".join(names)))
    pointing = _LEADS.search(text) or _ABOVE.search(text) or not columns.isdisjoint(stems_in(text))
    return bool(pointing) or calls_false(_EVERYDAY.sub(" ", text))


def turns_what_follows(text: str) -> bool:
    """Whether a line that leads to others says of them that they are not so, or only in some case: `These are myths:`.
    It states something itself; without it what follows says what its sources say."""
    return bool(_LEADS_ON.search(text)) and bool(_TURNS.search(text))


def stated(line: Line, passage: Passage, submission: Submission, *, shown: Span | None = None) -> bool:
    """Whether what stands over a list or a table, up to its heading, takes nothing back. A heading and a sentence that
    leads to the list must be plain, and so must any other that speaks of the item; the rest must only not call anything
    false or over. A heading that names the case in which its steps are taken takes none of them back where question or
    draft name the case too. Where nothing stands over a list, nobody knows what it lists; a table at the beginning of
    its document says so itself. What the draft shows right before the list takes it back there as in the source."""
    kind, over = line.sentence.kind, line.above
    if kind not in ("item", "row"):
        return False
    while over is not None and over.sentence.kind == kind:
        over = over.above
    if over is None:
        return kind == "row" and not passage.metadata.get("start")
    while over is not None:
        if over.sentence.span == shown:
            over = over.above
            continue
        text, heading = over.sentence.text, over.sentence.kind == "heading"
        near = heading or _LEADS.search(text) or not over.stems.isdisjoint(line.skeleton)
        case = kind == "item" and heading and _CASE.match(text) is not None and _is_named(over, submission)
        # `Cancelling` and `Claims` are headings like others; a sentence in such words may report what follows
        if calls_false(text, plainly=heading) or _OVER.search(text):
            return False
        if near and not case and (denials(over) or _TAKES_BACK.search(text)):
            return False
        over = None if heading else over.above
    return True


def _is_named(heading: Line, submission: Submission) -> bool:
    """Whether the question or the draft speaks of what a heading names."""
    said = frozenset(stems_in(f"{submission.question or ''} {submission.draft}"))
    return bool(heading.stems) and len(heading.stems & said) >= NAMED * len(heading.stems)


_FALSE = re.compile(
    r"(?i)\b(?:myths?|fals\w*|wrong\w*|untrue|incorrect\w*|mis(?:take|conception|belief|inform|lead)\w*|fiction\w*|"
    r"rumou?rs?|legends?|lies?|fakes?|scam\w*|hoax\w*|alleg\w+|claim\w*|believ\w*|suppos\w*|propos\w*|draft\w*|quiz\w*|"
    r"former\w*|past|previous\w*|until|used to|no longer|any ?more|cancel\w*|abolish\w*|withdr[ae]wn?|expired?|"
    r"would|plan\w*|"
    r"mythes?|faux|fausses?|re[cç]ues?|mites?|vals|verkeerd\w*|onwaar)\b"
)
_EVERYDAY = re.compile(r"(?i)\b(?:cancel\w*|until|plan\w*|claim\w*|would)\b")
"""Of these the words by which most sentences take nothing back."""
_OVER = re.compile(
    r"(?i)\b(?:cancell?ed|claimed|claims? (?:that|to)|not (?:true|the case))\b"
    r"|\bwhat (?!(?:i|to|we|you)\b)(?!can ).*\bclaims?\W*$"
)
"""`Cancelled trips` are over and `What the maker claims` need not be so."""
_ABOVE = re.compile(r"(?i)\b(?:above|valid|in force|was|were)\b")
_LEADS_ON = re.compile(r"^\s*#|:\W*$")
_TURNS = re.compile(
    r"(?i)\b(?:myths?|fals\w*|wrong\w*|untrue|incorrect\w*|mis(?:conception|belief|inform)\w*|fiction\w*|rumou?rs?|"
    r"legends?|lies|fakes?|scams?|hoax\w*|not (?:so|true|the case)|mythes?|faux|fausses?|mites?|vals|"
    r"verkeerd\w*|onwaar)\b|^\W*(?:if|unless|suppos\w*|imagine)\b"
)
_CASE = re.compile(r"(?i)[\s#*]*(?:what to do |how to act )?(?:if|when|after|in case)\b")
"""A heading over steps such as `If one radiator stays cold`."""
_LEADS = re.compile(r"(?i)[:?]\W*$|\b(?:following|follows?|below|these|those|this|here|list\w*|items?|they|table)\b")
"""A sentence over a list that may speak of the list."""
_TAKES_BACK = re.compile(
    r"(?i)\b(?:say|says|said|told|think|thinks|plan\w*|would|could|might|if|unless|except\w*|exclu\w+|avoid\w*|"
    r"forbid\w*|forbidden|prohibit\w*|ban|banned|stop\w*|refus\w+|reject\w*|den(?:y|ied|ies)|former\w*|old|past|"
    r"previous\w*|until|before|example\w*|or|(?-i:may|MAY|(?<!\d )May(?! \d)))\b|\?"
)
"""Words over a list by which its items may be anything but so. Rather too many: the grounder reads those. `6 May` and
`May 2026` are dates."""
