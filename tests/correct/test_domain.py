"""A domain is detected by whole keywords; a tie is settled by meaning."""

from __future__ import annotations

import numpy as np
import pytest

from surefoot.correct.domain import detect

KEYWORDS = {
    "parenting": ("child", "bedtime", "school"),
    "tenancy": ("landlord", "rent", "repair"),
    "workplace": ("manager", "salary"),
}


@pytest.mark.parametrize(
    ("text", "domain"),
    [
        ("My landlord refuses the repair.", "tenancy"),
        ("My CHILD hates school.", "parenting"),
        ("My parent is kind.", "default"),
        ("The manager's child and the salary", "workplace"),
        ("", "default"),
    ],
)
def test_the_domain_with_most_keywords_wins(text: str, domain: str) -> None:
    assert detect(text, KEYWORDS) == domain


def test_a_tie_goes_to_the_nearest_in_meaning() -> None:
    class Meaning:
        identity, dimension = "fake", 2

        def embed(self, texts: list[str]) -> np.ndarray:
            return np.array([[1, 0] if "landlord" in text else [0, 1] for text in texts], np.float32)

    text = "The child of my landlord broke the flat."
    assert detect(text, KEYWORDS) == "parenting"
    assert detect(text, KEYWORDS, embedder=Meaning()) == "tenancy"


def test_a_pack_without_keywords_has_only_the_default_domain() -> None:
    assert detect("My landlord", {}) == "default"
