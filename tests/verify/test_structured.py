from __future__ import annotations

import json

import pytest

from surefoot.verify.structured import Agreement, check_record, join

SHOP = json.dumps(
    {
        "name": "Luca's",
        "hours": {"Monday": "11:0-22:0", "Tuesday": "11:0-22:0", "Saturday": "9:0-23:30", "Sunday": "closed"},
        "attributes": {"OutdoorSeating": False, "TakeOut": True, "Parking": None},
        "business_stars": 4.5,
        "review_count": 120,
        "sizes": ["S", "M", "L"],
    }
)


def agreements(claim: str, source: str = SHOP) -> set[str]:
    return {verdict.agreement.value for verdict in check_record(claim, source)}


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("It has outdoor seating.", {"contradicted"}),
        ("It has no outdoor seating.", {"supported"}),
        ("It doesn't offer take out.", {"contradicted"}),
        ("It has 4.5 business stars.", {"supported"}),
        ("It has 3.5 business stars.", {"contradicted"}),
        ("The review count is 120.", {"supported"}),
        ("The review count is 210.", {"contradicted"}),
        ("It is open from 11 am to 10 pm on Mondays.", {"supported"}),
        ("It is open from 11 am to 9 pm on Mondays.", {"contradicted"}),
        ("It is closed on Tuesdays.", {"contradicted"}),
        ("It is closed on Sundays.", {"supported"}),
        ("Parking is free.", {"unknown"}),
        ("Parking is not specified.", set()),
        ("It comes in three sizes.", {"supported"}),
        ("It comes in four sizes.", {"contradicted"}),
        ("The owner is called Luca.", set()),
    ],
)
def test_a_claim_is_compared_with_the_field_it_names(claim: str, expected: set[str]) -> None:
    assert agreements(claim) == expected


def test_prose_gives_no_verdicts() -> None:
    assert check_record("It has outdoor seating.", "The shop has no outdoor seating.") == ()


def test_path_value_lines_are_read_like_json() -> None:
    assert agreements("The hotel has 203 rooms.", "stars: 4\nrooms: 203\npool: no") == {"supported"}
    assert agreements("The hotel has a pool.", "stars: 4\nrooms: 203\npool: no") == {"contradicted"}


def test_a_like_named_field_that_agrees_wins() -> None:
    source = "credits: 240\nmodules Botany credits: 5\nlevel: 8"
    assert agreements("The Botany modules give 5 credits.", source) == {"supported"}


def test_the_span_points_at_the_claims_words() -> None:
    claim = "Guests enjoy outdoor seating."
    (verdict,) = check_record(claim, SHOP)
    assert claim[slice(*verdict.span)] == "outdoor seating"


def test_one_contradiction_outweighs_a_sure_grounder() -> None:
    verdicts = check_record("It has outdoor seating and take out.", SHOP)
    assert join(0.05, verdicts) >= 0.95


def test_agreement_lowers_but_never_clears() -> None:
    verdicts = check_record("It has no outdoor seating.", SHOP)
    assert verdicts[0].agreement is Agreement.SUPPORTED
    assert 0.5 < join(0.9, verdicts) < 0.9


def test_no_verdict_leaves_the_probability() -> None:
    assert join(0.4, ()) == 0.4
