"""surefoot ingest: files into the knowledge base."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from surefoot.core.errors import InputError
from surefoot.core.hashing import plain
from surefoot.core.types import IngestProgress, IngestReport, Json, SkippedFile


def command(
    paths: Annotated[
        list[str], typer.Argument(help="Files, folders, patterns such as 'docs/*.pdf', or s3://… (extra remote).")
    ],
    kb: Annotated[Path | None, typer.Option(help="Folder of the knowledge base.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object (with --watch: one a line).")] = False,
    tag: Annotated[
        list[str] | None, typer.Option(help="key=value on every passage, to filter by; may be repeated.")
    ] = None,
    processes: Annotated[
        int, typer.Option(min=0, max=64, help="Processes that embed many chunks at once; 0: one a core.")
    ] = 0,
    ray: Annotated[
        str | None, typer.Option(help="Embed in the workers of a Ray cluster: its address, auto or local (extra ray).")
    ] = None,
    watch: Annotated[bool, typer.Option(help="Stay, and follow changes until stopped.")] = False,
    every: Annotated[float, typer.Option(help="Seconds between two looks with --watch.", min=0.1)] = 2.0,
) -> None:
    from surefoot.wiring import build

    tags = read_tags(tag or [])

    def show(report: IngestReport) -> None:
        print(json.dumps(plain(report), ensure_ascii=False) if as_json else _in_words(report), flush=True)

    async def follow() -> None:
        house = build(kb=kb, ingest_ray=ray, ingest_processes=processes if ray else None)
        try:
            seen: tuple[SkippedFile, ...] | None = None
            while True:
                report = await house.ingest(paths, tags=tags)
                changed = report.added or report.updated or report.removed or report.skipped != seen
                if changed:
                    show(report)
                seen = report.skipped
                await house.store.close()  # between two looks other commands may use the knowledge base
                await asyncio.sleep(0 if _stopped() else every)
                if _stopped():  # by a Ctrl-C that whatever was just ending took for its own
                    raise asyncio.CancelledError
        finally:
            await house.close()

    async def once() -> IngestReport:
        house = build(kb=kb, ingest_processes=processes, ingest_ray=ray)
        try:
            await house.check_store()
            with progress(quiet=as_json) as show:
                return await house.ingest(paths, tags=tags, on_progress=show)
        finally:
            await house.close()

    if watch:
        asyncio.run(follow())
        return
    report = asyncio.run(once())
    show(report)
    if reason := _failure(report):
        print(f"surefoot: {reason}", file=sys.stderr)
        raise typer.Exit(1)


def _stopped() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def read_tags(given: list[str]) -> dict[str, Json]:
    tags: dict[str, Json] = {}
    for item in given:
        key, equals, value = item.partition("=")
        if not (key.strip() and equals and value.strip()):
            raise InputError(f"--tag {item!r} is not key=value; write for example --tag pack=thandi")
        tags[key.strip()] = value.strip()
    return tags


def _in_words(report: IngestReport) -> str:
    rate = f" ({report.chunks / report.seconds:.0f} a second)" if report.chunks and report.seconds else ""
    lines = [
        f"added {report.added}, updated {report.updated}, removed {report.removed}, unchanged {report.unchanged}; "
        f"{report.chunks} chunks embedded in {report.seconds:.1f} s{rate}"
    ]
    if report.skipped:
        lines.append(f"skipped {len(report.skipped)}:")
        lines += [f"  {count} x {reason}" for reason, count in Counter(s.reason for s in report.skipped).most_common()]
        lines += [f"  {skip.source}: {skip.reason}" for skip in report.skipped[:20]]
        if len(report.skipped) > 20:
            lines.append("  ... all of them with --json")
    return "\n".join(lines)


def _failure(report: IngestReport) -> str | None:
    """Why a script should look at the reasons; None: everything of a kind that is read was read."""
    if report.failed:
        return f"{report.failed} of the files could not be read; the reasons are above"
    if report.added or report.updated or report.removed or report.unchanged:
        return None
    kinds = ".txt .md .html .pdf .docx .csv .parquet .json .jsonl"
    return f"there was nothing to ingest; name files or folders that hold {kinds}"


@contextmanager
def progress(*, quiet: bool) -> Iterator[Callable[[IngestProgress], None] | None]:
    """A bar with files and chunks a second, on a terminal only."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("files", total=None, rate="")

        def show(now: IngestProgress) -> None:
            rate = f"{now.chunks / now.seconds:.0f} chunks/s" if now.seconds > 0.5 else ""
            bar.update(task, completed=now.files, total=now.total, rate=rate)

        yield show
