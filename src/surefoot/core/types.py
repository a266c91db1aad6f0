"""The glossary: every noun that crosses a room's edge, as frozen values.

Units: times are milliseconds unless a name says otherwise, spans are [start, end) character offsets into the
text they speak of, scores and confidences lie between 0 and 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from surefoot.core.screen import Line, Screen

Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]
Span = tuple[int, int]

DONT_KNOW = "I don't know based on the provided documents."


class Severity(StrEnum):
    """How much an issue matters; medium and up block."""

    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class IssueType(StrEnum):
    """What kind of thing is wrong."""

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
    """What became of a draft: it left as it came, mended, not at all, or a safe text left in its place."""

    APPROVED = "approved"
    REVISED = "revised"
    REJECTED = "rejected"
    FALLBACK = "fallback"


class RuleStatus(StrEnum):
    """What stage 1 said of the draft as it came."""

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
    """replace | quote | drop | recite | append | prepend | reorder"""


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
    """quote (verbatim), values, grounder"""
    score: float = 1.0
    values: tuple[ValueMatch, ...] = ()


class Status(StrEnum):
    """How a sentence of the draft stands to its evidence."""

    PROVEN = "proven"
    """A quote, or hardly any risk with every value and name bound."""
    SUPPORTED = "supported"
    DOUBTFUL = "doubtful"
    UNSUPPORTED = "unsupported"
    """Too much risk, or a hard finding."""
    SILENT = "no_claim"
    """States nothing about the world."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Judgement:
    """What stage 2 says of one claim."""

    claim: int
    """Index of the claim."""
    status: Status
    risk: float
    method: str = "grounder"
    """What it rests on: quote, grounder, critic or nothing"""
    passage: str | None = None
    span: Span | None = None
    """The sentence of the evidence it leans on."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Quote:
    """A sentence of a source."""

    source: str
    span: Span
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ClaimResult:
    """One sentence of the draft as it came, and what became of it."""

    text: str
    span: Span
    status: Status
    risk: float
    rests_on: str | None = None
    """quote, derived, proven, supported or critic; None where nothing carries it"""
    evidence: tuple[Quote, ...] = ()
    issue: str | None = None
    """The code of the worst issue with it."""


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
    judgements: tuple[Judgement, ...] = ()
    """Of the claims, where the check grounds them."""


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
    """Choices of one verification; what is left out is as the settings say."""

    skip_llm_verification: bool = False
    strict_mode: bool | None = None
    """None: as the settings say."""
    llm_model: str | None = None
    deadline_ms: int | None = None
    citations: str | None = None
    """auto: markers are checked, a draft without any is attributed; required: each claim has one; None: as the pack."""


@dataclass(frozen=True, kw_only=True, slots=True)
class VerifyInput:
    """A draft answer and what it must be proven from."""

    draft_answer: str
    chunks: tuple[Passage, ...] = ()
    profile: Mapping[str, Json] = field(default_factory=dict)
    rag_draft: str | None = None
    """The safe text to fall back to; the caller vouches for it."""
    question: str | None = None
    case: str | None = None
    """What a person tells of their case: evidence for sentences about it, cited as `[case]`."""
    session_id: str | None = None
    pack: str | None = None
    rules: tuple[str, ...] = ()
    """Paths of extra rule files."""
    options: VerifyOptions = field(default_factory=VerifyOptions)


@dataclass(frozen=True, kw_only=True, slots=True)
class ResultMetadata:
    """Everything a verdict rests on, with the certificate."""

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
    claims: tuple[ClaimResult, ...] = ()
    """Every sentence of the draft as it came, with its status."""
    run_id: str | None = None
    nodes: tuple[AskEvent, ...] = ()
    """The steps of the workflow that led here, as they ended; none for a draft from elsewhere."""


@dataclass(frozen=True, kw_only=True, slots=True)
class VerificationResult:
    """The gate's verdict. `text` may be shown to a reader; `decision` and `claims` say why it is so.

    `print(result)` shows one readable screen; a notebook shows the claims in colour with their evidence on hover.
    """

    success: bool
    decision: Decision
    final_answer: str
    metadata: ResultMetadata

    @property
    def text(self) -> str:
        """What may be shown: the draft, the mended draft, the safe text, or the "I don't know" sentence."""
        return self.final_answer

    @property
    def claims(self) -> tuple[ClaimResult, ...]:
        """Every sentence of the draft as it came, with its status, risk and evidence."""
        return self.metadata.claims

    @property
    def issues(self) -> tuple[Issue, ...]:
        """What was wrong with the draft as it came."""
        return self.metadata.issues_detected

    @property
    def accepted(self) -> bool:
        """Whether the draft, or what was mended of it, is what leaves."""
        return self.decision in (Decision.APPROVED, Decision.REVISED)

    def screen(self, question: str | None = None) -> Screen:
        """What a person is shown of it."""
        metadata = self.metadata
        return Screen(
            decision=self.decision.value,
            reason=metadata.fallback_reason,
            confidence=metadata.confidence,
            text=self.final_answer,
            claims=[_claim_line(claim) for claim in metadata.claims],
            issues=[f"{one.severity.value} {one.code}: {one.problem}" for one in metadata.issues_detected],
            changes=[(one.before, one.after) for one in metadata.revisions_applied],
            question=question,
        )

    def __str__(self) -> str:
        return self.screen().as_text()

    def _repr_html_(self) -> str:
        return self.screen().as_html()


def _claim_line(claim: ClaimResult) -> Line:
    quotes = [(quote.source, quote.text) for quote in claim.evidence]
    return Line(status=claim.status.value, text=claim.text, evidence=quotes, issue=claim.issue)


@dataclass(frozen=True, kw_only=True, slots=True)
class ClaimText:
    """A claim as a grounder reads it."""

    text: str
    before: str = ""
    """The question and the draft's sentence before: they tell what a pronoun stands for, and are no evidence."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GroundingScore:
    unsupported: float
    """The risk: calibrated probability that the evidence does not support the claim."""
    silent: float = 0.0
    """Probability that the sentence claims nothing: a greeting, a heading, plain advice."""
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
    asked: ModelRequest | None = None
    """What the model was asked; None where no model was."""


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
class Turn:
    """An earlier question of a conversation and what was answered."""

    question: str
    answer: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class AskEvent:
    """Progress of one question, for a terminal, a stream or a page."""

    node: str
    """retrieve | generate | validate | execute | synthesize | deliver"""
    state: str
    """started | finished | failed"""
    round: int = 0
    elapsed_ms: float = 0.0
    """Since the question came."""
    took_ms: float = 0.0
    """The step's own time; 0 while it runs."""
    score: float | None = None
    """What the step was worth, 0 to 1: relevance of what was found, score of what was validated."""
    reason: str | None = None
    """Why the step did not simply do its work, as codes: no words of a person or a source."""
    detail: Mapping[str, Json] = field(default_factory=dict)

    @property
    def line(self) -> dict[str, Json]:
        """The step as a log, a run's record and the wire know it."""
        took = round(self.took_ms, 3)
        return {"node": self.node, "round": self.round, "ms": took, "score": self.score, "reason": self.reason}


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
class Search:
    """One look outside the knowledge base."""

    where: str
    """curated, or the search provider's name."""
    query: str
    """What was looked for, without names and numbers of persons."""
    pages: tuple[str, ...] = ()
    """Addresses that were read."""
    problem: str = ""
    """Why nothing came."""
    round: int = 0
    """The round it was made for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Gathered:
    """Evidence from outside, and how it was found."""

    passages: tuple[Passage, ...] = ()
    searches: tuple[Search, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class AskResult:
    """A verified answer from the knowledge base, with the passages it was made from."""

    question: str
    result: VerificationResult
    passages: tuple[ScoredPassage, ...]
    rounds: tuple[Round, ...] = ()
    domain: str = "default"
    cached: bool = False
    unanswered: tuple[str, ...] = ()
    """Sub-questions no source answers."""
    resolved: str | None = None
    """A follow-up as it was understood, with what it leaned on put in; None: the question stood alone."""
    replaced: tuple[str, ...] = ()
    """Documents left out because a newer one says that it replaces them."""
    premises: tuple[str, ...] = ()
    """What the question takes for granted although the sources say otherwise."""
    searches: tuple[Search, ...] = ()
    """What was looked for outside the knowledge base."""
    events: tuple[AskEvent, ...] = ()

    @property
    def text(self) -> str:
        """What may be shown."""
        return self.result.final_answer

    @property
    def decision(self) -> Decision:
        """The gate's decision on the answer."""
        return self.result.decision

    @property
    def claims(self) -> tuple[ClaimResult, ...]:
        """Every sentence of the answer's draft, with its status and evidence."""
        return self.result.metadata.claims

    @property
    def accepted(self) -> bool:
        """Whether the documents answer the question."""
        return self.result.accepted

    def __str__(self) -> str:
        return self.result.screen(self.question).as_text()

    def _repr_html_(self) -> str:
        return self.result.screen(self.question).as_html()


