"""Kills a dataset build with SIGKILL at random moments and counts what was paid for.

    python benchmarks/dataset_kills.py --kills 20 --calls 200

A local OpenAI-compatible server answers from code and counts every request. The build is the real command in a process
of its own, killed and started again until it is through; an undisturbed build with a fresh journal gives the reference.
Fails unless both give the same bytes and no answer was paid for twice but those under way at a kill.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from surefoot.core.text import content_words, sentences
from surefoot.testing import LocalModelServer, ServerPlan

QUIET: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
THINGS = "bursary library bus residence pool canteen clinic laboratory garden museum theatre workshop".split()


def documents() -> dict[str, str]:
    """A small campus: every thing with its own numbers."""
    texts = {}
    for place, thing in enumerate(THINGS):
        texts[f"{thing}.md"] = (
            f"# The {thing}\n\nThe {thing} was opened in {1950 + place}. "
            f"The {thing} serves {120 + 7 * place} people a day. "
            f"A visit to the {thing} costs R{15 + place}. The {thing} exists because students asked for it. "
            f"The {thing} closes at {4 + place % 5} in the afternoon.\n"
        )
    return texts


def reply(body: Mapping[str, Any]) -> str:
    """A careless model: wrong numbers in drafts, a critic that likes everything, an editor that copies the source."""
    system, prompt = body["messages"][0]["content"], body["messages"][-1]["content"]
    if "You plan a set of conversations" in system:
        document = re.search(r"# The (\w+)", prompt)
        thing = document.group(1) if document else hashlib.sha256(prompt.encode()).hexdigest()[:6]
        return json.dumps({"aspects": [f"Everything about the {thing}"]})
    if "You write the questions" in system:
        thing = re.search(r"Theme: .*?(\w+)$", prompt, re.M).group(1)  # type: ignore[union-attr]
        asked = {
            "fact": f"What does a visit to the {thing} cost?",
            "why": f"Why does the {thing} exist at all?",
            "compare": f"When was the {thing} opened, before the others?",
            "multi-document": f"How many people does the {thing} serve?",
            "unanswerable": f"Who painted the ceiling of the {thing}?",
        }
        types = re.search(r"in this order: (.*)", prompt).group(1).split(", ")  # type: ignore[union-attr]
        return json.dumps({"questions": [{"type": kind, "question": asked[kind]} for kind in types]})
    if "You are the quality gate" in system:
        return json.dumps({"grounded": True, "reasoning": "Fine."})
    question = re.search(r"^Question: (.*)", prompt, re.M).group(1)  # type: ignore[union-attr]
    draft = "You are the editor" not in system
    if "painted" in question and not draft:
        return "I don't know based on the provided documents."
    source = re.search(r'<SOURCE id="S1">\n(.*?)\n</SOURCE>', prompt, re.S).group(1)  # type: ignore[union-attr]
    wanted = set(content_words(question))
    prose = [one.text for one in sentences(source) if one.kind == "prose"]
    best = max(prose, key=lambda text: len(wanted & set(content_words(text))))
    if draft:
        best = re.sub(r"\d", lambda match: str((int(match.group()) + 1) % 10), best)
    return f"{best.rstrip('.')} [S1]."


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--concurrency", type=int, default=4)
    parser.add_argument("--latency-ms", type=float, default=20)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    chance = random.Random(args.seed)
    aspects = max(2, round(args.calls / 22))
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "campus"
        corpus.mkdir()
        for name, text in documents().items():
            (corpus / name).write_text(text)
        print(f"{'kill':>5} {'answered':>9} {'journaled':>10} {'under way':>10}")
        killed, paid, unique, lost = run(corpus, Path(folder) / "killed" / "d.jsonl", aspects, args, chance)
        whole, calls, _, _ = run(corpus, Path(folder) / "whole" / "d.jsonl", aspects, args, None)
    same = killed == whole
    print(f"undisturbed build: {calls} calls; killed build: {paid} answers given, {unique} different, {lost} lost")
    print(f"same bytes: {same}; paid twice beyond the calls under way at a kill: {paid - unique - lost}")
    return 0 if same and unique == calls and paid - unique <= lost else 1


def run(
    corpus: Path, out: Path, aspects: int, args: argparse.Namespace, chance: random.Random | None
) -> tuple[bytes, int, int, int]:
    """The files' bytes, answers given, different ones, and answers given but not journaled when a kill came."""
    lost = journaled = 0
    with LocalModelServer(ServerPlan(reply=reply, latency_s=args.latency_ms / 1000)) as server:
        for kill in range(1, args.kills + 1 if chance else 1):
            process = subprocess.Popen(command(corpus, out, aspects, args, server.base_url), **QUIET)
            assert chance
            target = server.counts.answered + chance.randint(1, max(1, 2 * args.calls // args.kills - 3))
            while process.poll() is None and server.counts.answered < target:
                time.sleep(0.002)
            time.sleep(chance.random() * 0.04)
            if process.poll() is not None:
                print(f"{kill:>5} came too late: the build was through")
                break
            process.send_signal(signal.SIGKILL)
            process.wait()
            while server.counts.in_flight:
                time.sleep(0.005)
            journaled = calls_in(out.with_suffix(".journal.sqlite"))
            under_way = server.counts.answered - lost - journaled
            assert under_way <= args.concurrency, f"{under_way} answers lost by one kill"
            lost += under_way
            print(f"{kill:>5} {server.counts.answered:>9} {journaled:>10} {under_way:>10}", flush=True)
        subprocess.run(command(corpus, out, aspects, args, server.base_url), check=True, **QUIET)
        counts = server.counts
        content = out.read_bytes() + out.with_name("d.audit.jsonl").read_bytes()
        return content, counts.answered, len(counts.by_request), lost


def command(corpus: Path, out: Path, aspects: int, args: argparse.Namespace, url: str) -> list[str]:
    base = [sys.executable, "-m", "surefoot", "dataset", "build", str(corpus), "--out", str(out), "--json"]
    sizes = ["--aspects", str(aspects), "--questions", "5", "--concurrency", str(args.concurrency)]
    # The port differs between the two servers, so the model's name, not its address, is its identity.
    return [*base, *sizes, "--models", f"openai-compatible:careless@{url}"]


def calls_in(journal: Path) -> int:
    with sqlite3.connect(journal) as connection:
        return int(connection.execute("SELECT COUNT(*) FROM calls").fetchone()[0])


if __name__ == "__main__":
    sys.exit(main())
