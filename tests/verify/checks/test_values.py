"""The value check: absent, moved, misattributed and re-united values are caught; true ones are bound and recorded."""

from __future__ import annotations

import pytest

from surefoot.core.types import CheckReport, Passage
from surefoot.packs.schema import Pack
from surefoot.verify.checks.values import ValueCheck
from surefoot.verify.mend.repair import repair
from surefoot.verify.read.claims import claims_of
from surefoot.verify.read.submission import Submission

PACK = Pack(name="test", title="Test", version="1", hash="0")
FOSTER = (
    "The Foster Care Allowance for children under 12 is €400 per week. "
    "The Foster Care Allowance for children aged 12 and over is €425 per week. "
    "In June 2022, 89% of children in care lived with foster carers. Applicants wait 16 weeks for an assessment."
)
FEES = "Tuition at the college costs R30 000 a year. Residence costs R20 000 a year. At least 120 credits are needed."


def submission(draft: str, *texts: str, profile: dict[str, str] | None = None) -> Submission:
    passages = tuple(Passage(id=f"S{number}", text=text) for number, text in enumerate(texts, 1))
    return Submission(
        draft=draft,
        claims=claims_of(draft, passages, PACK),
        passages=passages,
        pack=PACK,
        today="2026-01-01",
        profile=profile or {},
    )


def run(draft: str, *texts: str) -> CheckReport:
    return ValueCheck().run(submission(draft, *texts))


def codes(report: CheckReport) -> list[str]:
    return [finding.issue.code for finding in report.findings]


@pytest.mark.parametrize(
    "draft",
    [
        "The Foster Care Allowance for children under 12 is €400 per week [S1].",
        "For children aged 12 and over the allowance comes to 425 euro a week [S1].",
        "Children under 12 attract €400 and those aged 12 and over €425 a week [S1].",
        "In June 2022 eighty-nine per cent of children in care were with foster carers [S1].",
        "An assessment takes sixteen weeks [S1].",
        "Residence at the college costs R20,000 per year [S2].",
        "Tuition and residence together cost R50 000 a year [S2].",
        "A minimum of 120 credits is needed [S2].",
    ],
)
def test_a_true_value_in_any_form_raises_nothing(draft: str) -> None:
    report = run(draft, FOSTER, FEES)
    assert codes(report) == []
    assert report.measures["values_bound"] == 1.0


@pytest.mark.parametrize(
    ("draft", "code", "correction"),
    [
        ("The Foster Care Allowance for children under 12 is €401 per week [S1].", "value_mismatch", "€400 per week"),
        ("The Foster Care Allowance for children under 12 is €425 per week [S1].", "value_mismatch", "€400 per week"),
        ("The Foster Care Allowance for children under 12 is $400 per week [S1].", "unit_mismatch", "€400 per week"),
        ("The Foster Care Allowance for children under 12 is €400 per month [S1].", "unit_mismatch", "€400 per week"),
        ("Applicants wait 16 months for an assessment [S1].", "unit_mismatch", "16 weeks"),
        ("In June 2023, 89% of children in care lived with foster carers [S1].", "value_mismatch", "June 2022"),
        ("Residence costs R20 million a year [S2].", "value_mismatch", "R20 000 a year"),
        ("At most 120 credits are needed [S2].", "contradicted", None),
    ],
)
def test_a_false_value_is_caught_and_the_sources_named(draft: str, code: str, correction: str | None) -> None:
    report = run(draft, FOSTER, FEES)
    assert code in codes(report)
    found = next(finding.issue for finding in report.findings if finding.issue.code == code)
    assert found.correction == correction


def test_a_value_of_another_passage_is_misattributed_and_the_marker_repaired() -> None:
    given = submission("Residence at the college costs R20 000 a year [S1].", FOSTER, FEES)
    report = ValueCheck().run(given)
    assert codes(report) == ["citation_misattributed"]
    mended = repair(given.draft, given.claims, report.findings)
    assert mended.text == "Residence at the college costs R20 000 a year [S2]."


def test_the_edit_puts_the_sources_value_in_place() -> None:
    given = submission("The Foster Care Allowance for children under 12 is €410 per week [S1].", FOSTER)
    mended = repair(given.draft, given.claims, ValueCheck().run(given).findings)
    assert mended.text == "The Foster Care Allowance for children under 12 is €400 per week [S1]."


def test_matches_stand_in_the_proof_with_exact_spans() -> None:
    draft = "For children under 12 the Foster Care Allowance is 400 euro a week [S1]."
    given = submission(draft, FOSTER)
    proofs = ValueCheck().run(given).proofs
    matches = [match for proof in proofs for match in proof.values]
    assert {match.source_text for match in matches} >= {"€400 per week"}
    for match in matches:
        assert draft[match.claim_span[0] : match.claim_span[1]] == match.claim_text
        assert FOSTER[match.source_span[0] : match.source_span[1]] == match.source_text


