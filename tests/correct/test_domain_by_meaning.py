"""The judge's domains: keywords first, then what people write compared by meaning."""

from __future__ import annotations

import pytest

from surefoot.correct.domain import detect
from surefoot.encoders.embedder import OnnxEmbedder
from surefoot.packs.loader import load


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return OnnxEmbedder()


@pytest.mark.parametrize(
    ("text", "domain"),
    [
        ("My company has not paid me for two months", "workplace"),
        ("They let me go without any warning", "workplace"),
        ("My 5-year-old refuses to go to bed", "parenting"),
        ("The owner came into my bedroom while I slept", "tenancy"),
        ("I felt flat after the holiday", "default"),
        ("My neighbour sings at night.", "default"),
        ("The airline lost my luggage", "default"),
        ("My football team lost", "default"),
        ("My landlord refuses to repair the boiler.", "tenancy"),
        ("My daughter wants a tattoo", "parenting"),
        ("My supervisor reads my e-mails", "workplace"),
        ("I rent a flat from my aunt.", "tenancy"),
        ("", "default"),
    ],
)
def test_a_domain_is_found_by_what_is_meant(text: str, domain: str, embedder: OnnxEmbedder) -> None:
    pack = load("judge")
    assert detect(text, pack.keywords, embedder=embedder, examples=pack.domain_examples) == domain


def test_every_domain_of_the_judge_has_examples() -> None:
    pack = load("judge")
    assert set(pack.domain_examples) == set(pack.keywords)


def test_without_an_embedder_keywords_decide_alone() -> None:
    pack = load("judge")
    assert detect("They let me go without any warning", pack.keywords, examples=pack.domain_examples) == "default"
    assert detect("I felt flat after the holiday", pack.keywords, examples=pack.domain_examples) == "tenancy"
