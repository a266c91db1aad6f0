"""Checks a pack beyond what loading needs: parts that fit each other, fixes that settle their rule, sound cases."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from surefoot.core.text import fold, squash
from surefoot.packs.cases import read_cases
from surefoot.packs.loader import parse, part_files
from surefoot.packs.mistake import Mistake, nearest
from surefoot.packs.patterns import PatternError, compiled, references, union
from surefoot.packs.schema import Pack, Section, Test, Warning, When

_DRAFTING = ("marker", "dont_know", "sources", "profile", "question", "previous", "problems")
PLACEHOLDERS = {
    "answer": _DRAFTING,
    "synthesize": _DRAFTING,
    "judge": ("references", "context", "question", "problems"),
}
"""What `{{...}}` may stand in each prompt for."""
KNOWN_FILES = ("pack.yaml", "sources.yaml", "README.md")
KNOWN_FOLDERS = {"rules": (".md",), "entities": (".csv",), "prompts": (".md",), "kb": (), "cases": (".jsonl",)}


def lint(folder: Path) -> list[Mistake]:
    """Every mistake in a pack, in the order of its files; an empty list means the pack is sound."""
    pack, mistakes = parse(folder)
    found = list(mistakes)
    found += _strangers(folder)
    if pack is not None:
        lines = Lines(folder)
        for check in _CHECKS:
            found += check(pack, lines)
    _, wrong_cases = read_cases(folder)
    found += wrong_cases
    order = {file: number for number, file in enumerate(_order(folder))}
    found.sort(key=lambda one: (order.get(one.file, len(order)), one.line or 0))
    return list(dict.fromkeys(found))


class Lines:
    """Finds the line a text stands on, for mistakes that show only once everything is read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._texts: dict[str, list[str]] = {}

    def of(self, file: str, *needles: str) -> int | None:
        """The line of the first needle that is found."""
        if file not in self._texts:
            path = self._folder / file
            self._texts[file] = path.read_text("utf-8", "replace").splitlines() if path.is_file() else []
        for needle in needles:
            for number, line in enumerate(self._texts[file], 1):
                if needle and needle in line:
                    return number
        return None


def _order(folder: Path) -> list[str]:
    return [path.relative_to(folder).as_posix() for path in part_files(folder)]


def _strangers(folder: Path) -> Iterator[Mistake]:
    """Files nobody will read: most often a rule with the wrong ending or in the wrong folder."""
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if path.is_dir() or any(part.startswith((".", "__")) for part in relative.parts):
            continue
        top = relative.parts[0]
        if len(relative.parts) == 1:
            if top not in KNOWN_FILES:
                remedy = nearest(top, KNOWN_FILES) if top.endswith((".yaml", ".yml")) else "move it or remove it"
                yield _mistake(relative.as_posix(), None, "", "the file is not part of a pack", remedy)
        elif top not in KNOWN_FOLDERS:
            yield _mistake(
                relative.as_posix(), None, "", f"there is no folder {top!r} in a pack", nearest(top, KNOWN_FOLDERS)
            )
        elif KNOWN_FOLDERS[top] and (path.suffix not in KNOWN_FOLDERS[top] or len(relative.parts) > 2):
            wanted = " or ".join(KNOWN_FOLDERS[top])
            yield _mistake(
                relative.as_posix(), None, "", "the file is not read", f"{top}/ holds {wanted} files, no folders"
            )


def _fixes(pack: Pack, lines: Lines) -> Iterator[Mistake]:
    """A fix that leaves its own rule broken would send every repaired answer to the fallback."""
    for rule in pack.rules:
        if rule.fix is None:
            continue
        added = rule.fix.append or rule.fix.prepend
        key = "append" if rule.fix.append else "prepend"
        if added:
            for group in rule.requires:
                if not _matches(group, added):
                    line = lines.of(rule.file, f"{key}:")
                    remedy = "write the fix so that the required pattern matches it"
                    yield _mistake(
                        rule.file, line, f"fix.{key}", f"does not hold what the rule requires: {group[0]!r}", remedy
                    )
            if _matches(rule.forbids, added):
                yield _mistake(
                    rule.file, lines.of(rule.file, f"{key}:"), f"fix.{key}", "holds what the rule forbids", _REWORD
                )
        if rule.fix.replace is not None:
            if _matches(rule.forbids, rule.fix.replace):
                yield _mistake(
                    rule.file, lines.of(rule.file, "replace:"), "fix.replace", "holds what the rule forbids", _REWORD
                )
            groups = min((_groups(pattern) for pattern in rule.forbids), default=0)
            if references(rule.fix.replace) > groups:
                problem = f"refers to a group the patterns do not have: {rule.fix.replace!r}"
                yield _mistake(
                    rule.file, lines.of(rule.file, "replace:"), "fix.replace", problem, "put ( ) into every pattern"
                )


