"""A value stands in the evidence, follows from it, is given otherwise there, or stands nowhere."""

from __future__ import annotations

import pytest

from surefoot.core.case import case_passage
from surefoot.core.types import Passage
from surefoot.packs.schema import Pack
from surefoot.verify.read.binding import HOLDING, Binding, Bound
from surefoot.verify.read.claims import claims_of
from surefoot.verify.read.reading import read
from surefoot.verify.read.submission import Submission

PACK = Pack(name="test", title="Test", version="1", hash="0")


def bindings(draft: str, *texts: str, **more: object) -> tuple[Binding, ...]:
    passages = tuple(Passage(id=f"S{number}", text=text) for number, text in enumerate(texts, 1))
    claims = claims_of(draft, passages, PACK)
    submission = Submission(
        draft=draft,
        claims=claims,
        passages=passages,
        pack=PACK,
        today="2026-01-01",
        **more,  # type: ignore[arg-type]
    )
    return submission.bindings(claims[0])


def bound(draft: str, *texts: str, **more: object) -> list[Bound]:
    return [one.bound for one in bindings(draft, *texts, **more)]


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Tuition and residence together cost R50 000.", "Tuition costs R30 000. Residence costs R20 000."),
        ("Residence is R10 000 cheaper than tuition.", "Tuition costs R30 000. Residence costs R20 000."),
        ("The average fee is R450.", "The fees are R400 and R500."),
        ("Three years cost R90 000 in total.", "Tuition costs R30 000 a year for 3 years."),
        ("About 62% of applicants got in.", "Of 1 300 applicants 800 got in."),
        ("The city has 1.2 million people.", "The city has 1 234 567 people."),
        ("The college has 3 campuses.", "The college has campuses at Bellville, Cape Town and Mowbray."),
    ],
)
def test_what_follows_from_the_evidence_is_derived(claim: str, source: str) -> None:
    assert Bound.DERIVED in bound(claim, source)
    assert Bound.ABSENT not in bound(claim, source)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The average fee is R460.", "The fees are R400 and R500."),
        ("Tuition and residence together cost R55 000.", "Tuition costs R30 000. Residence costs R20 000."),
        ("The college costs R50 000.", "Tuition costs R30 000. Residence costs R20 000."),
        ("The city has 1.3 million people.", "The city has 1 234 567 people."),
        ("The college has 14 campuses.", "The college has campuses at Bellville, Cape Town and Mowbray."),
    ],
)
def test_what_does_not_follow_is_not_bound(claim: str, source: str) -> None:
    assert bound(claim, source)[0] not in HOLDING


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("You need at least 33 points.", "The minimum is 33 points."),
        ("A tenant needs two months' notice.", "A tenant gets at least two months' notice."),
        ("The limit is R500.", "Up to R500 is paid."),
        ("It was signed on 2024-03-05.", "The act was signed on 5 March 2024."),
        ("The parcel weighs 0.35 kg.", "The parcel weighs 350 g."),
    ],
)
def test_another_form_of_a_value_is_the_value(claim: str, source: str) -> None:
    assert set(bound(claim, source)) == {Bound.MATCHED}


def test_a_sentence_with_the_same_words_gives_it_otherwise() -> None:
    source = "A yearly card costs R120. A family card costs R300."
    (one,) = bindings("A yearly card costs R300.", source)
    assert one.bound is Bound.OTHERWISE
    assert one.place is not None
    assert one.place.value.text == "R120"


def test_two_values_told_in_another_order_are_not_given_otherwise() -> None:
    assert set(bound("Coffee costs R20 and tea costs R10.", "Tea costs R10 and coffee costs R20.")) == {Bound.MATCHED}


def test_the_opposite_bound_is_flipped() -> None:
    assert bound("At most 120 credits are needed.", "At least 120 credits are needed.") == [Bound.FLIPPED]


