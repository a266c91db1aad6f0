"""A claim in its source's own words: another notation is a quote, a part cut out is none."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from surefoot.core.types import Passage
from surefoot.verify.ground.wording import cut_out, exchanged, restated, shortened
from surefoot.verify.read.reading import denials, quoted_line
from surefoot.verify.read.submission import Submission

Submit = Callable[..., Submission]


def submitted(submit: Submit, source: str, draft: str) -> Submission:
    return submit(draft, [Passage(id="one", text=source)])


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("You cannot pay by card.", "You can't pay by card."),
        ("The hall is not heated.", "The hall isn't heated."),
        ("You will hear from us.", "You'll hear from us."),
        ("The office opened on 5 March 2024.", "The office opened on 2024-03-05."),
        ("The parcel weighs 350 g.", "The parcel weighs 0.35 kg."),
        ("The rate is €12.70 per hour.", "The rate is 12.70 euro an hour."),
    ],
)
def test_the_same_sentence_in_another_notation_is_restated(submit: Submit, source: str, claim: str) -> None:
    submission = submitted(submit, source, claim)
    found = restated(submission.claims[0], submission)
    assert found is not None
    assert found[1].sentence.text == source


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("You cannot pay by card.", "You can pay by card."),
        ("The office opened on 5 March 2024.", "The office opened on 2024-05-03."),
        ("The parcel weighs 350 g.", "The parcel weighs 3.5 kg."),
        ("The rate is €12.70 per hour.", "The rate is 12.70 euro a day."),
        ("It is a myth that you can't pay by card.", "You cannot pay by card."),
    ],
)
def test_another_value_or_a_lost_denial_is_not(submit: Submit, source: str, claim: str) -> None:
    submission = submitted(submit, source, claim)
    assert restated(submission.claims[0], submission) is None


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Bats are blind; this is a myth.", "Bats are blind."),
        ("Myths: bats are blind; bees never sleep.", "Bees never sleep."),
        ("Under the draft bill shops would shut at noon; pubs shut at ten.", "Pubs shut at ten."),
        ("Entry is free; that holds only if you are a member.", "Entry is free."),
        ("The pot suits induction; it is heavy.", "It is heavy."),
        ("The pool is open daily; on Sundays, however, it is shut.", "The pool is open daily."),
        ("Dogs are welcome; only on a lead, says the sign.", "Dogs are welcome."),
        ("Is entry free?; the guide says so.", "Is entry free?"),
    ],
)
def test_a_clause_that_its_neighbours_may_take_back_is_no_quote(submit: Submit, source: str, claim: str) -> None:
    submission = submitted(submit, source, claim)
    assert restated(submission.claims[0], submission) is None
    assert quoted_line(claim, submission.passages) is None


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("It is a myth that goldfish forget after three seconds.", "Goldfish forget after three seconds."),
        ("The prosecution alleges that Stahl set fire to the warehouse.", "Stahl set fire to the warehouse."),
        ("Works under 500 euros are free of commission for students.", "Works under 500 euros are free of commission."),
        ("Towels are replaced only if you hold the pink slip.", "Towels are replaced."),
        ("Life jackets are not included.", "Life jackets are included."),
        ("Penguins live at the North Pole: false.", "Penguins live at the North Pole."),
        ("Members: you travel free.", "You travel free."),
    ],
)
def test_a_part_whose_rest_may_change_it_is_cut_out(submit: Submit, source: str, claim: str) -> None:
    submission = submitted(submit, source, claim)
    assert cut_out(submission.claims[0], submission)


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("She studied chemistry in Zurich and took her doctorate in 1902.", "She studied chemistry in Zurich."),
        ("The council, founded in 1902, owns the mill.", "The council owns the mill."),
        ("Entry is free for members. Entry is free on Sundays.", "Entry is free on Sundays."),
        ("The shop sells bread.", "Bread is sold in the shop."),
        ("Fire drill: everybody leaves by the stairs.", "Everybody leaves by the stairs."),
        ("You can leave at any time with a month's notice.", "You can leave with a month's notice."),
    ],
)
def test_a_part_whose_rest_adds_something_is_not(submit: Submit, source: str, claim: str) -> None:
    submission = submitted(submit, source, claim)
    assert not cut_out(submission.claims[0], submission)


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("The grant is paid by the Department of Education.", "The grant is paid by the National Council."),
        ("The firm was sold to Anna Keller by the bank.", "The firm was sold to Piet Moll by the bank."),
        ("A worker can be called in under a contract.", "A worker can be called in over a contract."),
        ("The tenant must leave before the end of June.", "The tenant must leave after the end of June."),
        ("Gas is off; tickets are sold with a reservation.", "Tickets are sold without a reservation."),
        ("Machines may be used free of charge. Fabric is brought along.", "Fabric may be used free of charge."),
    ],
)
def test_one_name_or_bound_put_for_another_is_seen(submit: Submit, source: str, claim: str) -> None:
    submission = submitted(submit, source, claim)
    assert exchanged(submission.claims[0], submission)


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("The University of Cape Town offers the degree.", "UCT offers the degree."),
        ("The degree is offered by the University of Cape Town.", "The degree is offered by UCT."),
        ("The speech was given by Dr Anna Keller.", "The speech was given by Keller."),
        ("You must pay a fee for the card.", "You have to pay a fee for the card."),
        ("Courses start on Sundays and Mondays.", "Courses begin on Sundays and Mondays."),
        ("Use one that fits the pump by the wall.", "Use a hose that fits the pump by the wall."),
        ("It recalled 2,000 tubs of lot 88.", "The dairy recalled 2,000 tubs of lot 88."),
        ("Bea played the flute there. Mia played the flute there.", "Mia played the flute there."),
    ],
)
def test_another_word_for_the_same_is_not(submit: Submit, source: str, claim: str) -> None:
    submission = submitted(submit, source, claim)
    assert not exchanged(submission.claims[0], submission)


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("The tenant pays the rent to the landlord before the fifth day.", "The tenant pays the rent to the landlord."),
        ("Rents in Kolvik rose by 6 per cent last year, wages by 2.", "Rents in Kolvik rose by 6 per cent last year."),
    ],
)
def test_the_beginning_of_a_sentence_is_known_as_such(submit: Submit, source: str, claim: str) -> None:
    submission = submitted(submit, source, claim)
    assert shortened(submission.claims[0], submission)


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        (
            "Glider pilots over 60 need a medical every year if they carry passengers.",
            "Glider pilots over 60 need a medical every year.",
        ),
        ("Lightning never strikes the same place twice, people say.", "Lightning never strikes the same place twice."),
        ("A snail breathes through its foot: false.", "A snail breathes through its foot."),
        ("The rent is paid before the fifth day.", "The landlord pays before the fifth day."),
        ("Die winkel is op Sondae oop behalwe in Junie.", "Die winkel is op Sondae oop."),
    ],
)
def test_a_beginning_that_the_rest_bounds_or_takes_back_is_not(submit: Submit, source: str, claim: str) -> None:
    submission = submitted(submit, source, claim)
    assert not shortened(submission.claims[0], submission)


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Jy mag nie hier parkeer nie.", "Jy mag hier parkeer."),
        ("Kinders betaal nie.", "Kinders betaal."),
        ("Les chiens ne sont jamais admis.", "Les chiens sont admis."),
        ("Les enfants ne paient rien.", "Les enfants paient."),
    ],
)
def test_denials_of_afrikaans_and_french_are_said_twice_and_meant_once(submit: Submit, source: str, claim: str) -> None:
    submission = submitted(submit, source, claim)
    (only,) = submission.claims
    ((_, twin),) = submission.twins(only)
    assert (denials(submission.line(only)), denials(twin)) == (0, 1)
    assert cut_out(only, submission) or len(only.text.split()) < 3
    same = submitted(submit, source, source)
    assert denials(same.line(same.claims[0])) == 1


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Entry to the museum is free on Sundays.", "Entry to the museum is free."),
        ("The landlord can enter the flat after a day's notice.", "The landlord can enter the flat."),
        ("The bank refunds stolen money up to 50 euros.", "The bank refunds stolen money."),
        ("Patients may eat and drink before ten.", "Patients may eat and drink."),
    ],
)
def test_a_beginning_without_the_bound_that_follows_is_a_part_cut_out(submit: Submit, source: str, claim: str) -> None:
    submission = submitted(submit, source, claim)
    assert cut_out(submission.claims[0], submission)
    assert not shortened(submission.claims[0], submission)


def test_by_when_a_duty_is_due_bounds_no_duty(submit: Submit) -> None:
    submission = submitted(submit, "The tenant pays the rent in cash before ten.", "The tenant pays the rent in cash.")
    assert not cut_out(submission.claims[0], submission)
    assert shortened(submission.claims[0], submission)


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Guests under 12 eat for half the price.", "Guests eat for half the price."),
        ("During the sales, nobody may return shoes.", "Nobody may return shoes."),
        ("On market days, the square is closed to cars.", "The square is closed to cars."),
        ("Clerks with at least two years of service get a desk.", "Clerks get a desk."),
        ("Letters weighing more than 50 g cost two stamps.", "Letters cost two stamps."),
        ("Pilots may, with the tower's consent, land on the grass.", "Pilots may land on the grass."),
        ("Teachers in their first year are visited every week.", "Teachers are visited every week."),
        ("Cars registered before 2006 pay a toll in town.", "Cars pay a toll in town."),
        ("Widows of former miners receive coal.", "Widows receive coal."),
        ("The barn, built by monks, may be rented on Saturdays.", "The barn may be rented."),
    ],
)
def test_a_part_without_the_bound_before_it_or_within_is_cut_out(submit: Submit, source: str, claim: str) -> None:
    submission = submitted(submit, source, claim)
    assert cut_out(submission.claims[0], submission)


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("In 1962, the firm moved its press to Leeds.", "The firm moved its press to Leeds."),
        ("On the contrary, ferns must stay wet.", "Ferns must stay wet."),
        ("The red pump at the end of the yard delivers 40 litres.", "The red pump delivers 40 litres."),
        ("Bakers, who start at two, bake rye bread.", "Bakers bake rye bread."),
        ("The teachers in the band play at Easter.", "The teachers play at Easter."),
        ("Our bakers, who start at two, bake rye bread.", "Our bakers bake rye bread."),
        ("Sofas are sold. During the sales, lamps are sold. Lamps are sold here.", "Lamps are sold here."),
    ],
)
def test_a_part_without_a_past_time_a_place_or_an_aside_is_not(submit: Submit, source: str, claim: str) -> None:
    submission = submitted(submit, source, claim)
    assert not cut_out(submission.claims[0], submission)


CLAUSES = [
    Passage(
        id="hut",
        text="The hut is closed in May; its key hangs at the mill; bread is free for guests; the stove is lit at six. "
        "He said that the path is safe; the bridge has been mended. "
        "These are myths: wolves fear bells; bears sleep all day. "
        "Beds are free; only for members. The sauna is heated daily; that is a myth.",
    )
]


@pytest.mark.parametrize(
    "draft", ["Its key hangs at the mill.", "The hut is closed in May.", "Bread is free for guests."]
)
def test_a_whole_clause_between_semicolons_is_not_cut_out(submit: Submit, draft: str) -> None:
    submission = submit(draft, CLAUSES)
    assert not cut_out(submission.claims[0], submission)


@pytest.mark.parametrize(
    "draft",
    [
        "The bridge has been mended.",
        "Bears sleep all day.",
        "Beds are free.",
        "The sauna is heated daily.",
    ],
)
def test_a_clause_is_cut_out_where_what_stands_beside_it_denies_reports_or_bounds_it(
    submit: Submit, draft: str
) -> None:
    submission = submit(draft, CLAUSES)
    assert cut_out(submission.claims[0], submission)
