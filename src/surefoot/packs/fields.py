"""Reads one mapping of a pack's file key by key and notes every mistake on the way."""

from __future__ import annotations

from collections.abc import Sequence

from surefoot.core.types import Json
from surefoot.packs.document import Node
from surefoot.packs.mistake import Ledger, nearest
from surefoot.packs.patterns import PatternError, compiled, union


class Fields:
    """A mapping whose keys are known beforehand; an unknown one is a mistake, with the nearest known key."""

    def __init__(self, node: Node | None, known: Sequence[str], ledger: Ledger, *, place: str = "") -> None:
        self.ledger, self._place = ledger, f"{place}." if place else ""
        self.line = node.line if node else 1
        self._entries: dict[str, Node] = {}
        if node is None:
            return
        if not isinstance(node.value, dict):
            ledger.add(
                node.line, place, f"{node.shape} stands where keys are due", f"write {', '.join(known)} as key: value"
            )
            return
        for key, value in node.value.items():
            if key in known:
                self._entries[key] = value
            else:
                ledger.add(value.key_line, self._place + key, "unknown key", nearest(key, known))

    def __contains__(self, key: str) -> bool:
        return key in self._entries and self._entries[key].value is not None

    def node(self, key: str) -> Node | None:
        return self._entries.get(key)

    def line_of(self, key: str) -> int:
        return self._entries[key].key_line if key in self._entries else self.line

    def mistake(self, key: str, problem: str, remedy: str, *, line: int | None = None) -> None:
        self.ledger.add(line or self.line_of(key), self._place + key, problem, remedy)

    def text(self, key: str, default: str = "", *, required: bool = False, choices: Sequence[str] = ()) -> str:
        node = self._entries.get(key)
        if node is None or node.value is None:
            if required:
                self.mistake(key, "is missing", f"add {key}: ...")
            return default
        if isinstance(node.value, list | dict):
            self.mistake(key, f"{node.shape} stands where a text is due", "write one value")
            return default
        value = str(node.value).strip() if not isinstance(node.value, bool) else str(node.value).lower()
        if choices and value not in choices:
            self.mistake(key, f"{value!r} is not known", nearest(value, choices))
            return default
        if required and not value:
            self.mistake(key, "is empty", "write a text")
        return value

    def optional(self, key: str) -> str | None:
        return self.text(key) or None

    def flag(self, key: str, default: bool = False) -> bool:
        node = self._entries.get(key)
        if node is None or node.value is None:
            return default
        if not isinstance(node.value, bool):
            self.mistake(key, f"{node.shape} is neither true nor false", "write true or false")
            return default
        return node.value

    def number(self, key: str, *, low: float, high: float) -> float | None:
        node = self._entries.get(key)
        if node is None or node.value is None:
            return None
        if isinstance(node.value, bool) or not isinstance(node.value, int | float):
            self.mistake(key, f"{node.shape} is not a number", f"write a number between {low:g} and {high:g}")
            return None
        if not low <= node.value <= high:
            self.mistake(key, f"{node.value!r} is out of range", f"write a number between {low:g} and {high:g}")
            return None
        return float(node.value)

    def items(self, key: str) -> list[Node]:
        node = self._entries.get(key)
        if node is None or node.value is None:
            return []
        if not isinstance(node.value, list):
            self.mistake(key, f"{node.shape} stands where a list is due", "start each entry with a dash")
            return []
        return node.value

    def entries(self, key: str) -> dict[str, Node]:
        node = self._entries.get(key)
        if node is None or node.value is None:
            return {}
        if not isinstance(node.value, dict):
            self.mistake(key, f"{node.shape} stands where keys are due", "write key: value below it")
            return {}
        return node.value

    def texts(self, key: str) -> tuple[str, ...]:
        """A text or a list of texts."""
        node = self._entries.get(key)
        return () if node is None else texts_of(node, self.ledger, self._place + key)

    def pattern(self, key: str, *, required: bool = False, ignore_case: bool = True) -> str:
        value = self.text(key, required=required)
        if value:
            check_pattern(value, self.ledger, self.line_of(key), self._place + key, ignore_case=ignore_case)
        return value

    def patterns(self, key: str, *, ignore_case: bool = True) -> tuple[str, ...]:
        node = self._entries.get(key)
        return () if node is None else patterns_of(node, self.ledger, self._place + key, ignore_case=ignore_case)


def texts_of(node: Node, ledger: Ledger, key: str) -> tuple[str, ...]:
    nodes = node.value if isinstance(node.value, list) else [node]
    found = []
    for item in nodes:
        if isinstance(item.value, list | dict) or item.value is None:
            ledger.add(item.line, key, f"{item.shape} stands where a text is due", "write one text per dash")
        else:
            found.append(str(item.value).lower() if isinstance(item.value, bool) else str(item.value).strip())
    return tuple(found)


def patterns_of(node: Node, ledger: Ledger, key: str, *, ignore_case: bool = True) -> tuple[str, ...]:
    nodes = node.value if isinstance(node.value, list) else [node]
    found = texts_of(node, ledger, key)
    if len(found) == len(nodes):
        # One automaton for all of them is what will run; only when it fails is the culprit looked for.
        try:
            union(found, ignore_case=ignore_case)
        except PatternError:
            for pattern, item in zip(found, nodes, strict=True):
                check_pattern(pattern, ledger, item.line, key, ignore_case=ignore_case)
    return found


def check_pattern(pattern: str, ledger: Ledger, line: int, key: str, *, ignore_case: bool = True) -> bool:
    try:
        compiled(pattern, ignore_case=ignore_case)
    except PatternError as error:
        remedy = "correct the pattern (RE2 syntax)"
        if "perl operator" in str(error) or "lookaround" in str(error):
            remedy = "RE2 has no lookahead, lookbehind or back-reference: say it with two patterns"
        ledger.add(line, key, f"the pattern {pattern!r} is not valid: {error}", remedy)
        return False
    return True


def scalar(node: Node) -> Json:
    return node.plain()
