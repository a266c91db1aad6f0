"""`make demo`: the main job on a fresh machine, with nothing but what is in the repository."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

from surefoot.cli.show import console, print_result, print_sentences
from surefoot.core.types import AskResult, Passage, VerifyInput
from surefoot.core.wire import result_to_wire
from surefoot.wiring import Surefoot, build, builtin_documents, recheck_script

QUESTION = "What is the late fee for a DVD, and how much does an adult card cost a year?"
UNANSWERABLE = "Which bus goes from the library to the airport?"
BAD_DRAFT = (
    "The late fee for a DVD is R9 a day [S1]. An adult card costs R120 a year [S7]. "
    "Every new member receives a free bicycle [S1]."
)


async def demo(house: Surefoot, out: Console) -> None:
    _title(out, "1", "Ingest the built-in knowledge base")
    began = time.perf_counter()
    report = await house.ingest([builtin_documents("default")])
    seconds = time.perf_counter() - began
    out.print(
        f"  {report.added} documents added, {report.unchanged} unchanged, {report.chunks} chunks in {seconds:.1f} s"
    )

    _title(out, "2", f"Ask: {QUESTION}")
    asked = await house.ask(QUESTION)
    print_result(asked.result)
    _sources(asked, out)

    _title(out, "3", "Verify a bad draft: a wrong number, a made-up marker, an invention")
    out.print(f"  [dim]{escape(BAD_DRAFT)}[/]\n")
    result = await house.verify(VerifyInput(draft_answer=BAD_DRAFT, chunks=_evidence(asked)))
    print_result(result)

    _title(out, "4", f"Ask what nobody wrote down: {UNANSWERABLE}")
    refused = await house.ask(UNANSWERABLE)
    out.print(f"  [bold]{refused.result.decision.value}[/] ({refused.result.metadata.fallback_reason})")
    print_sentences(refused.result, out)

    _title(out, "5", "Re-check the proof with a single file that needs only the standard library")
    file = house.settings.kb / "demo-certificate.json"
    file.write_text(json.dumps(result_to_wire(result), ensure_ascii=False, indent=1), encoding="utf-8")
    out.print(f"  python -I recheck.py {file}")
    checked = subprocess.run(
        [sys.executable, "-I", "-S", str(recheck_script()), str(file)], capture_output=True, text=True
    )
    out.print(f"  [bold green]{checked.stdout.strip()}[/]")
    out.print("\nNext, in this folder:\n")
    for line in next_steps(Path(sys.executable).parent / "surefoot"):
        out.print(f"  {escape(line)}")
    if checked.returncode:
        sys.exit(checked.returncode)


def next_steps(program: Path) -> list[str]:
    """Commands that work as they are printed: the program by its path unless the shell finds that one by its name."""
    found = shutil.which("surefoot")
    known = found is not None and Path(found).resolve() == program.resolve()
    name = "surefoot" if known else os.path.relpath(program)
    return [
        f'{name} ask "How long may I keep a book?"',
        f"{name} serve        # the HTTP service; then, in a second terminal:",
        f"{name} ui           # the web page",
        f"{name} --help",
    ]


def _evidence(asked: AskResult) -> tuple[Passage, ...]:
    """The passages the answer rests on, in the order in which it quotes them, numbered from one again."""
    entries: Any = asked.result.metadata.certificate["sentences"]
    quoted = dict.fromkeys(str(item["source"]) for entry in entries for item in entry["evidence"])
    passages = {found.passage.id: found.passage for found in asked.passages}
    chosen = [passages[identity] for identity in quoted if identity in passages]
    return tuple(replace(passage, id=f"S{number}") for number, passage in enumerate(chosen, 1))


def _sources(asked: AskResult, out: Console) -> None:
    used = set(asked.result.metadata.sources_used)
    for number, found in enumerate(asked.passages, 1):
        if found.passage.id in used:
            title = found.passage.metadata.get("title") or found.passage.metadata.get("source")
            out.print(f"  [bold]\\[S{number}][/] {escape(str(title))}")


def _title(out: Console, number: str, text: str) -> None:
    out.print(f"\n[bold cyan]{number}. {escape(text)}[/]\n")


def main() -> None:
    async def go() -> None:
        house = build(kb=Path(".surefoot"), pack="default", llm="extractive")
        try:
            await demo(house, console())
        finally:
            await house.close()

    asyncio.run(go())


if __name__ == "__main__":
    main()
