"""A claim in its source's own words: the same sentence in another notation, or a part cut out.

The first is as good as a quote. A part is none: what was left out may deny it, report it or bound it (`It is a
myth that …`, `… for members`). Counted over the written rows in decision 0133.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from surefoot.core.remember import by_text
from surefoot.core.text import STOPWORDS
from surefoot.core.types import Claim
from surefoot.verify.ground.phrasing import phrased
from surefoot.verify.ground.scope import calls_false
from surefoot.verify.read.alignment import bare_form, profile, spelled_out, stem
from surefoot.verify.read.reading import Line, read
from surefoot.verify.read.submission import Submission

NEAREST = 4
"""Sentences of the evidence, those that hold most of a claim's words, that it is compared with word by word."""
LEAST_ALIKE, MOSTLY_ALIKE, MOST_EXCHANGED = 4, 0.6, 4
"""So many words, and this share of the claim's, are the same at its beginning and end; so many at most differ."""
LEAST_KEPT = 5
"""Words of a sentence's beginning that is held to say what the sentence says."""
LONGEST_BOUND = 8
"""Words at the front of a sentence that bound it; more are a clause of their own."""
SHORTEST = 3
"""Words of a part that is looked for: fewer stand anywhere."""


def restated(claim: Claim, submission: Submission) -> tuple[str, Line] | None:
    """The sentence that a claim is when its values, names and contractions are written as the sentence writes them."""
    said = spelled_out(bare_form(phrased(claim, submission).text))
    for passage in submission.evidence_for(claim) if said else ():
        number = _forms(passage.text).get(said)
        if number is not None:
            return passage.id, read(passage.text)[number]
    return None


def cut_out(claim: Claim, submission: Submission) -> bool:
    """Whether all words of a claim stand in this order in a longer sentence, and what was left out may change them."""
    said = _words(phrased(claim, submission).text)
    if len(said) < SHORTEST:
        return False
    found = False
    for _, line in _holding(claim, submission):
        text = _clause(said, line.sentence.text)
        whole = _words(text)
        if said == whole and text != line.sentence.text:
            return False
        left_out = _gaps(said, whole), _gaps(said[::-1], whole[::-1])
        if not all(left_out):
            continue
        telling = all(_tells([word for _, left in gaps for word in left], text) for gaps in left_out)
        if not telling and not _bounded(said, whole) and not _freed(said, text):
            return False
        found = True
    return found


def set_beside(text: str) -> list[str]:
    """The clauses of a sentence that sets two things beside each other, each with a subject of its own and nothing
    concluded; none of any other sentence.

    >>> set_beside("He came in without ringing, although he must ask first.")
    ['He came in without ringing.', 'He must ask first.']
    """
    text = " ".join(text.split()).rstrip(" .")
    parts = [part.strip(" ,") for part in _BESIDE.split(text)]
    if len(parts) != 2 or _CONCLUDES.search(text) or any(len(part.split()) < SHORTEST for part in parts):
        return []
    return [f"{part[:1].upper()}{part[1:]}." for part in parts]


def shortened(claim: Claim, submission: Submission) -> bool:
    """Whether a claim is the beginning of a sentence of a source, word for word, and the rest of it changes nothing."""
    said = _words(phrased(claim, submission).text)
    if len(said) < LEAST_KEPT:
        return False
    texts = [line.sentence.text for _, line in _holding(claim, submission)]
    begun = [(whole, text) for whole, text in zip(map(_words, texts), texts, strict=True) if whole[: len(said)] == said]
    return any(not _bounded(said, whole) and not _tells(whole[len(said) :], text) for whole, text in begun)


def exchanged(claim: Claim, submission: Submission) -> bool:
    """Whether a claim is a source's sentence, or a clause of it, with one name or thing put for another, or `over` for
    `under`, and no sentence has it as the claim says."""
    said = _ANY_WORD.findall(submission.line(claim).sentence.text)
    found = False
    for support in submission.supports(claim)[:NEAREST]:
        for part in (support.line.sentence.text, *support.line.sentence.text.split(";")):
            differ = _differ(said, _ANY_WORD.findall(part))
            if differ is None:
                continue
            if not _opposed(*differ) and not _mixed_up(*differ, submission):
                return False
            found = True
    return found


def _differ(said: list[str], whole: list[str]) -> tuple[list[str], list[str]] | None:
    """The words of two sentences between those with which both begin and end; None where they are two sentences."""
    one, other = ([word.lower() for word in words] for words in (said, whole))
    shorter = min(len(one), len(other))
    start = next((at for at in range(shorter) if one[at] != other[at]), shorter)
    end = next((at for at in range(shorter - start) if one[-1 - at] != other[-1 - at]), shorter - start)
    mine, its = said[start : len(said) - end], whole[start : len(whole) - end]
    if not start:  # the capital of a first word says nothing
        mine, its = ([word[:1].lower() + word[1:] for word in words[:1]] + words[1:] for words in (mine, its))
    alike = start + end >= max(LEAST_ALIKE, MOSTLY_ALIKE * len(said))
    return (mine, its) if alike and max(len(mine), len(its)) <= MOST_EXCHANGED else None


