"""`surefoot dataset`: build audited datasets, see how a build stands, explain a row, export, write the data card."""

from __future__ import annotations

import asyncio
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from surefoot.cli.dataset_show import BuildDisplay, built_text, explain_text, status_text
from surefoot.cli.dataset_words import prices_of, seconds_of, specs_of
from surefoot.cli.show import console, print_json
from surefoot.core.errors import InputError
from surefoot.core.types import Json

if TYPE_CHECKING:
    from surefoot.dataset.build import Built
    from surefoot.dataset.files import Paths
    from surefoot.dataset.measure import Measured
    from surefoot.dataset.workshop import Order, Runner

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, no_args_is_help=True)

File = Annotated[Path, typer.Argument(help="The dataset: FILE.jsonl.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Models = Annotated[
    list[str] | None, typer.Option(help="provider:name for every role, or role=provider:name; may be repeated.")
]
Prices = Annotated[
    list[str] | None,
    typer.Option("--price", help="PROMPT:COMPLETION per million tokens, or role=PROMPT:COMPLETION."),
]


@app.command()
def build(
    corpus: Annotated[Path, typer.Argument(help="The folder of the documents.")],
    out: Annotated[Path, typer.Option(help="The dataset to write: FILE.jsonl.")],
    aspects: Annotated[int, typer.Option(min=1, help="Themes, one session each.")] = 5,
    questions: Annotated[int, typer.Option(min=1, help="Questions per theme.")] = 5,
    accepted: Annotated[int | None, typer.Option(min=1, help="Deliver exactly so many accepted pairs.")] = None,
    aspect: Annotated[list[str] | None, typer.Option(help="A theme of your own; may be repeated.")] = None,
    title: Annotated[str | None, typer.Option(help="What the corpus is called.")] = None,
    models: Models = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Most calls at once with one provider.")] = 32,
    budget_tokens: Annotated[int | None, typer.Option(min=1, help="Spend at most so many tokens, ever.")] = None,
    deadline: Annotated[str | None, typer.Option(help="Stop after so long: 90s, 15m, 2h.")] = None,
    price: Prices = None,
    seed: Annotated[int | None, typer.Option(help="Sent with every request, for models that heed it.")] = None,
    pack: Annotated[str | None, typer.Option(help="The pack whose rules the answers must obey.")] = None,
    runner: Annotated[str, typer.Option(help="local or ray.")] = "local",
    workers: Annotated[int, typer.Option(min=1, help="With ray: so many workers.")] = 2,
    ray_address: Annotated[str | None, typer.Option(help="With ray: an existing cluster.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No log blocks.")] = False,
    as_json: AsJson = False,
) -> None:
    """Make question-answer pairs from a corpus: answer, critique, finalize, critique. Run it again to continue."""
    from surefoot.dataset.build import BuildOptions
    from surefoot.dataset.workshop import Order

    if out.suffix != ".jsonl":
        raise InputError(f"--out {str(out)!r} does not end in .jsonl; name the dataset FILE.jsonl")
    order = Order(
        options=BuildOptions(
            aspects=aspects,
            questions=questions,
            accepted=accepted,
            given_aspects=tuple(aspect or ()),
            concurrency=concurrency,
        ),
        title=title,
        budget_tokens=budget_tokens,
        deadline_s=seconds_of(deadline) if deadline else None,
        seed=seed,
        command=shlex.join(["surefoot", *sys.argv[1:]]),
    )
    display = BuildDisplay(prices_of(price or []), quiet=quiet or as_json)
    place = _runner(runner, workers, ray_address)
    built = asyncio.run(_build(corpus, out, order, specs_of(models or []), pack, display, place))
    if as_json:
        print_json(_built_json(built, out))
    else:
        console().print(built_text(built, out), markup=False)
    if built.ended == "interrupted":
        raise typer.Exit(130)
    raise typer.Exit(1 if built.ended or built.failures else 0)


@app.command()
def status(file: File, price: Prices = None, as_json: AsJson = False) -> None:
    """How far a build is, what it cost by role, how many pairs were accepted and why others were not."""
    from surefoot.dataset.files import Paths
    from surefoot.dataset.status import cost, read_status, to_json

    found = read_status(Paths(out=file))
    costs = cost(found.uses, prices_of(price or []))
    if as_json:
        print_json(to_json(found, costs))
    else:
        console().print(status_text(found, costs), markup=False)


@app.command()
def explain(
    file: File,
    row: Annotated[str, typer.Argument(help="session.question, such as 1.2.")],
    as_json: AsJson = False,
) -> None:
    """One row: its question, its passages, the four steps, and why it was accepted or not."""
    from surefoot.dataset.files import Paths, find_row, read_audit
    from surefoot.dataset.pair import pair_to_json

    found = find_row(read_audit(Paths(out=file)), row)
    if as_json:
        print_json({"row": found.name, "aspect": found.aspect, "kept": found.kept, **pair_to_json(found.pair)})
    else:
        console().print(explain_text(found), markup=False)


@app.command()
def export(
    file: File,
    to: Annotated[str, typer.Option(help="openai, sharegpt, alpaca, dpo, parquet or hf.")],
    out: Annotated[Path, typer.Option(help="The folder to write into.")],
    validation: Annotated[float, typer.Option(min=0, max=0.9, help="Share of sources kept for validation.")] = 0.1,
    with_context: Annotated[bool, typer.Option("--with-context", help="Put the passages into the prompt.")] = False,
    citations: Annotated[
        bool | None, typer.Option("--keep-citations/--strip-citations", help="Default: keep with the context.")
    ] = None,
    system: Annotated[str | None, typer.Option(help="A system message for every conversation.")] = None,
    as_json: AsJson = False,
) -> None:
    """Write the accepted pairs as a trainer reads them, split by source."""
    from surefoot.dataset.export import ExportOptions
    from surefoot.dataset.export import export as write
    from surefoot.dataset.files import Paths, read_audit

    options = ExportOptions(validation=validation, context=with_context, citations=citations, system=system)
    done = write(read_audit(Paths(out=file)), to, out, options)
    names: list[Json] = [str(name) for name in done.files]
    if as_json:
        print_json({"form": to, "train": done.train, "validation": done.validation, "files": names})
        return
    print(f"{to}: {done.train} for training, {done.validation} for validation")
    for name in names:
        print(f"  {name}")


@app.command()
def card(
    file: File,
    out: Annotated[Path | None, typer.Option(help="The card to write; default FILE.card.md.")] = None,
    planted: Annotated[int, typer.Option(min=0, help="Errors to plant per class; 0: do not measure.")] = 50,
    models: Models = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Most calls at once with the critic's provider.")] = 8,
    pack: Annotated[str | None, typer.Option(help="The pack whose gate is the critic.")] = None,
    as_json: AsJson = False,
) -> None:
    """Write the data card, with the critic measured on planted errors."""
    from surefoot.dataset.card import measured_text, write_card
    from surefoot.dataset.files import Paths, read_audit
    from surefoot.dataset.measure import as_json as measured_json

    paths = Paths(out=file)
    audit = read_audit(paths)
    measured = asyncio.run(_measure(paths, planted, concurrency, specs_of(models or []), pack)) if planted else []
    target = out or file.with_name(f"{file.name.removesuffix('.jsonl')}.card.md")
    files = write_card(audit, measured, target)
    if as_json:
        print_json({"files": [str(one) for one in files], "critic": measured_json(measured)})
        return
    console().print(measured_text(measured), markup=False)
    print("\nwrote " + ", ".join(str(one) for one in files))


async def _build(
    corpus: Path,
    out: Path,
    order: Order,
    specs: dict[str, str],
    pack: str | None,
    display: BuildDisplay,
    runner: Runner | None,
) -> Built:
    from surefoot.dataset.files import Paths
    from surefoot.dataset.workshop import run_build
    from surefoot.wiring import build as build_house
    from surefoot.wiring import dataset_specs, dataset_workshop

    paths = Paths(out=out)
    house = build_house(kb=paths.knowledge, pack=pack)
    try:
        with display as listener:
            workshop = await dataset_workshop(house, dataset_specs(house.settings, specs), corpus)
            return await run_build(workshop, order, paths, runner=runner, listener=listener)
    finally:
        await house.close()


async def _measure(
    paths: Paths, planted: int, concurrency: int, specs: dict[str, str], pack: str | None
) -> list[Measured]:
    from surefoot.dataset.files import read_audit
    from surefoot.dataset.workshop import measure_critic
    from surefoot.wiring import build as build_house
    from surefoot.wiring import dataset_specs, dataset_workshop

    house = build_house(kb=paths.knowledge, pack=pack)
    try:
        workshop = await dataset_workshop(house, dataset_specs(house.settings, specs))
        return await measure_critic(workshop, read_audit(paths), paths, per_class=planted, concurrency=concurrency)
    finally:
        await house.close()


def _runner(name: str, workers: int, address: str | None) -> Runner | None:
    if name == "local":
        return None
    if name != "ray":
        raise InputError(f"--runner {name!r} is not known; give local or ray")
    from surefoot.dataset.runners.ray import RayRunner

    return RayRunner(workers=workers, address=address)


def _built_json(built: Built, out: Path) -> dict[str, Json]:
    return {
        "file": str(out),
        "sessions": len(built.sessions),
        "pairs": len(built.pairs),
        "accepted": built.accepted,
        "failed": len(built.failures),
        "duplicates_dropped": built.duplicates,
        "ended": built.ended,
    }
