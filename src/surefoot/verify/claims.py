"""From a draft to claims: what has to be proven, where it stands, and what it cites.

Everything is a claim unless it is plainly none: a greeting, a question, a heading, advice that states no fact, or a
text the pack itself put there. In doubt a sentence is a claim, because a claim that slips by is the worst bug there is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from surefoot.core.remember import once
from surefoot.core.silence import is_refusal
from surefoot.core.text import content_words, markers, sentences, squash, without
from surefoot.core.types import Claim, Marker, Passage, Sentence
from surefoot.packs.schema import Pack
from surefoot.verify.alignment import profile, stem, stems_of


def claims_of(draft: str, passages: Sequence[Passage], pack: Pack, *, question: str | None = None) -> tuple[Claim, ...]:
    """The draft's sentences as claims, in order, with exact spans."""
    known = frozenset(passage.id for passage in passages)
    vocabulary = _Vocabulary(passages, question or "")
    own = _pack_sentences(pack)
    found = sentences(draft)
    claims = [_claim(index, sentence, passages, known, vocabulary, own) for index, sentence in enumerate(found)]
    if len(found) > 1 and _opens(found[0].text, found[1].text):
        claims[0] = replace(claims[0], factual=False)
    return tuple(claims)


class _Vocabulary:
    """Every word of the passages and the question; brought together only for a draft that has uncited sentences."""

    def __init__(self, passages: Sequence[Passage], question: str) -> None:
        # the reading itself is done here in any case: what comes after has a deadline for judging, not for reading
        self._profiles = [profile(passage.text) for passage in passages]
        self._question = question

    @once
    def _stems(self) -> frozenset[str]:
        return stems_of(self._question).union(*(seen.words for seen in self._profiles))

    def __contains__(self, stem: str) -> bool:
        return stem in self._stems


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
    if number.isdigit() and 1 <= int(number) <= len(passages):
        return passages[int(number) - 1].id
    return None


def _claim(
    index: int,
    sentence: Sentence,
    passages: Sequence[Passage],
    known: frozenset[str],
    vocabulary: _Vocabulary,
    own: frozenset[str],
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
        factual=says_something and (bool(found) or _is_factual(text, sentence.kind, vocabulary, own)),
        markers=tuple(placed),
        cited=tuple(dict.fromkeys(identity for identity in resolved if identity is not None)),
    )


def _is_factual(text: str, kind: str, vocabulary: _Vocabulary, own: frozenset[str]) -> bool:
    """Whether a sentence that cites nothing states a fact."""
    plain = squash(text)
    if plain in own or is_refusal(text) or _ANNOUNCES.fullmatch(plain):
        return False
    if _HARD_FACT.search(text) or _has_new_name(text, vocabulary):
        return True
    if kind == "row":
        return True
    if _COURTESY.fullmatch(plain):
        return False
    unheard = [word for word in content_words(text) if word not in _LABEL_WORDS and stem(word) not in vocabulary]
    if kind == "heading" or text.rstrip().endswith(":"):
        return bool(unheard) or len(plain.split()) > 8 or bool(_ASSERTS.search(plain))
    if text.rstrip().endswith("?"):
        return bool(unheard) or bool(_LOADED_QUESTION.search(plain))
    return not (_ADVICE.match(plain) and not _ASSERTS.search(plain))


def _has_new_name(text: str, vocabulary: _Vocabulary) -> bool:
    """A capitalised word inside the sentence that no source and no question holds."""
    names = (word for match in _NAME.finditer(text) for word in content_words(match.group()))
    return any(stem(word) not in vocabulary for word in names)


def is_own_words(text: str, pack: Pack) -> bool:
    """Whether a sentence is one the pack itself puts into answers."""
    return squash(text) in _pack_sentences(pack)


@lru_cache(maxsize=16)
def _pack_sentences(pack: Pack) -> frozenset[str]:
    """Sentences the pack itself supplies: warnings, sections, fixes and refusals are vouched for by its author."""
    texts = [warning.text for warning in pack.warnings]
    texts += [section.text for section in pack.sections if section.text]
    texts += [text for rule in pack.rules if rule.fix for text in (rule.fix.append, rule.fix.prepend) if text]
    texts += [rule.message for rule in pack.rules if rule.message]
    return frozenset(squash(sentence.text) for text in texts for sentence in sentences(text))


_HARD_FACT = re.compile(r"\d|https?://|www\.|@|%|[$€£]")
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][\w'’-]+")
_LABEL_WORDS = frozenset(
    "summary overview options option next steps step answer details background sources source references note notes "
    "important conclusion recommendation recommendations introduction here following documents document say".split()
)
_LOADED_QUESTION = re.compile(
    r"\b(?:did you know|do you know that|isn't|aren't|wasn't|don't|doesn't|won't|that|because)\b"
)
_COURTESY = re.compile(
    r"(?:(?:hi|hello|hey|dear|good (?:morning|afternoon|evening|day))(?:,? (?:there|friend|student|reader|[a-z]+))?"
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
_ADVICE = re.compile(
    r"(?:(?:your )?(?:first|next) steps?: )?(?:please )?(?:check|confirm|verify|double-check|consider|talk to|speak to|"
    r"speak with|ask|contact|discuss|explore|compare|think about|look at|"
    r"look into|reach out to|read|reread|take (?:some |your )?time|take a look)\b"
    r"|(?:you|it) (?:could|might|may)(?: also)?(?: want to| wish to| like to| help to| be worth)? "
    r"(?:consider|talk|speak|ask|contact|discuss|explore|compare|think|look|read)"
)
_ASSERTS = re.compile(
    r"\b(?:is|are|was|were|will|has|have|had|does|do|did|because|since|which|who|that|always|never|guarantee[sd]?|only|"
    r"free|must|cannot|can't|so|cost[s]?|pay[s]?|require[sd]?|offer[s]?|accept[s]?|allow[s]?|not|no|without|every|all|any|"
    r"best|safe|easy|open|closed|legal|illegal|allowed|included|excluded|full|available)\b"
)
