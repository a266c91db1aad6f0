# ruff: noqa: E501 - the prose of the cards
"""Write the cards of the grounders and the re-ranker from what training, calibration and export left behind.

python -m training.cards --work training/work --package models/surefoot_models
"""

from __future__ import annotations

import argparse
import json
import tomllib
from pathlib import Path
from typing import Any

from training.card import write_card, write_manifest
from training.weights import BASES, base_folder, sha256

LICENCES = {
    "mnli, snli, breaking_nli, hover, xquad": "CC BY-SA",
    "fever_sym, climate_fever, healthver, scitail, rte": "as published for research",
    "scifact (train)": "CC-BY / ODC-BY",
    "wice": "ODC-BY",
    "factcg": "MIT",
    "summedits (five domains), mtrag, clapnq": "Apache-2.0",
    "qags, polytope, factcc, xsumfaith": "labels as published, over news text",
    "Wikipedia and DBpedia abstracts": "CC BY-SA",
    "scientific abstracts": "ODC-BY",
    "citizens_information pages": "CC BY 4.0: contains Irish Public Sector Data",
    "claims and questions written by Qwen2.5-Coder-1.5B-Instruct": "Apache-2.0 model; made for this project",
    "mutations and records made by code": "ours",
}
GROUNDERS = {
    "grounder_fast": ("fast", "last_fast.toml", "short deadlines"),
    "grounder_accurate": ("acc", "last_accurate.toml", "the gate, where time allows"),
}
EIGHT_BITS_FORM = (
    "weights in seven bits per output channel, rounded so that the product changes least (GPTQ); activations in eight with a "
    "step fixed by calibration (MatMulIntegerToFloat), smoothing 0.6, the loudest inner channels capped; embeddings int8 per row"
)
ROWS = {
    "input_ids": "int64 [1, length]: [open] {first} [sep] {second} [sep], one row at a time",
    "claim_mask": "int64 [1, length]: 1 on the tokens of the {first}",
}
"""What the judging models take."""
READS = {
    "grounder_fast": {"first": "claim", "second": "evidence"},
    "grounder_accurate": {"first": "claim", "second": "evidence"},
    "reranker": {"first": "question", "second": "gist of the passage"},
}
RERANKER: dict[str, Any] = {
    "data": {
        "15,179 questions written by Qwen2.5-Coder-1.5B-Instruct over 7,700 contexts": "Apache-2.0 model; made for this project",
        "SciFact train claims, two thirds of 809, and of its abstracts the titles and one finding each": "CC-BY / ODC-BY",
        "citizens_information pages": "CC BY 4.0: contains Irish Public Sector Data",
    },
    "recipe": {
        "negatives": "nine from the first 30 of BM25 and embedder fused (k = 60), near-duplicates left out, and one at random",
        "teacher": "ten layers of all-mpnet-base-v2, 0.9 passes over the same rows; not shipped",
        "training": "two passes, loss: softmax over a question's passages + 0.5 x yes/no + 0.5 x distance from the teacher's order; one seed",
        "hardware": "one H200, nine minutes with its teacher, other trainings beside it",
        "eight_bits": EIGHT_BITS_FORM,
        "commands": "training/README.md",
    },
    "metrics": {
        "SciFact, held third of the train queries (nDCG@10)": {
            "hybrid": 0.7073,
            "re-ranked top 20": 0.7828,
            "teacher": 0.7925,
        },
        "generated questions on held contexts (nDCG@10)": {
            "hybrid": 0.7806,
            "re-ranked top 20": 0.7971,
            "teacher": 0.8147,
        },
        "the same about citizens_information pages as ingest cuts them (nDCG@10)": {
            "hybrid": 0.6576,
            "re-ranked top 20": 0.756,
            "teacher": 0.7854,
        },
    },
}
LIMITS = [
    "English only. A claim is read with at most 384 tokens, evidence included; a longer list of evidence is cut.",
    "It judges support by the evidence given, not truth; evidence that was not selected does not exist for it.",
    "Weak on abstractive summaries of long news (RAGTruth Summary) and on claims that need several steps of inference.",
    "Spans come from the token head and may miss part of an error; an omission has no span.",
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, default=Path("training/work"))
    parser.add_argument("--package", type=Path, default=Path("models/surefoot_models"))
    options = parser.parse_args()
    for name, (short, config, use) in GROUNDERS.items():
        if (options.package / name / "model.onnx").exists():
            write_grounder(options.package / name, name, short, config, use, options.work)
    if (options.package / "reranker" / "model.onnx").exists():
        write_reranker(options.package / "reranker", options.work)
    write_manifest(options.package)


