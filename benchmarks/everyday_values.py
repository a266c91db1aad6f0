"""Values in everyday words: right sentences that code stops, and wrong ones that it does not find.

    python benchmarks/everyday_values.py [--half tune|last] [--details] [--file FILE]

Every row of `tests/verify/checks/everyday_values.jsonl` has sources, five right sentences and three wrong ones, each of
them a draft of its own. *Stopped* is a right one with a hard finding, *lost* one that does not leave as it stands,
*missed* a wrong one without a hard finding, *leaving* one that is approved. The half `last` is for the last
measurement.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

import surefoot

ROWS = Path(__file__).parents[1] / "tests/verify/checks/everyday_values.jsonl"
HARD = frozenset("value_mismatch unit_mismatch contradicted unknown_entity citation_misattributed".split())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=("tune", "last"))
    parser.add_argument("--file", type=Path, default=ROWS)
    parser.add_argument("--details", action="store_true", help="also which sentences")
    chosen = parser.parse_args()
    counts: Counter[str] = Counter()
    details: list[str] = []
    options = surefoot.VerifyOptions(skip_llm_verification=True, deadline_ms=60_000)
    for line in chosen.file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if chosen.half not in (None, row["half"]):
            continue
        for kind in ("right", "wrong"):
            for sentence in row[kind]:
                result = surefoot.verify(sentence, row["sources"], options=options)
                found = [issue for issue in result.metadata.issues_detected if issue.code in HARD]
                approved = result.decision == "approved"
                if kind == "right":
                    names = ["stopped"] * bool(found) + ["lost"] * (not approved)
                else:
                    names = ["missed"] * (not found) + ["leaving"] * approved
                counts.update([kind, *names])
                if names:
                    why = "; ".join(f"{issue.code}: {issue.problem}" for issue in found)
                    details.append(f"{'+'.join(names):<15} {row['id']:<10} {sentence}  {why}")
    print(
        f"right {counts['right']}: stopped {counts['stopped']}, lost {counts['lost']}; "
        f"wrong {counts['wrong']}: missed {counts['missed']}, leaving {counts['leaving']}"
    )
    if chosen.details:
        print("\n".join(sorted(details)))


if __name__ == "__main__":
    main()
