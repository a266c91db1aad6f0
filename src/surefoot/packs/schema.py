"""What a pack is made of. A domain is data: these values are all that the gate ever sees of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from surefoot.core.types import Action, Json, Severity


@dataclass(frozen=True, kw_only=True, slots=True)
class Test:
    """One line of a `when`: something about the profile, the question or the draft."""

    on: str
    """`question`, `draft`, `sentence` (in a rule with scope sentence) or `profile.<key>`"""
    op: str
    """is | matches | contains | at_least | at_most | present | mentions"""
    value: Json
    """matches: RE2 patterns, any of which may match; mentions: {kind: ..., <attribute>: ...} of a registry entity"""


@dataclass(frozen=True, kw_only=True, slots=True)
class When:
    """A rule applies when every `all`, at least one `any` (if given) and no `none` holds."""

    all_of: tuple[Test, ...] = ()
    any_of: tuple[Test, ...] = ()
    none_of: tuple[Test, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Fix:
    """How a rule's violation is repaired without a model.

    `append` or `prepend` supply what is required, `replace` or `drop_sentence` deal with what is forbidden,
    `move_first` with a wrong order.
    """

    append: str | None = None
    prepend: str | None = None
    replace: str | None = None
    """Put in place of each forbidden match."""
    drop_sentence: bool = False
    move_first: bool = False
    """For `order`: the sentence that must come first is moved before the other."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """One policy rule: `rules/<id>.md`."""

    id: str
    title: str
    reason: str
    """The body of the file, in words; also given to the critic."""
    severity: Severity
    action: Action
    when: When = field(default_factory=When)
    requires: tuple[tuple[str, ...], ...] = ()
    """Each group needs one of its RE2 patterns to match the draft."""
    forbids: tuple[str, ...] = ()
    order: tuple[str, str] | None = None
    """(first, then): where both patterns match, the first must come before the second."""
    fix: Fix | None = None
    message: str | None = None
    """What the reader is told when action is reject."""
    scope: str = "draft"
    """draft: whole answer (streaming waits for it); sentence: can be judged sentence by sentence"""
    file: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Entity:
    """A registered name: an institution, a career, a qualification, a funder, a subject."""

    name: str
    kind: str
    aliases: tuple[str, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class EntityKind:
    """How names of one kind look in a draft, so that an unregistered one is noticed."""

    kind: str
    patterns: tuple[str, ...] = ()
    """RE2 patterns whose match (or first group) is a name of this kind, e.g. `University of (?:[A-Z]\\w+ ?)+`"""
    ignore: tuple[str, ...] = ()
    """RE2 patterns of phrases that look like a name and are none, e.g. `University of Technology`"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """A required part of the answer."""

    id: str
    patterns: tuple[str, ...]
    text: str | None = None
    """Appended when the section is missing; without it the issue cannot be repaired."""
    when: When = field(default_factory=When)


@dataclass(frozen=True, kw_only=True, slots=True)
class Warning:
    """A sentence every answer must carry; present when any pattern matches."""

    id: str
    text: str
    patterns: tuple[str, ...] = ()
    when: When = field(default_factory=When)


@dataclass(frozen=True, kw_only=True, slots=True)
class Prescription:
    """A definitive promise or order and how to soften it."""

    pattern: str
    replacement: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Citations:
    mode: str = "required"
    """required: what leaves has a marker on every claim; attribute: the gate finds each claim's passage itself; auto: a
    draft with markers is checked, one without is attributed"""
    style: str = "[S#]"
    """[S#] or [n]"""
    show: bool = False
    """With attribute: also write the found markers into the delivered text."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Thresholds:
    """None: the gate's calibrated default."""

    reject: float | None = None
    """Unsupported probability from which a claim is an issue."""
    release: float | None = None
    """Unsupported probability up to which a claim counts as supported."""
    accept: float | None = None
    """Unsupported probability up to which a claim counts as proven."""
    validation: float = 0.8
    relevance: float | None = None
    stale_after_days: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class CuratedSource:
    url: str
    title: str = ""
    publisher: str = ""
    domain: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class TermRule:
    """A name that fixes a level or a length, such as an NQF level: stated otherwise, it is an issue."""

    pattern: str
    """RE2 with one group that captures the stated value next to the term."""
    allowed: tuple[str, ...]
    problem: str


@dataclass(frozen=True, kw_only=True, slots=True)
class AttributeRule:
    """A value the registry knows of an entity: stated otherwise beside its name, it is an issue."""

    kind: str
    attribute: str
    """The registry's attribute: a value, a range `3-4` or several values `7|8`."""
    pattern: str
    """RE2; the first group captures the stated value."""
    problem: str
    reach: int = 60
    """Characters between the name and the value that still belong together."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Band:
    level: int
    low: int
    high: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Scale:
    """Marks, the levels they earn and how levels are added up, e.g. the NSC scale and the admission point score."""

    id: str
    title: str
    bands: tuple[Band, ...]
    pairs: tuple[str, ...] = ()
    """RE2 with groups `mark` and `level`: a mark and its level side by side."""
    totals: tuple[str, ...] = ()
    """RE2 with a group `total`: the reader's own total."""
    profile: str = ""
    """Profile key that holds the marks by subject."""
    best: int = 0
    """How many levels are added, the best first; 0: all."""
    exclude: tuple[str, ...] = ()
    """Subjects that do not count."""

    def level_of(self, mark: float) -> int | None:
        return next((band.level for band in self.bands if band.low <= round(mark) <= band.high), None)


@dataclass(frozen=True, kw_only=True, eq=False)
class Pack:
    """A loaded pack. Compared by identity; `hash` says whether two are the same text."""

    name: str
    title: str
    version: str
    hash: str
    """sha256 over the pack's files; stands in every certificate."""
    jurisdiction: str = ""
    citations: Citations = field(default_factory=Citations)
    sections: tuple[Section, ...] = ()
    warnings: tuple[Warning, ...] = ()
    rules: tuple[Rule, ...] = ()
    entities: tuple[Entity, ...] = ()
    entity_kinds: tuple[EntityKind, ...] = ()
    prescriptions: tuple[Prescription, ...] = ()
    terms: tuple[TermRule, ...] = ()
    attributes: tuple[AttributeRule, ...] = ()
    scales: tuple[Scale, ...] = ()
    tone: tuple[str, ...] = ()
    """RE2 patterns of wording unfit for the readers."""
    thresholds: Thresholds = field(default_factory=Thresholds)
    trust: str | None = None
    """balanced: proven and supported claims leave; proof: only proven ones and quotes; None: as the settings say"""
    date_format: str | None = None
    """`D MMMM YYYY` or None: any"""
    currency: str | None = None
    """ISO code amounts must be in, e.g. ZAR; None: any"""
    keywords: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Domain to its keywords."""
    domain_examples: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Domain to sentences as people write them, compared by meaning where keywords decide nothing."""
    sources: tuple[CuratedSource, ...] = ()
    allowed_urls: tuple[str, ...] = ()
    """Domains (nsfas.org.za) or URL prefixes that may be named although no source holds them."""
    screen_fallback: bool = False
    prompts: Mapping[str, str] = field(default_factory=dict)
    """Overrides by name: answer, critic, judge, synthesize, and dataset_<agent> for the agents of a dataset build"""
    folder: str | None = None

    @property
    def looks_at_whole_answer(self) -> bool:
        """Whether some rule needs the complete text, so that streaming must wait for the decision."""
        return bool(self.sections or self.warnings or any(rule.scope == "draft" for rule in self.rules))
