"""Reads `pack.yaml` and `sources.yaml`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from surefoot.packs.conditions import read_when
from surefoot.packs.document import Node, read_yaml
from surefoot.packs.fields import Fields, texts_of
from surefoot.packs.mistake import Ledger
from surefoot.packs.schema import (
    AttributeRule,
    Band,
    Citations,
    CuratedSource,
    EntityKind,
    Prescription,
    Scale,
    Section,
    TermRule,
    Thresholds,
    Warning,
)

KEYS = (
    "name",
    "title",
    "version",
    "jurisdiction",
    "citations",
    "sections",
    "warnings",
    "prescriptions",
    "tone",
    "terms",
    "attributes",
    "scales",
    "entity_kinds",
    "thresholds",
    "trust",
    "date_format",
    "currency",
    "keywords",
    "domain_examples",
    "allowed_urls",
    "screen_fallback",
)
DATE_FORMATS = ("D MMMM YYYY", "YYYY-MM-DD", "DD/MM/YYYY", "MMMM D, YYYY")
CURRENCIES = ("ZAR", "USD", "EUR", "GBP")

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """What `pack.yaml` says; the loader adds rules, registries, sources and prompts."""

    name: str
    title: str
    version: str
    jurisdiction: str
    citations: Citations
    sections: tuple[Section, ...]
    warnings: tuple[Warning, ...]
    prescriptions: tuple[Prescription, ...]
    tone: tuple[str, ...]
    terms: tuple[TermRule, ...]
    attributes: tuple[AttributeRule, ...]
    scales: tuple[Scale, ...]
    entity_kinds: tuple[EntityKind, ...]
    thresholds: Thresholds
    trust: str | None
    date_format: str | None
    currency: str | None
    keywords: Mapping[str, tuple[str, ...]]
    domain_examples: Mapping[str, tuple[str, ...]]
    allowed_urls: tuple[str, ...]
    screen_fallback: bool


def read_manifest(text: str, ledger: Ledger, *, folder: str) -> Manifest | None:
    node = read_yaml(text, ledger)
    if node is None:
        return None
    fields = Fields(node, KEYS, ledger)
    name = fields.text("name", folder, required=True)
    if name != folder:
        fields.mistake("name", f"{name!r} is not the folder's name", f"write name: {folder} or rename the folder")
    return Manifest(
        name=name,
        title=fields.text("title", required=True),
        version=fields.text("version", required=True),
        jurisdiction=fields.text("jurisdiction"),
        citations=_citations(fields),
        sections=_each(fields, "sections", _section),
        warnings=_each(fields, "warnings", _warning),
        prescriptions=_each(fields, "prescriptions", _prescription),
        tone=fields.patterns("tone"),
        terms=_each(fields, "terms", _term),
        attributes=_each(fields, "attributes", _attribute),
        scales=_each(fields, "scales", _scale),
        entity_kinds=_kinds(fields),
        thresholds=_thresholds(fields),
        trust=fields.text("trust", "", choices=("", "balanced", "proof")) or None,
        date_format=fields.text("date_format", choices=DATE_FORMATS) or None,
        currency=fields.text("currency", choices=CURRENCIES) or None,
        keywords=_by_domain(fields, "keywords"),
        domain_examples=_by_domain(fields, "domain_examples"),
        allowed_urls=_allowed_urls(fields),
        screen_fallback=fields.flag("screen_fallback"),
    )


def read_sources(text: str, ledger: Ledger) -> tuple[CuratedSource, ...]:
    node = read_yaml(text, ledger)
    fields = Fields(node, ("sources",), ledger)
    found = []
    for item in fields.items("sources"):
        entry = Fields(item, ("url", "title", "publisher", "domain"), ledger, place="sources")
        url = entry.text("url", required=True)
        if url and not url.startswith(("http://", "https://")):
            entry.mistake("url", f"{url!r} is not a web address", "start it with https://")
        title, publisher = entry.text("title"), entry.text("publisher")
        found.append(
            CuratedSource(url=url, title=title, publisher=publisher, domain=entry.text("domain", required=True))
        )
    return tuple(found)


def _each(fields: Fields, key: str, read: Callable[[Node, Ledger], T]) -> tuple[T, ...]:
    return tuple(read(item, fields.ledger) for item in fields.items(key))


def _citations(fields: Fields) -> Citations:
    node = fields.node("citations")
    inner = Fields(node, ("mode", "style", "show"), fields.ledger, place="citations")
    return Citations(
        mode=inner.text("mode", "required", choices=("auto", "required", "attribute")),
        style=inner.text("style", "[S#]", choices=("[S#]", "[n]")),
        show=inner.flag("show"),
    )


def _section(node: Node, ledger: Ledger) -> Section:
    fields = Fields(node, ("id", "patterns", "text", "when"), ledger, place="sections")
    patterns = fields.patterns("patterns")
    if not patterns:
        fields.mistake("patterns", "is missing", "say by which pattern the section is recognised")
    return Section(
        id=fields.text("id", required=True),
        patterns=patterns,
        text=fields.optional("text"),
        when=read_when(fields.node("when"), ledger, place="sections.when"),
    )


def _warning(node: Node, ledger: Ledger) -> Warning:
    fields = Fields(node, ("id", "text", "patterns", "when"), ledger, place="warnings")
    return Warning(
        id=fields.text("id", required=True),
        text=fields.text("text", required=True),
        patterns=fields.patterns("patterns"),
        when=read_when(fields.node("when"), ledger, place="warnings.when"),
    )


def _prescription(node: Node, ledger: Ledger) -> Prescription:
    fields = Fields(node, ("pattern", "replacement"), ledger, place="prescriptions")
    pattern = fields.pattern("pattern", required=True)
    return Prescription(pattern=pattern, replacement=fields.text("replacement") if "replacement" in fields else None)


def _term(node: Node, ledger: Ledger) -> TermRule:
    fields = Fields(node, ("pattern", "allowed", "problem"), ledger, place="terms")
    pattern, allowed = fields.pattern("pattern", required=True), fields.texts("allowed")
    if not allowed:
        fields.mistake("allowed", "is missing", "list the values that are right")
    return TermRule(pattern=pattern, allowed=allowed, problem=fields.text("problem", required=True))


def _attribute(node: Node, ledger: Ledger) -> AttributeRule:
    fields = Fields(node, ("kind", "attribute", "pattern", "problem", "reach"), ledger, place="attributes")
    return AttributeRule(
        kind=fields.text("kind", required=True),
        attribute=fields.text("attribute", required=True),
        pattern=fields.pattern("pattern", required=True),
        problem=fields.text("problem", required=True),
        reach=int(fields.number("reach", low=1, high=500) or 60),
    )


def _scale(node: Node, ledger: Ledger) -> Scale:
    known = ("id", "title", "bands", "pairs", "totals", "profile", "best", "exclude")
    fields = Fields(node, known, ledger, place="scales")
    return Scale(
        id=fields.text("id", required=True),
        title=fields.text("title", required=True),
        bands=tuple(band for band in (_band(item, ledger) for item in fields.items("bands")) if band),
        pairs=fields.patterns("pairs"),
        totals=fields.patterns("totals"),
        profile=fields.text("profile"),
        best=int(fields.number("best", low=0, high=100) or 0),
        exclude=fields.texts("exclude"),
    )


def _band(node: Node, ledger: Ledger) -> Band | None:
    fields = Fields(node, ("level", "from", "to"), ledger, place="scales.bands")
    level, low, high = (fields.number(key, low=0, high=10_000) for key in ("level", "from", "to"))
    if level is None or low is None or high is None or low > high:
        fields.mistake("level", "a band needs level, from and to", "write - {level: 7, from: 80, to: 100}")
        return None
    return Band(level=int(level), low=int(low), high=int(high))


def _kinds(fields: Fields) -> tuple[EntityKind, ...]:
    found = []
    for kind, node in fields.entries("entity_kinds").items():
        inner = Fields(node, ("patterns", "ignore"), fields.ledger, place=f"entity_kinds.{kind}")
        patterns = inner.patterns("patterns", ignore_case=False)
        found.append(EntityKind(kind=kind, patterns=patterns, ignore=inner.patterns("ignore")))
    return tuple(found)


def _thresholds(fields: Fields) -> Thresholds:
    known = ("reject", "release", "accept", "validation", "relevance", "stale_after_days")
    inner = Fields(fields.node("thresholds"), known, fields.ledger, place="thresholds")
    share = {key: inner.number(key, low=0, high=1) for key in known[:5]}
    days = inner.number("stale_after_days", low=1, high=36_500)
    return Thresholds(
        reject=share["reject"],
        release=share["release"],
        accept=share["accept"],
        validation=0.8 if share["validation"] is None else share["validation"],
        relevance=share["relevance"],
        stale_after_days=None if days is None else int(days),
    )


def _by_domain(fields: Fields, key: str) -> dict[str, tuple[str, ...]]:
    return {domain: texts_of(node, fields.ledger, f"{key}.{domain}") for domain, node in fields.entries(key).items()}


def _allowed_urls(fields: Fields) -> tuple[str, ...]:
    found = fields.texts("allowed_urls")
    for url in found:
        if " " in url or "." not in url:
            fields.mistake(
                "allowed_urls", f"{url!r} is neither a domain nor an address", "write nsfas.org.za or https://..."
            )
    return found
