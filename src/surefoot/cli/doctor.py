"""`surefoot doctor`: what is installed, what is missing, and what to do about it."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from surefoot.cli.show import console, print_json
from surefoot.core.hashing import plain

if TYPE_CHECKING:
    from surefoot.wiring.checkup import Finding

EXTRAS = {
    "documents": ("trafilatura", "pypdfium2", "mammoth", "markdownify"),
    "server": ("fastapi", "uvicorn", "prometheus-client"),
    "ui": ("streamlit",),
    "redis": ("redis",),
    "mcp": ("mcp",),
    "parquet": ("pyarrow",),
    "remote": ("fsspec",),
    "dataset": ("pyarrow",),
    "tracing": ("opentelemetry-sdk",),
    "ray": ("ray",),
    "thorough": ("gguf",),
    "langchain": ("langchain-core",),
    "llamaindex": ("llama-index-core",),
    "haystack": ("haystack-ai",),
}
_MARKS = {"ok": "[green]ok[/]     ", "absent": "[dim]absent[/] ", "bad": "[red]BAD[/]    "}


def command(
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    kb: Annotated[Path | None, typer.Option(help="The knowledge base to look at.")] = None,
    pack: Annotated[str | None, typer.Option(help="The pack to look at: a name or a folder.")] = None,
) -> None:
    from surefoot.wiring import build
    from surefoot.wiring.checkup import check_up

    house = build(kb=kb, pack=pack)
    findings = [_python(), *check_up(house), *(_extra(name, packages) for name, packages in EXTRAS.items())]
    bad = [finding for finding in findings if finding.level == "bad"]
    if as_json:
        print_json({"ok": not bad, "findings": [plain(finding) for finding in findings]})
    else:
        out = console()
        for finding in findings:
            remedy = f"  ->  {escape(finding.remedy)}" if finding.remedy else ""
            out.print(f"{_MARKS[finding.level]}{escape(finding.what)}{remedy}")
        out.print(f"[red]{len(bad)} to mend[/]" if bad else "[green]nothing to mend[/]")
    raise typer.Exit(1 if bad else 0)


def _python() -> Finding:
    from surefoot.wiring.checkup import Finding

    what = f"Python {platform.python_version()} on {platform.machine()}, surefoot {version('surefoot')}"
    return Finding(level="ok", what=what)


def _extra(name: str, packages: tuple[str, ...]) -> Finding:
    from surefoot.wiring.checkup import Finding

    missing = [package for package in packages if not _has(package)]
    if not missing:
        return Finding(level="ok", what=f"extra {name}")
    what = f"extra {name} ({', '.join(missing)})"
    return Finding(level="absent", what=what, remedy=f"pip install 'surefoot[{name}]'")


def _has(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True