def test_value_matches_are_no_proof_of_the_claim() -> None:
    assert {proof.method for proof in run("The allowance of €400 per week is tax free [S1].", FOSTER).proofs} <= {
        "values"
    }


def test_a_sum_without_a_word_for_it_is_left_to_the_grounder() -> None:
    report = run("The college costs R50 000 a year [S2].", FOSTER, FEES)
    assert codes(report) == []
    assert report.measures["values_bound"] == 0.0
    assert codes(run("The college costs R50 500 a year [S2].", FOSTER, FEES)) == ["value_mismatch"]


def test_the_askers_own_number_is_not_held_against_the_draft() -> None:
    draft = "With your mark of 65 you may apply [S1]."
    assert codes(ValueCheck().run(submission(draft, FOSTER, profile={"marks": "65"}))) == []
    assert codes(ValueCheck().run(submission(draft, FOSTER, profile={"marks": "70"}))) == ["value_mismatch"]


def test_what_the_person_told_is_no_invention_in_any_sentence() -> None:
    rules, profile = "A fence up to 30 cm is allowed.", {"rent": "800", "wants": "a fence of 45 cm"}
    for draft in ("Her fence of 45 cm is too high for that.", "The old 800 crowns stay due."):
        assert codes(ValueCheck().run(submission(draft, rules, profile=profile))) == []
        assert codes(ValueCheck().run(submission(draft, rules))) == ["value_mismatch"]
    changed = submission("Her fence of 46 cm is too high for that.", rules, profile=profile)
    assert codes(ValueCheck().run(changed)) == ["value_mismatch"]


def test_a_day_reached_by_the_time_that_the_sentence_names_may_have_been_counted() -> None:
    dates = " ".join(f"Ticket {day} came on {day} {month}." for day, month in ((6, "May"), (24, "June"), (1, "July")))
    source = f"{dates} Paid within 14 days it costs half."
    assert codes(run("That was open for 14 days, until 20 May.", source)) == []
    assert codes(run("That was open for 14 days, until 23 May.", source)) == ["value_mismatch"]


def test_no_evidence_binds_nothing() -> None:
    report = run("The fee is R500.", "The office is closed.")
    assert codes(report) == ["value_mismatch"]
    assert report.measures["values_bound"] == 0.0


AGES = (
    "You have to be at least 16 years of age to drive a boat. Children cannot book a flight until they are 18 years "
    "of age. At 3pm temperatures are 64 degrees, at 9pm 52 degrees. The scheme is for people aged 16 to 24 years. "
    "Fewer jobs were added than the 297 jobs of September."
)


@pytest.mark.parametrize(
    "draft",
    [
        "Temperatures range from 52 to 64 degrees [S1].",
        "The scheme is for people aged 16 to 24 [S1].",
        "You must first be at least 16 years of age to drive a boat [S1].",
        "The first passage says that you have to be at least 16 years of age to drive a boat [S1].",
        "Follow steps 4 and 5 to drive a boat [S1].",
        "In September 297 jobs were added [S1].",
    ],
)
def test_what_is_no_other_value_raises_nothing(draft: str) -> None:
    assert codes(run(draft, AGES)) == []


def test_a_value_true_of_something_else_does_not_hide_the_wrong_unit() -> None:
    assert codes(run("You have to be at least 16 months of age to drive a boat [S1].", AGES)) == ["unit_mismatch"]


def test_a_range_with_one_end_that_no_source_has_is_a_mismatch() -> None:
    assert codes(run("Temperatures range from 52 to 66 degrees [S1].", AGES)) == ["value_mismatch"]


SHOP = (
    '{"name": "Quay Club", "address": "4120 Pier St", "hours": {"Friday": "16:0-23:0", "Saturday": "9:0-18:0"}, '
    '"stars": 4.5}'
)


@pytest.mark.parametrize(
    "draft",
    [
        "It opens at 4 PM on Friday and closes at 11 PM [S1].",
        "It is open from 4 PM to 11 PM on Friday and from 9 AM to 6 PM on Saturday [S1].",
        "It has 4.5 out of 5 stars [S1].",
    ],
)
def test_a_records_field_tells_the_value(draft: str) -> None:
    assert codes(run(draft, SHOP)) == []


