"""How the accurate grounder is heard beside a language model we taught: what each counts, and the bands of the mean.

    python -m training.beside scores --bench ../shared/bench --lessons training/work/lessons --out training/work/beside
    python -m training.beside fit --lessons training/work/lessons --scores training/work/tutor \\
        --bands training/work/bands-tutor.json --beside training/work/beside --out training/work/bands-beside.json

`scores` asks the shipped accurate grounder about every written development row and RAGTruth's subset, in the order of
the lessons. `fit` weighs its log-odds and the taught one's, as `--bands` calibrates them, by a logistic curve.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from surefoot.core.types import ClaimText
from surefoot.encoders.grounder import OnnxGrounder
from surefoot.verify.ground.signals import log_odds
from training import rows
from training.bands import FOR_TUTOR, bands, parts
from training.lessons import Lesson, asked_rows, held, is_development, own_rows, shared_rows
from training.measure import ASKED

AT_ONCE = 24
"""Claims read beside one context in one go."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ways = parser.add_subparsers(dest="way", required=True)
    asks = ways.add_parser("scores")
    asks.add_argument("--bench", type=Path, required=True)
    asks.add_argument("--written", type=Path, default=rows.HERE)
    asks.add_argument("--threads", type=int, default=2)
    fits = ways.add_parser("fit")
    fits.add_argument("--scores", type=Path, required=True)
    fits.add_argument("--beside", type=Path, required=True)
    fits.add_argument("--bands", type=Path, required=True, help="of the taught one alone")
    for each in (asks, fits):
        each.add_argument("--lessons", type=Path, required=True)
        each.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    if options.way == "fit":
        found = fit(options.lessons, options.scores, options.beside, options.bands)
        options.out.write_text(json.dumps(found, indent=1))
        print(json.dumps(found))
        return
    options.out.mkdir(parents=True, exist_ok=True)
    grounder = OnnxGrounder("grounder_accurate", threads=options.threads)
    shared = options.bench / "train" / "written"
    own = [*shared_rows(shared), *own_rows(options.written), *asked_rows(shared, options.written)]
    kept = [each for name, each in own if is_development(name)]
    for name, lessons in (("held", held(options.bench / "grounding")), ("written", kept)):
        odds = np.array(list(judged(grounder, lessons)), np.float32)
        with np.load(options.lessons / f"{name}.npz") as file:
            assert len(odds) == len(file["label"]), (len(odds), len(file["label"]))
        np.savez_compressed(options.out / f"{name}-beside.npz", odds=odds, grounder=grounder.identity)
        print(f"{name}: {len(odds)} rows, {int(np.isfinite(odds).sum())} judged", flush=True)


def judged(grounder: OnnxGrounder, lessons: Iterable[Lesson]) -> Iterator[float]:
    """The log-odds of every statement; NaN where neither set is asked."""
    for lesson in lessons:
        if not lesson.statements or not any(lesson.passages):
            continue
        if lesson.source == ASKED or not lesson.source.startswith(("w-", "ragtruth")):
            yield from (float("nan") for _ in lesson.statements)
            continue
        sources = [" ".join(passage) for passage in lesson.passages]
        for start in range(0, len(lesson.statements), AT_ONCE):
            part = lesson.statements[start : start + AT_ONCE]
            claims = [ClaimText(text=one.text, before=one.before) for one in part]
            yield from (log_odds(score.unsupported) for score in grounder.judge(claims, sources))


def fit(lessons: Path, scores: Path, beside: Path, alone: Path) -> dict[str, object]:
    calibration, sets = json.loads(alone.read_text())["calibration"], {}
    for name in ("written", "held"):
        with np.load(lessons / f"{name}.npz") as file:
            arrays = {key: file[key] for key in file.files}
        with np.load(scores / f"{name}-tutor.npz") as file:
            taught = file["logits"].astype(float)
        with np.load(beside / f"{name}-beside.npz") as file:
            odds, grounder = file["odds"].astype(float), str(file["grounder"])
        for part, (features, label) in parts(arrays, taught, odds).items():
            features[:, 0] = calibration["scale"] * features[:, 0] + calibration["shift"]
            sets[part] = features, label
    found = bands(sets, FOR_TUTOR)
    curve = found["calibration"]
    weights = {"slow": curve["scale"], "accurate": found["beside"], "shift": curve["shift"]}
    return {"grounder": grounder, "weights": weights, "bands": found["bands"], "sets": found["sets"]}


if __name__ == "__main__":
    main()
