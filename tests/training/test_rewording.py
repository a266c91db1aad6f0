"""What a rewording may change and what it must leave."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from training.rewording import FORMS, introduce, restate, reword
from training.synthesis import MUTATIONS, Source, twins

from training import rewording

Change = Callable[[str, random.Random], "str | None"]


def ways(change: Change, text: str) -> set[str]:
    return {new for seed in range(60) if (new := change(text, random.Random(seed))) and new != text}


@pytest.mark.parametrize(
    ("change", "text", "wanted"),
    [
        (rewording.contract, "You are not obliged to pay.", "You aren't obliged to pay."),
        (rewording.contract, "They cannot and will not pay.", "They can't and won't pay."),
        (rewording.expand, "It can’t be paid and it isn’t owed.", "It cannot be paid and it is not owed."),
        (rewording.oblige, "You must pay.", "You have to pay."),
        (rewording.oblige, "A tenant must pay.", "A tenant has to pay."),
        (rewording.oblige, "Tenants don't have to pay.", "Tenants need not pay."),
        (rewording.oblige, "A tenant is required to pay.", "A tenant must pay."),
        (rewording.respell_money, "It costs €12.70 a week.", "It costs 12.70 euro a week."),
        (rewording.respell_money, "It costs 1,200 euro.", "It costs €1,200."),
        (rewording.respell_number, "It took 3 months.", "It took three months."),
        (rewording.respell_number, "It took 5200 steps.", "It took 5,200 steps."),
        (rewording.respell_number, "It took twelve months.", "It took 12 months."),
        (rewording.respell_number, "It has 1.5 million members.", "It has 1,500,000 members."),
        (rewording.respell_percent, "It rose by 5%.", "It rose by 5 per cent."),
        (rewording.respell_date, "It began on 2 May 2024.", "It began on May 2, 2024."),
        (rewording.respell_date, "It began on May 11, 2024.", "It began on the 11th of May 2024."),
        (rewording.respell_time, "It opens at 5.30pm.", "It opens at 17:30."),
        (rewording.respell_rate, "It pays €10 per hour.", "It pays €10 an hour."),
        (rewording.move_condition, "If you move, you must tell us.", "You must tell us if you move."),
        (rewording.move_condition, "You must tell us if you move.", "If you move, you must tell us."),
        (rewording.drop_opening, "However, it is free.", "It is free."),
    ],
)
def test_a_form_is_changed(change: Change, text: str, wanted: str) -> None:
    assert wanted in ways(change, text)


@pytest.mark.parametrize(
    "text",
    [
        "You must not pay.",  # would become "do not have to"
        "They may have to pay.",
        "The year 1984 was cold.",
        "Take 1,200 to 1.5.2 as read.",
        "Ring 01 670 0120.",
    ],
)
def test_a_form_that_would_change_the_meaning_is_left(text: str) -> None:
    wrong = ("need", "may must", "do not have", "1,984", " 120.")
    for change in (rewording.oblige, rewording.respell_number):
        assert not any(part in new for part in wrong for new in ways(change, text))


def test_a_twin_differs_from_its_true_sentence_only_where_it_is_marked() -> None:
    sentence = "You must not pay €200 before 3 May 2021."
    source = Source(sentences=[sentence], foreign=["The weapon was made."])
    pairs = [made for seed in range(80) if len(made := twins(sentence, source, random.Random(seed))) == 2]
    assert pairs
    for true, wrong in pairs:
        assert (true.label, wrong.label) == (0, 1)
        assert wrong.made in MUTATIONS
        assert true.text != wrong.text
        for start, end in wrong.spans or ():
            assert true.text[:start] == wrong.text[:start]
            assert true.text.endswith(wrong.text[end:])


def test_a_sentence_without_a_form_to_change_has_no_twins() -> None:
    assert twins("The river runs north.", Source(sentences=[], foreign=[]), random.Random(1)) == []


def test_a_negation_is_taken_out_whole() -> None:
    source = Source(sentences=[], foreign=[])
    found = {
        made[0]
        for text in ("You can't pay.", "You won't pay.", "You cannot pay.", "You aren't paid.")
        for seed in range(40)
        if (made := MUTATIONS["negation"](text, source, random.Random(seed)))
    }
    assert {"You can pay.", "You will pay.", "You are paid."} <= found


def test_an_opening_keeps_the_sentence() -> None:
    assert introduce("The rent is due.", random.Random(2)).endswith("he rent is due.")
    assert introduce("RTB rules apply.", random.Random(2)).endswith("RTB rules apply.")


def test_every_form_leaves_a_plain_sentence_alone() -> None:
    assert restate("The river runs north.", random.Random(1)) is None
    assert all((change("The river runs north.", random.Random(1)) or "The river runs north.") for change in FORMS)
    assert reword("Xyz.", random.Random(3), frame=False) == ("Xyz.", False)
