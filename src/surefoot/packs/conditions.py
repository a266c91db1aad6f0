"""Reads a rule's `when`: lists of tests such as `profile.grade: {at_least: 10}`."""

from __future__ import annotations

from surefoot.packs.document import Node
from surefoot.packs.fields import Fields, patterns_of, texts_of
from surefoot.packs.mistake import Ledger, nearest
from surefoot.packs.schema import Test, When

OPERATORS = ("is", "matches", "contains", "at_least", "at_most", "present", "mentions")
PLACES = ("question", "draft", "sentence", "profile.<key>")


def read_when(node: Node | None, ledger: Ledger, *, place: str = "when", scope: str = "draft") -> When:
    if node is None:
        return When()
    fields = Fields(node, ("all", "any", "none"), ledger, place=place)
    return When(
        all_of=_tests(fields, "all", f"{place}.all", scope),
        any_of=_tests(fields, "any", f"{place}.any", scope),
        none_of=_tests(fields, "none", f"{place}.none", scope),
    )


def _tests(fields: Fields, key: str, place: str, scope: str) -> tuple[Test, ...]:
    found = [_test(item, fields.ledger, place, scope) for item in fields.items(key)]
    return tuple(test for test in found if test is not None)


def _test(node: Node, ledger: Ledger, place: str, scope: str) -> Test | None:
    if not isinstance(node.value, dict) or len(node.value) != 1:
        ledger.add(node.line, place, "a test is one place with one operator", "write - question: {matches: 'pattern'}")
        return None
    on, condition = next(iter(node.value.items()))
    if not _known_place(on, scope):
        remedy = "set scope: sentence" if on == "sentence" else nearest(on, PLACES)
        ledger.add(condition.key_line, place, f"{on!r} is not a place a test can look at", remedy)
        return None
    if not isinstance(condition.value, dict) or len(condition.value) != 1:
        ledger.add(condition.key_line, f"{place}.{on}", "one operator is due", f"use one of: {', '.join(OPERATORS)}")
        return None
    op, value = next(iter(condition.value.items()))
    if op not in OPERATORS:
        ledger.add(value.key_line, f"{place}.{on}", f"unknown operator {op!r}", nearest(op, OPERATORS))
        return None
    return _checked(on, op, value, ledger, f"{place}.{on}.{op}")


def _known_place(on: str, scope: str) -> bool:
    if on == "sentence":
        return scope == "sentence"
    return on in ("question", "draft") or (on.startswith("profile.") and len(on) > len("profile."))


def _checked(on: str, op: str, value: Node, ledger: Ledger, key: str) -> Test | None:
    if op in ("at_least", "at_most") and (isinstance(value.value, bool) or not isinstance(value.value, int | float)):
        ledger.add(value.line, key, f"{value.shape} is not a number", "write a number")
        return None
    if op == "present" and not isinstance(value.value, bool):
        ledger.add(value.line, key, f"{value.shape} is neither true nor false", "write true or false")
        return None
    if op == "mentions":
        if not isinstance(value.value, dict) or "kind" not in value.value:
            ledger.add(value.line, key, "says no kind", "write mentions: {kind: career, ...}")
            return None
        return Test(on=on, op=op, value={name: list(texts_of(item, ledger, key)) for name, item in value.value.items()})
    if op == "matches":
        return Test(on=on, op=op, value=list(patterns_of(value, ledger, key)))
    if op == "contains":
        return Test(on=on, op=op, value=list(texts_of(value, ledger, key)))
    plain = value.plain()
    return Test(on=on, op=op, value=plain)
