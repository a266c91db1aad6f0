"""`surefoot verify`: a draft and its sources in, a verdict out."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from surefoot.cli.show import decision_exit_code, print_result, print_wire
from surefoot.cli.starting import starting
from surefoot.core.errors import InputError
from surefoot.core.types import Decision, VerificationResult, VerifyInput
from surefoot.core.wire import EXAMPLE, parse_verify_input, result_to_wire


def command(
    file: Annotated[str, typer.Argument(help="A JSON file, a .jsonl file (one input a line), or - for stdin.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    pack: Annotated[str | None, typer.Option(help="Use this pack where the input names none.")] = None,
    kb: Annotated[Path | None, typer.Option(help="Folder of the run log; default .surefoot.")] = None,
) -> None:
    with starting():
        from surefoot.wiring import build

    house = build(kb=kb, pack=pack)
    worst = Decision.APPROVED
    for request in _inputs(file):
        result = asyncio.run(house.verify(request))
        worst = max(worst, result.decision, key=decision_exit_code)
        _print(result, request, as_json=as_json, one_line=file.endswith(".jsonl"))
    raise typer.Exit(decision_exit_code(worst))


def _inputs(file: str) -> Iterator[VerifyInput]:
    name = "stdin" if file == "-" else file
    text = _read(file)
    if file.endswith(".jsonl"):
        lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
        if not lines:
            raise InputError(f"{name}: the file is empty; give one JSON object a line")
        for number, line in lines:
            yield parse_verify_input(_decode(line, f"{name}:{number}"), place=f"{name}:{number}")
        return
    yield parse_verify_input(_decode(text, name), place=name)


def _read(file: str) -> str:
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InputError(f"{file}: cannot be read: {reason}; give a JSON file") from error


def _decode(text: str, place: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{place}: not valid JSON: {error}; give an object such as {EXAMPLE}") from error


def _print(result: VerificationResult, request: VerifyInput, *, as_json: bool, one_line: bool) -> None:
    if as_json or one_line:
        print_wire(result_to_wire(result), one_line=one_line)
    else:
        print_result(result, draft=request.draft_answer)
