"""A short sentence that shares one noun with the evidence is not supported by it."""

from __future__ import annotations

import pytest
from packcase import codes, findings

from surefoot.packs.loader import load
from surefoot.verify.checks.grounding import GroundingCheck

SOURCE = (
    "In England a landlord must keep in repair the pipes and drains, the wiring and the heating. This duty covers a "
    "broken boiler and a leaking pipe. If nothing happens, the tenant can complain to the council."
)


def judged(draft: str) -> list[str]:
    return codes(findings(GroundingCheck(), draft, pack=load("default"), sources=(SOURCE,)))


@pytest.mark.parametrize(
    "draft",
    [
        "Landlords live longer than tenants [S1].",
        "Boilers are made of chocolate [S1].",
        "Tenants are happy people [S1].",
    ],
)
def test_an_invention_around_one_shared_noun_is_an_issue(draft: str) -> None:
    assert judged(draft) == ["evidence_miss"]


@pytest.mark.parametrize(
    "draft", ["The duty covers a leaking pipe [S1].", "The landlord must repair a broken boiler [S1]."]
)
def test_a_short_claim_in_the_words_of_the_source_is_none(draft: str) -> None:
    assert judged(draft) == []
