"""Reads `rules/<id>.md`: the front matter says what is checked, the body says why."""

from __future__ import annotations

from surefoot.core.types import Action, Severity
from surefoot.packs.conditions import read_when
from surefoot.packs.document import Node, read_yaml, split_front_matter
from surefoot.packs.fields import Fields, patterns_of
from surefoot.packs.mistake import Ledger
from surefoot.packs.schema import Fix, Rule

KEYS = (
    "id",
    "title",
    "severity",
    "action",
    "scope",
    "when",
    "requires",
    "forbids",
    "order",
    "fix",
    "message",
)
FIX_KEYS = ("append", "prepend", "replace", "drop_sentence", "move_first")


def read_rule(text: str, ledger: Ledger, *, stem: str) -> Rule | None:
    """The rule of one file; None, with mistakes noted, when there is nothing to make a rule of."""
    parts = split_front_matter(text, ledger)
    node = read_yaml(parts[0], ledger, first_line=2) if parts else None
    if parts is None or node is None:
        return None
    fields = Fields(node, KEYS, ledger)
    scope = fields.text("scope", "draft", choices=("draft", "sentence"))
    rule = Rule(
        id=_identity(fields, stem),
        title=fields.text("title", required=True),
        reason=parts[1],
        severity=Severity(fields.text("severity", "medium", required=True, choices=[*Severity])),
        action=Action(fields.text("action", "fix", required=True, choices=[*Action])),
        when=read_when(fields.node("when"), ledger, scope=scope),
        requires=_groups(fields),
        forbids=fields.patterns("forbids"),
        order=_order(fields),
        fix=_fix(fields),
        message=fields.optional("message"),
        scope=scope,
        file=ledger.file,
    )
    _check_whole(rule, fields)
    return rule


def _identity(fields: Fields, stem: str) -> str:
    name = fields.text("id", stem, required=True)
    if name != stem:
        fields.mistake("id", f"{name!r} is not the file's name", f"write id: {stem} or rename the file to {name}.md")
    return name


def _groups(fields: Fields) -> tuple[tuple[str, ...], ...]:
    """Each entry of `requires` is a pattern, or a list of patterns one of which is enough."""
    node = fields.node("requires")
    if node is None:
        return ()
    items = node.value if isinstance(node.value, list) else [node]
    return tuple(patterns_of(item, fields.ledger, "requires") for item in items)


def _order(fields: Fields) -> tuple[str, str] | None:
    node = fields.node("order")
    if node is None:
        return None
    inner = Fields(node, ("first", "then"), fields.ledger, place="order")
    first, then = inner.pattern("first", required=True), inner.pattern("then", required=True)
    return (first, then) if first and then else None


def _fix(fields: Fields) -> Fix | None:
    node: Node | None = fields.node("fix")
    if node is None:
        return None
    inner = Fields(node, FIX_KEYS, fields.ledger, place="fix")
    for one, other in (("append", "prepend"), ("replace", "drop_sentence")):
        if one in inner and other in inner:
            inner.mistake(other, f"stands beside {one}", f"keep either {one} or {other}")
    return Fix(
        append=inner.optional("append"),
        prepend=inner.optional("prepend"),
        replace=inner.text("replace") if "replace" in inner else None,
        drop_sentence=inner.flag("drop_sentence"),
        move_first=inner.flag("move_first"),
    )


def _check_whole(rule: Rule, fields: Fields) -> None:
    """What no single key shows: parts that do not go together."""
    if not rule.reason:
        fields.mistake("", "the file gives no reason", "say below the front matter why the rule is there")
    if rule.action is Action.REJECT and not rule.message:
        fields.mistake("message", "is missing", "a rule that rejects says what the reader is told")
    if rule.action is Action.REJECT and rule.fix:
        fields.mistake("fix", "a rule that rejects repairs nothing", "remove fix, or write action: fix")
    checks = rule.requires or rule.forbids or rule.order
    if not checks and rule.action is not Action.REJECT:
        fields.mistake("requires", "is missing", "say what the draft must hold or must not: requires, forbids or order")
    if not checks and not (rule.when.all_of or rule.when.any_of):
        fields.mistake("when", "the rule would always fire", "say when, or what it requires or forbids")
    fix = rule.fix
    if fix is None:
        return
    if (fix.append or fix.prepend) and not rule.requires:
        fields.mistake("fix", "there is nothing required that could be added", "add requires, or use replace")
    if (fix.replace is not None or fix.drop_sentence) and not (rule.forbids or rule.scope == "sentence"):
        fields.mistake("fix", "there is nothing forbidden that could be replaced", "add forbids, or use append")
    if fix.move_first and not rule.order:
        fields.mistake("fix", "there is no order to restore", "add order: {first: ..., then: ...}")
