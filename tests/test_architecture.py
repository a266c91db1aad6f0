"""The house rules as data: who may import whom, where the environment is read, no cycles, no pickle."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

SRC = Path(__file__).parent.parent / "src" / "surefoot"

STAGES = ("ingest", "retrieve", "generate", "verify", "correct", "deliver")
ADAPTERS = ("llm", "encoders", "store", "observe")
ENTRIES = ("bench", "server", "mcp", "cli", "ui", "integrations")
EVERYTHING = {p.name for p in SRC.iterdir() if p.is_dir() and not p.name.startswith("__")} | {
    "settings",
    "wiring",
}

ALLOWED: dict[str, set[str]] = {
    "core": set(),
    **{room: {"core"} for room in (*ADAPTERS, "settings", "packs")},
    "testing": {"core", "llm"},
    **{room: {"core", "packs"} for room in (*STAGES, "dataset")},
    "flows": {"core", "packs", *STAGES},
    "wiring": EVERYTHING - set(ENTRIES),
    "bench": {"core", "wiring", "flows"},
    "server": {"core", "wiring", "flows"},
    "mcp": {"core", "wiring", "flows"},
    "cli": {"core", "wiring", "flows", "bench", "dataset", "packs", "server", "mcp", "settings"},
    "integrations": {"core", "wiring", "flows", "settings"},
    "openai": {"integrations"},
    "ui": set(),
    "__init__": EVERYTHING - set(ENTRIES),
    "__main__": {"cli"},
}


def modules() -> list[Path]:
    return sorted(path for path in SRC.rglob("*.py"))


def dotted(path: Path) -> str:
    parts = path.relative_to(SRC.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(path: Path) -> str:
    relative = path.relative_to(SRC)
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


@cache
def imports_of(path: Path) -> frozenset[str]:
    """Every surefoot module a file imports anywhere, lazily or for typing included."""
    found = set()
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module or ""}
    return frozenset(name for name in found if name.split(".")[0] == "surefoot")


@pytest.mark.parametrize("path", modules(), ids=dotted)
def test_a_room_imports_only_the_rooms_it_may(path: Path) -> None:
    room = room_of(path)
    assert room in ALLOWED, f"room {room!r} is not in the table of ARCHITECTURE"
    for name in imports_of(path):
        parts = name.split(".")
        target = parts[1] if len(parts) > 1 else "__init__"
        if target in EVERYTHING and target != room:
            assert target in ALLOWED[room], f"{dotted(path)} imports {name}"


def test_there_is_no_import_cycle() -> None:
    names = {dotted(path): path for path in modules()}
    graph = {name: {target for target in imports_of(path) if target in names} - {name} for name, path in names.items()}
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " -> ".join([*trail[trail.index(name) :], name])
        if name in done:
            return
        for target in sorted(graph[name]):
            visit(target, (*trail, name))
        done.add(name)

    for name in sorted(graph):
        visit(name, ())


@pytest.mark.parametrize("path", modules(), ids=dotted)
def test_only_settings_reads_the_environment(path: Path) -> None:
    if room_of(path) == "settings":
        return
    for node in nodes_of(path):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os":
            assert node.attr not in ("environ", "getenv", "environb"), f"{dotted(path)} reads the environment"


@pytest.mark.parametrize("path", modules(), ids=dotted)
def test_no_pickle_anywhere(path: Path) -> None:
    for node in nodes_of(path):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        assert not {"pickle", "cPickle", "dill", "shelve", "marshal", "joblib"} & {n.split(".")[0] for n in names}


INSIDE_VERIFY: dict[str, set[str]] = {
    "read": set(),
    "work": {"read"},
    "checks": {"read"},
    "ground": {"read", "checks"},
    "prove": {"read"},
    "mend": {"read", "ground", "prove"},
}
"""The gate's sub-rooms; the story on top of them (gate, run, decision, critic ...) may ask them all."""


@pytest.mark.parametrize("path", sorted((SRC / "verify").rglob("*.py")), ids=dotted)
def test_a_sub_room_of_the_gate_imports_only_those_it_may(path: Path) -> None:
    parts = path.relative_to(SRC / "verify").parts
    if len(parts) == 1:
        return
    assert parts[0] in INSIDE_VERIFY, f"sub-room {parts[0]!r} is not in the table"
    for name in imports_of(path):
        target = name.removeprefix("surefoot.verify.").split(".")[0] if name.startswith("surefoot.verify.") else ""
        if target and target != parts[0]:
            assert target in INSIDE_VERIFY[parts[0]], f"{dotted(path)} imports {name}"
