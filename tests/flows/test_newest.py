"""The newer document has the last word."""

from __future__ import annotations

from surefoot.core.types import Passage, ScoredPassage
from surefoot.flows.newest import without_replaced


def hit(file: str, text: str, **metadata: str) -> ScoredPassage:
    return ScoredPassage(passage=Passage(id=file, text=text, metadata={"file": file, **metadata}), score=1.0)


OLD = hit("terms_2021.txt", "The deposit is £150.", title="Terms", issued="2021-02-01")
NEW = hit("terms_2024.txt", "The deposit is £250.", title="Terms", issued="2024-03-01", replaces="2021-02-01")


def test_a_replaced_document_is_left_out_and_named() -> None:
    kept, replaced = without_replaced([OLD, NEW])
    assert kept == (NEW,)
    assert replaced == ("terms_2021.txt is replaced by terms_2024.txt",)


def test_a_document_of_another_title_and_the_same_date_stays() -> None:
    other = hit("prices.txt", "A bag costs £14.", title="Prices", issued="2021-02-01")
    kept, replaced = without_replaced([other, NEW])
    assert kept == (other, NEW)
    assert replaced == ()


def test_a_file_named_as_replaced_is_left_out() -> None:
    newer = hit("b.md", "45p a mile.", title="Expenses", replaces="a.md")
    assert without_replaced([hit("docs/a.md", "40p a mile.", title="Travel"), newer])[0] == (newer,)


def test_titles_may_differ_by_their_dates_and_dates_in_how_exact_they_are() -> None:
    old = hit("terms_2022.txt", "The deposit is 100.", title="Terms of hire, 15 January 2022", issued="2022-01-15")
    new = hit("terms_2025.txt", "The deposit is 150.", title="Terms of hire, March 2025", replaces="2022-01")
    assert without_replaced([old, new])[0] == (new,)
    other = hit("terms_2022.txt", "The deposit is 100.", title="Terms of sale, January 2022", issued="2022-01")
    assert without_replaced([other, new])[0] == (other, new)


def test_a_document_of_another_title_is_the_one_that_the_newer_one_calls_by_its_kind_and_day() -> None:
    old = hit("parking-notice-2022.txt", "Pay and display.", title="WEXCOMBE HOSPITAL", issued="2022-10-03")
    new = hit("parking.md", "No ticket.", title="Car parking", replaces="2022-10", replaces_what="the notice")
    assert without_replaced([old, new])[0] == (new,)
    menu = hit("menu-2022.txt", "Soup.", title="WEXCOMBE HOSPITAL", issued="2022-10-03")
    assert without_replaced([menu, new])[0] == (menu, new)


def test_two_files_of_one_name_and_the_very_day_are_one_document() -> None:
    old = hit("rent-rises-2021.txt", "6 percent.", title="SHEET No. 7", issued="2021-05-12")
    new = hit("rent-rises-2024.md", "5 percent.", title="Sheet 7: Rent rises", replaces="2021-05-12")
    assert without_replaced([old, new])[0] == (new,)
    other = hit("repairs.txt", "35 days.", title="SHEET No. 3", issued="2021-05-12")
    assert without_replaced([other, new])[0] == (other, new)
    later = hit("rent-rises-2022.txt", "4 percent.", title="SHEET No. 7", issued="2022-05-12")
    assert without_replaced([later, new])[0] == (later, new)


def test_a_word_that_every_document_of_the_house_has_does_not_make_one_the_older_other() -> None:
    old = hit("museum-fees-2023.txt", "R50.", title="FEES", issued="2023-03-01")
    hours = hit("museum-hours-2023.txt", "9 to 5.", title="HOURS", issued="2023-03-01")
    new = hit("museum-fees-2024.md", "R60.", title="What it costs", replaces="2023-03-01", replaces_what="the sheet")
    assert without_replaced([old, hours, new])[0] == (hours, new)
    access = hit("museum-access.md", "A ramp.", title="Access")
    assert without_replaced([hours, access, new])[0] == (hours, access, new)


def test_a_kind_of_document_alone_is_of_the_same_matter() -> None:
    rent = hit("rent-notice-2022.txt", "R900.", title="WEXCOMBE", issued="2022-10-03")
    new = hit("parking.md", "No ticket.", title="Car parking", replaces="2022-10", replaces_what="the notice")
    assert without_replaced([rent, new])[0] == (rent, new)
