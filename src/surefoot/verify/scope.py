"""How far a statement reaches: what a claim leaves out of its source, so that it says more than the source does.

'Fees are refunded' of "fees are refunded if the course is cancelled", 'students pass' of "most students pass": all the
words are there, and yet the source does not say it. Such a claim is no issue in itself, only not proven.
"""

from __future__ import annotations

from collections.abc import Sequence

from surefoot.verify.reading import Line, Token

MOST_LIMITS = 24
"""Limiting words of one sentence that are looked at; of a sentence with more nothing but itself is proven."""
FROM_HERE = 0.6
"""Share of the claim's words that must be a sentence's before what it leaves out of that sentence says anything."""
AHEAD = 12
"""Words that a condition is held to be made of."""
BACK = 24
"""Words before a condition that it is held to be said of."""
SHORT = 6
"""Words with meaning up to which a claim leaves out for whom a thing is so rather than leaving it to be understood."""


def widened(claim: Line, source: Line) -> str | None:
    """What of its source sentence the claim leaves out that limits it, in words; None where nothing does."""
    shared = len(claim.stems & source.stems)
    if shared < FROM_HERE * len(claim.stems):
        return None
    limits = [at for at, token in enumerate(source.tokens) if token.word in _LIMITS and not _is_name(token, source)]
    if len(limits) > MOST_LIMITS:
        return "the source sentence has too many conditions to compare"
    said = frozenset([token.word for token in claim.tokens if not _is_name(token, claim)])
    for at in limits:
        word = source.tokens[at].word
        if word in _CONDITIONS:
            dropped = said.isdisjoint(_CONDITIONAL) and _drops_condition(claim, source, at)
        else:
            dropped = said.isdisjoint(_HEDGING) and _drops_hedge(claim, source, at)
        if dropped:
            return f"the source says {word!r}"
    return _drops_beneficiary(claim, source)


def _drops_condition(claim: Line, source: Line, at: int) -> bool:
    tokens = source.tokens
    if tokens[at].word == "only" and _counts(source, at):
        return False
    end = _stop(source, at)
    condition = _content(tokens[at + 1 : end])
    if condition and len(condition & claim.stems) >= 0.5 * len(condition):
        return False
    governed = _governed(source, at, end)
    return bool(governed) and len(governed & claim.stems) >= 0.5 * len(governed)


def _governed(source: Line, at: int, end: int) -> frozenset[str]:
    """What the condition is a condition of: what stands before it, or behind its comma where it opens the clause."""
    tokens = source.tokens
    before = tokens[max(0, at - BACK) : at]
    near = [token for token in before if token.clause == before[-1].clause] if before else []
    if tokens[at].clause == (near[-1].clause if near else -1) and (held := _content(near)):
        return held
    behind = tokens[end : end + BACK]
    held = _content([token for token in behind if token.clause == behind[0].clause]) if behind else frozenset()
    return held or _content(near)


def _stop(source: Line, at: int) -> int:
    """Where a condition ends: at the next comma, full stop or bracket; for 'only' behind the next word with meaning."""
    tokens, text, base = source.tokens, source.sentence.text, source.sentence.start
    last = min(len(tokens), at + 1 + AHEAD)
    for number in range(at + 1, last):
        if not _MARKS.isdisjoint(text[tokens[number - 1].end - base : tokens[number].start - base]):
            return number
        if tokens[at].word in _NARROW and tokens[number].content:
            return number + 1
    return last


def _drops_hedge(claim: Line, source: Line, at: int) -> bool:
    """Whether the claim says outright what the source says of most, or may be so."""
    tokens = source.tokens
    if tokens[at].word in _QUANTIFIERS and not _opens_clause(source, at):
        return False
    hedged = next((token for token in tokens[at + 1 : at + 5] if token.content), None)
    return hedged is not None and hedged.stem in claim.stems


def _opens_clause(source: Line, at: int) -> bool:
    """Whether a quantifier is said of the subject: 'most students pass', not 'it works for most'."""
    tokens = source.tokens
    before = [token for token in tokens[max(0, at - 4) : at] if token.clause == tokens[at].clause]
    return all(token.word in _BEFORE_SUBJECTS for token in before)


def _counts(source: Line, at: int) -> bool:
    """'only 12 votes', 'the only one': how many there are, not a condition."""
    tokens = source.tokens
    behind = tokens[at + 1] if at + 1 < len(tokens) else None
    if at and tokens[at - 1].word == "the":
        return True
    return behind is not None and (behind.word in _FEW or source.valued.hold(behind.start))


def _drops_beneficiary(claim: Line, source: Line) -> str | None:
    """'The test is free' of "the test is free for pensioners": the source goes on where the claim ends."""
    last = next((token for token in reversed(claim.tokens) if token.content), None)
    if last is None or len(claim.stems) > SHORT or claim.tokens[-1] is not last or last.stem not in source.places:
        return None
    at = source.places[last.stem][-1] + 1
    if at >= len(source.tokens) or source.tokens[at].word != "for":
        return None
    whom = _content(source.tokens[at + 1 : _stop(source, at)])
    return "the source says for whom" if whom and whom.isdisjoint(claim.stems) else None


def _is_name(token: Token, line: Line) -> bool:
    """The month of May is no possibility."""
    at = token.start - line.sentence.start
    return token.word == "may" and at > 0 and line.sentence.text[at].isupper()


def _content(tokens: Sequence[Token]) -> frozenset[str]:
    return frozenset([token.stem for token in tokens if token.content and token.word not in _CONDITIONAL])


_CONDITIONS = frozenset("if unless except excluding provided only".split())
_FEW = frozenset("one once twice a an".split())
_NARROW = frozenset({"only", "except", "excluding"})
_QUANTIFIERS = frozenset("most some many few several".split())
_BEFORE_SUBJECTS = frozenset("and but or while whereas that because since so as in however although though".split())
_HEDGES = _QUANTIFIERS | frozenset(
    "may might could possibly perhaps probably usually generally normally often sometimes typically mostly".split()
)
_LIMITS = _CONDITIONS | _HEDGES
_CONDITIONAL = _CONDITIONS | frozenset(
    "when where whenever once until till providing subject depending depends conditions condition case whether long "
    "otherwise without exception but however should were".split()
)
"""Words by which a claim may keep a condition."""
_HEDGING = _HEDGES | frozenset(
    "can cannot can't possible likely able expected tend tends part partly majority half certain various commonly "
    "frequently occasionally almost nearly mainly largely primarily option optional allowed permitted eligible appear "
    "appears seem seems potentially potential would should not any up".split()
)
"""Words by which it may keep a reservation."""
_MARKS = frozenset(",;:()–—")
