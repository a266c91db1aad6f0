"""`surefoot certificate verify`: re-checks the proof that came with an answer."""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, help="Re-check the proof of an answer.")


@app.callback()
def group() -> None:
    """Re-check the proof of an answer."""


@app.command()
def verify(file: Annotated[str, typer.Argument(help="A certificate, or a whole result, as JSON.")]) -> None:
    """Exit code 0: the proof holds. 5: it does not."""
    from surefoot.wiring import recheck_file

    raise typer.Exit(recheck_file(file))
