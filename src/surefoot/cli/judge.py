"""`surefoot judge`: a situation and a query in, a cited verdict out.

Exit code 0 with any verdict, also with one that says of itself that no reference speaks about the case.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from surefoot.cli.show import console, print_json
from surefoot.core.errors import InputError
from surefoot.core.types import JudgeResult
from surefoot.core.wire import judge_to_wire


def command(
    context: Annotated[str, typer.Option(help="What happened; @FILE reads it from a file.")],
    query: Annotated[str, typer.Option(help="What is to be judged; @FILE reads it from a file.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdict as JSON.")] = False,
    llm: Annotated[str | None, typer.Option(help="The judge model as provider:name; default: no model.")] = None,
    kb: Annotated[Path | None, typer.Option(help="Folder of the run log and caches; default .surefoot.")] = None,
) -> None:
    from surefoot.wiring import build

    house = build(kb=kb, llm_judge=llm)

    async def verdict() -> JudgeResult:
        try:
            return await house.judge(_text(context, "--context"), _text(query, "--query"))
        finally:
            await house.close()

    judged = asyncio.run(verdict())
    if as_json:
        print_json(judge_to_wire(judged))
    else:
        _print(judged)


def _text(given: str, option: str) -> str:
    if not given.startswith("@"):
        return given
    try:
        return Path(given[1:]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{option}: {given[1:]!r} cannot be read; give a UTF-8 text file") from error


def _print(judged: JudgeResult) -> None:
    out = console()
    out.print(f"[bold]{judged.result.decision.value}[/]  domain {judged.domain}\n")
    out.print(f"[bold]Summary[/]    {escape(judged.summary)}\n")
    out.print(f"[bold]Rationale[/]  {escape(judged.rationale)}\n")
    if not judged.grounded:
        out.print("[yellow]ungrounded[/]  no reference speaks about this; nothing here is proven\n")
    for one in judged.cut:
        out.print(f"[yellow]cut[/]  {escape(one.before.strip())}  [dim]{one.code}[/]")
    for reference in judged.references:
        where = reference.url or reference.note
        out.print(f"[bold]\\[{reference.number}][/] {escape(reference.title)}  [dim]{escape(where)}[/]")