def _empty_patterns(pack: Pack, lines: Lines) -> Iterator[Mistake]:
    """A pattern that matches nothing at all matches everywhere: the rule would always, or never, fire."""
    for file, key, pattern in _patterns(pack):
        if _matches((pattern,), ""):
            remedy = "make one part of it necessary: the last * or ? may be too much"
            yield _mistake(file, lines.of(file, pattern), key, f"the pattern {pattern!r} matches an empty text", remedy)


def _mentions(pack: Pack, lines: Lines) -> Iterator[Mistake]:
    """Kinds and attributes a test speaks of must be in a registry."""
    kinds = {entity.kind for entity in pack.entities}
    attributes = {(entity.kind, key) for entity in pack.entities for key in entity.attributes}
    for file, test in _tests(pack):
        if test.op != "mentions" or not isinstance(test.value, dict):
            continue
        wanted = {key: value if isinstance(value, list) else [value] for key, value in test.value.items()}
        for kind in map(str, wanted["kind"]):
            if kind not in kinds:
                line = lines.of(file, f"kind: {kind}", kind)
                yield _mistake(file, line, "mentions.kind", f"no registry has the kind {kind!r}", nearest(kind, kinds))
                continue
            for key in wanted:
                if key != "kind" and (kind, key) not in attributes:
                    known = [name for owner, name in attributes if owner == kind]
                    line = lines.of(file, f"{key}:")
                    yield _mistake(
                        file, line, f"mentions.{key}", f"no {kind} has the attribute {key!r}", nearest(key, known)
                    )


def _kinds(pack: Pack, lines: Lines) -> Iterator[Mistake]:
    kinds = {entity.kind for entity in pack.entities}
    for shape in pack.entity_kinds:
        if shape.kind not in kinds:
            line = lines.of("pack.yaml", f"  {shape.kind}:")
            problem = f"no registry has the kind {shape.kind!r}"
            yield _mistake("pack.yaml", line, "entity_kinds", problem, nearest(shape.kind, kinds))
    for rule in pack.attributes:
        if rule.kind not in kinds:
            line = lines.of("pack.yaml", f"kind: {rule.kind}")
            problem = f"no registry has the kind {rule.kind!r}"
            yield _mistake("pack.yaml", line, "attributes.kind", problem, nearest(rule.kind, kinds))
        if _groups(rule.pattern) < 1:
            yield _mistake("pack.yaml", lines.of("pack.yaml", rule.pattern), "attributes.pattern", _NO_GROUP, _GROUP)
    for scale in pack.scales:
        for pattern, names in [(p, ("mark", "level")) for p in scale.pairs] + [(p, ("total",)) for p in scale.totals]:
            if not set(names) <= set(_names(pattern)):
                problem = f"the pattern lacks the group {' and '.join(names)}"
                remedy = "name it: (?P<total>...)" if len(names) == 1 else "name them: (?P<mark>...) (?P<level>...)"
                yield _mistake("pack.yaml", lines.of("pack.yaml", pattern), f"scales.{scale.id}", problem, remedy)


def _doubles(pack: Pack, lines: Lines) -> Iterator[Mistake]:
    """One name for two entities of a kind: the check could not say which is meant."""
    seen: dict[tuple[str, str], str] = {}
    for entity in pack.entities:
        for name in {squash(name): name for name in (entity.name, *entity.aliases)}.values():
            key = (entity.kind, name if name.isupper() else fold(name))
            other = seen.setdefault(key, entity.name)
            if other != entity.name:
                file = next((f for f in _csv_files(pack) if lines.of(f, entity.name)), "entities")
                problem = f"{name!r} already stands for {other!r}"
                yield _mistake(
                    file, lines.of(file, f"{entity.name},", entity.name), "aliases", problem, "keep it with one of them"
                )


def _softening(pack: Pack, lines: Lines) -> Iterator[Mistake]:
    for prescription in pack.prescriptions:
        soft = prescription.replacement
        if soft is None:
            continue
        line = lines.of("pack.yaml", f"replacement: '{soft}'", soft)
        if references(soft) > _groups(prescription.pattern):
            yield _mistake("pack.yaml", line, "prescriptions.replacement", f"{soft!r} refers to no group", _GROUP)
        elif _matches((prescription.pattern,), soft):
            yield _mistake("pack.yaml", line, "prescriptions.replacement", "is itself a prescription", _REWORD)


