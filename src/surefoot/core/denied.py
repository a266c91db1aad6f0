"""What stands under `Common myths` or `The following are false:` is not what a text says, even word for word."""

from __future__ import annotations

import re

from surefoot.core.remember import by_text
from surefoot.core.text import sentences
from surefoot.core.types import Passage, Span


def is_denied(passage: Passage, at: int) -> bool:
    """Whether the sentence at a place of a passage stands under a heading, or in a list under a sentence, that calls it
    false. A heading over the whole passage counts where it has none of its own."""
    if any(start <= at < end for start, end in _denied(passage.text)):
        return True
    headings = passage.metadata.get("headings")
    nearest = str(headings[-1]) if isinstance(headings, list) and headings else ""
    return calls_false(nearest) and at < _first_heading(passage.text) and not _CORRECTS.match(passage.text[at:])


def calls_false(over: str) -> bool:
    """Whether a heading or a label names nothing but myths. `Myth 3: sugar makes wild.` is the myth itself, and what
    follows corrects it; under `Myths and facts` stands either."""
    return _HEADED.match(over) is not None


@by_text(4096)
def _denied(text: str) -> tuple[Span, ...]:
    if _FALSE.search(text) is None:
        return ()
    found: list[Span] = []
    headed = led = False
    last = ""
    for one in sentences(text):
        if one.kind == "heading":
            headed, led = calls_false(one.text), False
        elif one.kind == "prose":
            led = led and last == "prose"
            if headed and not _CORRECTS.match(one.text):
                found.append(one.span)
            led = led or _LED.search(one.text) is not None
        elif (headed or led) and not _CORRECTS.match(one.text):
            found.append(one.span)
        last = one.kind
    return tuple(found)


def _first_heading(text: str) -> int:
    """Where its first heading behind other text stands; a heading that opens it is the nearest one anyway."""
    return next((one.start for one in sentences(text)[1:] if one.kind == "heading"), len(text))


_FALSE = re.compile(r"(?i)\b(?:myths?|misconceptions?|misbeliefs?|false|wrong|untrue|not true|fiction|lies|wives)\b")
_HEADED = re.compile(
    r"(?i)[\s#*_]*(?:(?:some|the|most|more|many|common|popular|frequent|widespread|usual|top|\d+|persistent) )*"
    r"(?:myths?|misconceptions?|misbeliefs?|(?:false|wrong|mistaken) (?:beliefs?|ideas?)"
    r"|(?:(?:what|these|this|they) (?:is|are) )?(?:not true|untrue|false|wrong)|old wives['’]? tales?|lies)"
    r"(?: (?:about|on|around|of) (?!.*\bfacts?\b)[^:?]*)?[\s*_:]*$"
)
_LED = re.compile(
    r"(?i)^(?!\W*(?:if|when|where|unless|in case)\b)(?=.*(?:\b(?:following|below|these|those)\b|[:?]\W{0,5}$)).*"
    r"\b(?:myths?|misconceptions?|untrue|not true|are (?:all |simply |just )?(?:false|wrong|lies|fiction))\b"
)
_CORRECTS = re.compile(
    r"(?i)[\s*_]*(?:(?:facts?|(?:the )?truth|reality|in (?:fact|truth|reality)|actually|no[,:.])\b"
    r"|\W?(?:myths?|false)\b)"
)
"""A sentence that says what is so, or that the myth is one."""