def write_grounder(folder: Path, name: str, short: str, config_name: str, use: str, work: Path) -> None:
    config = tomllib.loads((Path("training/configs") / config_name).read_text())
    calibration = json.loads((work / f"calibration-{short}.json").read_text())
    (folder / "reliability.svg").write_text(reliability_plot(calibration["reliability"]))
    write_card(
        folder,
        {
            "name": name,
            "purpose": f"Says whether a sentence is supported by evidence sentences, and which words are not. For {use}.",
            "inputs": {row: text.format(**READS[name]) for row, text in ROWS.items()},
            "outputs": {
                "sentence": "float [1]: logit of not supported",
                "token": "float [1, kept]: the same for each token up to the end of the claim",
            },
            "max_tokens": config["tokens"],
            "joint": calibration["joint"],
            "bands": calibration["bands"],
            "base": base_facts(config["base"], work),
            "layers_kept": config["keep_layers"],
            "data": LICENCES,
            "recipe": {
                "rows": "210,265 labelled (pairs, generated, synthetic; none of RAGTruth's 1,711 in any pass) and 103,819 undecided ones with "
                "the opinion of a language model as their label",
                "teacher": "Qwen2.5-Coder-1.5B-Instruct (Apache-2.0, from four bits, its lower 24 layers), taught for one pass on 59,417 "
                "labelled rows without the held sets; it reads the whole source (training/opinion.py)",
                "training": "a first pass on labelled rows without the held sets (fast 1, accurate 0.6), second passes with the teacher's "
                "labels without them (3, 2.6: the twin), last passes with everything but RAGTruth (0.6, 0.5); loss: sentence + 3 x token + "
                "0.3 x strongest token, bags by their worst sentence",
                "hardware": "one H200, 20 minutes for all models together, the teacher's 9 included",
                "eight_bits": EIGHT_BITS_FORM,
                "commands": "training/README.md",
            },
            "development_answers": {key: plain(value) for key, value in calibration["answers"].items()},
            "development_answers_as_shipped": calibration["as_shipped"],
            "development_sentences": {key: plain(value) for key, value in calibration["held_rows"].items()},
            "how_measured": "Figures are of the twin, trained without RAGTruth, FactCG, WiCE, SciFact and without the "
            "SummEdits domains podcast, sales_email and samsum (its news and sales_call were seen). The shipped weights went on from it with "
            "all of them but RAGTruth; as_shipped is theirs. Sentences that claim nothing of the world are left out. interval: 95 %, "
            "bootstrap over sources; fold_seeds: two more seeds of the twin.",
            "calibration": {
                "on": "held sentences of RAGTruth, FactCG, WiCE, SciFact, SummEdits; sets and labels weighted equally",
                "reliability (said, found, rows)": calibration["reliability"],
                "plot": "reliability.svg",
            },
            "int8_cost": export_facts(work, name),
            "limits": LIMITS,
        },
    )


def write_reranker(folder: Path, work: Path) -> None:
    config = tomllib.loads(Path("training/configs/rest_reranker.toml").read_text())
    write_card(
        folder,
        {
            "name": "reranker",
            "purpose": "Says how well a passage answers a question, by reading both together.",
            "inputs": {row: text.format(**READS["reranker"]) for row, text in ROWS.items()},
            "outputs": {"sentence": "float [1]: logit of relevance"},
            "max_tokens": 192,
            "base": base_facts("minilm", work),
            "layers_kept": config["keep_layers"],
            **RERANKER,
            "int8_cost": export_facts(work, "reranker"),
            "limits": [
                "English. Reads a gist of at most 112 tokens of each passage.",
                "Relevance is not support: an answer still has to pass the gate.",
            ],
        },
    )


def base_facts(name: str, work: Path) -> dict[str, Any]:
    folder = base_folder(work, name)
    return {
        "title": BASES[name].title,
        "licence": BASES[name].licence,
        "packages": list(BASES[name].packages),
        "model_sha256": sha256(folder / "model.safetensors"),
        "tokenizer_sha256": sha256(folder / "tokenizer.json"),
    }


def export_facts(work: Path, name: str) -> dict[str, Any]:
    path = work / f"export-{name}.json"
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return found


def plain(value: dict[str, Any]) -> dict[str, Any]:
    """JSON has no NaN."""
    return {key: None if inner != inner else inner for key, inner in value.items()}


def reliability_plot(points: list[list[float]]) -> str:
    """Said against found, one dot per bin, as SVG."""
    dots = "".join(
        f'<circle cx="{40 + 240 * said:.1f}" cy="{270 - 240 * found:.1f}" r="{2 + (rows / 150) ** 0.5:.1f}" fill="#2a6"/>'
        for said, found, rows in points
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="310" font-family="sans-serif" font-size="11">'
        '<rect x="40" y="30" width="240" height="240" fill="none" stroke="#888"/>'
        f'<line x1="40" y1="270" x2="280" y2="30" stroke="#bbb" stroke-dasharray="4"/>{dots}'
        '<text x="40" y="18">found unsupported (up) against said (right)</text>'
        '<text x="36" y="285">0</text><text x="276" y="285">1</text><text x="26" y="36">1</text></svg>\n'
    )


if __name__ == "__main__":
    main()
