"""Put a student (`training.settle`) in the place of the model that ships: export, scale, compare, card.

    python -m training.reship grounder_fast --model training/work/fast-rest --config training/configs/rest_fast.toml \\
        --data training/work/data/dev.npz --before OLD

A grounder's scores are brought to the size of those before, so that their calibration and bands hold for it; what size
that is, is seen on answers that neither has learned from. How well it ranks the same rows as the model before, and
what eight bits cost, goes into the card.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
from onnxruntime import InferenceSession

from training.calibrate import JOINT, UNSEEN, joint_score
from training.card import write_card
from training.cards import EIGHT_BITS_FORM, READS, RERANKER, ROWS
from training.dataset import Examples
from training.evaluate import auroc, by_answer
from training.export import calibrate, evenly, spread, write_judge
from training.novelty import features
from training.onnx_run import session
from training.score import load_model

Scores = tuple[np.ndarray, np.ndarray]
STUDENT = (
    "The file is a student (training/settle.py): labels, a teacher's logits and its states (decision 0019). A "
    "grounder's other figures are of the file before. auroc_before and auroc: mean over the data's sets, row by row."
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name")
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument(
        "--rows", type=int, default=600, help="rows to compare the model before, the student and its eight bits on"
    )
    parser.add_argument("--before", type=Path, help="folder of the model before, its card too; by default what ships")
    parser.add_argument("--package", type=Path, default=Path("models/surefoot_models"))
    options = parser.parse_args()
    folder = options.package / options.name
    before = options.before or folder
    config = tomllib.loads(options.config.read_text())
    examples = Examples.load(options.data, config["base"], config["tokens"])
    model, tokens = load_model(config, [options.model]).cpu(), config["objective"] == "ground"
    tokenizer = folder / "tokenizer.json"
    narrow = write_judge(model, "fixed", calibrate(model, examples), tokenizer, tokens=tokens)
    rows = np.union1d(spread(examples, options.rows), unseen(examples, options.rows) if tokens else np.zeros(0, int))
    forms = {
        "before": (before / "model.onnx").read_bytes(),
        "float": write_judge(model, "float", {}, tokenizer, tokens=tokens),
        "int8": narrow,
    }
    said = {name: scores(session(form, 2), examples, rows) for name, form in forms.items()}
    card, old = (json.loads((place / "card.json").read_text()) for place in (folder, before))
    joint = {name: both[0] for name, both in said.items()}
    if tokens:
        words = features(examples, rows, options.package / "embedder" / "tokenizer.json")  # rows are MiniLM's pieces
        joint = {name: joint_score(*both, words) for name, both in said.items()}
        fresh = np.isin(rows, unseen(examples, options.rows))
        card["joint"] = fitted(old["joint"], joint["int8"][fresh], joint["before"][fresh])
    report = compare(examples, rows, joint, said["float"][0] - said["int8"][0])
    second = READS[options.name]["second"]
    run = json.loads((options.model / "run.json").read_text())
    learned = {"rows": run["rows"], "passes": run["epochs"], "seed": run["seed"]}
    learned |= {"share_of_the_student_before": run["blended"]} if "blended" in run else {}
    card |= {
        "inputs": {name: text.format(**READS[options.name]) for name, text in ROWS.items()},
        "layers_kept": config["keep_layers"],
        "rest": f"after {config['rest']} of {len(config['keep_layers'])} layers the {second} rests (decision 0019)",
        "student": {"what": STUDENT} | learned | report["student"],
        "int8_cost": {"bytes": len(narrow)} | report["int8_cost"],
    }
    card.pop("settled", None)
    card |= {} if tokens else RERANKER
    card["recipe"]["eight_bits"] = EIGHT_BITS_FORM
    (folder / "model.onnx").write_bytes(narrow)
    write_card(folder, card)
    print(json.dumps({name: card.get(name) for name in ("joint", "student", "int8_cost")}, indent=1))


def unseen(examples: Examples, count: int) -> np.ndarray:
    """Rows of answers that no weights learned from."""
    sets = examples.arrays["sets"][examples.arrays["source"]]
    rows = np.flatnonzero(np.char.startswith(sets, UNSEEN) & (examples.arrays["weight"] > 0))
    return rows[evenly(len(rows), count)]


def scores(model: InferenceSession, examples: Examples, rows: np.ndarray) -> Scores:
    """Each row's sentence logit and the mean of its three highest token logits (0 where there is no such head)."""
    found = np.zeros((2, len(rows)), np.float32)
    inputs, outputs = ({entry.name for entry in part} for part in (model.get_inputs(), model.get_outputs()))
    for at, row in enumerate(rows):
        ids, size = examples.assemble(int(row))
        places = np.arange(len(ids))
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "claim_mask": (places >= 1) & (places <= size)}
        wanted = ["sentence", *(["token"] if "token" in outputs else [])]
        sentence, *token = model.run(wanted, {k: v.astype(np.int64)[None] for k, v in given.items() if k in inputs})
        found[0, at] = sentence.reshape(-1)[0]
        if token:
            found[1, at] = np.sort(token[0][0, 1 : size + 1])[-3:].mean()
    return found[0], found[1]


def compare(examples: Examples, rows: np.ndarray, said: dict[str, np.ndarray], gap: np.ndarray) -> dict[str, Any]:
    """How alike both models are, and how well each form tells the rows apart: the mean of the sets' AUROC."""
    sets = examples.arrays["sets"][examples.arrays["source"][rows]]
    label, alone = examples.arrays["label"][rows], np.full(len(rows), -1)
    ranked = {}
    for name, score in said.items():
        judged = by_answer(score, sets, alone, label, np.ones(len(rows), bool))
        ranked[name] = float(np.nanmean([auroc(*pair) for key, pair in judged.items() if "/" not in key]))
    alike = float(np.corrcoef(said["before"], said["int8"])[0, 1])
    return {
        "student": {
            "auroc_before": round(ranked["before"], 4),
            "auroc": round(ranked["int8"], 4),
            "correlation_with_before": round(alike, 4),
            "compared_on": len(rows),
        },
        "int8_cost": {
            "auroc_float": round(ranked["float"], 4),
            "auroc_int8": round(ranked["int8"], 4),
            "logit_gap_mean": round(float(np.abs(gap).mean()), 4),
            "rows": len(rows),
        },
    }


def fitted(before: dict[str, float], ours: np.ndarray, theirs: np.ndarray) -> dict[str, float]:
    """The calibration before for scores of another size: mean and spread become those of the scores before.

    Not the line that foretells their scores from ours: that one is flatter the less both agree, however right we are.
    """
    slope = float(theirs.std() / ours.std())
    offset = float(theirs.mean() - slope * ours.mean())
    scale = before["scale"]
    return JOINT | {"scale": round(scale * slope, 4), "shift": round(scale * offset + before["shift"], 4)}


if __name__ == "__main__":
    main()
