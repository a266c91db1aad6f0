"""What each rule beside the grounder stops and frees, claim by claim: the ledger of decision 0087.

    python benchmarks/ledger.py DRAFTS.jsonl [--case] [--details]

DRAFTS as for `surefoot bench drafts`; `--case` gives a row's case as the account it is, as the judge does. Every claim
of a draft is read once; then each rule is switched off in turn and the claim decided again. A rule has *stopped* what
leaves without it, and *freed* what does not leave without it; what changes nothing is not shown.
"""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

from surefoot.bench.drafts import Labelled, Row, plain, read_rows, request
from surefoot.core.types import CheckReport, Status, VerifyInput
from surefoot.verify.ground import risk, signals
from surefoot.verify.ground.risk import UNKNOWN, GroundingCheck, _bands, _groups, _Item
from surefoot.verify.read.submission import Submission
from surefoot.wiring import build

LEAVES = (Status.PROVEN, Status.SUPPORTED, Status.SILENT)
SIGNALS: dict[str, Any] = {
    "outcome": None, "concludes": False, "comes_out": None, "outside_limit": False, "counted": None, "untold": False,
    "exchanged": False, "borrowed": False, "shortened": False, "denials": 0,
}  # fmt: skip
"""Names in `ground/signals`, and what they say where they see nothing."""
VETOES: dict[str, Any] = {
    "strange_names": (), "weighty": False, "cut_out": False, "contrary": False, "turns_what_follows": False,
    "promises": False, "_is_out_of_place": False, "misplaced": False, "is_denied": False, "restated": None,
    "settled": False, "worked_out": None, "is_said": None, "leans": False,
}  # fmt: skip
"""The same in `ground/risk`."""
RULES: dict[str, tuple[ModuleType, Any]] = {name: (signals, value) for name, value in SIGNALS.items()} | {
    name: (risk, value) for name, value in VETOES.items()
}


class Ledger:
    """Takes the place of the grounding check's `run` and keeps account of the first reading of each draft."""

    def __init__(self) -> None:
        self.row: Row | None = None
        self.counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.seen: list[str] = []
        self._run = GroundingCheck.run
        GroundingCheck.run = lambda check, submission: self.run(check, submission)  # type: ignore[method-assign]

    def run(self, check: GroundingCheck, submission: Submission) -> CheckReport:
        if self.row is not None and submission.draft == self.row.answer:
            row, self.row = self.row, None
            self._account(check, submission, row)
        return self._run(check, submission)

    def _account(self, check: GroundingCheck, submission: Submission, row: Row) -> None:
        items: list[_Item] = []
        for claim in submission.claims:
            if claim.factual:
                items.append(_Item(claim, submission, items[-1] if items else None))
        groups = _groups([item for item in items if item.place is None])
        grounder, room = check._in_time(groups, submission.until - check.now(), judged=submission.case is not None)
        bands = _bands(grounder, submission)
        for group in groups:
            check._ask(grounder, group, room)
        for number, item in enumerate(items):
            label = _label(item.claim.text, row)
            if label is None:
                continue
            item.decide(bands)
            kind, leaves = "wrong" if label.label else "right", item.status in LEAVES
            self.counts["everything"][f"{kind} {'leave' if leaves else 'do not'}"] += 1
            for name in RULES:
                with _off(name):
                    other = _Item(item.claim, submission, items[number - 1] if number else None)
                    other.score = item.score
                    if other.place is None and other.score is None:
                        check._ask(grounder, [other], room)
                    other.status, other.risk = Status.DOUBTFUL, UNKNOWN
                    other.decide(bands)
                if (other.status in LEAVES) != leaves:
                    what = f"{kind} {'freed' if leaves else 'stopped'}"
                    self.counts[name][what] += 1
                    self.seen.append(f"{name}: {what}: {row.id}: {item.claim.text}")


def _label(text: str, row: Row) -> Labelled | None:
    said = plain(text)
    return next((one for one in row.sentences if said and (said in plain(one.text) or plain(one.text) in said)), None)


@contextmanager
def _off(name: str) -> Iterator[None]:
    module, neutral = RULES[name]
    own = getattr(module, name)
    setattr(module, name, lambda *given, **named: neutral)
    try:
        yield
    finally:
        setattr(module, name, own)


def _as_case(row: Row) -> VerifyInput:
    asked = request(row, pack="judge")
    chunks = [one for one in asked.chunks if one.id != "case"]
    return replace(asked, case=row.case, chunks=tuple(replace(one, id=str(at)) for at, one in enumerate(chunks, 1)))


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--case", action="store_true")
    parser.add_argument("--details", action="store_true", help="print the claims, too")
    options = parser.parse_args(words)
    ledger, gate = Ledger(), build().gate

    async def all_rows() -> None:
        for row in read_rows(options.file):
            ledger.row = row
            await gate.verify(_as_case(row) if options.case and row.case else request(row))

    asyncio.run(all_rows())
    for name, counts in sorted(ledger.counts.items()):
        print(f"{name}: {', '.join(f'{what} {count}' for what, count in sorted(counts.items()))}")
    if options.details:
        print(*ledger.seen, sep="\n")


if __name__ == "__main__":
    main()
