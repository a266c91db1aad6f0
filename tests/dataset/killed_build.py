"""A small build against a server, to be run in a process of its own and killed."""

from __future__ import annotations

import asyncio
import sys
from functools import partial
from pathlib import Path

from surefoot.core.hashing import sha256_text
from surefoot.core.ports import LanguageModel
from surefoot.core.types import Document, Passage
from surefoot.dataset.agents import ROLES
from surefoot.dataset.build import BuildOptions
from surefoot.dataset.files import Paths
from surefoot.dataset.workshop import Order, Seat, Workshop, run_build
from surefoot.generate.extractive import Extractive
from surefoot.llm.structured import Structured
from surefoot.llm.table import open_model
from surefoot.packs.loader import load
from surefoot.testing import FakeClock, WordRetriever
from surefoot.verify.checks.citations import CitationCheck
from surefoot.verify.checks.values import ValueCheck
from surefoot.verify.gate import Gate
from surefoot.verify.ground.risk import GroundingCheck

THINGS = ("bursary", "library", "residence", "clinic")
TEXTS = {
    f"{thing}.md": f"# The {thing}\n\nThe {thing} was opened in {1950 + place}. A visit costs R{15 + place}."
    for place, thing in enumerate(THINGS)
}


def opened(spec: str) -> LanguageModel:
    model = open_model(spec)
    assert model
    return model


def workshop(out: Path, url: str) -> Workshop:
    spec = f"openai-compatible:m@{url}"
    seat = Seat(spec=spec, provider="local", open=partial(opened, spec))
    passages = [Passage(id=name, text=text, metadata={"source": name}) for name, text in TEXTS.items()]
    return Workshop(
        folder="campus",
        documents=tuple(Document(source=name, text=text, sha256=sha256_text(text)) for name, text in TEXTS.items()),
        retriever=WordRetriever(passages),
        verifier=Gate(
            packs=lambda name, rules: load("default"),
            rules=(CitationCheck(), ValueCheck()),
            grounding=(GroundingCheck(),),
            safe_writer=Extractive(),
            clock=FakeClock(),
        ),
        writer=Extractive(),
        seats=dict.fromkeys(ROLES, seat),
        structured=lambda model: Structured(model=model),
        version="test",
    )


def order() -> Order:
    return Order(options=BuildOptions(aspects=3, questions=3, concurrency=4))


def run(out: Path, url: str) -> None:
    asyncio.run(run_build(workshop(out, url), order(), Paths(out=out)))


if __name__ == "__main__":
    run(Path(sys.argv[1]), sys.argv[2])
