"""What a text lists as false, and what it only says near the word."""

from __future__ import annotations

import pytest

from surefoot.core.denied import is_denied
from surefoot.core.types import Passage
from surefoot.generate.extractive import Extractive
from surefoot.generate.quotable import quotables

LIE = "Sugar makes children wild"


def denied(text: str, said: str = LIE, headings: list[str] | None = None) -> bool:
    passage = Passage(id="a", text=text, metadata={"headings": headings} if headings else {})
    return is_denied(passage, text.index(said))


@pytest.mark.parametrize(
    "text",
    [
        f"## Common myths\n\n{LIE}. Cold feet cause colds.",
        f"## Common myths\n\n- Cold feet cause colds\n- {LIE}",
        f"**Myths about food**\n\n{LIE}.",
        f"These things are simply wrong:\n\n- {LIE}",
        f"## Food\n\nThese are not true:\n\n- {LIE}\n- Fat is bad",
        f"## Food\n\nThe following are myths and not so. Read on.\n\n- Fat is bad\n- {LIE}",
        f"# Lies about food\n\n| Said | By |\n|---|---|\n| {LIE} | Ann |",
        f"# Food\n\n## Not true\n\n| Said | By |\n|---|---|\n| {LIE} | Ann |",
        f"# Food\n\n## Wrong ideas\n\n- {LIE}",
    ],
)
def test_what_stands_under_a_denial_is_denied(text: str) -> None:
    assert denied(text)


@pytest.mark.parametrize(
    "text",
    [
        f"## Myths\n\nCold feet cause colds.\n\n## Facts\n\n{LIE}.",
        f"## Myths\n\nFact: {LIE}.",
        f"## Myth 3: sugar calms children\n\n{LIE}.",
        f"## Sugar\n\nIt is no myth. {LIE}.",
        f"These are not true:\n\n- Fat is bad\n\nSo much for that. {LIE}.",
        f"## Dust mites\n\n- {LIE}\n- Vacuum weekly",
        f"## What to do if your order is wrong\n\n- {LIE}",
        f"## Myths and facts\n\n{LIE}.",
        f"## Greek myths\n\n{LIE}.",
        f"## False claims\n\n{LIE}.",
        f"If the details below are untrue:\n\n- {LIE}",
    ],
)
def test_what_stands_elsewhere_is_not(text: str) -> None:
    assert not denied(text)


def test_the_heading_over_a_passage_counts_up_to_its_own_first_one() -> None:
    assert denied(f"{LIE}. Cold feet cause colds.", headings=["Food", "Common myths"])
    assert not denied(f"{LIE}.", headings=["Common myths", "Food"])
    assert not denied(f"Fat is bad.\n\n## Facts\n\n{LIE}.", headings=["Common myths"])


@pytest.mark.parametrize("text", [f"## Myths\n\n- {LIE}.\n- Fat is bad.", f"**Myth:** {LIE}. Nobody found that."])
def test_it_is_never_quoted_alone(text: str) -> None:
    passages = [Passage(id="a", text=text)]
    assert all(LIE not in one.text for one in quotables(passages, style="[S#]", rows=True))
    assert LIE not in Extractive().write("Does sugar make children wild?", passages)
