"""What cannot be read is not released: hidden or disguised characters, digits made of markers, unchecked languages.

A reader sees something else than the checks do, or the checks see nothing at all: either is a finding of its own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from math import ceil

from surefoot.core.invisible import INVISIBLE
from surefoot.core.taxonomy import issue_of
from surefoot.core.text import STOPWORDS, words
from surefoot.core.types import CheckReport, Claim, Finding, Span
from surefoot.verify.read.alignment import stem
from surefoot.verify.read.ordinary import ORDINARY
from surefoot.verify.read.submission import Submission

FOREIGN_BELOW = 0.3
"""Share of a sentence's words that must be words of the sources or of a language the grounder was taught."""
FEW = 5
"""Words from which a sentence's language is looked at."""


@dataclass(frozen=True)
class ReadableCheck:
    name: str = "readable"
    version: str = "1"

    def run(self, submission: Submission) -> CheckReport:
        draft = submission.draft
        found = [*_hidden(draft), *_disguised(draft, submission), *_digits_of_markers(draft)]
        found += [(claim.span, FOREIGN) for claim in submission.claims if claim.factual and _foreign(claim, submission)]
        return CheckReport(name=self.name, version=self.version, findings=tuple(_finding(draft, *one) for one in found))


def _hidden(draft: str) -> Iterator[tuple[Span, str]]:
    if "<" in draft:
        for match in _COMMENT.finditer(draft):
            yield match.span(), "this is hidden from the reader"
    if not draft.isascii():
        for match in _UNSEEN.finditer(draft):
            yield match.span(), "this holds characters that cannot be seen"


def _disguised(draft: str, submission: Submission) -> Iterator[tuple[Span, str]]:
    """Letters and digits that only look like others: bold-face Unicode, one word from two alphabets."""
    if draft.isascii():
        return
    for match in _WORD.finditer(draft):
        word = match.group()
        if word.isascii():
            continue
        plain = unicodedata.normalize("NFKC", word)
        if plain != unicodedata.normalize("NFC", word) and not _SMALL_FORMS.search(word):
            yield match.span(), f"this is written in characters that only look like {plain!r}"
        elif len(scripts := _scripts(word)) > 1 or (scripts - {"LATIN"} and not _held(word, submission)):
            yield match.span(), "this is written in another alphabet than the sources"


def _scripts(word: str) -> set[str]:
    """The alphabets of a word's letters; signs such as µ and ° belong to all."""
    names = (unicodedata.name(char, "").split(" ")[0] for char in word if char.isalpha() and char not in "µªº")
    return {name for name in names if name}


def _held(word: str, submission: Submission) -> bool:
    return any(word in passage.text for passage in submission.passages)


def _digits_of_markers(draft: str) -> Iterator[tuple[Span, str]]:
    """`R[9] a day` shows a number that is none: a marker stands where a digit should."""
    if _GROWN_TOGETHER.search(draft):
        for match in _MARKER_AS_DIGIT.finditer(draft):
            yield match.span(), "a marker stands in the place of a number"


def _foreign(claim: Claim, submission: Submission) -> bool:
    """Whether most words are of a language that neither the sources nor the grounder speak."""
    text = submission.line(claim).sentence.text
    if _may_hold_address(text) and _ADDRESS.search(text):
        text = " ".join(part for part in text.split() if not _ADDRESS.search(part))
    said = words(text)
    if len(said) < FEW:
        return False
    enough = FOREIGN_BELOW * len(said)
    known = (word for word in said if word in _TAUGHT or word[0].isdigit() or submission.knows(stem(word)))
    return len(list(islice(known, ceil(enough)))) < enough


def _may_hold_address(text: str) -> bool:
    """Much cheaper to ask than the pattern."""
    return "." in text[:-1] or "www." in text or "@" in text or "://" in text


def _finding(draft: str, span: Span, problem: str) -> Finding:
    return Finding(issue=issue_of("evidence_miss", span, draft[span[0] : span[1]], problem))


FOREIGN = "this is written in a language that is neither the sources' nor one that is checked"
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)|<(?:script|style|template|noscript)\b.*?(?:>|\Z)", re.DOTALL | re.IGNORECASE)
_UNSEEN = re.compile(f"(?:(?!\ufe0f){INVISIBLE.pattern})+")
"""U+FE0F only colours an emoji."""
_ADDRESS = re.compile(r"://|www\.|@|\w\.\w")
_WORD = re.compile(r"\w+")
_SMALL_FORMS = re.compile("[µ¹²³⁰-₎¼-¾⅐-⅞ªºﬀ-ﬆ\u2100-\u214f]")
"""Superscripts, fractions, ligatures and signs such as ™ and ℃, which people do write."""
_GROWN_TOGETHER = re.compile(r"\[(?:(?<=[R€£$¥.,]\[)|(?<=[R€£$¥]\s\[))|\](?=[\d%])")
"""A bracket beside what a digit stands beside: in all that the next pattern finds, and quick to find."""
_MARKER_AS_DIGIT = re.compile(
    r"(?:(?<![A-Za-z])R|[€£$¥])\s?\[[Ss]?\d{1,6}\]|\d[.,]\[\d{1,6}\]|\[[Ss]?\d{1,6}\](?=\d|%)"
)
_SMALL_WORDS = (
    "die het is van en in nie wat vir met op jy jou jou sy hulle ons ek kan moet sal as dat of om te by na uit aan oor "
    "ook maar daar hierdie word was een baie meer deur tot nog dan slegs "
    "le la les un une des du de et est sont dans pour par sur avec ne pas que qui vous votre vos il elle ils nous je "
    "au aux ce cette ces plus ou mais être avoir peut doit son sa ses leur leurs à"
)
_TAUGHT = STOPWORDS | ORDINARY | frozenset(_SMALL_WORDS.split())
"""Small words of Afrikaans and French, and of English the ordinary ones the grounder was taught with."""