def test_what_the_person_told_is_given_only_to_sentences_about_them() -> None:
    told = {"profile": {"marks": {"maths": 71}}}
    assert bound("Your 71% clears it.", "You need marks.", **told) == [Bound.GIVEN]
    assert bound("The pass mark is 71%.", "You need marks.", **told) == [Bound.ABSENT]


def test_a_question_that_suggests_a_number_gives_nothing() -> None:
    asked = {"question": "Is it true that the fee is R900?"}
    assert bound("Your fee is R900.", "A fee is due.", **asked) == [Bound.UNCERTAIN]
    assert bound("The fee is R900.", "A fee is due.", **asked) == [Bound.ABSENT]


@pytest.mark.parametrize("sentence", ["The library pays R500 per month", "It closes on 5 Jan", "It rose by 5%"])
@pytest.mark.parametrize("marked", ["{} [S1].", "{}. [S1]"])
def test_a_quote_has_the_values_of_its_source(sentence: str, marked: str) -> None:
    source = f"It is so. {sentence}. So it goes."
    for one in bindings(marked.format(sentence), source):
        assert one.bound is Bound.MATCHED
        assert one.place is not None
        assert one.place.line in read(source).lines
        assert source[slice(*one.place.value.span)] == one.place.value.text


def judged(draft: str, case: str, guide: str) -> list[Bound]:
    passages = (Passage(id="1", text=guide), case_passage(case))
    claims = claims_of(draft, passages, PACK)
    submission = Submission(
        draft=draft, claims=claims, passages=passages, case=case, pack=PACK, today="2026-01-01", given=("1", "case")
    )
    return [one.bound for one in submission.bindings(claims[0])]


NOTICE = "The notice is one week for each full year of service."
REST = "Workers get 11 hours of rest between working days."


@pytest.mark.parametrize(
    ("claim", "case", "guide"),
    [
        ("After five years you should get five weeks of notice [1] [case].", "I worked there for five years.", NOTICE),
        (
            "From 11pm to 7am you rest eight hours, not 11 hours [1] [case].",
            "I stop at 11pm. I go at 7am.",
            REST,
        ),
        ("You rest nine hours a night, and 11 hours are due [1] [case].", "I sleep about nine hours.", REST),
        (
            "Nine hours is less than 11 hours [1] [case].",
            "I rest nine hours.",
            f"{REST[:12]} at least 11 hours.",
        ),
        (
            "Your shift of nine hours must be followed by 11 hours of rest [1] [case].",
            "My shift is nine hours and my boss says I can rest later.",
            REST,
        ),
    ],
)
def test_what_follows_from_case_and_reference_together_is_bound(claim: str, case: str, guide: str) -> None:
    assert HOLDING.issuperset(judged(claim, case, guide))


@pytest.mark.parametrize(
    ("claim", "case", "guide"),
    [
        ("After five years you should get six weeks of notice [1] [case].", "I worked there for five years.", NOTICE),
        (
            "After five years you should get five weeks of notice [1] [case].",
            "I am paid every five weeks.",
            NOTICE[:23],
        ),
        ("From 11pm to 7am you rest ten hours [1] [case].", "I stop at 11pm. I go at 7am.", REST),
        ("Your boss must pay you 900 pounds [1] [case].", "It rained, and I think he must pay me 900 pounds.", REST),
        ("Workers must get less than 11 hours [1] [case].", "I rest a lot.", f"{REST[:12]}at least 11 hours."),
    ],
)
def test_what_follows_from_neither_is_not(claim: str, case: str, guide: str) -> None:
    assert not HOLDING.issuperset(judged(claim, case, guide))


def test_a_number_that_names_is_not_worked_out() -> None:
    source = "The certificate is at NQF level 5 and the degree at NQF level 7."
    assert bound("The diploma is at NQF level 2.", source) == [Bound.ABSENT]
    assert bound("The degree is 2 levels higher.", source)[0] in (Bound.DERIVED, Bound.UNCERTAIN)
