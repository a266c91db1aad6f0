"""What a statement of a list needs to be understood: whom it is of, and what the list is of."""

from __future__ import annotations

from surefoot.core.types import Passage
from surefoot.generate.quotable import Quotable, as_one, quotables


def found(text: str) -> dict[str, Quotable]:
    return {one.text: one for one in quotables([Passage(id="a", text=text)], style="[S#]", rows=True)}


def test_a_second_sentence_of_a_named_item_leans_on_the_first() -> None:
    told = found("- Dr Pike: Partner. Speaks Welsh.\n- Dr Lund: Locum. Works on Fridays.")
    assert told["Speaks Welsh."].lead == ("Dr Pike: Partner.",)
    assert told["Works on Fridays."].lead == ("Dr Lund: Locum.",)
    assert told["Dr Pike: Partner."].lead == ()


def test_a_second_sentence_of_a_step_stays_a_step() -> None:
    told = found("1. Fill in form A: it is green. Sign it.\n2. Post it. Keep the receipt.")
    assert told["Keep the receipt."].step


def test_a_sentence_that_promises_a_list_leads_to_it_and_says_nothing_alone() -> None:
    lead = "A pharmacist can treat the following without a doctor."
    told = found(
        f"{lead} Just ask at the counter.\n\n- Earache\n- Sore throat, from age 5\n\nIf you have a fever, ring 999."
    )
    assert lead not in told
    assert told["Just ask at the counter."].lead == ()
    assert told["Sore throat, from age 5"].lead == (lead,)
    assert told["If you have a fever, ring 999."].lead == ()


def test_it_stays_a_statement_where_no_list_follows() -> None:
    for text in (
        "You may swim on the following day.\n\n- One\n- Two",
        "The following is new.\n\n## Fees\n\n- £5 a day",
    ):
        assert next(iter(found(text))) in text.split("\n")[0]


def test_a_list_is_read_with_its_heading_and_the_words_that_lead_to_it() -> None:
    text = "## When you write to us\n\nPlease tell us:\n\n- your name\n- the number of the bill\n"
    page = Passage(id="p", text=text, metadata={"headings": ["When you write to us"]})
    items = [one for one in quotables([page], style="[S#]", rows=True) if one.kind == "item"]
    assert as_one(items).text == "When you write to us: Please tell us: your name the number of the bill"


def test_a_word_or_two_before_what_an_item_says_is_its_label_and_no_statement() -> None:
    told = found("1. Water. Usage rose by 12%. The charge stays.\n2. Dogs. No dogs.\n3. No smoking. Nor by the gate.\n")
    assert list(told) == ["Usage rose by 12%.", "The charge stays.", "No dogs.", "No smoking.", "Nor by the gate."]
    assert [one.opener for one in told.values()] == ["Water.", "Water.", "Dogs.", "", ""]
    assert told["The charge stays."].read == "Water: The charge stays."
    assert "water" in told["The charge stays."].context


def test_an_item_of_one_word_is_no_label_of_the_next() -> None:
    told = found("- Water.\n- Gas and light.\n")
    assert [one.opener for one in told.values()] == ["", ""]
    assert list(told) == ["Water.", "Gas and light."]


def test_a_table_without_bars_around_it_is_told_row_by_row_and_what_stands_below_by_itself() -> None:
    told = found("Ticket | Adult\n--- | ---\nDay | £9\nWeek | £30\nStudents pay two pounds less.")
    assert list(told) == ["Day: Adult £9.", "Week: Adult £30.", "Students pay two pounds less."]
    assert told["Day: Adult £9."].source == "Day | £9"


def test_the_names_over_one_table_stand_over_no_row_of_the_next() -> None:
    told = found(
        "| Ticket | Adult |\n|---|---|\n| Day | £9 |\n\nWe have three pets.\n\nPet | Food\nCat | fish\nDog | hay"
    )
    assert list(told) == ["Day: Adult £9.", "We have three pets."]


def test_a_paragraph_stands_under_the_label_that_it_begins_with_and_the_next_one_does_not() -> None:
    told = found(
        "Opening hours. Monday to Friday 9 am to 6 pm. Closed on\nSundays and in May.\n\nDogs stay on a lead.\n\n"
        "No smoking. Use the yard.\n\nNonsense. The hall is always open.\n\nIs there a bar?\n\nYes. It opens at six."
    )
    assert told["Monday to Friday 9 am to 6 pm."].label == "Opening hours"
    assert [one.label for text, one in told.items() if text.startswith("Closed on")] == ["Opening hours"]
    assert [told[text].label for text in ("Dogs stay on a lead.", "Use the yard.")] == ["", ""]
    assert told["It opens at six."].label == "Is there a bar?"


def test_the_first_sentence_of_a_step_has_its_number() -> None:
    told = found("1. Fill in form 3. Sign it first.\n2. Water. Turn it off.\n\n- Keep the receipt.")
    numbers = {text: one.number for text, one in told.items()}
    assert numbers == {"Fill in form 3.": 1, "Sign it first.": 0, "Turn it off.": 2, "Keep the receipt.": 0}
