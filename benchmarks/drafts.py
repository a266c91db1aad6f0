"""Makes the development file of `surefoot bench drafts` from rows written by reading.

    python benchmarks/drafts.py WRITTEN_FOLDER OUT.jsonl
    surefoot bench drafts OUT.jsonl --json

WRITTEN_FOLDER has contexts.jsonl.gz and answers.jsonl.gz; the pages under `training/written` are read beside it. Only
contexts that no model is taught with are kept: a tenth, by the hash of their id.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("written", type=Path)
    parser.add_argument("out", type=Path)
    chosen = parser.parse_args()
    rows = [*kept(chosen.written), *pages(ROOT / "training" / "written")]
    chosen.out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    print(f"{len(rows)} drafts", dict(sorted(Counter(row["kind"] for row in rows).items())))


def is_development(context: str) -> bool:
    return hashlib.sha256(context.encode()).digest()[0] % 10 == 0


def kept(folder: Path) -> Iterator[dict[str, Any]]:
    """Drafts of the stored rows."""
    contexts = {context["id"]: context for context in _read(folder / "contexts.jsonl.gz")}
    for answer in _read(folder / "answers.jsonl.gz"):
        context = contexts[answer["context"]]
        if is_development(context["id"]):
            yield {
                "id": answer["id"],
                "kind": context["kind"],
                "question": answer["question"],
                "sources": context["sources"],
                "profile": context.get("profile"),
                "case": context.get("case"),
                **_sentences(
                    (part["text"], part["label"], part["type"], part["span"] or "") for part in answer["answer"]
                ),
            }


def pages(folder: Path) -> Iterator[dict[str, Any]]:
    """Drafts of the pages, where this tree has them."""
    if not folder.is_dir():
        return
    sys.path.insert(0, str(ROOT))
    from training.rows import read_all

    for context in read_all(folder):
        if not is_development(context.id):
            continue
        for number, answer in enumerate(context.answers, 1):
            yield {
                "id": f"{context.id}/{number}",
                "kind": context.kind,
                "question": answer.question,
                "sources": context.sources,
                "profile": json.loads(context.profile) if context.profile else None,
                "case": context.case,
                **_sentences(
                    (part.text, part.label, part.type, part.text[slice(*part.span)] if part.span else "")
                    for part in answer.sentences
                ),
            }


def _sentences(parts: Iterable[tuple[str, int, str | None, str]]) -> dict[str, Any]:
    found = [
        {"text": text, "label": label, "silent": kind == "silent", "wrong": wrong} for text, label, kind, wrong in parts
    ]
    answer = ""
    for sentence in found:
        # a bullet or a heading stands on a line of its own; prose goes on
        alone = sentence["text"].startswith(("-", "*", "#")) or answer.rpartition("\n")[2].startswith(("-", "*", "#"))
        answer += ("" if not answer else "\n" if alone else " ") + sentence["text"]
    return {"answer": answer, "sentences": found}


def _read(file: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


if __name__ == "__main__":
    main()
