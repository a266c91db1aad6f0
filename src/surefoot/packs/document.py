"""YAML with line numbers, and the front matter of Markdown files: how a pack's author is told where a mistake is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import yaml

from surefoot.core.types import Json
from surefoot.packs.mistake import Ledger

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, kw_only=True, slots=True)
class Node:
    """A scalar, a list or a mapping of a YAML text, with the line it starts on."""

    value: str | int | float | bool | list[Node] | dict[str, Node] | None
    line: int
    key_line: int = 0
    """The line of the key this value belongs to."""

    @property
    def shape(self) -> str:
        if isinstance(self.value, dict):
            return "a mapping"
        if isinstance(self.value, list):
            return "a list"
        return "nothing" if self.value is None else f"{self.value!r}"

    def plain(self) -> Json:
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        if isinstance(self.value, list):
            return [node.plain() for node in self.value]
        return self.value


def read_yaml(text: str, ledger: Ledger, *, first_line: int = 1) -> Node | None:
    """The document as nodes; None, with a mistake noted, when it is not YAML or is empty."""
    loader = _LOADER(text)
    try:
        root = loader.get_single_node()
        if root is None:
            ledger.add(first_line, "", "the file is empty", "write at least the required keys")
            return None
        return _node(root, loader, ledger, first_line)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = first_line + (mark.line if mark else 0)
        remedy = "indent with spaces, never tabs" if _has_tab(text, mark) else _YAML_REMEDY
        ledger.add(line, "", f"not valid YAML: {error.problem or error.context}", remedy)
    except (yaml.YAMLError, ValueError) as error:
        ledger.add(first_line, "", f"not valid YAML: {' '.join(str(error).split())}", _YAML_REMEDY)
    finally:
        loader.dispose()
    return None


def _has_tab(text: str, mark: Any) -> bool:
    lines = text.splitlines()
    line = lines[mark.line] if mark and mark.line < len(lines) else ""
    return "\t" in line[: len(line) - len(line.lstrip())]


def split_front_matter(text: str, ledger: Ledger) -> tuple[str, str] | None:
    """The YAML between the `---` lines and the body below; None, with a mistake noted, when there is none."""
    lines = text.splitlines(keepends=True)
    if not lines or lines[0].strip() != "---":
        ledger.add(1, "", "there is no front matter", "start the file with a line ---, the keys, and a second line ---")
        return None
    for index, line in enumerate(lines[1:], start=1):
        if line.strip() == "---":
            return "".join(lines[1:index]), "".join(lines[index + 1 :]).strip()
    ledger.add(1, "", "the front matter is not closed", "end it with a line ---")
    return None


def _node(node: Any, loader: Any, ledger: Ledger, first_line: int, key_line: int = 0) -> Node:
    line = first_line + node.start_mark.line
    if isinstance(node, yaml.MappingNode):
        entries: dict[str, Node] = {}
        for key, value in node.value:
            name = str(key.value) if isinstance(key, yaml.ScalarNode) else "?"
            at = first_line + key.start_mark.line
            if name in entries:
                ledger.add(at, name, "the key is given twice", "keep one of them")
            entries[name] = _node(value, loader, ledger, first_line, at)
        return Node(value=entries, line=line, key_line=key_line or line)
    if isinstance(node, yaml.SequenceNode):
        items = [_node(item, loader, ledger, first_line) for item in node.value]
        return Node(value=items, line=line, key_line=key_line or line)
    value = loader.construct_object(node)
    if not isinstance(value, str | int | float | bool | None):
        value = str(node.value)  # a date is text to a pack
    return Node(value=value, line=line, key_line=key_line or line)


_YAML_REMEDY = "put values with : # [ { or \\ between single quotes and check the indentation"
