"""The workflow as a picture, drawn from the compiled graph itself."""

from __future__ import annotations

from typing import Any, cast

from surefoot.flows.ask import AskFlow

_ORDER = ("__start__", "retrieve", "generate", "validate", "execute", "synthesize", "deliver", "__end__")


def mermaid() -> str:
    text: str = _drawable().draw_mermaid()
    return text


def as_text() -> str:
    """One line per node with where it may lead; `?` marks a choice."""
    edges: dict[str, list[tuple[str, bool]]] = {}
    for edge in _drawable().edges:
        edges.setdefault(edge.source, []).append((edge.target, edge.conditional))
    lines = []
    for name in _ORDER:
        if leads := sorted(edges.get(name, []), key=lambda pair: _ORDER.index(pair[0])):
            shown = " | ".join(target.strip("_") for target, _ in leads)
            arrow = "-?->" if any(conditional for _, conditional in leads) else "--->"
            lines.append(f"{name.strip('_'):<11}{arrow} {shown}")
    return "\n".join(lines)


def _drawable() -> Any:
    nobody = cast(Any, None)
    flow = AskFlow(
        retriever=nobody, generator=nobody, gate=nobody, evidence=lambda pack: None, clock=nobody, pack=nobody
    )
    return flow.graph().get_graph()
