# ruff: noqa: E501 - the prose of the cards
"""Write the cards of the grounders and the re-ranker from what training and calibration left behind.

python -m training.cards --work training/work --package models/surefoot_models
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from surefoot.encoders import base_weights
from training.card import write_card
from training.measure import report
from training.weights import BASES, base_folder, sha256

EIGHT_BITS_FORM = (
    "weights in seven bits per output channel, rounded so that the product changes least (GPTQ); activations in eight with a "
    "step fixed by calibration (MatMulIntegerToFloat), smoothing 0.6, the loudest inner channels capped; embeddings int8 per row"
)
WRITTEN = "rows written by reading (training/written, {rows} over {contexts} contexts; shared bench, 21,600), {questions} questions with what answers them and what does not"
LICENCES = {
    WRITTEN.format(rows="177,800", contexts="7,120", questions="51,900"): "ours",
    "mnli, snli, breaking_nli, hover, xquad": "CC BY-SA",
    "fever_sym, climate_fever, healthver, scitail, rte": "as published for research",
    "wice": "ODC-BY",
    "summedits (news, sales_call), mtrag, clapnq": "Apache-2.0",
    "qags, polytope, factcc, xsumfaith": "labels as published, over news text",
    "claims written by Qwen2.5-Coder-1.5B-Instruct over Wikipedia, DBpedia (CC BY-SA), scientific abstracts (ODC-BY), citizens_information (CC BY 4.0: contains Irish Public Sector Data) and records": "Apache-2.0 model; made for this project",
    "about 90,000 claims that the same model wrote after the manner of the written rows, without a label of their own": "made for this project (training/writer.py)",
}
MODELS = {
    "grounder_accurate": (
        "acc",
        "mpnet",
        "the gate, where time allows",
        "ten lower layers; sources rest after three",
        "10.5 minutes, 2.2 passes, rate 6e-5; then from those weights, read back from the graph, 6.2 minutes, 1.8 passes, rate 4e-5, what was written since most often",
    ),
    "grounder_fast": (
        "fast",
        "minilm",
        "short deadlines",
        "all six layers; sources rest after two",
        "5.5 minutes, about 1.8 passes, rate 2e-4",
    ),
}
RERANKER = {
    "name": "reranker",
    "purpose": "Says how well a passage or a sentence answers a question.",
    "inputs": {
        "input_ids": "int64 [1, length]: [open] question [sep] gist of the passage [sep], one row at a time",
        "claim_mask": "int64 [1, length]: 1 on the tokens of the question",
    },
    "outputs": {"sentence": "float [1]: logit of 'answers'"},
    "form": "all six layers; the passage rests after two",
    "data": {
        "28,062 written questions with sentences that answer and close ones that do not": "ours",
        "17,328 questions written by Qwen2.5-Coder-1.5B-Instruct over 7,700 contexts": "Apache-2.0 model; made for this project",
        "SciFact train claims but for the held third, 2,500 of its titles": "CC-BY / ODC-BY",
    },
    "recipe": {
        "training": "3 minutes of one H200 beside another training, 1,017 steps of 64 groups of eight, rate 2e-4; softmax over a question's candidates + yes/no; one seed (training/rank.py)",
        "eight_bits": EIGHT_BITS_FORM,
    },
    "development (the answering one first among eight; the file before)": {
        "written passages, kept contexts": "0.733 of 602",
        "written sentences, kept contexts": "0.827 of 582",
        "generated questions, kept contexts": "0.860 of 536",
    },
    "replaces": "the re-ranker of commit d4136ba",
    "limits": [
        "The candidates of the written figures share the question's words or its trade on purpose; they are harder than what a search brings.",
        "English, some Afrikaans and French.",
    ],
}
LIMITS_OF_TUTOR = [
    "It judges support by the sources given, not truth.",
    "English; Afrikaans and French rows were taught, a few German, Dutch and Spanish ones.",
    "Slow: docs/models.md has the times. It gives no spans: a claim falls as a whole.",
    "Of two claims that differ in one word it prefers the true one in 83 of 100 cases.",
]
LIMITS = [
    "It judges support by the sources given, not truth.",
    "English; Afrikaans and French rows were taught, a few German, Dutch and Spanish ones. Other languages are not.",
    "Inference is weak: sums, order, what follows from two sentences. Of two claims that differ in one word it prefers the true one in two cases of three.",
    "Sources of more than 512 tokens (96 more for each claim above five) are cut to the sentences that share words with the claims.",
    "Spans come from the token head and may miss part of an error; an omission has no span.",
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, default=Path("training/work"))
    parser.add_argument("--package", type=Path, default=Path("models/surefoot_models"))
    parser.add_argument("--names", nargs="*", default=list(MODELS), choices=list(MODELS), help="grounders to write of")
    parser.add_argument("--reranker", action="store_true", help="its card too")
    parser.add_argument("--thorough", action="store_true", help="only the card of what the tutor learned")
    options = parser.parse_args()
    if options.thorough:
        thorough(options.work, options.package)
        return
    for name in options.names:
        short, base, use, form, training = MODELS[name]
        bands = json.loads((options.work / f"bands-{short}.json").read_text())
        figures = {part: figures_of(options.work, short, part) for part in ("written", "held")}
        write_card(
            options.package / name,
            {
                "name": name,
                "purpose": f"Reads the sources of a draft once and says of each claim whether they support it, whether it claims anything, and which words lack support. For {use}.",
                "inputs": {
                    "claim_ids, claim_place, claim_group": "int64 [1, A]: all claims one after the other, each [open] claim [sep] what stood before [sep]; places count from 0 in each",
                    "source_ids, source_mask": "int64 [W, T]: windows of at most 320 tokens, places from 64",
                    "member, first": "int64 [C, A] and [C]: each claim's own tokens and where it opens",
                },
                "outputs": {"sentence": "float [C, 3]: supported, unsupported, claims nothing", "token": "float [1, A]: logit of unsupported"},
                "calibration": bands["calibration"],
                "bands": bands["bands"],
                "promise": "Of the claims released (risk up to `release`) at most 5 % are wrong, on the written development answers and on RAGTruth's subset, sentence by sentence.",
                "calibrated_on": bands["sets"],
                "base": base_facts(base, options.work),
                "form": form,
                "data": LICENCES,
                "recipe": {
                    "training": training + ", batches of 32,768 tokens, one H200 beside another training; cross-entropy over three classes, words, and a margin between twins; one seed",
                    "held": "RAGTruth, FactCG, SciFact, the SummEdits domains podcast, sales_email, samsum, and a tenth of the contexts of every kind of written rows are in no training",
                    "tutor": "at first the thorough grounder judged all that nobody labelled by hand; its chances counted beside the labels of public sets and alone where there are none (docs/decisions/0126, 0135, 0137); the last minutes had labels alone (0155)",
                    "eight_bits": EIGHT_BITS_FORM,
                    "commands": "training/REBUILD.md",
                },
                "development_written (AUROC, word novelty's, rows)": {k: figures["written"][k] for k in ("claims", "sentences", "twins")},
                "development_by_kind (AUROC, word novelty's)": figures["written"]["by_kind"],
                "silent": figures["written"]["silent"],
                "development_unseen_sets (AUROC of answers, rows)": {k: v for k, v in figures["held"].items() if isinstance(v, list)},
                "replaces": "the grounders of commit 302b92c, which had not seen 1,700 contexts: instructions, a Yes or No before a statement, parts cut out of sentences, eight kinds of sources",
                "limits": LIMITS,
            },
        )  # fmt: skip

    if options.reranker:
        write_card(options.package / "reranker", RERANKER | {"base": base_facts("minilm", options.work)})


def thorough(work: Path, package: Path) -> None:
    bands, beside = (json.loads((work / f"bands-{name}.json").read_text()) for name in ("tutor", "beside"))
    figures = {part: figures_of_tutor(work, part) for part in ("written", "held")}
    write_card(
        package / "grounder_thorough",
        {
            "name": "grounder_thorough",
            "purpose": "Small matrices taught beside a language model of 1.5 billion weights (LoRA), so that it reads the sources of a draft and says of each claim Yes, No, or None where nothing is claimed.",
            "prompt": "src/surefoot/encoders/thorough.py; the base weights are fetched by surefoot models fetch",
            "calibration": bands["calibration"],
            "bands": bands["bands"],
            "promise": "Of the claims released (risk up to `release`) at most 2.5 % are wrong on the written development answers and on RAGTruth's subset, sentence by sentence.",
            "calibrated_on": bands["sets"],
            "beside": beside,
            "base": {"title": base_weights.NAME, "licence": base_weights.LICENCE, "packages": f"{base_weights.PACKAGES[0]} … {base_weights.PACKAGES[-1]}", "model_sha256": base_weights.SHA256},
            "form": "rank 8 beside the seven matrices of each of the 28 layers, strength 2, blocks of eight bits where the rank fills them; graph.onnx (training/reader_graph.py) reads both together in eight bits, laid out by surefoot models fetch (docs/decisions/0139)",
            "data": {WRITTEN.format(rows="177,800", contexts="7,120", questions="51,900"): "ours", **dict(list(LICENCES.items())[1:])},
            "recipe": {
                "training": "9 minutes of one H200, 1,523 steps of 16,384 tokens, 1.56 passes, rate 2e-4, then 4.5 minutes, 768 steps, 6.9 minutes, 1,188 steps, and 10 minutes, 1,689 steps, .78 passes, rate 1.5e-4, most of them over rows and questions written since; cross-entropy over three answers and a margin between twins; one seed (training/tutor.py)",
                "held": "RAGTruth, FactCG, SciFact, the SummEdits domains podcast, sales_email, samsum, and a tenth of the contexts of every kind of written rows are in no training",
            },
            "development_written (AUROC, word novelty's, rows)": {k: figures["written"][k] for k in ("claims", "sentences", "twins")},
            "development_by_kind (AUROC, word novelty's)": figures["written"]["by_kind"],
            "whether a sentence answers a question (AUROC, rows; an answering one first; answered told from not)": figures["written"]["asked"],
            "silent": figures["written"]["silent"],
            "development_unseen_sets (AUROC of answers, rows)": {k: v for k, v in figures["held"].items() if isinstance(v, list)},
            "replaces": "the adapter of commit 1faaeb0, which had not seen a Yes or No before a statement nor parts cut out of sentences",
            "limits": LIMITS_OF_TUTOR,
        },
    )  # fmt: skip


def figures_of(work: Path, short: str, part: str) -> dict:
    with np.load(work / "lessons" / f"{part}.npz") as file:
        arrays = {key: file[key] for key in file.files}
    with np.load(work / short / f"{part}-scores.npz") as file:
        return report(arrays, {key: file[key] for key in file.files})


def figures_of_tutor(work: Path, part: str) -> dict:
    with np.load(work / "lessons" / f"{part}_reader.npz") as file:
        arrays = {key: file[key] for key in file.files}
    with np.load(work / "tutor" / f"{part}-tutor.npz") as file:
        logits = file["logits"].astype(np.float32)
    empty = {"token": np.zeros(0), "token_ends": np.zeros(len(logits) + 1, int)}
    return report(arrays, {"sentence": logits, **empty})


def base_facts(name: str, work: Path) -> dict[str, Any]:
    folder = base_folder(work, name)
    return {
        "title": BASES[name].title,
        "licence": BASES[name].licence,
        "packages": list(BASES[name].packages),
        "model_sha256": sha256(folder / "model.safetensors"),
        "tokenizer_sha256": sha256(folder / "tokenizer.json"),
    }


if __name__ == "__main__":
    main()
