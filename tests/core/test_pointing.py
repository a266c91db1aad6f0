import pytest

from surefoot.core.pointing import bounds_what_stands_before, needs_what_stands_before


@pytest.mark.parametrize(
    "text",
    [
        "No other dogs may come into the foyer.",
        "Other piercings come out.",
        "The others take 7 kg.",
        "On other days it belongs to the club.",
        "For the rest of the year it is three working days.",
        "Everything else takes up to 28 working days.",
        "Guests may use it for £5 a visit.",
    ],
)
def test_what_is_left_when_something_is_taken_needs_the_sentence_before(text: str) -> None:
    assert needs_what_stands_before(text)


@pytest.mark.parametrize(
    "text",
    [
        "Rest 16 hours.",
        "Leases or other agreements take no right away.",
        "A learner from another country brings a permit.",
        "Other than on Sundays we open at nine.",
        "If somebody else pays, tell us.",
        "Work in other people's homes is covered.",
    ],
)
def test_a_sentence_that_names_what_it_speaks_of_needs_nothing(text: str) -> None:
    assert not needs_what_stands_before(text)


@pytest.mark.parametrize(
    "text",
    [
        "Later than that we charge £150.",
        "Otherwise they are yours.",
        "After that half of the fare is due.",
        "After that date it changes to Solo.",
        "But, it can be shorter or longer.",
        "If not, you can give more information.",
        "From then on the same times apply.",
    ],
)
def test_the_other_case_of_a_rule_is_told_by_how_its_sentence_opens(text: str) -> None:
    assert bounds_what_stands_before(text)


@pytest.mark.parametrize(
    "text",
    [
        "After the show we close.",
        "Then call the yard.",
        "If you are late, ring us.",
        "Butter is free.",
        "Lateral doors jam.",
    ],
)
def test_a_sentence_that_only_goes_on_tells_no_other_case(text: str) -> None:
    assert not bounds_what_stands_before(text)
