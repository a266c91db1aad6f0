"""Whether two sentences that speak of the same thing say opposite things about it: negation and antonyms.

Only meant for sentences that share most of their words. Two sentences with little in common do not contradict each
other, they talk past each other; that is for grounding to find.
"""

from __future__ import annotations

from collections.abc import Sequence

from surefoot.core.remember import by_word
from surefoot.verify.alignment import stem
from surefoot.verify.reading import Line, Token

SHARED = 0.75
"""Share of the shorter sentence's meaningful words that both must hold before a flip counts."""


def opposes(claim: Line, source: Line) -> str | None:
    """What makes the claim the opposite of the source, in words; None where nothing does."""
    if shared_words(claim, source) < SHARED:
        return _antonym(claim, source)
    return _antonym(claim, source) or _negation(claim, source) or _condition(claim, source)


def shared_words(claim: Line, source: Line, but: str = "") -> float:
    """Share of the claim's meaningful words, negations and one word more left out, that the source sentence holds."""
    mine = claim.stems - NEGATIONS
    if but:
        mine -= {but}
    return len(mine & source.stems) / len(mine) if mine else 0.0


def _negation(claim: Line, source: Line) -> str | None:
    """A word that one denies and the other does not; what stands near a negation may be denied by it too."""
    for word in _denied_by_one(claim, source):
        if word in source.places:
            return f"the claim denies {word!r}, the source does not"
    for word in _denied_by_one(source, claim):
        if word in claim.places:
            return f"the source denies {word!r}, the claim does not"
    return None


def _condition(claim: Line, source: Line) -> str | None:
    """'if' in the place of 'unless'; "if you do not cancel" and "unless you cancel" agree."""
    for mine, theirs in (("if", "unless"), ("unless", "if")):
        if mine in claim.places and theirs in source.places and not {theirs} & claim.places.keys():
            if mine in source.places or _negations(claim) % 2 != _negations(source) % 2:
                return None
            asked, held = _behind(mine, claim), _behind(theirs, source)
            if asked and 2 * len(asked & held) >= len(asked):
                return f"the claim says {mine!r}, the source {theirs!r}"
    return None


def _behind(word: str, line: Line) -> frozenset[str]:
    """The first words with meaning behind a word's first place."""
    at = line.places[word][0]
    return frozenset([token.stem for token in line.tokens[at + 1 : at + 8] if token.content])


def _negations(line: Line) -> int:
    return sum(token.word in NEGATIONS or token.word.endswith("n't") for token in line.tokens)


def _denied_by_one(line: Line, other: Line) -> list[str]:
    """What the line denies for sure and the other does not even seem to; most lines deny nothing."""
    denied = _denied(line.tokens, 1)
    return sorted(denied - _denied(other.tokens, 3)) if denied else []


def _denied(tokens: Sequence[Token], reach: int) -> frozenset[str]:
    """Stems under a negation: the next words with meaning in the same clause; a long reach takes earlier ones."""
    found: set[str] = set()
    # a refusal may stand for a negation of the other side; alone it denies nothing for sure
    soft = _REFUSALS if reach > 1 else frozenset()
    denying = [
        (at, token)
        for at, token in enumerate(tokens)
        if token.word in NEGATIONS
        or token.stem in soft
        or token.word.endswith("n't")
        or (reach > 1 and token.word == "unless")
    ]
    for at, token in denying:
        following = tokens[at + 1].word if at + 1 < len(tokens) else ""
        # "or not" and "or no" leave it open; "or isn't" denies
        left_open = at and tokens[at - 1].word == "or" and not token.word.endswith("n't")
        if following in _NOT_NEGATING or left_open:
            continue
        later = [
            other.stem
            for other in tokens[at + 1 : at + 8]
            if other.clause == token.clause and other.content and other.word not in NEGATIONS
        ]
        earlier = [other.stem for other in tokens[max(0, at - 4) : at] if other.content]
        found.update(later[:reach] if later else earlier[-1:])
        if reach > 1:
            found.update(earlier[-reach:])
    return frozenset(found)


