"""The safe text: what leaves when a draft does not. It needs no check to be true, and no fault can keep it back.

The caller's own `rag_draft`, for which the caller vouches; else whole sentences of the sources, each cited.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from surefoot.core.ports import SafeWriter
from surefoot.core.taint import tainted
from surefoot.core.text import sentences
from surefoot.core.types import DONT_KNOW, Claim, Passage, VerifyInput
from surefoot.packs.schema import Pack, When
from surefoot.verify.mend.sections import Sections
from surefoot.verify.prove.certificate import Basis, extractive_basis
from surefoot.verify.read.alignment import bare_form
from surefoot.verify.read.claims import claims_of
from surefoot.verify.read.reading import read

MOST_PASSAGES = 20
"""The text is made of the first passages, within the reserve of time, however many there are."""
MOST_CHARACTERS = 40_000
ENOUGH = 400
"""Characters of a safe text that nobody asked a question for."""


def plain_basis(text: str = DONT_KNOW) -> Basis:
    """The basis of a text that rests on nothing: the "I don't know" sentence, a rule's message."""
    return Basis(text=text, claims=(), reports=(), passages=())


def vouched_basis(given: str, request: VerifyInput, pack: Pack, passages: tuple[Passage, ...]) -> Basis:
    """The caller's own safe text, as given."""
    claims = claims_of(given, request.chunks, pack)
    return Basis(text=given, claims=claims, reports=(), passages=passages)


def source_basis(request: VerifyInput, pack: Pack, writer: SafeWriter, about: Sequence[Claim] = ()) -> Basis:
    """Sentences of the sources that answer the question or, without one, that the draft's claims are about."""
    passages = _quotable(request.chunks)
    placed = _placed(request.chunks, passages)
    style = pack.citations.style
    asked = request.question or ""
    text = _in_place(writer.write(asked, placed, style=style), passages, "", [asked]) if asked else ""
    for at, claim in enumerate(about if not text else ()):
        more = writer.write(claim.text, placed, style=style) if len(text) < ENOUGH else ""
        more = _in_place(more, passages, claim.text, [*(one.text for one in reversed(about[:at])), asked])
        text = " ".join(filter(None, (text, *_new(more, text))))
    if not text.strip():
        return plain_basis()
    warned = "\n\n".join([text, *(warning.text for warning in pack.warnings if warning.when == When())])
    return extractive_basis(warned, passages)


def _in_place(text: str, passages: Sequence[Passage], said: str, before: Sequence[str]) -> str:
    """Without the sentences that stand only in other sections than the one that is spoken of."""
    sections = Sections(passages=passages, said=said, before=before)
    kept: list[str] = []
    for quote in (one.text for one in sentences(text)):
        bare = bare_form(quote)
        places = [
            (line.sentence.start, passage.id)
            for passage in passages
            for line in read(passage.text)
            if bare_form(line.sentence.text) == bare
        ]
        if not places or not all(sections.is_elsewhere(quote, at, within) for at, within in places):
            kept.append(quote)
    return " ".join(kept)


def _new(more: str, text: str) -> list[str]:
    """The sentences that are not in the text yet."""
    return [one.text for one in sentences(more) if one.text not in text]


def _quotable(chunks: Sequence[Passage]) -> tuple[Passage, ...]:
    """The first passages that carry no instructions, as many as can be read within the reserve of time."""
    chosen: list[Passage] = []
    room = MOST_CHARACTERS
    for item in chunks[:MOST_PASSAGES]:
        room -= len(item.text)
        if room < 0:
            break
        if item.text.strip() and not tainted(item):
            chosen.append(item)
    return tuple(chosen)


def _placed(chunks: Sequence[Passage], passages: Sequence[Passage]) -> Sequence[Passage]:
    """All passages in the caller's order, so that [S2] means the second; tainted ones are marked and not quoted."""
    keep = {passage.id for passage in passages}
    return [
        item if item.id in keep else replace(item, text="", metadata={**item.metadata, "tainted": True})
        for item in chunks[:MOST_PASSAGES]
    ]
