"""Instructions hidden in sources. A tainted passage may be shown to a person; it may never serve as evidence."""

from __future__ import annotations

import re2

from surefoot.core.invisible import INVISIBLE
from surefoot.core.remember import by_text
from surefoot.core.text import squash
from surefoot.core.types import Passage


def tainted(passage: Passage) -> bool:
    """Whether a passage talks to a model instead of informing a reader, or was marked so by whoever fetched it."""
    return passage.metadata.get("tainted") is True or carries_instructions(passage.text)


@by_text(4096)
def carries_instructions(text: str) -> bool:
    """Looks for text that addresses a language model. Invisible characters are taken out first."""
    visible = text if text.isascii() else INVISIBLE.sub("", text)
    return bool(_INSTRUCTION.search(squash(visible)))


_WHOM = r"(?:all|any|the|these|those|your|my|previous|prior|earlier|above|preceding|other|system|following|and|of)"
_MODEL = r"(?:a\.?i\.?|assistant|chatbot|language model|llm|bot|model)"
_ANSWER = r"(?:answer|draft|claim|response|text)"
_PATTERNS = (
    rf"\b(?:ignore|disregard|forget|override|bypass)\b(?: {_WHOM}){{0,5}} "
    r"(?:instructions?|prompts?|rules|guidelines|directions|context|citations?|sources)\b",
    r"\b(?:new|updated|secret|hidden) (?:system )?(?:instructions?|prompt) ?:",
    r"\b(?:reveal|print|repeat|show|output|leak) (?:me )?(?:the |your |its )?(?:system |hidden |initial )?"
    r"(?:prompt|instructions)\b",
    rf"\byou are (?:now )?(?:an? |the )?(?:[a-z]+ ){{0,2}}{_MODEL}\b",
    rf"\b(?:dear|attention|note to|instructions? (?:for|to)|message (?:for|to)) (?:the |any |all )?{_MODEL}s?\b",
    rf"\bif you are (?:an? |the )?(?:[a-z]+ )?{_MODEL}\b",
    r"\bas an? (?:ai|artificial intelligence|(?:large )?language model)\b.{0,40}\b(?:must|should|will|respond)\b",
    r"\b(?:in|with) your (?:answer|response|reply|output)\b.{0,40}\b(?:include|say|state|recommend|write|add|insert)\b",
    r"\b(?:always|only|must|please|you should) (?:answer|reply|respond|say|recommend|output)\b.{0,60}"
    r"\b(?:regardless|no matter what|to (?:every|any|all) (?:question|user|query)|the user)\b",
    rf"\b(?:mark|label|treat|rate|consider|classify) (?:this|the|every|any) {_ANSWER}s? as "
    r"(?:approved|grounded|verified|supported|safe|correct)\b",
    r"\bdo not (?:tell|inform|warn|reveal to) the (?:user|reader|student|human)\b",
    r"<\|?(?:im_start|im_end|system|endoftext|assistant|user)\|?>|\[/?inst\]|<</?sys>>",
    r"(?:^| )(?:system|assistant) ?: (?:you|ignore|always|never|from now)\b",
    r"\bfrom now on,? you (?:will|must|are|should)\b",
    r"\b(?:call|invoke|execute|run) the (?:tool|function|command)\b.{0,40}\b(?:user|with the argument|immediately)\b",
)
_INSTRUCTION = re2.compile("|".join(_PATTERNS))
"""RE2: a long passage costs no more than its length, and a hundredth of what `re` needs."""
