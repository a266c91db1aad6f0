"""`surefoot feedback`: a person's word on a past decision, kept with the run; `surefoot calibrate` reads it."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Word(StrEnum):
    RIGHT = "right"
    WRONG = "wrong"


def command(
    run: Annotated[str, typer.Argument(help="The run id, printed by ask and verify on a terminal and in their JSON.")],
    verdict: Annotated[Word, typer.Argument(help="Whether the decision was right or wrong.")],
    note: Annotated[str | None, typer.Option(help="Why, in a few words.")] = None,
    kb: Annotated[Path | None, typer.Option(help="Folder of the run log; default .surefoot.")] = None,
) -> None:
    from surefoot.wiring import build

    build(kb=kb).runlog.feedback(run, verdict.value, note)
    print(f"noted: run {run} was {verdict.value}")
