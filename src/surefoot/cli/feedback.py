"""`surefoot feedback`: a person's word on a past decision, kept with the run; `calibrate --from-runs` reads it."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Word(StrEnum):
    UP = "up"
    DOWN = "down"
    RIGHT = "right"
    WRONG = "wrong"


def command(
    run: Annotated[str, typer.Argument(help="The run id, printed by ask and verify on a terminal and in their JSON.")],
    verdict: Annotated[Word, typer.Argument(help="Whether the decision was right (up) or wrong (down).")],
    claim: Annotated[int | None, typer.Option(help="Only of the n-th sentence of the draft, counted from 1.")] = None,
    note: Annotated[str | None, typer.Option(help="Why, in a few words.")] = None,
    kb: Annotated[Path | None, typer.Option(help="Folder of the run log; default .surefoot.")] = None,
) -> None:
    from surefoot.wiring import build

    word = Word.RIGHT if verdict in (Word.UP, Word.RIGHT) else Word.WRONG
    build(kb=kb).runlog.feedback(run, word.value, note, claim)
    what = f"claim {claim} of run {run}" if claim is not None else f"run {run}"
    print(f"noted: {what} was {word.value}")
