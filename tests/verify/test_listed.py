"""What a source lists as `- Adults: £5` is its own words, item by item, both ways round."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from surefoot.core.types import Decision, Status, VerificationResult
from surefoot.testing import verify_input
from surefoot.wiring import Surefoot, build

PLAIN = str(Path(__file__).parents[1] / "support" / "plain")
PRICES = "## Charges\n\n- Own patients: £15\n- Everyone else: £28\n- Family of three: £50"
HOURS = "## Zones and hours\n\n- Zone A, Castle: Monday to Saturday, 8am to 6pm\n- Zone B, Station: Friday, 9am to 5pm"
MYTHS = "## Myths\n\n- Colds: come from cold feet\n- Sugar: makes children wild\n- Spinach: is full of iron"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Surefoot:
    return build(kb=tmp_path_factory.mktemp("kb"))


def judge(house: Surefoot, draft: str, source: str) -> VerificationResult:
    request = verify_input(draft, source, skip_llm_verification=True, deadline_ms=60_000)
    return asyncio.run(house.rehearsal(PLAIN, "2026-01-15", ()).verify(request))


@pytest.mark.parametrize(
    ("draft", "source"),
    [
        ("- Everyone else: £28\n- Family of three: £50", PRICES),
        ("Zone B, Station: Friday, 9am to 5pm.", HOURS),
    ],
)
def test_an_item_word_for_word_is_proven(draft: str, source: str, house: Surefoot) -> None:
    result = judge(house, draft, source)
    assert result.decision is Decision.APPROVED
    assert {claim.status for claim in result.metadata.claims} == {Status.PROVEN}


@pytest.mark.parametrize(
    ("draft", "source"),
    [
        ("- Everyone else: £15", PRICES),
        ("- Own patients: £50", PRICES),
        ("Zone B, Station: Monday to Saturday, 8am to 6pm.", HOURS),
        ("Spinach: is full of iron.", MYTHS),
    ],
)
def test_what_stands_beside_another_label_or_under_another_heading_does_not_leave(
    draft: str, source: str, house: Surefoot
) -> None:
    assert draft.strip("- ") not in judge(house, draft, source).final_answer


TREATED = (
    "## Help\n\nA pharmacist can treat the following without sending you to a doctor. Just ask at the counter.\n\n"
    "- Earache, for ages 1 to 17\n- Sore throat, from age 5\n- Shingles, from age 18\n"
)
SAID = "## We hear\n\nThe following are myths and not so.\n\n- Cold feet cause colds\n- Sugar makes children wild\n"


def test_a_list_under_its_own_sentence_is_the_source_s_as_a_whole(house: Surefoot) -> None:
    draft = (
        "A pharmacist can treat the following without sending you to a doctor.\n\n"
        "- Earache, for ages 1 to 17\n- Sore throat, from age 5\n- Shingles, from age 18"
    )
    result = judge(house, draft, TREATED)
    assert result.decision is Decision.APPROVED
    assert {claim.status for claim in result.metadata.claims} == {Status.PROVEN}


def test_what_a_source_calls_false_is_said_with_that_or_not_at_all(house: Surefoot) -> None:
    items = "- Cold feet cause colds\n- Sugar makes children wild"
    whole = f"The following are myths and not so.\n\n{items}"
    assert judge(house, whole, SAID).final_answer == whole
    for draft in (items, "Sugar makes children wild.", f"Mind your feet.\n\n{items}"):
        assert "Sugar makes" not in judge(house, draft, SAID).final_answer


FOOD = (
    "# Food\n\n## Common myths\n\n- Sugar makes children wild.\n- Carrots let you see at night.\n\n"
    "## Facts\n\nSugar harms the teeth. Carrots hold vitamin A."
)


@pytest.mark.parametrize(
    "draft",
    [
        "Sugar turns kids wild.",
        "Myths sold in Berlin in 1990:\n\n- Sugar turns kids wild.\n- Carrots help you see in the dark.",
        "It isn't so, whatever Zorn says. Sugar turns kids wild.",
    ],
)
def test_what_a_source_calls_false_does_not_leave_in_other_words(draft: str, house: Surefoot) -> None:
    assert "kids wild" not in judge(house, draft, FOOD).final_answer


def test_a_myth_told_as_one_in_other_words_leaves(house: Surefoot) -> None:
    draft = "These are myths:\n\n- Sugar turns kids wild.\n- Carrots help you see in the dark."
    assert judge(house, draft, FOOD).final_answer == draft


TWO_LISTS = (
    "## Treatment\n\nA pharmacist can treat the following:\n\n- Earache, for ages 1 to 17\n- Sore throat\n\n"
    "Only doctors treat:\n\n- Sepsis and other infections\n- Broken bones in children\n"
)
ROOMS = (
    "## Rooms you may use\n\n- The garden room\n- The tea kitchen\n\n## Rooms of staff\n\n- The server room upstairs"
)


@pytest.mark.parametrize(
    ("draft", "source", "wrong"),
    [
        ("A pharmacist can treat the following:\n\n- Sepsis and other infections", TWO_LISTS, "Sepsis"),
        ("Your pharmacist can treat:\n\n- Broken bones in children", TWO_LISTS, "Broken bones"),
        ("You may use these rooms:\n\n- The tea kitchen\n- The server room upstairs", ROOMS, "server room"),
    ],
)
def test_an_item_of_another_list_does_not_leave(draft: str, source: str, wrong: str, house: Surefoot) -> None:
    assert wrong not in judge(house, draft, source).final_answer


@pytest.mark.parametrize(
    ("draft", "source"),
    [
        ("Only doctors treat:\n\n- Sepsis and other infections\n- Broken bones in children", TWO_LISTS),
        ("Only a doctor treats these:\n\n- Sepsis and other infections", TWO_LISTS),
        ("Rooms for the staff:\n\n- The server room upstairs", ROOMS),
    ],
)
def test_an_item_under_words_of_its_own_list_leaves(draft: str, source: str, house: Surefoot) -> None:
    assert judge(house, draft, source).final_answer == draft


BAGS = (
    "# Doctors\n\nOnly doctors treat:\n\n- Sepsis\n- Stroke\n\n# Pharmacists\n\n"
    "A pharmacist can treat the following:\n\n- Sore throat\n- Earache"
)


@pytest.mark.parametrize("items", ["- Sepsis\n- Earache", "- Earache\n- Sepsis"])
def test_an_item_of_another_list_does_not_leave_in_any_place(items: str, house: Surefoot) -> None:
    assert "Sepsis" not in judge(house, f"A pharmacist can treat the following:\n\n{items}", BAGS).final_answer


@pytest.mark.parametrize("heading", ["Rumours", "Old rules (abolished)", "Rules until 2020"])
def test_a_heading_over_the_sentence_that_leads_to_a_list_still_counts(heading: str, house: Surefoot) -> None:
    draft = "Visitors can do the following:\n\n- Dogs are allowed in the park.\n- Entry is free for all."
    result = judge(house, draft, f"# {heading}\n\n{draft}")
    assert all(
        claim.rests_on != "quote" for claim in result.metadata.claims if claim.text.startswith(("Dogs", "Entry"))
    )


TERMS = "We let cars.\n\n## {heading}\n\n{over}| Notice | You pay |\n|---|---|\n| Two weeks | £40 |\n| Two days | £95 |"
DRAWN = "| Notice | You pay |\n|---|---|\n| Two days | £95 [1] |"


@pytest.mark.parametrize(
    ("heading", "over"),
    [
        ("Cancelling", ""),
        ("Claims", ""),
        ("How to claim", ""),
        ("Charges", ""),
    ],
)
def test_a_row_under_an_everyday_heading_is_proven(heading: str, over: str, house: Surefoot) -> None:
    result = judge(house, DRAWN, TERMS.format(heading=heading, over=over))
    assert {claim.status for claim in result.metadata.claims} <= {Status.PROVEN, Status.SILENT}
    assert Status.PROVEN in {claim.status for claim in result.metadata.claims}


@pytest.mark.parametrize(
    ("heading", "over"),
    [
        ("Common myths", ""),
        ("Not true", ""),
        ("Cancelled charges", ""),
        ("What the maker claims", ""),
        ("Charges until 2019", ""),
        ("Planned charges", ""),
        ("Charges", "The following is cancelled.\n\n"),
        ("Charges", "A rival claims these:\n\n"),
        ("Charges", "These are plans:\n\n"),
    ],
)
def test_a_row_that_is_over_or_reported_is_not(heading: str, over: str, house: Surefoot) -> None:
    result = judge(house, DRAWN, TERMS.format(heading=heading, over=over))
    assert Status.PROVEN not in {claim.status for claim in result.metadata.claims}
