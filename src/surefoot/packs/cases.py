"""Reads `cases/*.jsonl`: inputs with the verdict they must get, one JSON object a line.

A case names its evidence by id from `cases/passages.jsonl`, so that a passage is written once; `input` holds a whole
VerifyInput in the wire's own spelling where a case is about the wire.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from surefoot.core.errors import InputError
from surefoot.core.taxonomy import is_known
from surefoot.core.types import Decision, Json, VerifyInput
from surefoot.core.wire import parse_verify_input
from surefoot.packs.mistake import Ledger, Mistake, nearest

KEYS = tuple("id note sources draft profile question case rag_draft options input critic today expect".split())
EXPECT_KEYS = tuple("decision reason codes absent only final_contains final_lacks locations corrections says".split())
PASSAGES = "passages.jsonl"
TODAY = "2026-01-15"
"""The date cases are judged on unless they name another: staleness must not depend on the day of the run."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Expectation:
    decision: tuple[Decision, ...]
    reason: str | None = None
    codes: tuple[str, ...] = ()
    """Each must be among the issues."""
    absent: tuple[str, ...] = ()
    """None may be among the issues."""
    only: bool = False
    """No blocking issue but those of `codes`."""
    final_contains: tuple[str, ...] = ()
    final_lacks: tuple[str, ...] = ()
    locations: Mapping[str, str] = field(default_factory=dict)
    """Code to the text its issue must point at."""
    corrections: Mapping[str, str] = field(default_factory=dict)
    """Code to the correction its issue must offer."""
    says: Mapping[str, str] = field(default_factory=dict)
    """Code to words its issue's explanation must hold."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    id: str
    note: str
    request: VerifyInput
    expect: Expectation
    critic: str | None = None
    """The recorded reply of a critic; None: no critic is asked."""
    today: str = TODAY
    file: str = ""
    line: int = 0


def read_cases(folder: Path) -> tuple[list[Case], list[Mistake]]:
    """Every case of a pack's folder, and every mistake in its case files."""
    cases: list[Case] = []
    mistakes: list[Mistake] = []
    places: dict[str, str] = {}
    passages = _read_passages(folder / "cases" / PASSAGES, mistakes)
    for path in sorted((folder / "cases").glob("*.jsonl")):
        if path.name == PASSAGES:
            continue
        ledger = Ledger(file=f"cases/{path.name}")
        for line, row in _rows(path, ledger):
            case = _case(row, ledger, line, passages)
            if case is None:
                continue
            if case.id in places:
                taken = f"{case.id!r} is already the id of {places[case.id]}"
                ledger.add(line, "id", taken, "give each case its own id")
                continue
            places[case.id] = f"{ledger.file}:{line}"
            cases.append(case)
        mistakes += ledger.mistakes
    return cases, mistakes


def _read_passages(path: Path, mistakes: list[Mistake]) -> dict[str, Mapping[str, Json]]:
    if not path.is_file():
        return {}
    ledger = Ledger(file=f"cases/{path.name}")
    found: dict[str, Mapping[str, Json]] = {}
    for line, row in _rows(path, ledger):
        if not isinstance(row.get("id"), str) or not isinstance(row.get("text"), str):
            ledger.add(line, "", "a passage needs an id and a text", 'write {"id": "...", "text": "..."}')
            continue
        found[row["id"]] = row
    mistakes += ledger.mistakes
    return found


def _rows(path: Path, ledger: Ledger) -> list[tuple[int, dict[str, Any]]]:
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            ledger.add(number, "", f"not valid JSON: {error}", "write one JSON object on one line")
            continue
        if isinstance(row, dict):
            found.append((number, row))
        else:
            ledger.add(number, "", "not a JSON object", "write one JSON object on one line")
    return found


def _case(row: dict[str, Any], ledger: Ledger, line: int, passages: Mapping[str, Mapping[str, Json]]) -> Case | None:
    before = len(ledger.mistakes)
    for key in row:
        if key not in KEYS:
            ledger.add(line, key, "unknown key", nearest(key, KEYS))
    if not isinstance(row.get("id"), str):
        ledger.add(line, "id", "is missing", 'write "id": "a-name-of-its-own"')
    request = _request(row, ledger, line, passages)
    expect = _expectation(row.get("expect"), ledger, line)
    critic = row.get("critic")
    if len(ledger.mistakes) > before or request is None or expect is None:
        return None
    return Case(
        id=row["id"],
        note=str(row.get("note", "")),
        request=request,
        expect=expect,
        critic=critic if critic is None or isinstance(critic, str) else json.dumps(critic),
        today=str(row.get("today", TODAY)),
        file=ledger.file,
        line=line,
    )


def _request(
    row: dict[str, Any], ledger: Ledger, line: int, passages: Mapping[str, Mapping[str, Json]]
) -> VerifyInput | None:
    names = row.get("sources", [])
    for name in names:
        if name not in passages:
            ledger.add(line, "sources", f"there is no passage {name!r}", f"add it to cases/{PASSAGES}")
            return None
    data = row.get("input") or {
        "draft": row.get("draft"),
        "profile": row.get("profile", {}),
        "question": row.get("question"),
        "rag_draft": row.get("rag_draft"),
        "case": row.get("case"),
        "options": row.get("options", {}),
    }
    if names:
        data = {**data, "chunks": [passages[name] for name in names]}
    try:
        return parse_verify_input(data, place="input")
    except InputError as error:
        ledger.add(line, "input", str(error), "correct the case")
        return None


def _expectation(given: object, ledger: Ledger, line: int) -> Expectation | None:
    if not isinstance(given, dict):
        ledger.add(line, "expect", "is missing", 'write "expect": {"decision": "approved"}')
        return None
    for key in given:
        if key not in EXPECT_KEYS:
            ledger.add(line, f"expect.{key}", "unknown key", nearest(key, EXPECT_KEYS))
    decisions = _texts(given.get("decision"))
    unknown = [text for text in decisions if text not in {*Decision}]
    if not decisions or unknown:
        problem = f"{given.get('decision')!r} is no decision"
        ledger.add(line, "expect.decision", problem, nearest("".join(unknown), Decision))
        return None
    named = [*_texts(given.get("codes")), *_texts(given.get("absent")), *given.get("locations", {})]
    for code in named:
        if not is_known(code):
            ledger.add(line, "expect", f"there is no code {code!r}", "use a code of docs/verification.md")
    return Expectation(
        decision=tuple(Decision(text) for text in decisions),
        reason=given.get("reason"),
        codes=_texts(given.get("codes")),
        absent=_texts(given.get("absent")),
        only=bool(given.get("only", False)),
        final_contains=_texts(given.get("final_contains")),
        final_lacks=_texts(given.get("final_lacks")),
        locations=given.get("locations", {}),
        corrections=given.get("corrections", {}),
        says=given.get("says", {}),
    )


def _texts(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple(str(item) for item in value)
    return (str(value),)
