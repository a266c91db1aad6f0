"""How the draft speaks: promises and orders are softened, unfit wording is named, leaked instructions are caught."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from surefoot.core.taxonomy import issue_of
from surefoot.core.text import sentences, squash
from surefoot.core.types import DONT_KNOW, CheckReport, Edit, Finding, Span
from surefoot.packs.patterns import View, expand
from surefoot.packs.schema import Pack
from surefoot.verify.read.claims import is_own_words
from surefoot.verify.read.submission import Submission

LEAKS = (
    r"\bas an? (?:AI|artificial intelligence|large language model|language model)\b",
    r"\bI(?:'m| am) (?:just |only )?an? (?:AI|artificial intelligence|language model|chatbot)\b",
    r"\bmy (?:training data|knowledge cut-?off|system prompt|instructions)\b",
    r"\bI (?:was|am|have been) (?:told|instructed|programmed|asked|prompted) (?:not )?to\b",
    r"\b(?:the|my|this) (?:system|developer) (?:prompt|message|instructions?)\b",
    r"</?(?:REFERENCES|CONTEXT|SOURCES|SYSTEM|INSTRUCTIONS?|DRAFT)>",
    r"\bignor(?:e|ing) (?:all |any |the )?(?:previous|prior|above|earlier) (?:instructions?|prompts?|rules)\b",
    r"\b(?:the )?(?:provided|given|supplied|retrieved) (?:context|chunks?|snippets?)\b",
    r"\bthe context (?:says|states|mentions|provided|does not|doesn't|above|given|shows|indicates)\b",
    r"\bhere(?:'s| is) (?:the|a|your) (?:revised|rewritten|corrected|final) (?:answer|draft|version|response)\b",
)
"""Wording that belongs between a program and its model, never before a reader. `Based on the given passages` a reader
understands: of 203 such sentences of language models 197 were right."""

LEAD_INS = (
    r"(?:According to|Based on|As (?:stated|mentioned|shown) in|From) the (?:provided |given |supplied |retrieved )?"
    r"(?:context|chunks?|snippets?)(?: provided| above| given)?(?:,|:) ?",
)
"""Phrases that can go without taking the fact behind them along."""


@dataclass(frozen=True)
class ToneCheck:
    name: str = "tone"
    version: str = "2"

    def run(self, submission: Submission) -> CheckReport:
        view = View(submission.draft)
        findings = [
            *_prescriptions(view, submission.pack),
            *_tone(view, submission.pack),
            *_leaks(view, submission.pack),
        ]
        return CheckReport(name=self.name, version=self.version, findings=tuple(findings))


def _prescriptions(view: View, pack: Pack) -> Iterator[Finding]:
    taken: list[Span] = []
    for prescription in pack.prescriptions:
        for hit in view.hits([prescription.pattern]):
            if any(start < hit.span[1] and hit.span[0] < end for start, end in taken):
                continue
            taken.append(hit.span)
            soft = None if prescription.replacement is None else expand(prescription.replacement, hit)
            edits = () if soft is None else (Edit(span=hit.span, replacement=soft, kind="replace"),)
            problem = f"{hit.text!r} promises or orders what can only be advised"
            issue = issue_of("definitive_prescription", hit.span, hit.text, problem, correction=soft)
            yield Finding(issue=issue, edits=edits)


def promises(text: str, pack: Pack) -> bool:
    """Whether a text promises what can only be hoped for. An order (`you must become …`) is advice, if too strong, and
    `whether you will get in` asks."""
    hits = View(text).hits([one.pattern for one in pack.prescriptions])
    return any(not (_ORDER.search(hit.text) or _ASKED.search(text[: hit.span[0]])) for hit in hits)


def _tone(view: View, pack: Pack) -> Iterator[Finding]:
    for hit in view.hits(pack.tone):
        problem = f"{hit.text!r} is unfit for the readers of {pack.title!r}"
        yield Finding(issue=issue_of("tone", hit.span, hit.text, problem))


def _leaks(view: View, pack: Pack) -> Iterator[Finding]:
    draft = view.original
    if squash(draft) == squash(DONT_KNOW):
        return
    cut = sentences(draft)
    done: set[Span] = set()
    for hit in view.hits(LEAD_INS):
        sentence = next((one for one in cut if one.start <= hit.span[0] < one.end), None)
        if sentence is None or hit.span[0] != sentence.start or hit.span[1] >= sentence.end:
            continue
        done.add(sentence.span)
        after = draft[hit.span[1]]
        edit = Edit(span=(hit.span[0], hit.span[1] + 1), replacement=after.upper(), kind="replace")
        yield _leak(hit.span, hit.text, (edit,))
    for hit in view.hits(LEAKS):
        sentence = next((one for one in cut if one.start <= hit.span[0] < one.end), None)
        span = sentence.span if sentence else hit.span
        if span not in done:
            done.add(span)
            yield _leak(hit.span, hit.text)
    instructions = _instructions(pack)
    for one in cut:
        if instructions and one.span not in done and squash(one.text) in instructions:
            yield _leak(one.span, one.text)


def _leak(span: Span, text: str, edits: tuple[Edit, ...] = ()) -> Finding:
    problem = f"{text!r} speaks of the instructions, not to the reader"
    return Finding(issue=issue_of("prompt_violation", span, text, problem), edits=edits)


@lru_cache(maxsize=32)
def _instructions(pack: Pack) -> frozenset[str]:
    """The sentences of the pack's prompts that are long enough to be nobody's own words."""
    found = (one.text for prompt in pack.prompts.values() for one in sentences(prompt))
    return frozenset(squash(text) for text in found if len(text.split()) >= 6 and not is_own_words(text, pack))


_ASKED = re.compile(r"\b(?:whether|if)\s*\Z", re.IGNORECASE)
_ORDER = re.compile(r"\b(?:must|have to|should)\b", re.IGNORECASE)
