"""What the documentation site adds to the pages in docs/: reference pages made from the code, and links put right.

MkDocs calls the functions below by name. A page of the navigation that does not exist yet is left out; a link to a file
of the repository outside docs/ becomes its name.
"""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"


def on_config(config: Any) -> Any:
    made = {name for name, _ in _made(only_names=True)}
    config["nav"] = _pruned(config["nav"], made)
    return config


def on_files(files: Any, config: Any) -> Any:
    for name, text in _made():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    folder = (DOCS / page.file.src_uri).parent
    markdown = re.sub(r"(?m)^(```\w+) file=(\S+)$", r'\1 title="\2"', markdown)

    def put_right(found: re.Match[str]) -> str:
        label, target = found.groups()
        if "://" in target or target.startswith(("#", "mailto:")):
            return found.group()
        place = (folder / target.partition("#")[0]).resolve()
        if place == DOCS / "decisions":
            return f"[{label}]({'../' * page.file.src_uri.count('/')}decisions/index.md)"
        if not place.is_relative_to(DOCS) and place.exists():
            return f"{label} (`{place.relative_to(ROOT)}`)" if label.strip("`") != target else f"`{target}`"
        return found.group()

    return re.sub(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)", put_right, markdown)


def _pruned(nav: list[Any], made: set[str]) -> list[Any]:
    kept: list[Any] = []
    for entry in nav:
        ((title, target),) = entry.items()
        if isinstance(target, list):
            kept.append({title: _pruned(target, made)})
        elif target in made or (DOCS / target).exists():
            kept.append(entry)
    return kept


def _made(*, only_names: bool = False) -> list[tuple[str, str]]:
    makers = {
        "reference/cli.md": commands,
        "reference/http.md": calls,
        "reference/settings.md": settings,
        "reference/codes.md": codes,
        "decisions/index.md": decisions,
    }
    return [(name, "" if only_names else make()) for name, make in makers.items()]


def commands() -> str:
    """Every command with what `--help` says of it."""
    from surefoot.cli.main import COMMANDS, run

    parts = ["# Command line, every option", "", "What each command's own `--help` says.", ""]
    for name, (_, said) in COMMANDS.items():
        shown = io.StringIO()
        with redirect_stdout(shown), suppress(SystemExit):
            run([name, "--help"])
        parts += [f"## surefoot {name}", "", said, "", "```text", shown.getvalue().strip(), "```", ""]
    return "\n".join(parts)


def calls() -> str:
    """Every address with its parameters and an example, from the OpenAPI document."""
    import json
    import tempfile

    from surefoot.server.app import create_app
    from surefoot.settings import Settings
    from surefoot.wiring import build

    with tempfile.TemporaryDirectory() as folder:
        document = create_app(build(Settings(kb=Path(folder)))).openapi()
    parts = [
        "# HTTP, every call",
        "",
        "Made from `/openapi.json`. A running service shows it as a page at `/docs`.",
        "",
    ]
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            parts += [f"## {method.upper()} {path}", "", " ".join(operation["description"].split()), ""]
            for given in operation.get("parameters", []):
                needed = "" if given.get("required") else ", may be left out"
                parts.append(f"- `{given['name']}` ({given['in']}{needed})")
            for content in operation.get("requestBody", {}).get("content", {}).values():
                for example in content.get("examples", {}).values():
                    body = json.dumps(example["value"], indent=2, ensure_ascii=False)
                    parts += ["", f"{example['summary']}:", "", "```json", body, "```"]
            parts.append("")
    return "\n".join(parts)


def settings() -> str:
    """The table of docs/operations.md, as a page of its own; a test holds it to the code."""
    text = (DOCS / "operations.md").read_text(encoding="utf-8")
    return "# Settings\n\n" + text.split("\n## Settings\n", 1)[1].split("\n## ", 1)[0].strip() + "\n"


def codes() -> str:
    from surefoot.core.taxonomy import CODES

    head = "# Issue codes\n\nWhat can be wrong with a draft. The list is closed; a pack's rules add `policy:RULE`.\n\n"
    rows = (f"| `{code}` | {kind.value} | {how.value} | {said} |\n" for code, (kind, how, said) in CODES.items())
    return head + "| code | kind | how bad | what it means |\n|---|---|---|---|\n" + "".join(rows)


def decisions() -> str:
    pages = sorted((DOCS / "decisions").glob("[0-9]*.md"))
    titles = ((page.name, page.read_text(encoding="utf-8").split("\n", 1)[0].lstrip("# ")) for page in pages)
    return "# Decisions\n\nWhy it is built this way, one page each.\n\n" + "".join(
        f"- [{title}]({name})\n" for name, title in titles
    )