def _warnings(pack: Pack, lines: Lines) -> Iterator[Mistake]:
    for section in pack.sections:
        if section.text and not _matches(section.patterns, section.text):
            line = lines.of("pack.yaml", f"id: {section.id}")
            problem = f"the text of {section.id!r} is not recognised by its own patterns"
            yield _mistake("pack.yaml", line, "sections.text", problem, "add a pattern that matches it")
    ids = [part.id for part in _parts(pack)]
    for name in sorted({name for name in ids if ids.count(name) > 1}):
        yield _mistake(
            "pack.yaml", lines.of("pack.yaml", f"id: {name}"), "id", f"{name!r} is used twice", "give each its own id"
        )


def _prompts(pack: Pack, lines: Lines) -> Iterator[Mistake]:
    for name, text in pack.prompts.items():
        if name != "critic" and not all(f"# {part}" in text for part in ("System", "User")):
            file = f"prompts/{name}.md"
            yield _mistake(file, 1, "", "a part is missing", "write one '# System' part and then one '# User' part")
        for used in dict.fromkeys(_PLACEHOLDER.findall(text)):
            if used not in PLACEHOLDERS.get(name, ()):
                line = lines.of(f"prompts/{name}.md", used)
                problem = f"there is no placeholder {used!r}"
                yield _mistake(f"prompts/{name}.md", line, "", problem, nearest(used, PLACEHOLDERS.get(name, ())))


def _domains(pack: Pack, lines: Lines) -> Iterator[Mistake]:
    """A curated source of a domain without keywords would never be read."""
    for source in pack.sources:
        if source.domain and pack.keywords and source.domain not in pack.keywords:
            line = lines.of("sources.yaml", f"domain: {source.domain}", source.url)
            problem = f"{source.domain!r} has no keywords in pack.yaml"
            yield _mistake("sources.yaml", line, "domain", problem, nearest(source.domain, pack.keywords))


def _patterns(pack: Pack) -> Iterator[tuple[str, str, str]]:
    for rule in pack.rules:
        yield from ((rule.file, "requires", pattern) for group in rule.requires for pattern in group)
        yield from ((rule.file, "forbids", pattern) for pattern in rule.forbids)
        yield from ((rule.file, "order", pattern) for pattern in rule.order or ())
    for file, test in _tests(pack):
        if test.op == "matches" and isinstance(test.value, list):
            yield from ((file, f"when.{test.on}", str(pattern)) for pattern in test.value)
    single = [*pack.tone, *(one.pattern for one in pack.prescriptions), *(one.pattern for one in pack.terms)]
    single += [pattern for part in _parts(pack) for pattern in part.patterns]
    yield from (("pack.yaml", "patterns", pattern) for pattern in single)


def _tests(pack: Pack) -> Iterator[tuple[str, Test]]:
    for rule in pack.rules:
        yield from ((rule.file, test) for test in _of(rule.when))
    for part in _parts(pack):
        yield from (("pack.yaml", test) for test in _of(part.when))


def _parts(pack: Pack) -> tuple[Section | Warning, ...]:
    return (*pack.sections, *pack.warnings)


def _of(when: When) -> Iterable[Test]:
    return (*when.all_of, *when.any_of, *when.none_of)


def _csv_files(pack: Pack) -> list[str]:
    folder = Path(pack.folder or ".")
    return [path.relative_to(folder).as_posix() for path in sorted(folder.glob("entities/*.csv"))]


def _matches(patterns: Iterable[str], text: str) -> bool:
    given = tuple(patterns)
    try:
        return bool(given) and union(given).search(text) is not None
    except PatternError:
        return False


def _groups(pattern: str) -> int:
    try:
        return int(compiled(pattern).groups)
    except PatternError:
        return 9


def _names(pattern: str) -> list[str]:
    try:
        return list(compiled(pattern).groupindex)
    except PatternError:
        return ["mark", "level", "total"]


def _mistake(file: str, line: int | None, key: str, problem: str, remedy: str) -> Mistake:
    return Mistake(file=file, line=line, key=key, problem=problem, remedy=remedy)


_PLACEHOLDER = re.compile(r"\{\{[#/]?(\w+)\}\}")
_REWORD = "word it differently"
_GROUP = "put ( ) around the part that is meant"
_NO_GROUP = "the pattern has no group for the stated value"
_CHECKS: tuple[Callable[[Pack, Lines], Iterator[Mistake]], ...] = (
    _fixes,
    _empty_patterns,
    _mentions,
    _kinds,
    _doubles,
    _softening,
    _warnings,
    _domains,
    _prompts,
)
