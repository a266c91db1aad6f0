from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from surefoot.core.evidence import (
    EvidencePool,
    cut_source,
    flatten,
    parse_record,
    source_sentences,
    spell_key,
    stem,
    without_targets,
)

PAGE = (
    "The bursary is paid by the state.",
    "It covers tuition and accommodation.",
    "Applications close on 30 November each year.",
    "The office in Durban is open on weekdays.",
    "Students must pass at least half of their modules.",
)


def test_the_sentence_with_the_claims_rare_words_is_chosen() -> None:
    assert 2 in EvidencePool(PAGE).select("You can apply until 30 November.")


def test_chosen_sentences_stay_in_document_order() -> None:
    chosen = EvidencePool(PAGE).select("Students in Durban get accommodation from the bursary.")
    assert list(chosen) == sorted(chosen)
    assert {1, 3} <= set(chosen)


def test_a_claim_that_shares_no_word_gets_no_evidence() -> None:
    assert EvidencePool(PAGE).select("Penguins swim.") == ()


def test_the_room_for_evidence_is_kept() -> None:
    pool = EvidencePool([f"The bursary number {n} covers tuition and many other things in town." for n in range(60)])
    assert 1 <= len(pool.select("The bursary covers tuition in town.", tokens=40)) <= 4


def test_the_hint_names_what_a_pronoun_stands_for() -> None:
    pool = EvidencePool(["Rent rises yearly.", "The library opens at nine.", "Wages rise yearly."])
    assert 1 in pool.select("It opens early.", hint="When does the library open?")


@given(st.lists(st.text(max_size=60), max_size=8), st.text(max_size=80))
def test_selection_returns_valid_sorted_indexes(sentences: list[str], claim: str) -> None:
    chosen = EvidencePool(sentences).select(claim)
    assert list(chosen) == sorted(set(chosen))
    assert all(0 <= at < len(sentences) for at in chosen)


def test_a_record_becomes_one_line_per_field() -> None:
    record = {
        "name": "Luca",
        "OutdoorSeating": False,
        "phone": None,
        "tags": ["a", "b"],
        "rooms": [{"name": "Twin", "beds": 2}],
    }
    assert source_sentences(json.dumps(record)) == [
        "name: Luca",
        "outdoor seating: no",
        "phone: not known",
        "tags: a, b",
        "rooms Twin name: Twin",
        "rooms Twin beds: 2",
    ]


def test_path_value_lines_are_not_run_together() -> None:
    assert source_sentences("stars: 4\nrooms: 203\npool: no") == ["stars: 4", "rooms: 203", "pool: no"]


def test_prose_in_brackets_is_no_record() -> None:
    assert parse_record("[see the annex]") is None
    assert list(flatten({})) == []


def test_words_of_one_stem_meet() -> None:
    assert stem("studies") == stem("study")
    assert stem("1,500") == "1500"
    assert spell_key("RestaurantsGoodForGroups") == "restaurants good for groups"


def test_where_a_link_leads_is_not_read_unless_asked_for() -> None:
    page = "You can [ apply online\n](https://example.org/a-\nvery/long?path=1) or ![logo](/x.png) call 10111."
    assert source_sentences(page) == ["You can apply online or logo call 10111."]
    assert "https://example.org" in " ".join(source_sentences(page, links=True))


def test_brackets_that_are_no_link_stay() -> None:
    assert source_sentences("The fee [see below] (R50) is due.") == ["The fee [see below] (R50) is due."]
    assert source_sentences("It costs R50 [1](") == ["It costs R50 [1]("]


def test_brackets_without_end_are_left_as_they_are() -> None:
    text = "[" * 20_000 + "](" * 20_000
    assert without_targets(text) == text


def test_items_with_a_label_are_a_list_and_fields_of_a_record_are_lines() -> None:
    items = cut_source("## Charges\n\n- Adults: £5\n- Children: £2\n1. Dogs: free\n")
    assert [(one.kind, one.text) for one in items[1:]] == [
        ("item", "Adults: £5"),
        ("item", "Children: £2"),
        ("item", "Dogs: free"),
    ]
    assert [one.text for one in cut_source("adults: £5\nchildren: £2")] == ["adults: £5", "children: £2"]