def _mixed_up(mine: list[str], its: list[str], submission: Submission) -> bool:
    """Whether one thing of the sources stands in the place of another: `Fabric` where the sentence says `Machines`."""
    one, other = ([word.lower() for word in words if word.lower() not in _SMALL] for words in (mine, its))
    if len(one) != 1 or len(other) != 1 or max(len(mine), len(its)) > 2 or any(map(str.isdigit, one[0] + other[0])):
        return False
    return stem(one[0]) != stem(other[0]) and stem(one[0]) in submission.aligner


def _opposed(mine: list[str], its: list[str]) -> bool:
    """Whether words exclude each other: two names, or the two ends of a scale."""
    one, other = (" ".join(words).lower() for words in (mine, its))
    if any(one in pair and other in pair for pair in _OPPOSITES):
        return one != other
    named, meant = ([word for word in words if word[:1].isupper()] for words in (mine, its))
    if not named or not meant or len(named) < len(mine) - 2 or len(meant) < len(its) - 2:
        return False
    first, second = (frozenset(word.lower() for word in words) for words in (named, meant))
    short, long = sorted((named, meant), key=len)
    letters = "".join(word[0] for word in long if word[:1].isupper())
    return first.isdisjoint(second) and not (len(short) == 1 and short[0].upper() == letters)


def _holding(claim: Claim, submission: Submission) -> Iterator[tuple[str, Line]]:
    """The sentences of the claim's evidence that hold all its meaningful words."""
    stems = submission.line(claim).stems
    bound = {passage.id for passage in submission.evidence_for(claim)}
    for place, number in submission.aligner.holding(stems, 1.0) if stems else ():
        passage = submission.passages[place]
        if passage.id in bound:
            yield passage.id, read(passage.text)[number]


def _clause(said: list[str], text: str) -> str:
    """What stands between two semicolons of a sentence where it has all words of a claim, and nothing before or behind
    it denies, reports or bounds it; else the sentence. Of 520 written rows that are such a clause one is wrong."""
    clauses = text.split(";")
    for number, clause in enumerate(clauses):
        words = _words(clause)
        if len(clauses) > 1 and (words == said or _gaps(said, words)):
            before, after = ";".join(clauses[:number]), _words(";".join(clauses[number + 1 :]))
            bounds = _TELLING | _BOUNDING if len(after) <= SHORTEST else _TELLING
            taken_back = not bounds.isdisjoint(after[:1]) or calls_false(f"{before} {' '.join(after)}")
            return text if taken_back or ":" in before or not _REPORTING.isdisjoint(_words(before)) else clause
    return text


def _tells(left: list[str], text: str) -> bool:
    """Whether words left out of a sentence may deny, report or bound the rest. A label before a colon does not, unless
    it names a kind (`Members: you travel free`): of 364 written rows without their label 8 are wrong."""
    marked = any(mark in text for mark in ("?", "~~"))
    kind = _FOR_KIND.match(text) is not None
    return marked or kind or not _TELLING.isdisjoint(left) or calls_false(" ".join(left), plainly=True)


def _bounded(said: list[str], whole: list[str]) -> bool:
    """Whether a sentence begins as the claim does and goes on with a bound: `… is free on Sundays`. By when a duty is
    due bounds no duty; by when somebody may does."""
    after = whole[len(said) : len(said) + 1]
    if whole[: len(said)] != said or not after:
        return False
    return after[0] in _BOUNDING or (after[0] in _DEADLINES and not _PERMITTING.isdisjoint(said))


def _freed(said: list[str], text: str) -> bool:
    """Whether a claim leaves out a bound at the front or in the middle of a sentence, `Tenants get …` of `Tenants under
    25 get …`, or one at its end beside what stands between commas. Whichever of equal words it is held to have kept."""
    if _bounded(said, _words(_ASIDE.sub("", text))):
        return True
    whole = _words(text)
    back = [(len(said) - kept, left[::-1]) for kept, left in _gaps(said[::-1], whole[::-1])]
    kind = _KIND.match(text.strip()) is not None
    return all(_frees(said, gaps, kind=kind) for gaps in (_gaps(said, whole), back[::-1]))


def _frees(said: list[str], gaps: list[tuple[int, list[str]]], *, kind: bool) -> bool:
    """`kind`: the sentence begins with a word for all of a kind, and no comma sets off what follows it."""
    allows = not _RULING.isdisjoint(said)
    inner = [left for kept, left in gaps if 0 < kept < len(said)]
    if any(left[0] in _NARROWING or _compares(left) or (allows and _places(left)) for left in inner):
        return True
    kept, front = gaps[0]
    if kind and kept == 1 and len(front) > 1 and _AFTER_KIND.match(front[0]):
        return True
    return not kept and not inner and len(front) <= LONGEST_BOUND and _places(front)