def _antonym(claim: Line, source: Line) -> str | None:
    mine, theirs = claim.places.keys(), source.places.keys()
    for key in sorted(mine - theirs):
        for other in _opposites(key):
            if other not in theirs or other in mine or shared_words(claim, source, key) < SHARED:
                continue
            # "unpatched" and "not patched" agree; "one or more" and "above all" compare nothing
            agree = other in _denied(source.tokens, 3) or key in _denied(claim.tokens, 3)
            if not agree and not _idle(claim, key) and not _idle(source, other):
                return f"the claim says {_word(claim, key)!r}, the source {_word(source, other)!r}"
    return None


@by_word(16_384)
def _opposites(key: str) -> tuple[str, ...]:
    return tuple(sorted((*ANTONYMS.get(key, ()), *_prefixed(key))))


def _idle(line: Line, key: str) -> bool:
    """Whether a word of degree only belongs to a phrase, wherever it stands: 'one or more', 'more than 20'."""
    if key not in _DEGREES:
        return False
    words = [token.word for token in line.tokens]
    return all(
        "".join(words[at + 1 : at + 2]) in ("than", "all", "of") or (at and words[at - 1] == "or")
        for at in line.places[key]
    )


def _word(line: Line, key: str) -> str:
    return line.tokens[line.places[key][0]].word


def _prefixed(key: str) -> tuple[str, ...]:
    """The word's opposites by prefix: eligible and ineligible, lawful and unlawful."""
    bare = tuple(key[len(prefix) :] for prefix in _PREFIXES if key.startswith(prefix) and len(key) > len(prefix) + 3)
    return (*bare, *(prefix + key for prefix in _PREFIXES)) if len(key) > 3 else bare


def _pairs(table: str) -> dict[str, frozenset[str]]:
    """Each stem with its opposites, from lines of 'words | words'; every word in its usual forms."""
    found: dict[str, set[str]] = {}
    for row in table.strip().splitlines():
        left, right = (_forms(side.split()) for side in row.split("|"))
        for one, two in ((left, right), (right, left)):
            for key in one:
                found.setdefault(key, set()).update(two)
    return {key: frozenset(value - {key}) for key, value in found.items()}


def _forms(words: Sequence[str]) -> set[str]:
    endings = ("", "s", "d", "ed", "ing")
    return {stem(word + ending) for word in words for ending in endings} | {
        stem(word[:-1] + "ing") for word in words if word.endswith("e")
    }


NEGATIONS = frozenset(
    "not no never none neither nor cannot without nobody nothing nowhere hardly n't isnt arent wasnt werent dont "
    "doesnt didnt cant couldnt wont wouldnt shouldnt mustnt hasnt havent hadnt".split()
)
_NOT_NEGATING = frozenset("only just more less fewer later earlier longer least merely matter".split())
"""'not only', 'no more than': these words turn a negation into something else (comparators are the values' affair)."""

_REFUSALS = frozenset(stem(word) for word in "refuse avoid fail unable decline prevent lack stop cease".split())
_DEGREES = frozenset(stem(word) for word in "more less fewer most least above over below under".split())
_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non")

ANTONYMS = _pairs("""
increase rise rose risen grow grew higher up more gain raise | decrease fall fell fallen shrink lower down less fewer
more increase gain | reduce drop cut lose lost
allow permit permitted lawful legal | prohibit forbid forbidden ban banned illegal unlawful refuse
before | after
accept approve grant | reject refuse deny denied decline
include | exclude
always | never sometimes rarely
maximum most | minimum least
above over exceed | below under beneath
open | close closed shut
free | paid charged
mandatory compulsory require obligatory must | optional voluntary
first | last
begin start commence | end finish stop cease
early earlier earliest | late later latest
buy bought purchase | sell sold
all every each | none no
win won | lose lost
north northern | south southern
east eastern | west western
male men man | female women woman
public | private
temporary | permanent
true | false
success succeed | failure fail
better improve best | worse worsen worst
support | oppose
positive | negative
can may | cannot
within inside | outside
older oldest | younger youngest
senior | junior
urban | rural
major | minor
often | rarely seldom
longer longest | shorter shortest
greater larger bigger | smaller
big large | small
strong | weak
hot | cold
enter join | leave
borrow | lend
employer | employee
tenant | landlord
parent | child
mother | father
husband | wife
buyer | seller
lender | borrower
gross | net
direct | indirect
married | single
day | night
morning | afternoon evening
summer | winter
near | far
""")
