"""The glossary: every noun that crosses a room's edge, as frozen values.

Units: times are milliseconds unless a name says otherwise, spans are [start, end) character offsets into the
text they speak of, scores and confidences lie between 0 and 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]
Span = tuple[int, int]

DONT_KNOW = "I don't know based on the provided documents."


class Severity(StrEnum):
    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class IssueType(StrEnum):
    HALLUCINATION = "hallucination"
    INACCURACY = "inaccuracy"
    TONE = "tone"
    POLICY = "policy"
    STRUCTURE = "structure"
    CITATION = "citation"


class Action(StrEnum):
    """What a pack's rule asks for when it fires."""

    WARN = "warn"
    FIX = "fix"
    REJECT = "reject"


class Decision(StrEnum):
    APPROVED = "approved"
    REVISED = "revised"
    REJECTED = "rejected"
    FALLBACK = "fallback"


class RuleStatus(StrEnum):
    PASS = "PASS"
    FAIL = "FAIL"
    NEEDS_REVIEW = "NEEDS_REVIEW"


@dataclass(frozen=True, kw_only=True, slots=True)
class Passage:
    """A piece of a source that may serve as evidence. The wire calls it a chunk."""

    id: str
    text: str
    metadata: Mapping[str, Json] = field(default_factory=dict)
    """source, category, career?, institution?, title?, headings?, page?, start/end offsets, date?, external? ..."""
    similarity: float | None = None
    """How close retrieval found it to the question; None when the caller did not say."""


class Sentence(NamedTuple):
    """One sentence, heading, list item or table row, with exact offsets: text == whole[start:end].

    A tuple, because a verification makes a hundred of them.
    """

    text: str
    start: int
    end: int
    kind: str = "prose"
    """prose | heading | item | row"""

    @property
    def span(self) -> Span:
        return (self.start, self.end)


@dataclass(frozen=True, kw_only=True, slots=True)
class Marker:
    """A citation marker such as [S2] or [2]; one Marker per target, so [S1, S2] gives two with one span."""

    target: str
    """What stands inside: 'S2', '2' or a passage id."""
    span: Span


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """A sentence of the draft as something to be proven."""

    index: int
    text: str
    """The sentence without its citation markers' meaning removed: the exact slice of the draft."""
    span: Span
    factual: bool
    """False for greetings, questions, headings and advice that states no fact."""
    markers: tuple[Marker, ...] = ()
    cited: tuple[str, ...] = ()
    """Ids of the passages the markers resolve to; attributed passages where the pack needs no markers."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Issue:
    """One thing wrong with one span, for one cause."""

    type: IssueType
    severity: Severity
    code: str
    """From the closed taxonomy in core/taxonomy.py."""
    location: str
    span: Span
    problem: str
    correction: str | None = None
    evidence: str | None = None
    action: Action | None = None
    """Set where a pack's rule fired; FIX blocks whatever the severity, WARN never does."""

    @property
    def blocking(self) -> bool:
        if self.action is not None:
            return self.action is not Action.WARN
        return self.severity is not Severity.LOW


@dataclass(frozen=True, kw_only=True, slots=True)
class Edit:
    """A change of the draft that would settle an issue: text[start:end] becomes replacement."""

    span: Span
    replacement: str
    kind: str
    """replace | drop | recite | append | prepend | reorder"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """An issue together with the edits that would repair it; no edits means: drop the sentence."""

    issue: Issue
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class ValueMatch:
    """A typed value of the claim and the equal value in the source, as they are written."""

    claim_text: str
    claim_span: Span
    source_text: str
    source_span: Span
    kind: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Proof:
    """Where a claim is proven: a quote of one passage, by offsets, and how it was proven."""

    claim: int
    """Index of the claim."""
    passage: str
    span: Span
    """Offsets of the quote in the passage."""
    method: str
    """quote (verbatim), values, grounder, features, structured"""
    score: float = 1.0
    values: tuple[ValueMatch, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckReport:
    """What one check says of one submission."""

    name: str
    version: str
    findings: tuple[Finding, ...] = ()
    proofs: tuple[Proof, ...] = ()
    measures: Mapping[str, float] = field(default_factory=dict)
    """Numbers worth reporting, such as citation precision and coverage."""
    unsupported: tuple[Span, ...] = ()
    """The words of the text that no evidence supports. They say where; what is blocked or repaired follows findings."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Revision:
    """A repair that was made and verified again."""

    code: str
    kind: str
    before: str
    after: str
    span: Span