def _places(left: list[str]) -> bool:
    """`on rainy days`, `with a letter`; not `in 1962`: what happened then is bounded by nothing."""
    dated = any(len(word) == 4 and word.isdecimal() for word in left)
    return left[0] in _FRONTING and not dated and _CONNECTING.isdisjoint(left)


def _compares(left: list[str]) -> bool:
    """`weighing less than 2 kg`, `with at least three years`."""
    return any(pair in _COMPARING for pair in pairwise(left[:4]))


def _gaps(said: list[str], whole: list[str]) -> list[tuple[int, list[str]]]:
    """The runs of words of a sentence that a claim leaves out, the first that fit being kept, each with the number of
    the claim's words before it; none where it is no part."""
    gaps: list[tuple[int, list[str]]] = []
    at = 0
    for word in whole:
        if at < len(said) and word == said[at]:
            at += 1
        elif gaps and gaps[-1][0] == at:
            gaps[-1][1].append(word)
        else:
            gaps.append((at, [word]))
    return gaps if at == len(said) else []


def _words(text: str) -> list[str]:
    return _WORD.findall(spelled_out(bare_form(text)))


@by_text(1024)
def _forms(text: str) -> dict[str, int]:
    """The sentences of a passage, spelled out, to their numbers."""
    return {spelled_out(bare): number for bare, number in profile(text).bare.items()}


_BESIDE = re.compile(
    r",? (?:and|but|although|though|whereas) (?=(?:you|he|she|it|they|your|his|her|its|their|the|an?|no|nobody|nothing"
    r"|all|both|what|only|\w+ (?:is|are|was|were|has|have|had|must|may|should|can|need|does|did))\b)",
    re.IGNORECASE,
)
_CONCLUDES = re.compile(
    r"\b(?:so|because|since|therefore|thus|hence|as|which|meaning|if|unless|when|while|between)\b", re.IGNORECASE
)
_ANY_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_WORD = re.compile(r"[\w']+")
_SMALL = STOPWORDS | {"one", "ones", "much", "many", "however", "other", "others"}
_TELLING = frozenset(
    "that for only not no never nor none nobody if unless when whenever except provided but without otherwise say says "
    "said tell tells told think thinks may might could "
    "ne pas jamais rien sauf seulement si nie geen nooit niks niemand slegs behalwe tensy".split()
)
"""By which the rest of a sentence denies, reports or bounds a part of it; of French and Afrikaans, which grounders read
worse than English, the plainest."""
_REPORTING = frozenset(
    "that if say says said tell tells told think thinks thought claim claims believe believes argue argues".split()
)
_BOUNDING = frozenset(
    "after until till during with within while where from up under over below above between as at on in inside outside "
    "since once through".split()
)
_DEADLINES = frozenset({"before", "by"})
_PERMITTING = frozenset("can may free open allowed welcome entitled".split())
_RULING = _PERMITTING | {"must"}
_NARROWING = frozenset("under over below above between within during until till outside up".split())
"""By which words in the middle of a sentence bound what it says, whatever that is."""
_FRONTING = _BOUNDING - {"since", "as"} | {"before"}
"""The same at the front, or in the middle of what somebody may or must: `On rainy days, …`."""
_CONNECTING = frozenset("contrary contrast fact addition same general short total all any average other".split())
"""`On the contrary` and `at any time` bound nothing."""
_KIND = re.compile(r"(?i)\W*(?:people|children|women|men|\w{2,}[^\Wsui]s) ")
_FOR_KIND = re.compile(r"(?i)\W*(?:people|children|women|men|\w{2,}[^\Wsui]s):")
_AFTER_KIND = re.compile(r"(?:of|in|at|on|with|from|to|who|\w{3,}ing|\w{3,}ed)$")
"""`Teachers in their first year …`: what is said of some is not said of all of their kind."""
_ASIDE = re.compile(r", [^,;:]+,(?= )")
_COMPARING = frozenset({("at", "least"), ("at", "most"), ("up", "to")}) | {
    (word, "than") for word in ("more", "less", "fewer", "older", "younger", "longer", "shorter", "higher", "lower")
}
_OPPOSITES = [
    frozenset(pair.split("/"))
    for pair in (
        "over/under",
        "above/below",
        "before/after",
        "earlier/later",
        "more/less/fewer",
        "more than/less than/fewer than/up to/at least/at most/no more than",
        "longer/shorter",
        "higher/lower",
        "older/younger",
        "first/last",
        "always/never",
        "all/no/none of the",
        "both/neither",
        "with/without",
        "including/excluding/except/except for",
        "inside/outside",
        "opens/closes",
        "starts/ends",
        "begins/ends",
    )
]
