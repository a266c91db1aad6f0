"""`surefoot feedback`: a person's word on a past decision, kept with the run; `calibrate --from-runs` reads it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from surefoot.core.errors import InputError

VERDICTS = ("right", "wrong", "unsure")
"""The words of `POST /v1/runs/{id}/feedback`."""
ALIASES = {"up": "right", "down": "wrong"}


def command(
    run: Annotated[str, typer.Argument(help="The run id, printed by ask and verify on a terminal and in their JSON.")],
    verdict: Annotated[
        str, typer.Argument(metavar="right|wrong|unsure", help="What the decision was; up and down are taken too.")
    ],
    claim: Annotated[int | None, typer.Option(help="Only of the n-th sentence of the draft, counted from 1.")] = None,
    note: Annotated[str | None, typer.Option(help="Why, in a few words.")] = None,
    kb: Annotated[Path | None, typer.Option(help="Folder of the run log; default .surefoot.")] = None,
) -> None:
    from surefoot.wiring import build

    said = _verdict(verdict)
    build(kb=kb).runlog.feedback(run, said, note, claim)
    what = f"claim {claim} of run {run}" if claim is not None else f"run {run}"
    print(f"noted: {what} was {said}" if said != "unsure" else f"noted: unsure about {what}")


def _verdict(word: str) -> str:
    verdict = ALIASES.get(word.lower(), word.lower())
    if verdict not in VERDICTS:
        raise InputError(f"{word!r} is no verdict; say {', '.join(VERDICTS[:-1])} or {VERDICTS[-1]}")
    return verdict
