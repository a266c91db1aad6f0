"""What the HTTP interface takes and gives, as its OpenAPI document shows it. Names on the wire are camelCase."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from surefoot.core.types import SearchFilter

Text = Annotated[str, Field(min_length=1, max_length=20_000)]
Name = Annotated[str, Field(min_length=1, max_length=100)]
Profile = dict[str, Any]


def _day(text: str) -> str:
    return date.fromisoformat(text).isoformat()


Day = Annotated[str, AfterValidator(_day), Field(json_schema_extra={"format": "date"})]


class Wire(BaseModel):
    """Takes camelCase and snake_case, refuses unknown keys, converts nothing silently."""

    model_config = ConfigDict(
        alias_generator=to_camel, validate_by_name=True, validate_by_alias=True, extra="forbid", strict=True
    )


class Shown(BaseModel):
    """A part of a response: described, open to additions."""

    model_config = ConfigDict(alias_generator=to_camel, extra="allow")


class Where(Wire):
    equals: dict[Name, Annotated[list[str], Field(min_length=1, max_length=100)]] = {}
    since: Day | None = None
    until: Day | None = None

    def filter(self) -> SearchFilter:
        equals = {key: tuple(values) for key, values in self.equals.items()}
        return SearchFilter(equals=equals, since=self.since, until=self.until)


class TurnGiven(Wire):
    question: Text
    answer: Annotated[str, Field(max_length=20_000)] = ""


class AskRequest(Wire):
    question: Text
    history: Annotated[list[TurnGiven], Field(max_length=50)] = []
    pack: Name | None = None
    profile: Profile = {}
    where: Where | None = None
    session_id: Name | None = None
    stream: bool = False


class JudgeRequest(Wire):
    context: Text
    query: Text


class BatchRequest(Wire):
    items: Annotated[list[dict[str, Any]], Field(min_length=1, max_length=100)]


class FeedbackRequest(Wire):
    verdict: Literal["right", "wrong", "unsure"]
    claim: Annotated[int, Field(ge=1)] | None = None
    """Of the n-th sentence of the draft alone."""
    note: Annotated[str, Field(max_length=2_000)] | None = None


class ReplayRequest(Wire):
    pack: Name | None = None


class ReviewRequest(Wire):
    verdict: Literal["accept", "reject", "edit"]
    note: Annotated[str, Field(max_length=2_000)] | None = None
    answer: Annotated[str, Field(max_length=20_000)] | None = None


class TextDocument(Wire):
    source: Annotated[str, Field(max_length=100, pattern=r"^\w[\w ()-]*\.(txt|md|html?|csv|jsonl?)$")]
    text: Annotated[str, Field(min_length=1)]


class ErrorDetail(BaseModel):
    code: str
    message: str
    remedy: str
    request_id: str


class ErrorBody(BaseModel):
    error: ErrorDetail


class IssueShown(Shown):
    type: str
    severity: str
    code: str
    location: str
    span: list[int]
    problem: str
    correction: str | None = None
    evidence: str | None = None


class ResultMetadataShown(Shown):
    processing_time: float
    stages_completed: list[str]
    issues_detected: list[IssueShown]
    revisions_applied: list[dict[str, Any]]
    sources_used: list[str]
    llm_model: str | None
    fallback_reason: str | None
    rule_status: str
    confidence: float
    unsupported_spans: list[list[int]]
    nodes: list[dict[str, Any]] = []
    """The steps of the workflow: node, round, ms, score, reason."""
    claims: list[dict[str, Any]]
    certificate: dict[str, Any]


class VerifyResponse(Shown):
    success: bool
    decision: Literal["approved", "revised", "rejected", "fallback"]
    final_answer: str
    metadata: ResultMetadataShown


class AskResponse(VerifyResponse):
    question: str
    domain: str
    cached: bool
    passages: list[dict[str, Any]]
    rounds: list[dict[str, Any]]
    unanswered: list[str]
    resolved: str | None = None
    replaced: list[str] = []
    searches: list[dict[str, Any]] = []
    """What was looked for outside the knowledge base: round, where, query, pages, problem."""


class BatchResponse(Shown):
    results: list[dict[str, Any]]


class JudgeResponse(Shown):
    summary: str
    rationale: str
    domain: str
    grounded: bool = True
    """False: no reference speaks about the case; such a verdict says so and has no certificate."""
    references: list[dict[str, Any]]
    cut: list[dict[str, Any]] = []
    """What the gate took out of the draft or changed in it: text, became, reason."""


class DocumentShown(Shown):
    id: str
    source: str
    status: Literal["queued", "indexed", "failed", "removing"]
    chunks: int | None = None
    reason: str | None = None
    name: str | None = None
    """Of its file among the uploads; null: it was ingested from elsewhere and cannot be deleted here."""


class AuditFinding(Shown):
    seq: int | None = None
    run_id: str | None = None
    problem: str


class AuditReport(Shown):
    rows: int
    intact: bool
    findings: list[AuditFinding]


class DocumentList(Shown):
    documents: list[DocumentShown]


class PassageShown(Shown):
    id: str
    text: str
    metadata: dict[str, Any]
    """`start` and `end`: where it stands in the document's text."""


