"""The judge's thirty disputes, written as people write: their domain is found, and so is what speaks about them."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from surefoot.correct.domain import detect
from surefoot.encoders.embedder import OnnxEmbedder
from surefoot.packs.cases import Case, read_cases
from surefoot.packs.loader import BUILTIN, load
from surefoot.wiring import build
from surefoot.wiring.texts import pack_texts

DISPUTES = [case for case in read_cases(BUILTIN / "judge")[0] if case.file == "cases/disputes.jsonl"]


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return OnnxEmbedder()


def test_there_are_ten_of_each_domain_half_of_them_with_a_bad_rationale() -> None:
    kinds = Counter((case.id.split("-")[0], case.id.rsplit("-", 1)[1]) for case in DISPUTES)
    assert kinds == {(name, kind): 5 for name in load("judge").keywords for kind in ("good", "bad")}
    for case in DISPUTES:
        assert case.request.case
        assert "[case]" in case.request.draft_answer
        assert case.expect.final_contains
        assert bool(case.expect.final_lacks) == case.id.endswith("-bad")
        assert all(text in case.request.draft_answer for text in case.expect.final_lacks)


@pytest.mark.parametrize("case", DISPUTES, ids=lambda case: case.id)
def test_the_domain_of_a_dispute_is_found(case: Case, embedder: OnnxEmbedder) -> None:
    pack = load("judge")
    found = detect(case.request.case or "", pack.keywords, embedder=embedder, examples=pack.domain_examples)
    assert found == case.id.split("-")[0]


def test_what_speaks_about_a_case_is_found_by_meaning_and_shown_without_its_front_matter(tmp_path: Path) -> None:
    async def judged() -> list[str]:
        house = build(kb=tmp_path, fetch_curated=False)
        try:
            found = await house.judge("I do nine hours at the till and never get to eat.", "Is that allowed?")
        finally:
            await house.close()
        assert all(reference.snippet in text for reference, text in zip(found.references, texts_of(found), strict=True))
        return [reference.title for reference in found.references]

    def texts_of(found) -> list[str]:  # type: ignore[no-untyped-def]
        bodies = {text.metadata["title"]: " ".join(text.text.split()) for text in pack_texts(load("judge"))}
        return [bodies[reference.title] for reference in found.references]

    assert "Breaks, daily rest and weekly rest" in asyncio.run(judged())
    assert not any(text.text.startswith("---") or "jurisdiction:" in text.text for text in pack_texts(load("judge")))
