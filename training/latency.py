"""CPU time of the shipped models on one core, and the memory of all of them together.

python -m training.latency --pages ../shared/bench/corpora/citizens_information/docs
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from surefoot.core.evidence import source_sentences
from surefoot.core.types import ClaimText
from surefoot.encoders import OnnxEmbedder, OnnxGrounder, OnnxReranker


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--models", type=Path, help="folders to time instead of the shipped ones, by the models' names")
    options = parser.parse_args()
    wanted = 8 * options.rounds
    passages = [passage for path in sorted(options.pages.glob("*.md"))[5:] for passage in cut(path.read_text())[3:4]]
    rounds = [passages[at : at + 8] for at in range(0, min(wanted, len(passages) - 7), 8)]

    def given(name: str) -> Path | None:
        return options.models / name if options.models else None

    for name in ("grounder_fast", "grounder_accurate"):
        grounder = OnnxGrounder(name, given(name), threads=1)
        grounder.warm()
        judge(grounder, rounds[0])
        told = [judge(grounder, eight) for eight in rounds]
        report(f"{name}: five sentences x eight passages", [spent for spent, _ in told])
        print(f"  (a claim: {statistics.mean(words for _, words in told):.0f} words on average)")
    reranker = OnnxReranker(given("reranker"), threads=1)
    reranker.warm()
    question = "How much notice must a landlord give to end a tenancy?"
    starts = range(0, len(passages) - 20, max(1, (len(passages) - 20) // options.rounds))
    report(
        "reranker: 20 pairs",
        [spent_on(lambda at=at: reranker.score(question, passages[at : at + 20])) for at in starts],
    )
    embedder = OnnxEmbedder(threads=1)
    embedder.embed(passages[:8])
    now = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6
    print(f"memory now with all four models: {now:.0f} MB")
    print(f"peak memory with all four models: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def judge(grounder: OnnxGrounder, passages: list[str]) -> tuple[float, float]:
    """Milliseconds for one sentence of each of the first five passages against all, and the words of the passages."""
    claims = [ClaimText(text=typical(source_sentences(passage))) for passage in passages[:5]]
    return spent_on(lambda: grounder.judge(claims, passages)), len(" ".join(passages).split())


def spent_on(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return 1000 * (time.process_time() - begin)


def report(title: str, times: list[float]) -> None:
    p95 = statistics.quantiles(times, n=20, method="inclusive")[-1]
    print(f"{title}, median {statistics.median(times):.0f} ms, p95 {p95:.0f} ms, worst {max(times):.0f} ms")


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
