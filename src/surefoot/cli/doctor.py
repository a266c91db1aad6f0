"""`surefoot doctor`: what is installed, what is missing, and what to do about it."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from surefoot.cli.show import console, print_json

EXTRAS = {
    "documents": ("trafilatura", "pypdfium2", "mammoth", "markdownify"),
    "server": ("fastapi", "uvicorn", "prometheus-client"),
    "ui": ("streamlit",),
    "redis": ("redis",),
    "mcp": ("mcp",),
    "dataset": ("pyarrow",),
    "tracing": ("opentelemetry-sdk",),
    "ray": ("ray",),
}


def command(
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    kb: Annotated[Path | None, typer.Option(help="The knowledge base to look at.")] = None,
) -> None:
    from surefoot.wiring import build

    house = build(kb=kb)
    findings = [_python(), *house.diagnose(), *(_extra(name, packages) for name, packages in EXTRAS.items())]
    if as_json:
        print_json({"ok": all(level != "bad" for level, _, _ in findings), "findings": [list(f) for f in findings]})
    else:
        out = console()
        marks = {"ok": "[green]ok[/]     ", "optional": "[dim]absent[/] ", "bad": "[red]BAD[/]    "}
        for level, what, remedy in findings:
            out.print(f"{marks[level]}{escape(what)}{'  ->  ' + escape(remedy) if remedy else ''}")
    raise typer.Exit(0 if all(level != "bad" for level, _, _ in findings) else 1)


def _python() -> tuple[str, str, str]:
    return ("ok", f"Python {platform.python_version()} on {platform.machine()}, surefoot {version('surefoot')}", "")


def _extra(name: str, packages: tuple[str, ...]) -> tuple[str, str, str]:
    missing = [package for package in packages if not _has(package)]
    if not missing:
        return ("ok", f"extra {name}", "")
    return ("optional", f"extra {name} ({', '.join(missing)})", f"pip install 'surefoot[{name}]'")


def _has(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True
