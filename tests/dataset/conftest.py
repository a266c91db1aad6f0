"""A corpus of five documents, a retriever over it, the real gate, and a language model that is careless on purpose."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from support.remembering import Remembering
from surefoot.core.hashing import sha256_text
from surefoot.core.ports import Verifier
from surefoot.core.text import content_words, sentences
from surefoot.core.types import DONT_KNOW, Document, ModelRequest, Passage
from surefoot.dataset.corpus import Corpus, make_corpus
from surefoot.settings import Settings
from surefoot.testing import ScriptedModel, WordRetriever
from surefoot.wiring import build

TEXTS = {
    "bursary.md": (
        "# Bursaries\n\nThe Marula bursary pays R42,000 a year. It is open to students in grade 12. "
        "Applications close on 30 September 2026. The bursary exists because many rural students cannot pay fees."
    ),
    "library.md": (
        "# Library\n\nThe Kopano library opens at 8 in the morning. A student may borrow 6 books for 14 days. "
        "A late book costs R2 a day. The library has 120 seats."
    ),
    "transport.md": (
        "# Transport\n\nThe campus bus runs every 20 minutes. A monthly bus pass costs R350. "
        "The bus carries 54 passengers. The bus stops at the Kopano library so that readers arrive dry."
    ),
    "housing.md": (
        "# Housing\n\nThe residence has 310 rooms. A single room costs R4,100 a month. "
        "A shared room costs R2,900 a month. Rooms are given by lottery in January."
    ),
    "sports.md": (
        "# Sports\n\nThe swimming pool is 25 metres long. Membership costs R600 a year. The hall is closed on Sundays. "
        "The rowing club has 80 members."
    ),
}


@pytest.fixture
def corpus() -> Corpus:
    documents = [Document(source=name, text=text, sha256=sha256_text(text)) for name, text in TEXTS.items()]
    return make_corpus(documents, folder="campus", title="Campus Life")


@pytest.fixture
def retriever() -> WordRetriever:
    return WordRetriever([Passage(id=name, text=text, metadata={"source": name}) for name, text in TEXTS.items()])


@pytest.fixture(scope="session")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Verifier:
    return Remembering(build(Settings(kb=tmp_path_factory.mktemp("kb"), llm="extractive")).gate)


@pytest.fixture
def careless() -> Callable[[], ScriptedModel]:
    """Makes a model that writes a wrong number in every draft, whose critic finds everything grounded."""
    return lambda: ScriptedModel(careless_reply, identity="scripted:careless")


ASPECTS = ["Money for students", "Getting around campus", "Living and learning"]
QUESTIONS = {
    "fact": "How much does {thing} cost or pay?",
    "why": "Why is there {thing}?",
    "compare": "How do {thing} and the residence differ?",
    "multi-document": "What do the bus and {thing} have in common?",
    "unanswerable": "Who founded {thing}?",
}
THINGS = {ASPECTS[0]: "the Marula bursary", ASPECTS[1]: "the monthly bus pass", ASPECTS[2]: "a late library book"}


def careless_reply(request: ModelRequest) -> str:
    """What the model says: a function of the request alone."""
    if request.role == "question":
        if '"aspects"' in request.system:
            known = [name for name in ASPECTS if f"- {name}" in request.prompt]
            return json.dumps({"aspects": [name for name in ASPECTS if name not in known][:1] or ["Something else"]})
        aspect = re.search(r"Theme: (.*)", request.prompt)
        types = re.search(r"in this order: (.*)", request.prompt)
        assert aspect
        assert types
        thing = THINGS.get(aspect.group(1), aspect.group(1))
        asked = [{"type": kind, "question": QUESTIONS[kind].format(thing=thing)} for kind in types.group(1).split(", ")]
        return "Here they are: " + json.dumps({"questions": asked})
    if request.role == "critic":
        return json.dumps({"grounded": True, "reasoning": "Looks fine to me."})
    question = re.search(r"Question: (.*)", request.prompt)
    assert question
    if "founded" in question.group(1):
        return "It was founded by 7 people in 1652 [S1]." if request.role == "answer" else DONT_KNOW
    sentence = best_sentence(question.group(1), request.prompt)
    if request.role == "answer":
        return re.sub(r"\d", lambda match: str((int(match.group()) + 1) % 10), sentence) + " [S1]"
    return f"{sentence} [S1]"


def best_sentence(question: str, prompt: str) -> str:
    source = re.search(r'<SOURCE id="S1">\n(.*?)\n</SOURCE>', prompt, re.S)
    assert source
    wanted = set(content_words(question))
    prose = [one.text for one in sentences(source.group(1)) if one.kind == "prose" and re.search(r"\d", one.text)]
    return max(prose, key=lambda text: len(wanted & set(content_words(text))))
