"""How the shipped grounders judge written rows, kind by kind: for kinds that were written after they were taught.

    python -m training.unseen law talks press webpages

The files are run as the package runs them, eight bits and calibration included. A kind in whose training the models had
a part gives flattering figures; `--development` keeps only contexts that are in no training.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from surefoot.core.told import told
from surefoot.core.types import ClaimText, GroundingScore
from surefoot.encoders.grounder import OnnxGrounder
from training import rows
from training.lessons import is_development
from training.measure import auroc


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="+", help="folders of training/written")
    parser.add_argument("--grounder", default="grounder_accurate")
    parser.add_argument("--development", action="store_true")
    options = parser.parse_args()
    grounder = OnnxGrounder(options.grounder)
    whole: list[tuple[str, rows.Sentence, GroundingScore]] = []
    for kind in options.kinds:
        found = [
            one
            for context in rows.read_folder(rows.HERE / kind)
            if is_development(context.id) or not options.development
            for one in judged(context, grounder)
        ]
        print(json.dumps({kind: figures(found, grounder.bands["release"])}), flush=True)
        whole += found
    print(json.dumps({"whole": figures(whole, grounder.bands["release"])}))


def judged(context: rows.Context, grounder: OnnxGrounder) -> Iterator[tuple[str, rows.Sentence, GroundingScore]]:
    """(claim, twin's number or sentence; the row; its score) of every row of a context."""
    sources = [*([context.case] if context.case else []), *context.sources]
    sources += [told(json.loads(context.profile))] if context.profile else []
    asked: list[tuple[str, rows.Sentence, str]] = [("claim", each, "") for each in context.claims]
    for answer in context.answers:
        before = answer.question
        for each in answer.sentences:
            asked.append(("sentence", each, before))
            before = f"{answer.question} {each.text}"
    scores = grounder.judge([ClaimText(text=each.text, before=before) for _, each, before in asked], sources)
    for (place, each, _), score in zip(asked, scores, strict=True):
        yield (f"{context.id}/{each.twin}" if each.twin and place == "claim" else place), each, score


def figures(found: list[tuple[str, rows.Sentence, GroundingScore]], release: float) -> dict[str, float | int]:
    stated = [(place, each.label, score) for place, each, score in found if each.type != "silent"]
    given: dict[str, float | int] = {}
    for name in ("claims", "sentences"):
        part = [(label, score) for place, label, score in stated if (place == "sentence") == (name == "sentences")]
        risk, label = np.array([s.unsupported for _, s in part]), np.array([one for one, _ in part])
        out = risk <= release
        given |= {
            name: len(part),
            f"{name}_auroc": round(auroc(risk, label == 1), 4),
            f"{name}_right_released": round(float(out[label == 0].mean()), 4),
            f"{name}_wrong_among_released": round(float((label[out] == 1).mean()) if out.any() else 0.0, 4),
        }
    pairs: dict[str, dict[int, float]] = defaultdict(dict)
    for place, label, score in stated:
        if "/" in place:
            pairs[place][label] = score.unsupported
    whole = [pair for pair in pairs.values() if len(pair) == 2]
    ranked = sum(pair[0] < pair[1] for pair in whole)
    silent = [score.silent >= 0.5 for _, each, score in found if each.type == "silent"]
    return given | {
        "twins": len(whole),
        "twins_right": round(ranked / max(1, len(whole)), 4),
        "silent_told": round(sum(silent) / max(1, len(silent)), 4),
    }


if __name__ == "__main__":
    main()