@dataclass(frozen=True, kw_only=True, slots=True)
class VerifyOptions:
    skip_llm_verification: bool = False
    strict_mode: bool | None = None
    """None: as the settings say."""
    llm_model: str | None = None
    deadline_ms: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class VerifyInput:
    """A draft answer and what it must be proven from."""

    draft_answer: str
    chunks: tuple[Passage, ...] = ()
    profile: Mapping[str, Json] = field(default_factory=dict)
    rag_draft: str | None = None
    """The safe text to fall back to; the caller vouches for it."""
    question: str | None = None
    session_id: str | None = None
    pack: str | None = None
    rules: tuple[str, ...] = ()
    """Paths of extra rule files."""
    options: VerifyOptions = field(default_factory=VerifyOptions)


@dataclass(frozen=True, kw_only=True, slots=True)
class ResultMetadata:
    processing_time_ms: float
    stages_completed: tuple[str, ...]
    issues_detected: tuple[Issue, ...]
    revisions_applied: tuple[Revision, ...]
    sources_used: tuple[str, ...]
    llm_model: str | None
    fallback_reason: str | None
    """Why, for fallback and reject alike: a code of the taxonomy or of the decision table."""
    rule_status: RuleStatus
    confidence: float
    certificate: Mapping[str, Json]
    stage_times_ms: Mapping[str, float] = field(default_factory=dict)
    measures: Mapping[str, float] = field(default_factory=dict)
    unsupported_spans: tuple[Span, ...] = ()
    """The words of the draft that stage 2 found no support for, also where the rules hold their sentence already."""
    run_id: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class VerificationResult:
    success: bool
    decision: Decision
    final_answer: str
    metadata: ResultMetadata

    @property
    def accepted(self) -> bool:
        return self.decision in (Decision.APPROVED, Decision.REVISED)


@dataclass(frozen=True, kw_only=True, slots=True)
class EvidencePair:
    """One claim beside the sentences it is to be judged by: what a grounder reads."""

    claim: str
    evidence: tuple[str, ...]
    previous: str | None = None
    """The sentence before the claim, for pronouns."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GroundingScore:
    unsupported: float
    """Calibrated probability that the evidence does not support the claim."""
    spans: tuple[tuple[int, int, float], ...] = ()
    """Unsupported words as (start, end, probability) in the claim, each on its own."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelRequest:
    """One call of a language model; its content hash is its identity in caches, recordings and journals."""

    system: str
    prompt: str
    temperature: float = 0.1
    max_tokens: int = 1000
    schema: Mapping[str, Json] | None = None
    """A JSON schema the reply must meet; None for free text."""
    timeout_ms: int = 30_000
    role: str = "answer"
    """answer | critic | finalizer | question | judge"""
    seed: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelReply:
    text: str
    model: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    finish_reason: str = "stop"


