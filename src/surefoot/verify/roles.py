"""Who does what, where one sentence has several subjects: 'Wits offers law and Rhodes offers medicine'.

A short claim whose words are gathered from two parts of such a sentence gives the one what is said of the other. All
its words are there, so likeness of words cannot tell; it is no issue in itself, only not proven.
"""

from __future__ import annotations

from collections.abc import Sequence

from surefoot.verify.reading import Line, Token

SHORT = 6
"""Words with meaning up to which a claim is one statement about one subject."""
FROM_HERE = 0.6
"""Share of its words that must be the sentence's before it can be held to be gathered from there."""
MOST_PARTS = 40
"""Clauses of a sentence that are looked at; a longer one is a list."""


def gathered(claim: Line, source: Line) -> bool:
    """Whether a short claim takes its words from several parts of a sentence, each with a subject of its own.

    Of a claim with values `owners` has said whose they are.
    """
    if claim.values or not claim.stems or len(claim.stems) > SHORT or source.tokens[-1].clause == 0:
        return False
    if any(token.word in _SUBORDINATING for token in claim.tokens):
        return False  # two clauses, which may stand the other way round in the source
    known = claim.stems & source.stems
    if len(known) < max(2.0, FROM_HERE * len(claim.stems)) or claim.tokens[-1].clause > 0:
        return False
    parts, shared = _parts(source)
    wanted = known - shared
    return len(parts) > 1 and not any(wanted <= part for part in parts)


def _parts(line: Line) -> tuple[list[frozenset[str]], frozenset[str]]:
    """The words of each part with a subject of its own, and those that hold for all: "In 2020, …"."""
    clauses = _clauses(line.tokens)
    shared: frozenset[str] = frozenset()
    if len(clauses) > MOST_PARTS:
        return [], shared
    if len(clauses) > 1 and clauses[0][0].word in _OPENING:
        shared = _content(clauses[0])
        clauses = clauses[1:]
    verbs = _verbs(clauses)
    parts: list[list[Token]] = []
    for clause in clauses:
        if not parts or _has_subject(clause, verbs, line, parts[-1]):
            parts.append(list(clause))
        else:
            parts[-1] += clause
    return [_content(part) for part in parts], shared


def _clauses(tokens: Sequence[Token]) -> list[Sequence[Token]]:
    found, start = [], 0
    for at in range(1, len(tokens) + 1):
        if at == len(tokens) or tokens[at].clause != tokens[start].clause:
            found.append(tokens[start:at])
            start = at
    return found


def _verbs(clauses: Sequence[Sequence[Token]]) -> frozenset[str]:
    """Words that come again in another clause, each time behind another one: 'offers' in both."""
    seen: set[str] = set()
    again: set[str] = set()
    for clause in clauses:
        inside = {token.stem for token in _behind_first(clause)}
        again |= seen & inside
        seen |= inside
    return frozenset(again)


def _behind_first(clause: Sequence[Token]) -> list[Token]:
    content = [token for token in clause if token.content]
    return content[1:]


def _has_subject(clause: Sequence[Token], verbs: frozenset[str], line: Line, before: Sequence[Token]) -> bool:
    content = [at for at, token in enumerate(clause) if token.content]
    if not content or any(token.word in _LEANING for token in clause[: content[0] + 1]):
        return False
    if any(token.stem in verbs for token in _behind_first(clause)):
        return True
    if any(token.word in _AUXILIARIES for token in clause[content[0] + 1 :]):
        return True
    # "… and Rhodes medicine": a name and what it has, where the part before has said what is done
    return (
        len(content) > 1
        and content[1] == content[0] + 1
        and _capital(clause[content[0]], line)
        and not _capital(clause[content[1]], line)
        and any(token.content and not _capital(token, line) for token in before)
    )


def _capital(token: Token, line: Line) -> bool:
    return line.sentence.text[token.start - line.sentence.start].isupper()


def _content(tokens: Sequence[Token]) -> frozenset[str]:
    return frozenset([token.stem for token in tokens if token.content])


_AUXILIARIES = frozenset(
    "is are was were has have had will would can could may might must shall should does did".split()
)
_LEANING = frozenset("it they he she this these those that which who whom until till you we its their his her".split())
"""Words that begin a clause about the subject of the one before."""
_SUBORDINATING = frozenset("if unless when where because although though once until while whereas provided".split())
_OPENING = _SUBORDINATING | frozenset("in on at for from since during after before by under with within as".split())
