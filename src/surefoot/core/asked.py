"""Questions by what hangs on them: `Over 65? You travel free.` states a condition, `What does it cost?` states nothing.

A condition that is lost makes a rule for some into a rule for all. So a question counts as one unless its form shows
that it only asks.
"""

from __future__ import annotations

import re


def is_condition(text: str) -> bool:
    """Whether a sentence names those for whom the next one holds: a scrap of a question, or one put to the reader.

    >>> [is_condition(text) for text in ("Lost your card?", "Are you over 65?", "Is it free?", "What does it cost?")]
    [True, True, False, False]
    """
    return asks_whether(text) and _OF_OTHERS.match(text) is None


def asks_whether(text: str) -> bool:
    """Whether a sentence is a question that yes or no would answer: what follows may hold for one of them alone. A
    statement with a tag behind it, `Leave it on for four hours, yeah?`, asks nothing."""
    mark = text.rfind("?")
    if mark < 0 or _REST.fullmatch(text, mark + 1) is None or _OPEN.match(text) is not None:
        return False
    return not _is_tagged(text, mark)


def _is_tagged(text: str, mark: int) -> bool:
    """Whether only a tag asks: not behind a scrap, `Over 65, right?`, nor behind what is said of the reader."""
    tag = _TAG.search(text, max(0, mark - _LONGEST_TAG), mark)
    return tag is not None and len(text[: tag.start()].split()) >= _SHORTEST_SAID and _OF_READER.match(text) is None


_REST = re.compile(r"[^\w\[]*(?:\[[^\[\]]*\][^\w\[]*)*")
"""What may stand behind its question mark: quotation marks, citation markers."""
_BEFORE = r"(?:[^:?]*:\s)?\W*(?:(?:and|but|so|or|now|then|also|well|ok|okay)\b\W*)*"
"""What may stand before a question's first word: who asks it, and `And so`."""
_OPEN = re.compile(
    rf"(?i){_BEFORE}(?:(?:for|at|in|on|by|from|to|until|with|since|of|about)\s+)?"
    r"(?:(?:what|how)\b(?!\s+(?:if|when|about)\b)|(?:which|when|where|who|whom|whose|why)\b)"
)
_LONGEST_TAG, _SHORTEST_SAID = 24, 5
_TAG = re.compile(
    r"(?i),\s*(?:yeah|yes|right|ok|okay|all ?right|eh|huh|innit|correct|(?:will|won['’]t|would|could|can) you"
    r"|(?:is|are|was|were|do|does|did|has|have|had|can|could|wo|will|would|should|must)(?:n['’]t)? (?:it|they|that))\Z"
)
_OF_READER = re.compile(rf"(?i){_BEFORE}(?:you|your|not|no)\b")
_IS = r"(?:is|are|was|were|am|do|does|did|has)"
_CAN = r"(?:can|could|will|would|shall|should|must|may|might)"
_OF_OTHERS = re.compile(
    rf"(?i){_BEFORE}(?:{_IS}\s+(?!(?:not|you|your|anyone|anybody|someone|somebody)\b)|{_CAN}\s+(?!not\b)"
    rf"|(?:have|had|(?:{_IS}|{_CAN})n['’]t)\s+(?:i|we|they|he|she|it|there)\b"
    rf"|(?:{_IS}|{_CAN})n['’]t\s+(?:the|a|an|this|that|my|our|their)\b"
    r"|(?:do|did) you (?:also )?know\b|(?:perhaps|maybe)\b)"
)
"""`Is the hall heated?`, `Could you wait?`; but `Have a dog?` and `Can't come?` leave out whom they ask."""
