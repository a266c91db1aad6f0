"""Sections, warnings, dates and currencies."""

from __future__ import annotations

import pytest
from packcase import codes, edited, findings

from surefoot.core.types import IssueType
from surefoot.packs.loader import load
from surefoot.verify.checks.structure import StructureCheck

CHECK = StructureCheck()
WARNING = "Please check this with the institution."
STEPS = "Next steps: ask your teacher."


def test_a_missing_warning_is_appended_behind_the_last_word() -> None:
    draft = "The university has five faculties.\n"
    found = findings(CHECK, draft)
    assert codes(found) == ["warning_missing"]
    assert found[0].issue.type is IssueType.STRUCTURE
    assert found[0].issue.span == (len(draft) - 1, len(draft) - 1)
    assert "check this information" in edited(draft, found[0].edits)
    assert not findings(CHECK, edited(draft, found[0].edits))


@pytest.mark.parametrize(
    "warning",
    [
        WARNING,
        "Always confirm dates on the official website.",
        "VERIFY the fees with the university before you apply.",
        "Double-check requirements at each college.",
    ],
)
def test_a_warning_in_other_words_counts(warning: str) -> None:
    assert not findings(CHECK, f"The university has five faculties. {warning}")


def test_a_word_of_checking_about_something_else_is_no_warning() -> None:
    assert codes(findings(CHECK, "Guards check bags. The institution is large.")) == ["warning_missing"]


def test_a_section_is_due_only_where_its_condition_holds() -> None:
    assert codes(findings(CHECK, f"Plumbers fix pipes. {WARNING}")) == ["section_missing"]
    assert not findings(CHECK, f"Plumbers fix pipes. {STEPS} {WARNING}")
    assert not findings(CHECK, f"Fees differ. {WARNING}")


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ("2026-09-30", "30 September 2026"),
        ("30/09/2026", "30 September 2026"),
        ("September 30, 2026", "30 September 2026"),
        ("Sept 5th 2026", "5 September 2026"),
    ],
)
def test_a_date_in_another_form_is_rewritten(written: str, right: str) -> None:
    draft = f"It closes on {written}. {WARNING}"
    found = findings(CHECK, draft)
    assert codes(found) == ["date_format"]
    assert edited(draft, found[0].edits) == f"It closes on {right}. {WARNING}"


@pytest.mark.parametrize("text", ["30 September 2026", "1st of May 2026", "https://a.za/2026-09-30/x", "2026-13-45"])
def test_the_right_form_an_address_and_no_date_at_all_are_left_alone(text: str) -> None:
    assert not findings(CHECK, f"It closes on {text}. {WARNING}")


def test_a_date_that_could_be_two_days_is_named_but_not_rewritten() -> None:
    found = findings(CHECK, f"It closes on 03/04/2026. {WARNING}")
    assert codes(found) == ["date_format"]
    assert not found[0].edits


@pytest.mark.parametrize("amount", ["$2,000", "US$ 2 000", "2,000 dollars", "USD 2000", "€900", "900 euros", "£45"])
def test_an_amount_in_a_foreign_currency_is_an_issue_without_a_conversion(amount: str) -> None:
    found = findings(CHECK, f"It pays {amount} a month. {WARNING}")
    assert codes(found) == ["currency_format"]
    assert amount.startswith(found[0].issue.location[:2])
    assert not found[0].edits


@pytest.mark.parametrize("amount", ["R2 000", "R 2,000", "2 000 rand"])
def test_rand_amounts_pass(amount: str) -> None:
    assert not findings(CHECK, f"It pays {amount} a month. {WARNING}")


@pytest.mark.parametrize(
    ("amount", "right"), [("ZAR 2000", "R2 000"), ("ZAR25 000", "R25 000"), ("R25k", "R25 000"), ("ZAR 3k", "R3 000")]
)
def test_other_forms_of_rand_are_rewritten(amount: str, right: str) -> None:
    (found,) = findings(CHECK, f"It pays {amount} a month. {WARNING}")
    assert (found.issue.code, found.edits[0].replacement, found.issue.blocking) == ("currency_format", right, True)


@pytest.mark.parametrize("written", ["15/11/2025", "November 15, 2025", "2025-11-15"])
def test_other_forms_of_dates_are_rewritten(written: str) -> None:
    (found,) = findings(CHECK, f"It closes on {written}. {WARNING}")
    assert (found.edits[0].replacement, found.issue.blocking) == ("15 November 2025", True)


def test_a_pack_that_asks_for_nothing_gets_nothing() -> None:
    assert not findings(CHECK, "It pays $5 on 2026-01-01.", pack=load("default"))
