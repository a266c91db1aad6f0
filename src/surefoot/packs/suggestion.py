"""Clusters the issues that runs complained of and drafts rule files: the machine counts, a person decides."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from surefoot.core.taxonomy import CODES, POLICY_PREFIX
from surefoot.core.text import STOPWORDS, squash, words
from surefoot.core.types import Json

ALIKE = 0.5
"""Share of words two texts must have in common to tell of the same thing."""
LONGEST = 6
"""Words of a suggested pattern: more would match the examples only."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Suggestion:
    id: str
    code: str
    """The code the issues had."""
    count: int
    phrase: tuple[str, ...]
    """The words all or most examples share, in order."""
    examples: tuple[str, ...]

    @property
    def title(self) -> str:
        return f"{' '.join(self.phrase)!r} keeps coming back"


def suggest(records: Iterable[Mapping[str, Json]], *, least: int = 3) -> list[Suggestion]:
    """Groups of alike issues seen at least that often, the most frequent first. Rules that exist are not suggested."""
    seen: dict[str, list[str]] = defaultdict(list)
    for record in records:
        for code, text in _issues(record):
            if not code.startswith(POLICY_PREFIX) and code in CODES and text.strip():
                seen[code].append(" ".join(text.split()))
    found = [
        suggestion
        for code, texts in seen.items()
        for cluster in _clusters(texts)
        if len(cluster) >= least and (suggestion := _suggestion(code, cluster)) is not None
    ]
    found.sort(key=lambda one: (-one.count, one.id))
    return _renamed(found)


def draft_rule(suggestion: Suggestion) -> str:
    """A rule file that only warns until a person has read it, given it a reason and chosen an action."""
    _, severity, meaning = CODES[suggestion.code]
    pattern = r"\b" + r"\W+".join(re.escape(word) for word in suggestion.phrase) + r"\b"
    quoted = pattern.replace("'", "''")
    examples = "\n".join(f"- {example}" for example in suggestion.examples)
    return (
        "---\n"
        f"id: {suggestion.id}\n"
        f"title: {_quoted(suggestion.title)}\n"
        f"severity: {severity}\n"
        "action: warn          # warn reports and blocks nothing; write fix or reject once you are sure\n"
        "forbids:\n"
        f"  - '{quoted}'\n"
        "---\n"
        f"Seen {suggestion.count} times as {suggestion.code} ({meaning}).\n"
        "Say here why the draft must not speak like this, narrow or widen the pattern, and delete what follows.\n\n"
        f"{examples}\n"
    )


def _issues(record: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    """(code, text) of every issue, from a run's record or from a VerificationResult as the wire writes it."""
    metadata = record.get("metadata")
    given = record.get("issues_found")
    if given is None and isinstance(metadata, Mapping):
        given = metadata.get("issuesDetected")
    for issue in given if isinstance(given, list) else ():
        if isinstance(issue, Mapping):
            yield str(issue.get("code", "")), str(issue.get("location") or "")


def _clusters(texts: Sequence[str]) -> list[list[str]]:
    """Greedy: a text joins the first group whose first member it resembles."""
    groups: list[tuple[frozenset[str], list[str]]] = []
    for text in texts:
        own = frozenset(_spoken(text))
        for kernel, members in groups:
            if own and len(own & kernel) / len(own | kernel) >= ALIKE:
                members.append(text)
                break
        else:
            groups.append((own, [text]))
    return [members for _, members in groups]


def _suggestion(code: str, cluster: Sequence[str]) -> Suggestion | None:
    phrase = _shared_phrase(cluster)
    if not phrase:
        return None
    name = re.sub(r"[^a-z0-9]+", "-", "-".join(phrase)).strip("-") or "unnamed"
    examples = tuple(dict.fromkeys(cluster))
    return Suggestion(id=f"seen-{name}"[:60], code=code, count=len(cluster), phrase=phrase, examples=examples[:5])


def _shared_phrase(cluster: Sequence[str]) -> tuple[str, ...]:
    """The run of words most of the cluster has, the longest of the most frequent, with a word that means something."""
    counts: Counter[tuple[str, ...]] = Counter()
    for text in cluster:
        spoken = words(text)
        runs = {
            tuple(spoken[start : start + size])
            for size in range(1, LONGEST + 1)
            for start in range(len(spoken) - size + 1)
        }
        counts.update(run for run in runs if _means_something(run))
    enough = [run for run, count in counts.items() if count >= max(2, 0.6 * len(cluster))]
    return max(enough, key=lambda run: (len(run), counts[run], run), default=())


def _means_something(run: tuple[str, ...]) -> bool:
    return any(word not in STOPWORDS for word in run) and run[0] not in ("and", "or", "of") and len("".join(run)) > 3


def _spoken(text: str) -> Iterator[str]:
    return (word for word in words(squash(text)) if word not in STOPWORDS)


def _renamed(found: Sequence[Suggestion]) -> list[Suggestion]:
    """Ids of their own, so that each becomes a file."""
    taken: Counter[str] = Counter()
    named = []
    for one in found:
        taken[one.id] += 1
        suffix = f"-{taken[one.id]}" if taken[one.id] > 1 else ""
        named.append(
            Suggestion(id=f"{one.id}{suffix}", code=one.code, count=one.count, phrase=one.phrase, examples=one.examples)
        )
    return named


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
