"""The picture shows the design's nodes and how they may follow each other."""

from __future__ import annotations

from surefoot.flows import diagram


def test_the_text_names_every_way_through_the_workflow() -> None:
    assert diagram.as_text().splitlines() == [
        "start      ---> retrieve",
        "retrieve   -?-> generate | deliver",
        "generate   -?-> validate | deliver",
        "validate   -?-> execute | deliver",
        "execute    -?-> synthesize | deliver",
        "synthesize -?-> validate | deliver",
        "deliver    ---> end",
    ]


def test_the_mermaid_diagram_holds_the_nodes() -> None:
    drawn = diagram.mermaid()
    assert drawn.lstrip().startswith(("---", "graph"))
    for node in ("retrieve", "generate", "validate", "execute", "synthesize", "deliver"):
        assert f"{node}({node})" in drawn
