"""CPU time of the shipped models on one core, and the memory of all of them together.

python -m training.latency --pages ../shared/bench/corpora/citizens_information/docs
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from pathlib import Path

from surefoot.core.evidence import EvidencePool, source_sentences
from surefoot.core.types import EvidencePair
from surefoot.encoders import OnnxEmbedder, OnnxGrounder, OnnxReranker


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=8)
    options = parser.parse_args()
    passages = [passage for path in sorted(options.pages.glob("*.md"))[5:45] for passage in cut(path.read_text())[3:4]]
    rounds = [passages[at : at + 8] for at in range(0, 8 * (len(passages) // 8), 8)][: options.runs]
    for name in ("grounder_fast", "grounder_accurate"):
        grounder = OnnxGrounder(name, threads=1)
        grounder.warm()
        times, lengths = [], []
        for eight in rounds:
            pool = EvidencePool([sentence for passage in eight for sentence in source_sentences(passage)])
            claims = [typical(source_sentences(passage)) for passage in eight[:5]]
            begin = time.process_time()
            pairs = [EvidencePair(claim=claim, evidence=pool.evidence(claim)) for claim in claims]
            grounder.judge(pairs)
            times.append(1000 * (time.process_time() - begin))
            lengths.append(statistics.mean(len(" ".join((pair.claim, *pair.evidence)).split()) for pair in pairs))
        middle = statistics.median(times)
        print(f"{name}: five sentences x eight passages, median {middle:.0f} ms, worst {max(times):.0f} ms")
        print(f"  (claim and evidence: {statistics.mean(lengths):.0f} words on average)")
    reranker = OnnxReranker(threads=1)
    reranker.warm()
    times = []
    for at in range(options.runs):
        begin = time.process_time()
        reranker.score("How much notice must a landlord give to end a tenancy?", passages[at : at + 20])
        times.append(1000 * (time.process_time() - begin))
    print(f"reranker: 20 pairs, median {statistics.median(times):.0f} ms, worst {max(times):.0f} ms")
    embedder = OnnxEmbedder(threads=1)
    embedder.embed(passages[:8])
    now = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6
    print(f"memory now with all four models: {now:.0f} MB")
    print(f"peak memory with all four models: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def typical(sentences: list[str]) -> str:
    """The sentence of median length."""
    return sorted(sentences, key=len)[len(sentences) // 2]


def cut(text: str, words: int = 120) -> list[str]:
    """Passages of about so many words."""
    found, current = [], []
    for sentence in source_sentences(text):
        current.append(sentence)
        if sum(len(part.split()) for part in current) >= words:
            found.append(" ".join(current))
            current = []
    return found


if __name__ == "__main__":
    main()
