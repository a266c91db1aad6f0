from __future__ import annotations

import json

import pytest

from surefoot.verify.structured import Agreement, check_record, confirms, join, worst

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


def test_agreement_helps_more_where_the_claim_speaks_of_little_else() -> None:
    short, long = "It has no outdoor seating.", "It has no outdoor seating, yet painters adore the quiet garden behind."
    assert join(0.8, check_record(short, SHOP), short) < join(0.8, check_record(long, SHOP), long) < 0.8


def test_no_verdict_leaves_the_probability() -> None:
    assert join(0.4, ()) == 0.4


CLUB = json.dumps(
    {
        "name": "Quay Club",
        "hours": {"Tuesday": "16:0-21:0", "Friday": "16:0-23:0", "Saturday": "11:0-23:0"},
        "attributes": {
            "OutdoorSeating": False,
            "RestaurantsTakeOut": True,
            "RestaurantsReservations": True,
            "WiFi": "paid",
            "Ambience": None,
            "BusinessParking": {"garage": False, "street": False, "lot": False},
        },
        "runs": {"weekdays": True, "public_holidays": False},
        "in_stock": False,
        "stars": 3.5,
        "serves": 4,
        "built": 1844,
        "reviews": ["We waited 25 minutes for a table, and nobody said a word about it."],
        "wait_minutes": 10,
    }
)


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("It is open every day of the week.", {"contradicted"}),
        ("It is open on Fridays and Saturdays.", set()),
        ("It opens at 4 PM from Tuesday to Friday.", {"supported", "contradicted"}),
        ("It usually opens at 4 PM.", set()),
        ("Guests can sit outdoors.", {"contradicted"}),
        ("Takeaway is available.", {"supported"}),
        ("The club not only offers takeout but also takes reservations.", {"supported"}),
        ("Guests can make reservations, though dogs are not welcome.", {"supported"}),
        ("WiFi is not free.", {"supported"}),
        ("Reservations are not required.", set()),
        ("It offers free WiFi.", {"contradicted"}),
        ("It offers paid WiFi.", {"supported"}),
        ("It has a lively atmosphere.", {"unknown"}),
        ("Parking is limited.", set()),
        ("There is plenty of parking.", {"contradicted"}),
        ("It offers paid takeout.", {"supported"}),
        ("It runs on weekdays but not on public holidays.", {"supported"}),
        ("It runs on weekdays and public holidays.", {"supported", "contradicted"}),
        ("The shirt is out of stock.", {"supported"}),
        ("It has three and a half stars.", {"supported"}),
        ("It has three stars.", {"contradicted"}),
        ("It is rated 3.5 out of 5.", {"supported"}),
        ("It has a rating of 4.5.", {"contradicted"}),
        ("It is highly rated for its 12 beers.", set()),
        ("Leave it for 45 minutes before serving.", set()),
        ("It was built to grade C2.", set()),
        ("The wait was 25 minutes.", set()),
        ("The wait was 30 minutes.", {"contradicted"}),
    ],
)
def test_everyday_words_for_fields_are_understood(claim: str, expected: set[str]) -> None:
    assert agreements(claim, CLUB) == expected


def test_keys_of_lines_are_read_like_those_of_json() -> None:
    assert agreements("It has outdoor seating.", "name: Quay Club\nattributes OutdoorSeating: no") == {"contradicted"}


def test_a_record_without_hours_supports_no_hours() -> None:
    assert agreements("It is open from 9 AM to 5 PM.", '{"name": "Quay Club", "hours": null}') == {"unknown"}


def test_the_reason_names_the_field_and_both_values() -> None:
    against = worst(check_record("It has outdoor seating and four stars.", CLUB))
    assert against is not None
    assert against.reason == "the record says 'attributes outdoor seating' is no; the claim says yes"
    late = worst(check_record("It stays open until 11:30 PM on Friday.", CLUB))
    assert late is not None
    assert late.reason == (
        "the record says 'hours friday' is 16:00-23:00 (4 PM to 11 PM); the claim says '11:30 PM on Friday'"
    )
    assert worst(check_record("Takeaway is available.", CLUB)) is None


@pytest.mark.parametrize(
    ("claim", "value", "expected"),
    [
        ("It is open from 4 PM to 9 PM on Tuesday.", "4 PM", True),
        ("It is open from 5 PM to 9 PM on Tuesday.", "9 PM", False),
        ("It has 3.5 stars.", "3.5", True),
        ("It has 3.5 out of 5 stars.", "5", True),
        ("It has a rating of 3.5 stars out of 5.", "5.", True),
        ("It has a rating of 4.5 stars out of 5.", "5.", False),
        ("It has 3.5 stars and 12 cooks.", "12", False),
    ],
)
def test_a_field_confirms_only_its_own_value(claim: str, value: str, expected: bool) -> None:
    start = claim.rindex(value)
    assert confirms(CLUB, claim, (start, start + len(value))) is expected


def test_prose_confirms_nothing() -> None:
    assert not confirms("It has 3.5 stars.", "It has 3.5 stars.", (7, 10))