class PassageList(Shown):
    source: str
    passages: list[PassageShown]


class QuestionList(Shown):
    questions: list[str]


class RunShown(Shown):
    run_id: str
    at: str
    kind: str
    decision: str | None
    reason: str | None
    pack: str | None
    question: str | None = None
    """Redacted; null where the service keeps no texts."""
    cached: bool = False
    """A remembered answer was given again."""


class RunList(Shown):
    runs: list[RunShown]
    next: str | None


class PackShown(Shown):
    name: str
    title: str
    version: str
    hash: str


class PackList(Shown):
    packs: list[PackShown]


class CaseShown(Shown):
    id: str
    note: str
    decisions: list[str]
    """Any of these is right."""
    codes: list[str]


class CaseList(Shown):
    cases: list[CaseShown]


class RehearsalRequest(Wire):
    """Which cases to run: `limit` of them, from the `offset`-th on."""

    offset: Annotated[int, Field(ge=0)] = 0
    limit: Annotated[int, Field(ge=1, le=20)] = 10


class Rehearsed(Shown):
    total: int
    results: list[dict[str, Any]]
    coverage: dict[str, int]
    """Each part of the pack to the number of these cases that show it."""


class DatasetList(Shown):
    datasets: list[dict[str, Any]]


class RowList(Shown):
    rows: list[dict[str, Any]]
    total: int


class Accepted(Shown):
    id: str


class Health(Shown):
    status: str
    running: int = 0
    waiting: int = 0
    indexing: int = 0
    """Documents whose indexing is under way or to come."""
    redis: str | None = None
    """ok | away, where one is configured; without it answers are slower, never wrong."""
    read_only: str | None = Field(default=None, alias="readOnly")
    """Why documents cannot be changed and runs not written down now."""


class ChatMessage(BaseModel):
    """As OpenAI's clients send it; parts other than text are refused."""

    model_config = ConfigDict(extra="allow")
    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[dict[str, Any]] | None = None


class ChatRequest(BaseModel):
    """OpenAI's parameters; those that steer a model's style are taken and have no effect on proven text."""

    model_config = ConfigDict(extra="allow", strict=True)
    model: Annotated[str, Field(min_length=1, max_length=100)]
    messages: Annotated[list[ChatMessage], Field(min_length=1, max_length=200)]
    stream: bool = False
    stream_options: dict[str, Any] | None = None
    user: str | None = None
    profile: Profile | None = None


class ChatResponse(BaseModel):
    model_config = ConfigDict(extra="allow")
    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[dict[str, Any]]
    usage: dict[str, Any]
    surefoot: dict[str, Any]


class ModelList(BaseModel):
    object: Literal["list"]
    data: list[dict[str, Any]]
