"""`surefoot graph`: the workflow as a diagram."""

from __future__ import annotations

from typing import Annotated

import typer

from surefoot.core.errors import InputError


def command(
    form: Annotated[str, typer.Option("--format", help="mermaid or text.")] = "mermaid",
) -> None:
    from surefoot.flows import diagram

    drawn = {"mermaid": diagram.mermaid, "text": diagram.as_text}.get(form)
    if drawn is None:
        raise InputError(f"--format: {form!r} is not known; use mermaid or text")
    print(drawn())
