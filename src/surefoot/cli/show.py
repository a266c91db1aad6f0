"""How results look in a terminal: colour and marks when someone is looking, plain text when piped."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.markup import escape

from surefoot.core.types import Decision, VerificationResult

EXIT_CODES = {Decision.APPROVED: 0, Decision.REVISED: 0, Decision.FALLBACK: 3, Decision.REJECTED: 4}
_COLOURS = {
    Decision.APPROVED: "green",
    Decision.REVISED: "yellow",
    Decision.FALLBACK: "dark_orange",
    Decision.REJECTED: "red",
}
_MARKS = {
    "proven": ("✓", "green"),
    "supported": ("~", "yellow"),
    "not_factual": ("·", "dim"),
    "vouched_by_caller": ("*", "cyan"),
}


def decision_exit_code(decision: Decision) -> int:
    return EXIT_CODES[decision]


def console(*, stderr: bool = False) -> Console:
    return Console(stderr=stderr, highlight=False, soft_wrap=True)


def print_json(value: Mapping[str, Any], *, one_line: bool = False) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=None if one_line else 2))


def print_wire(value: dict[str, Any], *, one_line: bool = False) -> None:
    """A result as JSON that is the same for the same question: what belongs to this run alone goes to stderr."""
    run = value["metadata"].pop("runId", None)
    cached = value.pop("cached", False)
    print_json(value, one_line=one_line)
    if run:
        print(f"run {run}{' (from the answer cache)' if cached else ''}", file=sys.stderr)


def print_result(result: VerificationResult, *, draft: str | None = None) -> None:
    """The decision, the text with a verdict per sentence, what was wrong and what was changed."""
    out = console()
    metadata = result.metadata
    reason = f" ({metadata.fallback_reason})" if metadata.fallback_reason else ""
    colour = _COLOURS[result.decision]
    out.print(f"[bold {colour}]{result.decision.value}[/]{reason}  confidence {metadata.confidence:.2f}")
    out.print()
    print_sentences(result, out)
    for issue in metadata.issues_detected:
        where = f" at {issue.location!r}" if issue.location and len(issue.location) <= 60 else ""
        out.print(f"  [bold]{issue.severity.value}[/] {issue.code}{escape(where)}: {escape(issue.problem)}")
    for revision in metadata.revisions_applied:
        out.print(f"  [red]- {escape(revision.before.strip() or '(nothing)')}[/]")
        out.print(f"  [green]+ {escape(revision.after.strip() or '(dropped)')}[/]")


def print_sentences(result: VerificationResult, out: Console | None = None) -> None:
    """The delivered text, sentence by sentence, each with its mark and the passage it rests on."""
    out = out or console()
    sentences: Any = result.metadata.certificate.get("sentences") or []
    if not sentences:
        out.print(f"  {escape(result.final_answer)}")
    for sentence in sentences:
        mark, colour = _MARKS.get(str(sentence["verdict"]), ("?", "red"))
        text = " ".join(str(sentence["text"]).split())
        quoted = ", ".join(str(item["source"]) for item in sentence["evidence"])
        note = f"  [dim]{sentence['verdict']}{': ' + escape(quoted) if quoted else ''}[/]"
        out.print(f"  [{colour}]{mark}[/] {escape(text)}{note}")
    out.print()


def is_terminal() -> bool:
    return sys.stdout.isatty()
