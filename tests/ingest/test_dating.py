"""A document says itself when it was issued and what it replaces."""

from __future__ import annotations

from surefoot.core.types import Document
from surefoot.ingest.dating import dated


def read(text: str, **metadata: str) -> dict[str, object]:
    return dict(dated(Document(source="a.txt", text=text, sha256="0", metadata=metadata)).metadata)


def test_the_opening_gives_the_date_and_what_is_replaced() -> None:
    found = read("Terms\nValid from 1 March 2024. These terms replace the terms of 1 February 2021.")
    assert found == {"issued": "2024-03-01", "replaces": "2021-02-01", "replaces_what": "the terms"}


def test_front_matter_names_the_file_that_is_replaced() -> None:
    assert read("Rates.", supersedes="old.md")["replaces"] == "old.md"


def test_a_date_that_is_only_mentioned_is_no_date_of_the_document() -> None:
    assert read("The yard was founded on 1 March 1986.") == {}


def test_a_month_or_a_year_is_a_date_as_exact_as_it_is() -> None:
    old = read("Terms of hire, January 2022\n\nThe deposit is 100.")
    new = read("Terms of hire, March 2025\n\nThese terms replace the terms of January 2022.")
    assert old == {"issued": "2022-01"}
    assert new == {"issued": "2025-03", "replaces": "2022-01", "replaces_what": "the terms"}
    assert read("Rates.\nThese rates supersede the 2021 rates.") == {"replaces": "2021"}


def test_a_line_below_the_title_that_ends_with_a_date_gives_it() -> None:
    assert read("Tanner's Row\nHouse rules\nAdopted by the meeting, 19 November 2022\n\n1. Quiet.") == {
        "issued": "2022-11-19"
    }
    assert read("House rules\nThese rules replace those of 19 November 2022\n\n1. Quiet.") == {
        "replaces": "2022-11-19",
        "replaces_what": "those",
    }
    assert read("House rules\n\nThe roof was mended last on 19 November 2022\n") == {}
    assert read("Boatyard\nFounded in May 1986\n\nWe hire out boats.") == {}


def test_a_line_that_begins_with_its_date_gives_it_and_a_version_has_a_full_stop() -> None:
    assert read("School fees 2025\n\nDated 18 November 2024. Valid to 31 December 2025.")["issued"] == "2024-11-18"
    assert read("Fees\n\nPlease answer the letter dated 18 November 2024.") == {}
    assert read("Billing\n\nThis replaces version 2.0 of 1 March 2022.")["replaces"] == "2022-03-01"
    assert read("Billing\n\nThis replaces our terms. They were of 1 March 2022.") == {}