@dataclass(frozen=True, kw_only=True, slots=True)
class Reference:
    """A curated source a verdict cites."""

    number: int
    url: str
    title: str
    snippet: str
    external: bool = True
    note: str = ""
    """Of a bundled text: whose words it is, when it was written, and where the page itself stands."""
    retrieved: str = ""
    """Of a page: the day it was fetched."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeResult:
    """A cited verdict on an everyday dispute."""

    summary: str
    rationale: str
    domain: str
    references: tuple[Reference, ...]
    result: VerificationResult
    cut: tuple[Revision, ...] = ()
    """What the gate took out of the draft or changed in it, with the reason."""
    grounded: bool = True
    """False: no reference speaks about the case; the verdict says so and has no certificate."""

    @property
    def text(self) -> str:
        """What may be shown: the summary, then the reasons."""
        return f"{self.summary}\n\n{self.rationale}".strip()

    @property
    def decision(self) -> Decision:
        """The gate's decision on the verdict."""
        return self.result.decision

    def __str__(self) -> str:
        listed = [f"[{one.number}] {one.title} {one.url}" for one in self.references]
        return "\n".join([self.text, "", *listed])


@dataclass(frozen=True, kw_only=True, slots=True)
class SkippedFile:
    """A file that could not be read, and why."""

    source: str
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class IngestReport:
    """What an ingest changed."""

    added: int = 0
    updated: int = 0
    removed: int = 0
    unchanged: int = 0
    chunks: int = 0
    """Chunks embedded in this run."""
    skipped: tuple[SkippedFile, ...] = ()
    failed: int = 0
    """How many of them are of a kind that is read, and could not be."""
    changed_ids: tuple[str, ...] = ()
    """Ids of chunks that were changed or deleted: caches drop what cites them."""
    seconds: float = 0.0
    elsewhere: int = 0
    """Files that another worker on the same knowledge base was busy with."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Wish:
    """What somebody wants done with an uploaded document."""

    name: str
    data: bytes
    removal: bool
    version: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Upload:
    """An uploaded document and what is still wanted of it."""

    name: str
    state: str
    """index | removal | kept | failed"""
    reason: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class RunSummary:
    """One line of the list of runs."""

    run_id: str
    at: str
    """UTC, ISO 8601."""
    kind: str
    """ask | verify | judge | feedback"""
    decision: str | None
    reason: str | None
    pack: str | None
    question: str | None = None
    """As the log keeps it: redacted, or not at all."""
    cached: bool = False
    """A remembered answer was given again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredDocument:
    """A source the knowledge base knows."""

    source: str
    state: str
    """done | pending | skipped"""
    chunks: int
    reason: str = ""
    path: Path | None = None
    """Of its file on this machine."""


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
