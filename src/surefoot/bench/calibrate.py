"""Thresholds for a stated risk: at most a share of the released answers ungrounded, with a stated confidence.

Rows are scores with labels. Candidate thresholds are tried from strict to loose (fixed-sequence testing): each passes
if the exact binomial upper bound on the bad share among the released rows is under the ceiling, and the first that
fails ends the search, so no correction for many tries is needed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from surefoot.core.errors import InputError
from surefoot.core.types import Json

STEPS = 200
"""Thresholds that are tried from 0 up to 1, which would be none: a claim with 1 is never released."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Labelled:
    score: float
    """The worst claim's unsupported probability."""
    bad: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    risk: float
    confidence: float
    rows: int
    accept: float | None
    """None: no threshold keeps the promise on these rows."""
    reject: float
    released: int
    bad_released: int
    bound: float
    """Upper bound on the share of ungrounded answers among those released."""
    refused_good: float
    """What it costs: the share of grounded answers that are not released."""

    def to_json(self) -> dict[str, Json]:
        return {
            "risk": self.risk,
            "confidence": self.confidence,
            "rows": self.rows,
            "thresholds": {"accept": self.accept, "reject": self.reject},
            "released": self.released,
            "ungrounded_released": self.bad_released,
            "upper_bound": round(self.bound, 6),
            "refused_though_grounded": round(self.refused_good, 4),
        }

    def to_pack(self, band: str = "accept") -> str:
        """The lines for a pack.yaml; nothing changes until somebody puts them there."""
        return f"thresholds:\n  {band}: {self.accept}\n  reject: {self.reject}\n"


def choose(rows: Sequence[Labelled], *, risk: float, confidence: float) -> Choice:
    """The loosest threshold of the sequence that still keeps the promise."""
    if not 0 < risk < 1 or not 0 < confidence < 1:
        raise InputError(f"risk {risk!r} and confidence {confidence!r} must lie between 0 and 1")
    good = sum(not row.bad for row in rows)
    chosen: tuple[float, int, int, float] | None = None
    for step in range(STEPS):
        threshold = step / STEPS
        kept = [row for row in rows if row.score <= threshold]
        if not kept:
            continue
        bad = sum(row.bad for row in kept)
        bound = upper_bound(bad, len(kept), confidence)
        if upper_bound(0, len(kept), confidence) > risk:
            continue  # so few rows could promise nothing, whatever their labels: the sequence starts later
        if bound > risk:
            break
        chosen = (threshold, len(kept), bad, bound)
    accept, released, bad_released, bound = chosen or (0.0, 0, 0, 1.0)
    refused = 1 - (released - bad_released) / good if good else 0.0
    return Choice(
        risk=risk,
        confidence=confidence,
        rows=len(rows),
        accept=accept if chosen else None,
        reject=_reject(rows, accept),
        released=released,
        bad_released=bad_released,
        bound=bound,
        refused_good=refused,
    )


def upper_bound(bad: int, rows: int, confidence: float) -> float:
    """Clopper-Pearson: the largest share that would still give so few bad rows with the remaining chance."""
    if bad >= rows:
        return 1.0
    low, high = bad / rows, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if _at_most(bad, rows, middle) > 1 - confidence:
            low = middle
        else:
            high = middle
    return high


def read_labelled(file: Path) -> Iterator[Mapping[str, Json]]:
    """Rows of a JSONL file: `{score, label}`, feedback records of runs, or answers with sources that need judging."""
    if not file.is_file():
        raise InputError(f"{file}: no such file; give a JSONL file of labelled rows")
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: cannot be read as text ({type(error).__name__}); give a JSONL file") from error
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise InputError(f"{file}:{number}: not JSON ({error}); each line is one object") from error
        if not isinstance(row, dict):
            raise InputError(f"{file}:{number}: not an object; each line is one object")
        yield row


def labelled_runs(records: Iterable[Mapping[str, Json]]) -> list[Labelled]:
    """The claims of past runs that people spoke of, each with its risk.

    A word on one claim says whether that claim is so. `right` on a whole run that was released says so of every claim
    that left; `wrong` on a whole run does not say which claim was wrong, so it counts only where there was one.
    """
    runs: dict[str, Mapping[str, Json]] = {}
    found: list[Labelled] = []
    for record in records:
        if record.get("kind") != "feedback":
            runs[str(record.get("run_id"))] = record
            continue
        run = runs.get(str(record.get("of")), {})
        bad = record.get("verdict") == "wrong"
        if not bad and record.get("verdict") != "right":
            continue
        found += [Labelled(score=risk, bad=bad) for risk in _spoken_of(run, record.get("claim"), bad)]
    return found


def _spoken_of(run: Mapping[str, Json], claim: Json, bad: bool) -> list[float]:
    claims = run.get("claims")
    rows = [one for one in claims if isinstance(one, dict)] if isinstance(claims, list) else []
    if isinstance(claim, int) and not isinstance(claim, bool):
        rows = rows[claim - 1 : claim]
    else:
        rows = [one for one in rows if one.get("status") in ("proven", "supported")]
        if run.get("decision") not in ("approved", "revised") or (bad and len(rows) != 1):
            rows = []
    return [float(risk) for one in rows if isinstance(risk := one.get("risk"), int | float)]


def as_labelled(row: Mapping[str, Json]) -> Labelled | None:
    """A row that carries its own score; None for one that must be judged first.

    A feedback record says of a released answer whether releasing it was right; its score stands in the run's measures.
    """
    measures = row.get("measures")
    score = row.get("score", measures.get("unsupported_max") if isinstance(measures, dict) else None)
    if not isinstance(score, int | float) or isinstance(score, bool):
        return None
    if row.get("feedback") in ("right", "wrong"):
        released = str(row.get("decision")) in ("approved", "revised")
        return Labelled(score=float(score), bad=(row["feedback"] == "wrong") == released)
    label = row.get("label")
    return Labelled(score=float(score), bad=bool(label)) if label in (0, 1) else None


def _at_most(bad: int, rows: int, share: float) -> float:
    """Chance of at most `bad` bad rows among `rows`, each bad with the given chance."""
    if share <= 0.0:
        return 1.0
    if share >= 1.0:
        return 0.0
    log_share, log_rest = math.log(share), math.log1p(-share)
    ways = math.lgamma(rows + 1)
    return sum(
        math.exp(ways - math.lgamma(at + 1) - math.lgamma(rows - at + 1) + at * log_share + (rows - at) * log_rest)
        for at in range(bad + 1)
    )


def _reject(rows: Sequence[Labelled], accept: float) -> float:
    """From where on rows are more often bad than good: half of the way where the rows cannot tell."""
    above = sorted((row for row in rows if row.score > accept), key=lambda row: row.score)
    for at, row in enumerate(above):
        rest = above[at:]
        if sum(item.bad for item in rest) > len(rest) / 2:
            return max(round(row.score, 4), round(accept + 0.01, 4))
    return round((1 + accept) / 2, 4)