@dataclass(frozen=True, kw_only=True, slots=True)
class DraftTask:
    """What a generator is to write about, and from what."""

    question: str
    passages: tuple[Passage, ...]
    profile: Mapping[str, Json] = field(default_factory=dict)
    """Redacted before it comes here: it may leave the machine."""
    style: str = "[S#]"
    previous: str | None = None
    """The text the gate did not accept, when this is a correction."""
    problems: tuple[str, ...] = ()
    """Why it was not accepted."""
    timeout_ms: int = 30_000
    max_tokens: int = 1000


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """A text nobody has verified yet."""

    text: str
    """Empty when the sources hold no answer."""
    model: str
    tokens: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """The proven start of an answer, released before the decision; what follows begins with it."""

    text: str
    claims: tuple[Claim, ...]
    reports: tuple[CheckReport, ...]
    passages: tuple[Passage, ...]
    certificate: Mapping[str, Json]
    """Of these sentences as a text of their own."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Document:
    """A source as a reader gave it: text to cut, and what is known of it."""

    source: str
    """Stable name: the path relative to what was ingested, or a URL."""
    text: str
    sha256: str
    """Of the original bytes."""
    metadata: Mapping[str, Json] = field(default_factory=dict)
    """title, date, category, language, pages..., and whatever front matter says"""


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoredPassage:
    """A passage found by retrieval, with its scores and why it is there."""

    passage: Passage
    score: float
    """The score the list is sorted by."""
    dense: float | None = None
    dense_rank: int | None = None
    lexical: float | None = None
    lexical_rank: int | None = None
    fused: float | None = None
    rerank: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Retrieval:
    """What retrieval found for one question."""

    question: str
    passages: tuple[ScoredPassage, ...]
    relevance: float
    """Calibrated: how likely the passages hold an answer at all."""
    relevant: bool
    """False is a retrieval miss: nothing here answers the question."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchFilter:
    """Restricts retrieval: every given key must match one of its values in the passage's metadata."""

    equals: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    since: str | None = None
    """ISO date: only passages dated on or after it."""
    until: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class AskEvent:
    """Progress of one question, for a terminal, a stream or a page."""

    node: str
    """retrieve | generate | validate | execute | synthesize | deliver"""
    state: str
    """started | finished | failed"""
    round: int = 0
    elapsed_ms: float = 0.0
    detail: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Round:
    """One pass of generate and validate."""

    number: int
    score: float
    """The smallest of groundedness, completeness and relevance."""
    groundedness: float
    completeness: float
    relevance: float
    outdated: bool
    accepted: bool
    reasons: tuple[str, ...] = ()
    external: tuple[str, ...] = ()
    """URLs of outside evidence this round used."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AskResult:
    question: str
    result: VerificationResult
    passages: tuple[ScoredPassage, ...]
    rounds: tuple[Round, ...] = ()
    domain: str = "default"
    cached: bool = False
    unanswered: tuple[str, ...] = ()
    """Sub-questions no source answers."""
    premises: tuple[str, ...] = ()
    """What the question takes for granted although the sources say otherwise."""
    events: tuple[AskEvent, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Reference:
    number: int
    url: str
    title: str
    snippet: str
    external: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeResult:
    summary: str
    rationale: str
    domain: str
    references: tuple[Reference, ...]
    result: VerificationResult


@dataclass(frozen=True, kw_only=True, slots=True)
class SkippedFile:
    source: str
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class IngestReport:
    added: int = 0
    updated: int = 0
    removed: int = 0
    unchanged: int = 0
    chunks: int = 0
    """Chunks embedded in this run."""
    skipped: tuple[SkippedFile, ...] = ()
    changed_ids: tuple[str, ...] = ()
    """Ids of chunks that were changed or deleted: caches drop what cites them."""
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class RunSummary:
    """One line of the list of runs: no texts."""

    run_id: str
    at: str
    """UTC, ISO 8601."""
    kind: str
    """ask | verify | judge | feedback"""
    decision: str | None
    reason: str | None
    pack: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredDocument:
    """A source the knowledge base knows."""

    source: str
    state: str
    """done | pending | skipped"""
    chunks: int
    reason: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class IngestProgress:
    """How far an ingest is, for a progress bar and its rate."""

    files: int
    """Files looked at so far."""
    total: int
    chunks: int
    """Chunks embedded so far."""
    seconds: float
    source: str = ""
    """The file last finished."""