@pytest.mark.parametrize(
    "draft",
    [
        "It is open from 4 PM to 10 PM on Friday [S1].",
        "It has 4 out of 6 stars [S1].",
        "Dinner costs 45 dollars [S1].",
    ],
)
def test_a_record_that_says_otherwise_tells_nothing(draft: str) -> None:
    assert "value_mismatch" in codes(run(draft, SHOP))


FLAT = "flat: Mill Lane\ndistance station km: 12.9\narea m2: 144\nprice eur: 950\noven c: 180\nbuilt: 1844"


@pytest.mark.parametrize(
    "draft",
    [
        "The station is 12.9 kilometres away [S1].",
        "The area is 144 square metres [S1].",
        "The price is 950 euros [S1].",
        "The oven is set to 180°C [S1].",
    ],
)
def test_a_records_key_gives_the_unit(draft: str) -> None:
    assert codes(run(draft, FLAT)) == []


def test_of_too_many_values_none_slips_through_unread() -> None:
    prices = [f"R{100 + 7 * number}" for number in range(150)]
    source = f"The prices of the year are {', '.join(prices)}."
    assert codes(run(f"{source[:-1]} [S1].", source)) == []
    changed = ", ".join([*prices[:140], "R99999", *prices[141:]])
    assert "value_mismatch" in codes(run(f"The year's prices were {changed} [S1].", source))


def test_an_ordinary_claim_is_read_to_its_last_value() -> None:
    prices = [f"R{100 + 7 * number}" for number in range(100)]
    source = f"The prices of the year are {', '.join(prices)}."
    changed = ", ".join([*prices[:99], "R99999"])
    assert "value_mismatch" in codes(run(f"The prices of the year were {changed} [S1].", source))


@pytest.mark.parametrize(
    ("draft", "source", "corrected"),
    [
        ("The daily dose is 10 mg/ml", "The daily dose is 10 mg/kg.", "10 mg/kg"),
        ("The daily dose is 10 mg", "The daily dose is 10 mg/kg.", "10 mg/kg"),
        ("The pump gives 20 ml/min", "The pump gives 20 ml/h.", "20 ml/h"),
        ("Adults take 2 drops", "Adults take 2 tablets or 10 drops.", "2 tablets"),
        ("Petrol costs R23 per kg", "Petrol costs R23 per litre.", "R23 per litre"),
    ],
)
def test_the_same_number_in_another_unit_is_put_right(draft: str, source: str, corrected: str) -> None:
    (finding,) = run(f"{draft} [S1].", source).findings
    assert finding.issue.code == "unit_mismatch"
    assert [edit.replacement for edit in finding.edits] == [corrected]


@pytest.mark.parametrize(
    ("draft", "source"),
    [
        ("Keep it below 41 °F", "Keep it below 5 degrees Celsius (41 degrees Fahrenheit)."),
        ("Keep it below 41 °F", "Keep it below 5 °C (41 °F)."),
        ("Keep it below 5 degrees", "Keep it below 5 °C (41 °F)."),
        ("The dose is 10 milligrams per kilogram", "The dose is 10 mg/kg."),
        ("The pump gives 20 ml per hour", "The pump gives 20 ml/h."),
        ("Petrol costs 23 rand per litre", "Petrol costs R23 per litre."),
        ("Petrol costs R23 a litre", "The price of petrol per litre is R23."),
        ("Adults take 2 pills", "Adults take 2 tablets."),
    ],
)
def test_a_unit_spelled_otherwise_is_the_same_unit(draft: str, source: str) -> None:
    report = run(f"{draft} [S1].", source)
    assert codes(report) == []
    assert report.measures["values_bound"] == 1.0


def test_a_part_of_a_month_is_put_right_only_where_it_fits_the_words_before_it() -> None:
    source = "Sow the seed in early March."
    assert codes(run("Sow the seed at the beginning of March [S1].", source)) == []
    (finding,) = run("Sow the seed at the end of March [S1].", source).findings
    assert (finding.issue.code, finding.edits) == ("value_mismatch", ())
    (finding,) = run("Sow the seed in late March [S1].", source).findings
    assert [edit.replacement for edit in finding.edits] == ["early March"]


def test_a_total_or_a_mean_is_never_replaced_by_a_neighbour() -> None:
    source = "The fees are R400 and R500. The course fee is R500."
    assert run("The average fee is R450 [S1].", source).findings == ()
    (finding,) = run("The average fee is R470 [S1].", source).findings
    assert finding.edits == ()


def test_two_values_that_changed_places_are_both_reported_and_neither_is_guessed() -> None:
    report = run("Tea costs R20 and coffee costs R10 [S1].", "Tea costs R10 and coffee costs R20.")
    assert codes(report) == ["value_mismatch", "value_mismatch"]
    assert all(not finding.edits for finding in report.findings)
