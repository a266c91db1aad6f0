"""Do Postgres and the embedded engine find the same? 500 questions through both, compared list by list.

    python benchmarks/parity.py FOLDER                  # documents, by the shipped embedder; resumes in --kb
    python benchmarks/parity.py FOLDER --hashed         # vectors of hashed words: quick, and they tie often
    python benchmarks/parity.py FOLDER --files 100      # every n-th file only

The documents are ingested into an embedded store and copied from there to a Postgres of its own on loopback. Compared
are the first 50 of each search and the first 40 of both fused, from which the re-ranker takes the first 20: where those
are the same in the same order, so is all that follows. Questions are the written ones of benchmarks/questions, then the
documents' own headings. Kept in benchmarks/results/parity.json, one entry a kind of vectors.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "store"))

from postgres_server import PostgresServer

from surefoot.core.types import ScoredPassage
from surefoot.retrieve.fusion import fuse
from surefoot.settings import Settings
from surefoot.testing.embedding import HashingEmbedder
from surefoot.wiring import Surefoot, copy_knowledge_base

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "parity.json"
WRITTEN = HERE / "questions" / "citizens_information.jsonl"
CANDIDATES, FUSED, WANTED = 50, 40, 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--hashed", action="store_true", help="vectors of hashed words")
    parser.add_argument("--kb", type=Path, help="the embedded knowledge base, kept")
    parser.add_argument("--files", type=int, help="so many files, spread over the folder")
    parser.add_argument("--questions", type=int, default=500)
    options = parser.parse_args()
    server = PostgresServer()
    try:
        server.start()
        with tempfile.TemporaryDirectory() as scratch:
            report = asyncio.run(measured(options, Path(scratch), server.url))
    finally:
        server.remove()
    print(json.dumps(report, indent=1))
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    kept["hashed words" if options.hashed else "shipped embedder"] = report
    RESULTS.write_text(json.dumps(kept, indent=1) + "\n")


async def measured(options: argparse.Namespace, scratch: Path, url: str) -> dict[str, Any]:
    files = sorted(path for path in options.folder.iterdir() if path.is_file())
    if options.files:
        files = files[:: max(1, len(files) // options.files)][: options.files]
    here = Surefoot(Settings(kb=options.kb or scratch / "here"))
    there = Surefoot(Settings(kb=scratch / "there", store_url=url))
    if options.hashed:
        for house in (here, there):
            house.__dict__["embedder"] = HashingEmbedder()
    try:
        report = await here.ingest([str(path) for path in files])
        copied = await copy_knowledge_base(here, there)
        print(f"{report.chunks} embedded, {copied} copied", flush=True)
        questions = asked(files)[: options.questions]
        return {"files": len(files), "passages": copied, **await compared(here, there, questions)}
    finally:
        await here.close()
        await there.close()


async def compared(here: Surefoot, there: Surefoot, questions: Sequence[str]) -> dict[str, Any]:
    same = dict.fromkeys(("dense", "lexical", "fused", "first_20"), 0)
    gaps = {"dense": 0.0, "lexical": 0.0}
    ties, different = 0, []
    for question in questions:
        vector = (await asyncio.to_thread(here.embedder.embed, [question]))[0]
        near = [await house.store.dense(vector, limit=CANDIDATES) for house in (here, there)]
        named = [await house.store.lexical(question, limit=CANDIDATES) for house in (here, there)]
        both = [fuse(*lists)[:FUSED] for lists in zip(near, named, strict=True)]
        equal = {
            "dense": ids(near[0]) == ids(near[1]),
            "lexical": ids(named[0]) == ids(named[1]),
            "fused": ids(both[0]) == ids(both[1]),
            "first_20": ids(both[0])[:WANTED] == ids(both[1])[:WANTED],
        }
        for name, answer in equal.items():
            same[name] += answer
        gaps["dense"], gaps["lexical"] = max(gaps["dense"], gap(*near)), max(gaps["lexical"], gap(*named))
        scores = [hit.score for hit in near[0]]
        ties += any(0 <= left - right < 1e-6 for left, right in itertools.pairwise(scores))
        if not equal["fused"]:
            different.append(question)
    return {
        "questions": len(questions),
        "same_in_the_same_order": same,
        "largest_score_gap": gaps,
        "questions_with_near_ties_among_the_dense": ties,
        "different": different[:20],
    }


def asked(files: Sequence[Path]) -> list[str]:
    written = [json.loads(line)["question"] for line in WRITTEN.read_text(encoding="utf-8").splitlines()]
    headings = [
        line.lstrip("# ").strip()
        for path in files
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines()
        if line.startswith("#")
    ]
    long_enough = [heading for heading in headings if len(heading.split()) >= 3]
    spread = long_enough[:: max(1, len(long_enough) // 1000)]
    return list(dict.fromkeys([*written, *spread]))


def ids(hits: Sequence[ScoredPassage]) -> list[str]:
    return [hit.passage.id for hit in hits]


def gap(left: Sequence[ScoredPassage], right: Sequence[ScoredPassage]) -> float:
    other = {hit.passage.id: hit.score for hit in right}
    return max((abs(hit.score - other[hit.passage.id]) for hit in left if hit.passage.id in other), default=0.0)


if __name__ == "__main__":
    main()
