"""Snippets: the few words of a page that are quoted. Pure."""

from __future__ import annotations

import re

from surefoot.core.questions import terms
from surefoot.core.text import words

LONGEST = 80
"""Words."""
_LEAST = 8
"""A shorter block is a heading, a menu or a button."""


def snippet(text: str, *, limit: int = LONGEST) -> str:
    """The first paragraph in one line, cut after so many words, with "..." where something was cut."""
    return shorten(next(iter(paragraphs(text)), ""), limit=limit)


def shorten(text: str, *, limit: int = LONGEST) -> str:
    said = text.split()
    return " ".join(said[:limit]) + ("..." if len(said) > limit else "")


def paragraphs(text: str) -> list[str]:
    """Blocks of running text, headings and menus left out; all blocks where there is no running text."""
    blocks = [" ".join(block.split()) for block in re.split(r"\n\s*\n|\n(?=[A-Z0-9“\"#-])", text)]
    blocks = [block for block in blocks if block and not block.startswith("#")]
    running = [block for block in blocks if len(words(block)) >= _LEAST]
    return running or blocks


def best_paragraphs(text: str, question: str, *, count: int = 2) -> list[str]:
    """The paragraphs that share most with the question, best first; the first one where none shares anything."""
    wanted = terms(question)
    blocks = paragraphs(text)
    scored = sorted(((len(wanted & terms(block)), -place, block) for place, block in enumerate(blocks)), reverse=True)
    chosen = [block for score, _, block in scored[:count] if score > 0]
    return chosen or blocks[:1]
