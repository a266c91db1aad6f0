"""Runs one pack-driven check on a draft."""

from __future__ import annotations

from collections.abc import Mapping

from surefoot.core.types import Edit, Finding, Json, Passage
from surefoot.packs.loader import load
from surefoot.packs.schema import Pack
from surefoot.verify.read.claims import claims_of
from surefoot.verify.read.submission import Check, Submission


def findings(
    check: Check,
    draft: str,
    *,
    pack: Pack | None = None,
    sources: tuple[str, ...] = (),
    profile: Mapping[str, Json] | None = None,
    question: str | None = None,
) -> tuple[Finding, ...]:
    chosen = pack or load("thandi")
    passages = tuple(Passage(id=f"S{number}", text=text) for number, text in enumerate(sources, 1))
    submission = Submission(
        draft=draft,
        claims=claims_of(draft, passages, chosen),
        passages=passages,
        profile=profile or {},
        question=question,
        pack=chosen,
        today="2026-01-01",
    )
    found = check.run(submission).findings
    for finding in found:
        start, end = finding.issue.span
        assert draft[start:end] == finding.issue.location
    return found


def codes(found: tuple[Finding, ...]) -> list[str]:
    return [finding.issue.code for finding in found]


def edited(draft: str, edits: tuple[Edit, ...]) -> str:
    for edit in sorted(edits, key=lambda one: one.span, reverse=True):
        draft = draft[: edit.span[0]] + edit.replacement + draft[edit.span[1] :]
    return draft
