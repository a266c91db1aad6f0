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
        weights = {"file": str(found.base_file), "there": found.base_there, "laidOut": found.laid_out}
        print_json({"models": found.models, "baseWeights": weights})
        return
    for name, there in found.models.items():
        print(f"{name:18} {'installed' if there else 'not installed'}")
    state = "there" if found.laid_out else "there, not laid out" if found.base_there else "not there"
    print(f"{'base weights':18} {state}{'' if found.laid_out else '; do it with: surefoot models fetch'}")


@app.command()
def fetch(
    to: Annotated[Path | None, typer.Option(help="Another file than the one in the home folder's cache.")] = None,
) -> None:
    """Fetch the thorough grounder's base weights (1.1 GB, once), check them and lay them out (1.5 GB more)."""
    from rich.progress import Progress

    from surefoot.wiring.models import BASE, fetch_base

    with Progress(console=console(stderr=True), transient=True) as bar:
        task = bar.add_task(BASE, total=None)

        def show(what: str, done: int, whole: int) -> None:
            bar.update(task, description=f"{what} {BASE}", completed=done, total=whole)

        place = fetch_base(to, show)
    print(f"{place}: {BASE}, sha256 checked, laid out")
