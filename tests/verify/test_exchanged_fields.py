"""A claim that gives a record's fields one another's values, or a name by two letters of prose, is never proven."""

from __future__ import annotations

import json

import pytest

from surefoot.core.types import Passage
from surefoot.verify.names import written
from surefoot.verify.reading import read
from surefoot.verify.structured import Agreement, check_record, confirms

ROOMS = {"name": "Harbour Rooms", "monthly_fee": 300, "deposit": 500, "rooms": 12, "floors": 3}
LINES = "name: Harbour Rooms\nmonthly fee: 300\ndeposit: 500\nrooms: 12\nfloors: 3"


@pytest.mark.parametrize("source", [json.dumps(ROOMS), LINES])
@pytest.mark.parametrize(
    "claim",
    [
        "The monthly fee is 500 and the deposit is 300.",
        "The deposit is 300 and the monthly fee 500.",
        "There are 3 rooms on 12 floors.",
    ],
)
def test_exchanged_numbers_are_denied(source: str, claim: str) -> None:
    assert {verdict.agreement for verdict in check_record(claim, source)} == {Agreement.CONTRADICTED}


@pytest.mark.parametrize("source", [json.dumps(ROOMS), LINES])
@pytest.mark.parametrize(
    "claim", ["The monthly fee is 300 and the deposit is 500.", "There are 12 rooms on 3 floors.", "It has 12 rooms."]
)
def test_right_numbers_agree(source: str, claim: str) -> None:
    assert {verdict.agreement for verdict in check_record(claim, source)} == {Agreement.SUPPORTED}


def test_the_number_of_another_field_confirms_nothing() -> None:
    claim = "The monthly fee is 500; the deposit is due first."
    at = claim.index("500")
    assert not confirms(json.dumps(ROOMS), claim, (at, at + 3))


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ('{"city": "Nashville", "state": "IN"}', True),
        ("city: Gary\nstate: IN\nstars: 4", True),
        ("The state in which you live decides.", False),
        ("Every state: in short, all of them.", False),
    ],
)
def test_a_state_is_known_by_its_letters_in_a_record_alone(text: str, known: bool) -> None:
    assert written(("Indiana",), [Passage(id="S1", text=text)]) is known


def test_lines_of_a_record_are_read_one_by_one() -> None:
    assert [line.sentence.text for line in read(LINES).lines] == LINES.splitlines()
