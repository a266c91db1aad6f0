"""Flips, self-contradictions and strange names are found; the same thing said otherwise is not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from surefoot.core.types import Passage
from surefoot.verify.checks.polarity import PolarityCheck
from surefoot.verify.submission import Submission

RENT = Passage(
    id="S1",
    text=(
        "Your landlord must give you notice before the tenancy ends. Tenants may not sublet the house. "
        "Smoking is prohibited in shared halls. The rent is increased once a year. "
        "The Residential Tenancies Board settles disputes. Threshold advises tenants in Dublin."
    ),
)


def codes(submission: Submission) -> list[str]:
    return [finding.issue.code for finding in PolarityCheck().run(submission).findings]


@pytest.mark.parametrize(
    "draft",
    [
        "Your landlord must give you notice after the tenancy ends [S1].",
        "Your landlord must not give you notice before the tenancy ends [S1].",
        "Tenants may sublet the house [S1].",
        "Smoking is allowed in shared halls [S1].",
        "The rent is decreased once a year [S1].",
    ],
)
def test_a_flip_of_the_source_is_contradicted(submit: Callable[..., Submission], draft: str) -> None:
    assert codes(submit(draft, [RENT])) == ["contradicted"]


@pytest.mark.parametrize(
    "draft",
    [
        "Before the tenancy ends your landlord must give you notice [S1].",
        "Tenants mayn't sublet the house, and no tenant may [S1].",
        "The house may not be sublet by tenants [S1].",
        "In shared halls smoking is prohibited [S1].",
        "Threshold gives advice to tenants in Dublin [S1].",
    ],
)
def test_the_same_said_otherwise_is_no_flip(submit: Callable[..., Submission], draft: str) -> None:
    assert codes(submit(draft, [RENT])) == []


def test_a_contraction_after_or_denies_as_much_as_not_does(submit: Callable[..., Submission]) -> None:
    source = Passage(id="S1", text="A claim fails where the form is not signed or is not sent by post.")
    assert codes(submit("A claim fails where the form isn't signed or isn't sent by post [S1].", [source])) == []
    assert codes(submit("A claim fails where the form isn't signed or is sent by post [S1].", [source])) != []


def test_a_draft_that_contradicts_itself_is_caught(submit: Callable[..., Submission]) -> None:
    draft = "The yearly card costs R120 in total. The yearly card costs R150 in total."
    assert "self_contradiction" in codes(submit(draft, [RENT]))


def test_two_values_of_two_things_do_not_exclude_each_other(submit: Callable[..., Submission]) -> None:
    draft = "The yearly card costs R120 for adults. The yearly card costs R60 for children."
    assert "self_contradiction" not in codes(submit(draft, [RENT]))


def test_a_name_no_source_holds_is_unknown(submit: Callable[..., Submission]) -> None:
    assert codes(submit("The National Housing Tribunal settles disputes [S1].", [RENT])) == ["unknown_entity"]


def test_an_abbreviation_of_a_name_in_the_source_is_known(submit: Callable[..., Submission]) -> None:
    assert codes(submit("Disputes are settled by the RTB [S1].", [RENT])) == []


def test_a_name_put_in_anothers_place_has_no_evidence(submit: Callable[..., Submission]) -> None:
    assert codes(submit("In Dublin, Residential Tenancies Board advises tenants [S1].", [RENT])) == []
    assert codes(submit("The Threshold Office Board settles disputes [S1].", [RENT])) == ["unknown_entity"]


NEWS = Passage(
    id="S1",
    text=(
        "Girls fell ill in Iran's holy city of Qom. The NF-κB pathway was studied in NIH3T3 cells. "
        "Officials called for his release but repeatedly said Washington wouldn't bargain with the group. "
        "One or more forms of the aid will be cut back if the total exceeds the cost. "
        "Holmes opened fire in Aurora, a suburb of Denver. The flaw had not been patched by the bank. "
        "Apply for the FSD at the access office of your college and read about the FSD online."
    ),
)


@pytest.mark.parametrize(
    "draft",
    [
        "Girls in Iran fell ill [S1].",
        "Cells of the NIH 3T3 line were studied [S1].",
        "The NF-κB pathway was studied in cells [S1].",
        "Lack of Qom girls was not studied [S1].",
        "Iran-based girls fell ill in the holy city [S1].",
    ],
)
def test_a_name_in_another_form_is_known(submit: Callable[..., Submission], draft: str) -> None:
    assert "unknown_entity" not in codes(submit(draft, [NEWS]))


@pytest.mark.parametrize("draft", ["Girls fell ill in Iraq [S1].", "The NF-ĸC pathway was studied in NIH5 Cells [S1]."])
def test_a_name_that_only_looks_alike_is_unknown(submit: Callable[..., Submission], draft: str) -> None:
    assert codes(submit(draft, [NEWS])) == ["unknown_entity"]


@pytest.mark.parametrize(
    "draft",
    [
        "Officials called for his release but refused to bargain with the group [S1].",
        "The aid will be reduced if the total exceeds the cost [S1].",
        "The flaw was unpatched by the bank [S1].",
    ],
)
def test_a_refusal_and_a_phrase_of_degree_are_no_flips(submit: Callable[..., Submission], draft: str) -> None:
    assert "contradicted" not in codes(submit(draft, [NEWS]))


def test_a_place_said_otherwise_is_no_name_in_anothers_place(submit: Callable[..., Submission]) -> None:
    assert codes(submit("Holmes opened fire in Aurora, Qom [S1].", [NEWS])) == []


def test_a_name_that_the_claim_holds_elsewhere_too_may_still_be_put_in_anothers_place(
    submit: Callable[..., Submission],
) -> None:
    draft = "Apply for the NIH at the access office of your college and read about the FSD online [S1]."
    assert codes(submit(draft, [NEWS])) == ["evidence_miss"]


@pytest.mark.parametrize(("state", "expected"), [("Tennessee", []), ("Texas", ["unknown_entity"])])
def test_a_records_state_may_be_spelled_out(submit: Callable[..., Submission], state: str, expected: list[str]) -> None:
    record = Passage(id="S1", text='{"name": "Quay Club", "city": "Nashville", "state": "TN", "stars": 4.5}')
    assert codes(submit(f"Quay Club is a bar in Nashville, {state}, with 4.5 stars [S1].", [record])) == expected
