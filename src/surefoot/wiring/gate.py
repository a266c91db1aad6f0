"""The gate's checks and its configuration, as the settings ask."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from surefoot.core.ports import Embedder, Grounder, SlowGrounder
from surefoot.packs.schema import Pack
from surefoot.settings import Settings
from surefoot.verify.checks.citations import CitationCheck
from surefoot.verify.checks.conflict import ConflictCheck
from surefoot.verify.checks.consistency import ConsistencyCheck
from surefoot.verify.checks.entities import EntityCheck
from surefoot.verify.checks.names import NameCheck
from surefoot.verify.checks.policy import PolicyCheck
from surefoot.verify.checks.readable import ReadableCheck
from surefoot.verify.checks.structure import StructureCheck
from surefoot.verify.checks.terms import TermCheck
from surefoot.verify.checks.tone import ToneCheck
from surefoot.verify.checks.urls import UrlCheck
from surefoot.verify.checks.values import ValueCheck
from surefoot.verify.gate import GateConfig
from surefoot.verify.ground.risk import GroundingCheck
from surefoot.verify.read.submission import Check

REHEARSAL_MS = 60_000
"""Recorded cases test verdicts, not speed: a busy machine must not change one."""
REHEARSING = GateConfig(deadline_ms=REHEARSAL_MS, critic_timeout_ms=REHEARSAL_MS // 2)


def build_rules() -> Sequence[Check]:
    """Stage 1, cheap to dear."""
    return (
        PolicyCheck(),
        ReadableCheck(),
        ToneCheck(),
        StructureCheck(),
        CitationCheck(),
        UrlCheck(),
        EntityCheck(),
        TermCheck(),
        ValueCheck(),
        NameCheck(),
        ConsistencyCheck(),
        ConflictCheck(),
    )


def build_grounding(
    accurate: Grounder | None,
    fast: Grounder | None,
    thorough: SlowGrounder | None,
    *,
    embedder: Callable[[], Embedder],
    now: Callable[[], float],
) -> Sequence[Check]:
    """Stage 2; without a grounder it needs no embedder."""
    embeds = embedder() if accurate or fast or thorough else None
    return (GroundingCheck(accurate=accurate, fast=fast, thorough=thorough, embedder=embeds, now=now),)


def gate_config(settings: Settings) -> GateConfig:
    return GateConfig(
        deadline_ms=settings.deadline_ms,
        strict_mode=settings.strict_mode,
        trust=settings.trust,
        enable_fallback=settings.enable_fallback,
        fallback_to_rag_draft=settings.fallback_to_rag_draft,
        critic_timeout_ms=settings.critic_timeout_ms,
        skip_llm_if_rule_confidence=settings.skip_llm_if_rule_confidence,
    )


def citing(pack: Pack, citations: str | None) -> Pack:
    """The pack, wanting citations as a caller says; None: as it says itself."""
    return pack if citations is None else replace(pack, citations=replace(pack.citations, mode=citations))
