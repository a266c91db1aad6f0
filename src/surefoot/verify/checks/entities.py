"""Names: what looks like an institution, a career or a qualification must stand in a source, by any of its names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from surefoot.core.taxonomy import issue_of
from surefoot.core.text import sentences
from surefoot.core.types import CheckReport, Edit, Finding, Span
from surefoot.packs.names import Mention, index_of, mentions, words_of
from surefoot.packs.patterns import View
from surefoot.packs.schema import Pack
from surefoot.verify.read.submission import Submission


@dataclass(frozen=True)
class EntityCheck:
    name: str = "entities"
    version: str = "2"

    def run(self, submission: Submission) -> CheckReport:
        pack = submission.pack
        findings: tuple[Finding, ...] = ()
        if pack.entity_kinds:
            candidates = list(_candidates(submission.draft, pack))
            if candidates:
                findings = tuple(_judge(candidates, submission))
        return CheckReport(name=self.name, version=self.version, findings=findings)


@dataclass(frozen=True, slots=True)
class _Candidate:
    kind: str
    span: Span
    text: str


def _candidates(draft: str, pack: Pack) -> Iterator[_Candidate]:
    """What looks like a name of a registered kind, the longest of those that overlap."""
    view, names = View(draft), index_of(pack)
    found: list[_Candidate] = []
    for kind in pack.entity_kinds:
        ignored = [f"^(?:{pattern})$" for pattern in kind.ignore]
        for pattern in kind.patterns:
            for hit in view.hits([pattern], ignore_case=False):
                start, end = next((span for span in hit.group_spans if span[0] >= 0), hit.span)
                text = draft[start:end]
                trimmed = _LEAD.sub("", text).strip(" \t\n.,;:")
                start += text.rindex(trimmed) if trimmed else 0
                if trimmed and not View(trimmed).matches(ignored) and not names.is_generic(trimmed, kind.kind):
                    found.append(_Candidate(kind.kind, (start, start + len(trimmed)), trimmed))
    found.sort(key=lambda one: (one.span[0], -one.span[1]))
    last = -1
    for one in found:
        if one.span[0] >= last:
            yield one
            last = one.span[1]


def _judge(candidates: list[_Candidate], submission: Submission) -> Iterator[Finding]:
    """A registered name counts where a source says it by any of its names: the registry knows that a university exists,
    not that it offers this degree."""
    draft, pack = submission.draft, submission.pack
    known = mentions(pack, draft)
    starts = {sentence.start for sentence in sentences(draft)}
    seen: set[str] = set()
    for candidate in candidates:
        name = " ".join(words_of(candidate.text))
        if name in seen or submission.says(candidate.text):
            continue
        seen.add(name)
        covering = [mention for mention in known if _covers(mention, candidate, draft, starts)]
        if covering and not any(map(str.isupper, candidate.text)):
            continue  # an occupation is no proper name
        if not any(_said(mention, submission) for mention in covering):
            yield _finding(candidate, submission, registered=bool(covering))


def _said(mention: Mention, submission: Submission) -> bool:
    return any(submission.says(form) for entity in mention.entities for form in (entity.name, *entity.aliases))


def _covers(mention: Mention, candidate: _Candidate, draft: str, starts: set[int]) -> bool:
    """Whether a registered name accounts for the candidate: `Stellenbosch University of Technology` is none."""
    (start, end), (from_, to) = mention.span, candidate.span
    if start <= from_ and end >= to:
        return True
    if start >= to or end <= from_ or candidate.kind not in {entity.kind for entity in mention.entities}:
        return False
    after = draft[end:to].split()
    if after and after[0].lower() in ("of", "for"):
        return False
    before = draft[from_:start].split()
    lead = before[1:] if from_ in starts else before
    return not [word for word in lead if word[:1].isupper()]


def _finding(candidate: _Candidate, submission: Submission, *, registered: bool) -> Finding:
    """With the name it was probably meant for where a source says that one."""
    problem = f"{candidate.text!r} is no {candidate.kind} the registry or a source knows"
    edits: tuple[Edit, ...] = ()
    near = None
    if registered:
        problem = f"{candidate.text!r} stands in no source"
    else:
        near = index_of(submission.pack).nearest(candidate.text, candidate.kind)
    if near is not None:
        problem += f"; nearest is {near.name!r}"
        said = any(submission.says(form) for form in (near.name, *near.aliases))
        edits = (Edit(span=candidate.span, replacement=near.name, kind="replace"),) if said else ()
    correction = near.name if near else None
    issue = issue_of("unknown_entity", candidate.span, candidate.text, problem, correction=correction)
    return Finding(issue=issue, edits=edits)


_LEAD = re.compile(
    r"(?:(?:The|A|An|At|In|On|For|From|With|To|By|And|Or|But|Both|While|If|When|Since|Because|As|Like|Also|Then|Try|Ask|"
    r"Visit|Contact|Consider|Call|See|Apply|Choose|Join|Attend|Study|Email|Phone|Your|My|Our|Their|Any|Some|Each|Every|"
    r"This|That|These|Those|Only|Even|Is|Are|Does|Did|Can|Could|Will|Should)\s+)+"
)
"""Words that are capital only because a sentence or a heading begins with them."""
