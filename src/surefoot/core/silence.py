"""What an answer says about its sources or about itself, and not about the world.

`The passages do not mention a deposit` cannot be proven by a quote, so the gate treats it as any other claim. But it
invents nothing either, and a judge of whole answers that takes it for an invention calls honest answers ungrounded.
"""

from __future__ import annotations

import re

from surefoot.core.text import squash, without_markers
from surefoot.core.types import DONT_KNOW

LONGEST = 400
"""Characters of a sentence that is read for this."""
LONGEST_REFUSAL = 500
"""Characters of a refusal, its markers and white space."""


def says_only_silence(sentence: str) -> bool:
    """Whether all a sentence says is that its sources do not say something.

    Several clauses may say so (`…, so I cannot answer from the documents`); one that says something itself (`…, so it
    is free`), a value or a link makes it another sentence.
    """
    if len(sentence) > LONGEST or not _DENIES.search(sentence) or _VALUE.search(sentence):
        return False
    clauses = _JOINS.split(_plain(sentence))
    return all(_SILENCE.fullmatch(clause) and not _GOES_ON.search(clause) for clause in clauses)


def is_refusal(text: str) -> bool:
    """Whether a text says that it does not know, in one of the usual forms, and nothing else.

    Asked of drafts outside the worker: a long one is not read for it.
    """
    return len(text) <= LONGEST_REFUSAL and bool(_REFUSAL.fullmatch(_plain(text)))


def _plain(text: str) -> str:
    return squash(without_markers(text)).strip("\"' ")


_DENIES = re.compile(r"\b(?:not|no|none|unable|impossible|cannot)\b|n['’]t\b", re.IGNORECASE)
_SOURCES = (
    r"(?:(?:the|these|this|any of the|either of the) )?(?:(?:given|provided|available|retrieved|cited) )?"
    r"(?:passages?|sources?|documents?|texts?|articles?|excerpts?|context|information)(?: \d{1,2})?"
    r"(?: (?:and|or) (?:passage |source |document )?\d{1,2})?(?: (?:provided|given|above|here))?"
)
_ANY_SOURCE = (
    rf"(?:{_SOURCES}|(?:the )?(?:first|second|third|fourth|fifth|last|other) "
    r"(?:passages?|sources?|documents?|texts?|articles?|excerpts?))"
)
"""One by its place, too. Not in a refusal: what the first passage does not say, another may."""
_WELL = r"(?:(?:explicitly|specifically|directly|clearly|actually|also|further|otherwise) )?"
_SAY = (
    r"(?:mention|say|state|specify|provide|contain|include|give|offer|discuss|explain|describe|address|indicate|list|"
    r"cover|tell|show|have)"
)
_SAID = (
    r"(?:mentioned|said|stated|specified|provided|contained|included|given|discussed|explained|described|addressed|"
    r"indicated|listed|covered)"
)
_NOT = r"(?:do not|does not|did not|don't|doesn't|didn't)"
_LEAD = (
    r"(?:(?:however|unfortunately|therefore|but|also|additionally|overall|on the other hand|please note|note)"
    r"(?: that|,|:)? )?"
    r"(?:(?:if|regarding|concerning|as for|as to) [^,]{1,120}, )?"
)
_SILENCE = re.compile(
    rf"{_LEAD}(?:"
    rf"{_ANY_SOURCE} {_NOT} {_WELL}{_SAY}\b.*"
    rf"|none of {_SOURCES} {_WELL}{_SAY}s?\b.*"
    rf"|(?:there (?:is|was) )?no mention of .+?(?: in {_SOURCES})?"
    r"|there (?:is|are|was|were) no (?:information|details?|instructions?|indication|reference) "
    rf".*\b(?:in|from|by) {_SOURCES}"
    rf"|.+ (?:is|are|was|were) not {_WELL}{_SAID} (?:in|by) {_SOURCES}"
    r"|(?:(?:i am|i'm|we are|we're|it is) )?(?:unable|not able|not possible|impossible) to "
    rf"(?:answer|determine|provide|say|tell|give|find)\b.*\b(?:based on|from|in|with|using) {_SOURCES}"
    r"|(?:i|we) (?:cannot|can't|could not|couldn't) (?:answer|determine|provide|say|tell|give|find)\b.*"
    rf"\b(?:based on|from|in|with|using) {_SOURCES}"
    r"|(?:additional|more|further) (?:information|details?|context) (?:may|might|would|could|will) be "
    r"(?:required|needed|necessary|helpful)\b.*"
    r")[.!: ]*"
)
_JOINS = re.compile(r"[,;] (?:and|so|but|therefore|thus|hence),? ")
_GOES_ON = re.compile(
    r", (?:so|but|and|which|who|therefore|thus|hence|however|although|though|because|since|as (?:it|they|the|you))\b"
    r"|[;:](?<!note:) | - |\b(?:but|however|whereas|while|although|though|despite|because|therefore|except|"
    r"other than|beyond|apart from|only|"
    r"so (?:it|you|they|we|the))\b(?<!^however)(?<!^therefore)(?<!^but)"
)
"""Where the sentence goes on to say something itself."""
_QUESTION = r"(?: (?:the|this|that|your) question)?"
_REFUSAL = re.compile(
    r"(?:"
    + re.escape(squash(DONT_KNOW)).replace("documents", "documents?").rstrip(".").rstrip("\\")
    + r"|(?:(?:i am|i'm|we are|we're) )?(?:unable|not able) to answer"
    rf"{_QUESTION}(?: (?:based on|from|with|using) {_SOURCES})?"
    rf"|(?:i|we) (?:cannot|can't|could not|couldn't) answer{_QUESTION}(?: (?:based on|from|with|using) {_SOURCES})?"
    rf"|{_SOURCES} {_NOT} (?:contain|provide|have|include|give|offer) "
    r"(?:(?:the|any|enough|sufficient|necessary|relevant|needed) )*information(?: (?:needed|required|necessary))?"
    rf" to answer{_QUESTION}"
    r")[.! ]*"
)
"""Closed on purpose: nothing of the world has a place in it."""
_VALUE = re.compile(r"[$€£%@]|://|www\.|\d{3}|\d[.,:/]\d")
