"""Writes docs/api.md from the docstrings of everything that `surefoot` offers.

python scripts/api_page.py            # writes the page
python scripts/api_page.py --check    # exit code 1 when it is not current
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import Any, get_overloads

import surefoot
from surefoot.core.request import Citing
from surefoot.integrations import fastapi, openai

PAGE = Path(__file__).resolve().parents[1] / "docs" / "api.md"
WIDTH = 98
CHAPTERS: dict[str, tuple[str, ...]] = {
    "Calls": ("verify", "ask", "build"),
    "The object": ("Surefoot", "BlockingSurefoot"),
    "Results": (
        *("VerificationResult", "AskResult", "JudgeResult", "IngestReport", "Retrieval"),
        *("ResultMetadata", "ClaimResult", "Quote", "Issue", "Revision", "ScoredPassage", "StoredDocument"),
        *("Decision", "Status", "Severity"),
    ),
    "What you give": ("VerifyInput", "VerifyOptions", "Passage", "Turn", "SearchFilter", "Settings", "Pack"),
}
INTRODUCTION = f"""# API

Made from docstrings by `python scripts/api_page.py`; a test keeps it current. Everything here is
importable from `surefoot`. [python.md](python.md) shows how to use it.

A *source* (`Source`) is a text, a mapping with `text`, a `Passage`, or a document of LangChain,
LlamaIndex or Haystack. `Sources` are a list of them, or one alone.
`citations` is one of {", ".join(f"`{name!r}`" for name in Citing.__args__)}.
"""


def page() -> str:
    parts = [INTRODUCTION]
    for title, names in CHAPTERS.items():
        parts.append(f"## {title}\n")
        parts += [entry(name, getattr(surefoot, name)) for name in names]
    parts += ["## Around a model or a framework\n"]
    parts += [entry("surefoot.openai.verified", openai.verified)]
    parts += [entry("surefoot.integrations.fastapi.Verifier", fastapi.Verifier)]
    parts += ["## Errors\n", errors()]
    return "\n".join(parts).rstrip() + "\n"


def named() -> set[str]:
    """Every name the page has a place for."""
    return {name for names in CHAPTERS.values() for name in names} | {"Source", "Sources"} | set(error_names())


def entry(name: str, thing: Any) -> str:
    if inspect.isclass(thing):
        return class_entry(name, thing)
    return f"### {name}\n\n{code(signatures(name, function(thing)))}\n\n{words(thing)}\n"


def function(thing: Any) -> Callable[..., Any]:
    """`surefoot.verify` is a room that may be called; its function is what is documented."""
    found: Callable[..., Any] = surefoot._verify if inspect.ismodule(thing) else thing
    return found


def class_entry(name: str, kind: type[Any]) -> str:
    lines = [f"### {name}\n", f"{words(kind)}\n"]
    if issubclass(kind, Enum):
        lines.append("One of " + ", ".join(f"`{item.value}`" for item in kind) + ".\n")
    elif dataclasses.is_dataclass(kind):
        lines += [*fields(kind), ""]
    for method, made in members(kind):
        if isinstance(made, property):
            lines.append(bullet(f"`.{method}`: {said(annotation(made.fget))}", inspect.getdoc(made)))
        else:
            lines.append(f"{gap(lines)}{code(signatures(f'{name}.{method}', made))}\n\n{words(made)}\n")
    return "\n".join(lines).rstrip() + "\n"


def gap(lines: list[str]) -> str:
    """A list above needs an empty line before what follows."""
    return "\n" if lines[-1].startswith("- ") else ""


def members(kind: type[Any]) -> Iterator[tuple[str, Any]]:
    """What is documented of its own: properties first, then methods."""
    own = {name: made for name, made in vars(kind).items() if not name.startswith("_") and inspect.getdoc(made)}
    if kind.__name__ == "Surefoot":
        own = {name: made for name, made in own.items() if name in vars(surefoot.BlockingSurefoot) or name == "close"}
    yield from ((name, made) for name, made in own.items() if isinstance(made, property))
    yield from ((name, made) for name, made in own.items() if inspect.isfunction(made))


def fields(kind: type[Any]) -> Iterator[str]:
    """A dataclass's fields, with the string that stands under each."""
    notes = field_notes(kind)
    for field in dataclasses.fields(kind):
        default = "" if field.default is dataclasses.MISSING else f" = {field.default!r}"
        shown = default if len(default) < 30 and "<" not in default and "PosixPath" not in default else ""
        yield bullet(f"`{field.name}`: {said(f'{field.type}{shown}')}", notes.get(field.name))


