"""From a draft to claims: what has to be proven, where it stands, and what it cites.

Everything is a claim unless its form is certain: a greeting, a heading that names a topic of the sources, a question
put to the reader, a statement that the sources are silent, or a text the pack itself put there. Whether any other
sentence states something is the grounder's affair.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise, takewhile

from surefoot.core.case import is_case
from surefoot.core.remember import by_text, once
from surefoot.core.silence import is_refusal, says_only_silence
from surefoot.core.text import content_words, markers, pieces, sentences, squash, without, without_markers, words
from surefoot.core.types import Claim, Marker, Passage, Sentence
from surefoot.packs.patterns import View
from surefoot.packs.schema import Pack
from surefoot.verify.read.alignment import bare_form, profile, stem, stems_of
from surefoot.verify.read.evidence import lead

LONGEST_HEADING, LONGEST_NAME = 8, 4
"""Words; of a column's name."""
MOSTLY = 0.6
"""Share of a sentence that must be the warning itself: what else it says would be a claim."""


def claims_of(draft: str, passages: Sequence[Passage], pack: Pack) -> tuple[Claim, ...]:
    """The draft's sentences as claims, in order, with exact spans. The names over a table's rows cite what the rows do,
    where they stand there word for word."""
    known = frozenset(passage.id for passage in passages)
    vocabulary = _Vocabulary(passages)
    found = sentences(draft)
    claims = [_claim(index, sentence, passages, known, vocabulary, pack) for index, sentence in enumerate(found)]
    if len(found) > 1 and _opens(found[0].text, found[1].text):
        claims[0] = replace(claims[0], factual=False)
    for at in _names_over_rows(found):
        if _only_names(claims[at]):
            claims[at] = replace(claims[at], factual=False)
        elif not claims[at].markers:
            rows = takewhile(lambda n: found[n].kind == "row", range(at + 2, len(found)))
            cited = dict.fromkeys(one for n in rows for one in claims[n].cited)
            claims[at] = replace(claims[at], cited=tuple(one for one in cited if vocabulary.has(one, found[at].text)))
    return tuple(claims)


def columns(claim: Claim, claims: Sequence[Claim]) -> tuple[str, ...]:
    """The names over the cells of a claim that is a table's row; none where its table has no header."""
    at = claim.index - 1
    while at > 0 and "|" in claims[at].text and not RULE.fullmatch(claims[at].text):
        at -= 1
    over = "|" in claim.text and at > 0 and RULE.fullmatch(claims[at].text)
    return cells(without_markers(claims[at - 1].text)) if over else ()


def cells(row: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in row.strip().removeprefix("|").removesuffix("|").split("|"))


def _names_over_rows(found: Sequence[Sentence]) -> list[int]:
    """The rows with the names of a table's columns: those above a rule and other rows."""
    return [
        at
        for at, (one, rule, below) in enumerate(zip(found, found[1:], found[2:], strict=False))
        if one.kind == below.kind == "row" and RULE.fullmatch(rule.text)
    ]


def _only_names(header: Claim) -> bool:
    """Whether a row does no more than name the columns of those below it: each of them is read with its names."""
    short = all(len(cell.split()) <= LONGEST_NAME for cell in cells(header.text))
    return short and not header.markers and not HARD_FACT.search(header.text)