def field_notes(kind: type[Any]) -> dict[str, str]:
    body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    assert isinstance(body, ast.ClassDef)
    notes: dict[str, str] = {}
    for before, after in zip(body.body, body.body[1:], strict=False):
        match before, after:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(note))):
                notes[name] = " ".join(note.split())
    return notes


def signatures(name: str, thing: Callable[..., Any]) -> str:
    return "\n".join(signature(name, made) for made in get_overloads(thing) or [thing])


def signature(name: str, thing: Callable[..., Any]) -> str:
    """One line where it fits, else a parameter a line."""
    found = inspect.signature(thing)
    parameters = [parameter for parameter in found.parameters.values() if parameter.name != "self"]
    bare = str(found.replace(parameters=parameters)).replace("'", "")
    start = "await " if inspect.iscoroutinefunction(thing) else ""
    line = f"{start}{name}{bare}"
    if len(line) <= WIDTH:
        return line
    back = f" -> {str(found.return_annotation).strip(chr(39))}"
    return f"{start}{name}(\n" + "".join(f"    {part},\n" for part in _parameters(bare)) + f"){back}"


def _parameters(bare: str) -> Iterator[str]:
    """The parameters of `(a, b: dict[x, y]) -> z`, cut at the commas that stand in no bracket."""
    depth, part = 0, ""
    for sign in bare[1:]:
        if sign == "," and depth == 0:
            yield part.strip()
            part = ""
            continue
        depth += (sign in "[(") - (sign in "])")
        if depth < 0:
            break
        part += sign
    yield part.strip()


def annotation(thing: Any) -> str:
    return str(inspect.signature(thing).return_annotation)


def said(kind: str) -> str:
    return f"`{kind}`"


def bullet(head: str, note: str | None) -> str:
    text = f"- {head}" + (f" — {' '.join(note.split())}" if note else "")
    return textwrap.fill(text, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def code(text: str) -> str:
    return f"```text\n{text}\n```"


def words(thing: Any) -> str:
    """A docstring as Markdown: paragraphs filled, what is indented kept as code, `name: meaning` as a list."""
    blocks = re.split(r"\n\s*\n", inspect.getdoc(function(thing)) or "")
    return "\n\n".join(block(part) for part in blocks)


def block(text: str) -> str:
    if text.startswith("    "):
        return code(textwrap.dedent(text))
    if re.match(r"^[\w, ]+: ", text) and "\n" in text:
        items = (item.partition(":") for item in re.split(r"\n(?=[\w, ]+: )", text))
        return "\n".join(bullet(f"`{names.replace(', ', '`, `')}`", meaning) for names, _, meaning in items)
    return textwrap.fill(" ".join(text.split()), WIDTH, break_long_words=False, break_on_hyphens=False)


def error_names() -> list[str]:
    return [name for name in surefoot.__all__ if name.endswith("Error")]


def errors() -> str:
    """The tree, then a line for each."""
    from surefoot.core import errors as home

    tree = (home.__doc__ or "").split("\n\n", 1)[1].strip()
    lines = [bullet(f"`{name}`", inspect.getdoc(getattr(surefoot, name))) for name in error_names()]
    return f"{code(tree)}\n\n" + "\n".join(lines) + "\n"


def main() -> int:
    made = page()
    if "--check" in sys.argv[1:]:
        return 0 if PAGE.read_text(encoding="utf-8") == made else 1
    PAGE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