class _Vocabulary:
    """What the passages speak of."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        # the reading itself is done here in any case: what comes after has a deadline for judging, not for reading
        self._profiles = [profile(passage.text) for passage in passages]
        self._passages = passages

    def has(self, identity: str, text: str) -> bool:
        """Whether a passage has the text as a sentence or a row of its own."""
        seen = next(seen for seen, one in zip(self._profiles, self._passages, strict=True) if one.id == identity)
        return bare_form(text) in seen.bare

    def heads(self, said: frozenset[str]) -> bool:
        """Whether a heading or a title of the sources has all of these words."""
        return any(said <= heading for heading in self._headings)

    @once
    def _headings(self) -> list[frozenset[str]]:
        titles = [lead(passage) for passage in self._passages]
        inside = [one.text for seen in self._profiles for one in seen.sentences if one.kind == "heading"]
        return [stems_of(text) for text in (*titles, *inside) if text]


def _opens(first: str, second: str) -> bool:
    """Whether a draft opens with `Sure!` and goes on with `Here is a summary:`. Alone it may answer a question."""
    return bool(_SURE.fullmatch(squash(first)) and _HERE_IS.match(squash(second)) and second.rstrip().endswith(":"))


def resolve(target: str, passages: Sequence[Passage]) -> str | None:
    """The passage a marker means: the one with that id, else the x-th; None for a marker that points nowhere."""
    spellings = (target, target.upper())
    for passage in passages:
        if passage.id in spellings:
            return passage.id
    number = target.lstrip("Ss")
    numbered = [passage for passage in passages if not is_case(passage)]
    if number.isdigit() and 1 <= int(number) <= len(numbered):
        return numbered[int(number) - 1].id
    return None


def _claim(
    index: int,
    sentence: Sentence,
    passages: Sequence[Passage],
    known: frozenset[str],
    vocabulary: _Vocabulary,
    pack: Pack,
) -> Claim:
    found = markers(sentence.text, known)
    text = without(sentence.text, found)
    says_something = any(map(str.isalnum, text))
    placed = [
        Marker(target=marker.target, span=(marker.span[0] + sentence.start, marker.span[1] + sentence.start))
        for marker in found
    ]
    resolved = (resolve(marker.target, passages) for marker in found)
    return Claim(
        index=index,
        text=sentence.text,
        span=sentence.span,
        factual=says_something
        and (bool(found) or any(_is_factual(one, sentence.kind, vocabulary, pack) for one in _parts(text))),
        markers=tuple(placed),
        cited=tuple(dict.fromkeys(identity for identity in resolved if identity is not None)),
    )


def _parts(text: str) -> list[str]:
    """A condition and what holds under it, each by itself; any other sentence as it is."""
    return [one.text for one in pieces(text)] if "?" in text else [text]


def _is_factual(text: str, kind: str, vocabulary: _Vocabulary, pack: Pack) -> bool:
    """Whether a sentence that cites nothing may state a fact."""
    plain = squash(text)
    if is_own_words(text, pack) or is_refusal(text) or _ANNOUNCES.fullmatch(plain):
        return False
    if HARD_FACT.search(text) or kind == "row":
        return True
    if _COURTESY.fullmatch(plain) or says_only_silence(text):
        return False
    asked = plain.strip("*_# ")
    if asked.endswith("?"):
        return not _ASKS.match(asked) or bool(_LOADED.search(asked))
    if kind == "heading" or _BOLD.fullmatch(text.strip()) or text.rstrip().endswith(":"):
        return not _names_topic(plain, vocabulary)
    return not _is_warning(text, pack)


def _names_topic(plain: str, vocabulary: _Vocabulary) -> bool:
    """Whether a heading says no more than `Next steps` or than a heading of the sources."""
    said = [word for word in content_words(plain) if word not in _LABEL_WORDS]
    return not said or (len(plain.split()) <= LONGEST_HEADING and vocabulary.heads(frozenset(map(stem, said))))


@by_text(1024)
def leans(text: str) -> bool:
    """Whether a sentence needs the one before it: 'It is closed on Sundays.' A mere `However,` does not; in `Guides say
    that …` and `Dogs that bite …` nothing points at it."""
    said = _pointing_words(text)
    if len(said) > 1 and said[0] in ("however", "also"):
        said = said[1:]
    if not said or said[0] in _LEANING:
        return bool(said)
    return any(word in _POINTING and (word != "that" or before in _BEFORE_THAT) for before, word in pairwise(said[:3]))


def points_back(text: str) -> bool:
    """Whether a sentence begins with a word that stands for something in the one before it."""
    said = _pointing_words(text)
    return bool(said) and said[0] in _PRONOUNS


def _pointing_words(text: str) -> list[str]:
    """The words of a sentence without those that seem to point back: `Those who pass`, `This year's fair`."""
    return words(_OWN_POINTING.sub(" people ", text))


def is_own_words(text: str, pack: Pack) -> bool:
    """Whether a sentence is one the pack itself puts into answers."""
    return squash(text) in _pack_sentences(pack)


def _is_warning(text: str, pack: Pack) -> bool:
    """A warning that the pack asks for, in other words: `Please check the dates with the university.`"""
    hits = (View(text).first(warning.patterns) for warning in pack.warnings if warning.patterns)
    return any(hit is not None and hit.span[1] - hit.span[0] >= MOSTLY * len(text) for hit in hits)


@lru_cache(maxsize=16)
def _pack_sentences(pack: Pack) -> frozenset[str]:
    """Sentences the pack itself supplies: warnings, sections, fixes and refusals are vouched for by its author."""
    texts = [warning.text for warning in pack.warnings]
    texts += [section.text for section in pack.sections if section.text]
    texts += [text for rule in pack.rules if rule.fix for text in (rule.fix.append, rule.fix.prepend) if text]
    texts += [rule.message for rule in pack.rules if rule.message]
    return frozenset(squash(sentence.text) for text in texts for sentence in sentences(text))


RULE = re.compile(r"\s*\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?)?\s*")
"""`|---|---|`"""
HARD_FACT = re.compile(r"\d|https?://|www\.|@|%|[$€£]")
_LABEL_WORDS = frozenset(
    "summary overview options option next steps step answer details background sources source references note notes "
    "important conclusion recommendation recommendations introduction here following documents document say".split()
)
_BOLD = re.compile(r"(\*\*|__)[^*_]+\1:?")
_ASKS = re.compile(
    r"(?:and |so |but )?(?:(?:would|do|did|are|were|have|can|could|shall|should|may|will) (?:you|i|we)\b"
    r"|(?:what|which|how|when|where|who|why)\b.*\b(?:you|your|i|we)\b"
    r"|(?:any|other) questions\b|does (?:this|that) help\b)"
)
"""A question put to the reader."""
_LOADED = re.compile(r"\b(?:know|that|because|since|given|although|though|while|whereas|despite|n't|not)\b|n't\b")
"""What makes a question say something: 'Did you know that …?'"""
_PRONOUNS = frozenset("it they he she this these those that such its their both".split())
_LEANING = _PRONOUNS | frozenset("but and so then none neither either otherwise instead".split())
_POINTING = frozenset("this that these those such".split())
_OWN_POINTING = re.compile(
    r"\b(?:those(?=\s+(?:who|whose|with|without|aged)\b)|this(?=\s+(?:year|month|week|semester|term|season)\b)"
    r"|such(?=\s+as\b))",
    re.IGNORECASE,
)
"""`Those who`, `this year`, `such as`: what they mean stands beside them."""
_BEFORE_THAT = frozenset(
    "about after although as at because before besides beyond by despite during even for from if in like of on once "
    "only since than though to under unless until when where while with".split()
)
"""Words after which `that` stands for something: `after that`, `in that case`."""
_COURTESY = re.compile(
    r"(?:(?:hi|hello|hey|dear|good (?:morning|afternoon|evening|day))(?:,? (?:there|friend|student|reader|"
    r"(?:(?:mr|mrs|ms|miss|dr|prof)\.? )?(?:(?:van|de|der|den|von|du|la|le|el|al|bin) ){0,2}[a-z]+))?"
    r"|thank(?:s| you)(?: (?:so much|very much))?(?: for (?:asking|your question|reaching out|getting in touch))?"
    r"|(?:that(?:'s| is) (?:a )?)?(?:great|good|excellent) question"
    r"|good luck(?: (?:with|on) (?:your|the) [a-z]+)?|all the best|best wishes|kind regards|regards|you're welcome"
    r"|(?:sure|certainly|of course|okay|ok)[,.!] i(?: can|'d be happy to|'ll) help(?: you)?(?: with that)?"
    r"|i hope (?:this|that) helps|(?:please )?let me know if you (?:have|need) (?:any )?(?:more |other |further )?"
    r"(?:questions|help|information)(?: or if there(?:'s| is) anything else (?:i|we) can help(?: you)?(?: with)?)?"
    r"|(?:please )?feel free to ask(?: me)?(?: (?:more|any|further|other) questions)?"
    r"|here is what the (?:documents|sources) say|here are some (?:options|suggestions)"
    r"|you(?:'ve| have) got this|well done|congratulations)[ .!,:;)]*"
)
_SURE = re.compile(r"(?:sure|certainly|of course|okay|ok)[.!]?")
_HERE_IS = re.compile(r"here(?:'s| is| are)\b")
_ANNOUNCES = re.compile(
    r"(?:(?:sure|certainly|of course|okay|ok)[,.!]? )?here(?:'s| is) (?:a |the |my |your )?(?:brief |short |concise )?"
    r"(?:summary|overview|answer)(?: you requested)?"
    r"(?: (?:of|to|for) the (?:news(?: article)?|article|text|story|passages?|documents?|question))?"
    r"(?: based on the (?:given |provided )?(?:passages?|documents?|text|article))?"
    r"(?:,? (?:in|within|of|under) (?:about |around |under )?\d{1,4} words(?: or (?:less|fewer))?)? ?[:.]?"
)
"""The answer speaking of itself, and of its own length."""
