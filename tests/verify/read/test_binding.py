"""A value stands in the evidence, follows from it, is given otherwise there, or stands nowhere."""

from __future__ import annotations

import pytest

from surefoot.core.case import case_passage
from surefoot.core.types import Json, Passage
from surefoot.packs.schema import Pack
from surefoot.verify.read.binding import HOLDING, Binding, Bound
from surefoot.verify.read.claims import claims_of
from surefoot.verify.read.reading import read
from surefoot.verify.read.submission import Submission

HARD = {Bound.ABSENT, Bound.OTHERWISE, Bound.OTHER_UNIT, Bound.FLIPPED}
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
        assert one.place.line in read(source)
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


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The shop opens at 8 and closes at 5.", "The shop is open from 08:00 to 17:00."),
        ("On Saturdays the room is open from 8 to 11.", "The room is open from 08:00 to 11:00 on Saturdays."),
        ("Please leave the ward before 11 in the morning.", "Patients leave the ward before 11:00."),
        ("It is open weekends 8 to 11.", "At weekends it is open 8.00 to 11.00."),
        ("It is open from eight to eleven.", "It is open from 08:00 to 11:00."),
        ("It is open from 8.30 to 6.", "It is open from 08:30 to 18:00."),
    ],
)
def test_a_bare_hour_is_a_time_of_the_source(claim: str, source: str) -> None:
    assert set(bound(claim, source)) == {Bound.MATCHED}


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The shop opens at 9 sharp.", "The shop is open from 08:00 to 17:00."),
        ("On Saturdays the room is open from 8 to 12.", "The room is open from 08:00 to 11:00 on Saturdays."),
        ("Please leave the ward before 10 in the morning.", "Patients leave the ward before 11:00."),
    ],
)
def test_an_hour_of_no_source_stands_nowhere(claim: str, source: str) -> None:
    assert Bound.ABSENT in bound(claim, source)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The price rises from seven to eleven cents.", "It cost seven cents before. Since May it costs eleven cents."),
        ("A parcel may be with you after three days.", "Deliveries take three to five days."),
    ],
)
def test_the_ends_of_a_range_are_in_a_source(claim: str, source: str) -> None:
    assert not HARD.intersection(bound(claim, source))


@pytest.mark.parametrize(
    ("claim", "wrong", "source", "profile"),
    [
        ("Your deposit was due by 7 June.", "9 June", "Deposits are repaid within seven days.", {"end": "31 May"}),
        ("Get your vaccine by 10 June.", "15 June", "The vaccine is given 10 days before travel.", {"trip": "20 June"}),
        ("You may drink water until 8 o'clock.", "9 o'clock", "Drink water until two hours before.", {"at": "10:00"}),
    ],
)
def test_a_date_or_time_the_person_told_and_a_duration_give_another(
    claim: str, wrong: str, source: str, profile: dict[str, str]
) -> None:
    right = next(text for text in ("7 June", "10 June", "8 o'clock") if text in claim)
    assert bound(claim, source, profile=profile) == [Bound.DERIVED]
    assert bound(claim.replace(right, wrong), source, profile=profile) == [Bound.ABSENT]


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("At your age you are within the limits of 18 and 35.", "Interns must be between 18 and 35 years old."),
        ("The course lasts six months at least and nine months at most.", "The course lasts six to nine months."),
    ],
)
def test_both_ends_of_a_range_are_the_range(claim: str, source: str) -> None:
    assert Bound.ABSENT not in bound(claim, source)
    assert Bound.ABSENT in bound("Interns must be 18.", "Interns must be between 18 and 35 years old.")


@pytest.mark.parametrize(
    ("claim", "wrong", "source", "profile"),
    [
        (
            "The tariff is R2.40, so 300 units come to R720.",
            "R810",
            "The tariff is R2.40 per unit.",
            {"units": "300 units"},
        ),
        ("At R2 a page 40 pages cost R80.", "R85", "Copies cost R2 a page.", {"file": "40 pages"}),
    ],
)
def test_with_the_persons_numbers_something_may_be_worked_out(
    claim: str, wrong: str, source: str, profile: dict[str, str]
) -> None:
    right = next(text for text in ("R720", "R900", "R80") if text in claim)
    assert Bound.ABSENT not in bound(claim, source, profile=profile)
    assert Bound.ABSENT in bound(claim.replace(right, wrong), source, profile=profile)


@pytest.mark.parametrize(
    ("claim", "question", "bounded"),
    [
        ("Ten weeks is too long.", "Nobody has answered for ten weeks, what now?", True),
        ("July to January is long enough.", "My sister came back in July. When may she come?", True),
        ("He has until 18 June.", "We left the flat on 3 June. When must he say so?", True),
        ("The mile there and back makes sixty miles.", "Dad lives 30 miles away. Do you pay petrol?", True),
        ("The pupils come to £324.", "What do 54 pupils cost?", True),
        ("Eleven weeks is too long.", "Nobody has answered for ten weeks, what now?", False),
        ("He has until 20 June.", "We left the flat on 3 June. When must he say so?", False),
        ("The fee is £25.", "Is it true that the fee is £25?", False),
        ("He has until 18 June.", "We left the flat. When must he say so?", False),
    ],
)
def test_what_the_question_tells_of_when_and_how_far_is_no_invention(claim: str, question: str, bounded: bool) -> None:
    source = "The landlord has 15 days to reply. Donors wait six months after a journey. A pupil pays £6."
    assert (Bound.ABSENT not in bound(claim, source, question=question)) is bounded
    assert not {Bound.MATCHED, Bound.GIVEN, *([] if bounded else [Bound.UNCERTAIN])} & {
        bound(claim, source, question=question)[-1]
    }


@pytest.mark.parametrize(
    "claim", ["You can be fined up to R50,000.", "The town has more than 12 pools.", "A tow costs at least R2."]
)
def test_a_bound_is_shown_only_by_a_sentence_that_speaks_of_it(claim: str) -> None:
    assert bound(claim, "Late books are charged at R5 a day. The club has 40 members.") == [Bound.ABSENT]


def test_a_bound_holds_of_what_its_sentence_counts() -> None:
    assert bound("The club has more than 30 members.", "The club has 40 members.") == [Bound.MATCHED]


@pytest.mark.parametrize(
    ("claim", "wrong", "source"),
    [
        (
            "A place costs R42,000 for ten months.",
            "R40,000",
            "A place costs R4,200 a month. Leases run for ten months.",
        ),
        ("That is 120 credits a year.", "130 credits", "The degree has 480 credits and takes four years."),
        ("You train 9 hours a week.", "11 hours", "You train on three evenings a week from 18:00 to 21:00."),
        ("Last year 45 firms came.", "47", "This year 62 firms came, 17 more than last year."),
    ],
)
def test_what_time_makes_of_an_amount_may_follow(claim: str, wrong: str, source: str) -> None:
    right = next(text for text in ("R42,000", "120 credits", "9 hours", "45") if text in claim)
    assert not HARD & set(bound(claim, source))
    assert HARD & set(bound(claim.replace(right, wrong), source))


@pytest.mark.parametrize(
    ("claim", "wrong", "source"),
    [
        ("The stipend is R54,000 a year.", "R50,000", "The stipend is R4,500 a month."),
        ("The parking fee is R3,000 a year.", "R3,250", "The parking fee is R250 a month."),
        ("A nurse works 40 hours a week.", "45 hours", "A nurse works 8 hours a day."),
    ],
)
def test_the_same_sentence_for_another_time_is_no_other_value(claim: str, wrong: str, source: str) -> None:
    right = next(text for text in ("R54,000", "R3,000", "40 hours") if text in claim)
    assert bound(claim, source) == [Bound.DERIVED]
    assert HARD & set(bound(claim.replace(right, wrong), source))


@pytest.mark.parametrize(
    ("claim", "profile"),
    [
        ("You build up 24 days of leave.", {"age": 24}),
        ("Your notice is two weeks.", {"children": 2}),
        ("You train for 300 hours.", {"units": 300}),
    ],
)
def test_a_bare_number_of_a_form_is_no_duration(claim: str, profile: dict[str, int]) -> None:
    assert Bound.GIVEN not in bound(claim, "Leave, notice and training are in the contract.", profile=profile)


@pytest.mark.parametrize(
    ("claim", "profile"),
    [
        ("You have eight months left.", {"monthsLeft": 8}),
        ("You are 14 weeks along.", {"weeks_pregnant": 14}),
        ("At 67 years you pay nothing.", {"age": 67}),
        ("You have two children.", {"children": 2}),
        ("Your 71% is enough.", {"marks": {"maths": 71}}),
    ],
)
def test_a_number_of_a_form_is_given_with_the_unit_of_its_key(claim: str, profile: dict[str, Json]) -> None:
    assert bound(claim, "Leave and training are in the contract.", profile=profile) == [Bound.GIVEN]


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("A site with 900 visitors may use the font.", "Sites with up to 1,000 visitors may use the font."),
        ("At 24 you are old enough for a van.", "Drivers of a van must be at least 23."),
        ("A fifteen-year-old swims for half the price.", "Swimmers under 16 pay half."),
        ("You may not knock at ten in the evening.", "Visitors may knock from 8:00 to 20:00."),
        ("In July the gates stay open longer.", "From April to September the gates close later."),
        ("Lessons are held three days a week.", "Lessons are held on Tuesdays, Thursdays and Saturdays."),
        ("It is open six days a week.", "It is open daily except Mondays."),
        ("A puppy gets it at two months.", "Puppies get it at 8 weeks."),
        ("The seedlings need 4 to 5 months.", "The seedlings need 16 to 20 weeks."),
        ("They read the meter four times a year.", "The meter is read in March, June, September and December."),
        ("A stay of a fortnight is the longest.", "Guests may stay 14 nights at most."),
        ("The visit takes sixty minutes.", "The whole visit takes an hour."),
        ("Nobody gets in after quarter past five.", "It closes at 6 pm. Last entry is 45 minutes before."),
    ],
)
def test_where_code_cannot_be_certain_it_is_silent(claim: str, source: str) -> None:
    assert not HARD.intersection(bound(claim, source))


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The font may be used by 900 visitors.", "Sites with up to 1,000 visitors may use the font."),
        ("Swimmers under 15 pay half.", "Swimmers under 16 pay half."),
        ("The doors open at ten in the evening.", "The doors open at 20:00."),
        ("In October the gates stay open longer.", "From April to September the gates close later."),
        ("Lessons are held five days a week.", "Lessons are held on Tuesdays, Thursdays and Saturdays."),
        ("A puppy gets it at three months.", "Puppies get it at 8 weeks."),
        ("Children aged 14 and under pay half.", "Children under 16 pay half."),
        ("Children aged 17 and under pay half.", "Children under 16 pay half."),
        ("Loads of 15 or less are free.", "Loads under 16 are free."),
        ("Children of 15 kg and under pay half.", "Children under 16 kg pay half."),
        ("The seedlings need 3 to 9 months.", "The seedlings need 16 to 20 weeks."),
        ("The seedlings need 4 to 6 months.", "The seedlings need 16 to 20 weeks."),
        ("The goggles are checked once a year.", "Safety goggles are inspected every six months."),
        ("They empty the bin every third Tuesday.", "The bin is emptied every two weeks on Tuesdays."),
        ("A stay of three weeks is the longest.", "Guests may stay 14 nights at most."),
        ("It costs just under 500 euros.", "It costs €600."),
    ],
)
def test_a_value_that_only_looks_like_it_is_still_found(claim: str, source: str) -> None:
    assert HARD.intersection(bound(claim, source))


def test_a_length_is_not_multiplied_by_a_length() -> None:
    found = bound("It lasts six months each time, every year.", "The trial lasts three months. Notice is two months.")
    assert Bound.DERIVED not in found


def test_nobody_supposes_anything_of_a_person_who_was_told_of() -> None:
    source = "Applicants with a mark of at least 60 may apply."
    assert HARD.intersection(bound("With a mark of 65 you may apply now.", source, profile={"mark": "70"}))
    assert not HARD.intersection(bound("With a mark of 65 somebody may apply now.", source))


def test_of_equal_values_the_one_in_the_nearest_sentence_is_the_claims() -> None:
    (found,) = bindings(
        "A lost library card costs R120.",
        "The tour costs R120. A locker key costs R120. A lost card costs R120. A lost library bag costs R120.",
    )
    assert found.bound is Bound.MATCHED
    assert found.place is not None
    assert found.place.line.sentence.text == "A lost card costs R120."


def test_a_draft_of_too_many_values_is_not_held_against_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("surefoot.verify.read.binding.MOST_WORK", 18)
    source = "The rooms cost R10, R20, R30 and R40."
    assert bound("They cost R10, R20, R30 and R40.", source) == [Bound.MATCHED, Bound.MATCHED, Bound.ABSENT]


def test_the_values_of_the_sentence_itself_count_among_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("surefoot.verify.read.binding.MOST_WORK", 12)
    found = bound("They cost R10, R20, R30 and R40.", "The rooms cost R10.")
    assert (len(found), found[0], found[-1]) == (3, Bound.MATCHED, Bound.ABSENT)


RISE = "The rent rises from £88 to £92 a week on 1 May."
USAGE = "Usage fell from 2,072 m³ in the first year to 1,850 m³ in the second."


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The rent rises by £4 to £92.", RISE),
        ("The rent rises by £4 a week, from £88 to £92.", RISE),
        ("From May the rent is £4 higher.", RISE),
        ("The rent has an increase of £4 coming.", RISE),
        ("Usage fell by 222 m³ to 1,850 m³.", USAGE),
        ("The share rose by 3 percentage points.", "The share rose from 12 % to 15 %."),
    ],
)
def test_by_how_much_something_changes_is_no_certain_error(claim: str, source: str) -> None:
    assert HARD.isdisjoint(bound(claim, source))


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The rent rises by £5 to £92.", RISE),
        ("The rent rises by £5.", RISE),
        ("The rent rises by £4.", "The rent went up last year."),
        ("Usage fell by 223 m³.", USAGE),
        ("Prices rise by 4 %.", "Prices rise by 3 %."),
        ("Prices rise by 2 to 4 %.", "Prices rise by 2 to 3 %."),
    ],
)
def test_another_size_of_the_change_is(claim: str, source: str) -> None:
    assert HARD & set(bound(claim, source))


def test_a_smaller_number_of_another_matter_makes_no_citation_wrong() -> None:
    rest = "If two reasons apply, the longer one counts."
    assert bound("Stay within 30 gifts [S1].", "Gifts are welcome.", rest) == [Bound.ABSENT]
    assert bound("Stay within 30 gifts [S1].", "Gifts are welcome.", "You gave 20 gifts.") == [Bound.ELSEWHERE]


def test_donations_a_year_are_times_a_year() -> None:
    source = "You can give plasma every two weeks, at most 24 times a year."
    assert bound("You may make up to 24 donations a year.", source) == [Bound.MATCHED]
    assert bound("You may make up to 26 donations a year.", source)[0] not in HOLDING
    assert HARD.isdisjoint(
        bound("Men may make six donations in twelve months.", "Men may give six times in twelve months.")
    )


PROFILE = {"name": "Erik Solberg", "weight_kg": 78, "haemoglobin_g_dl": 13.1, "pay_eur_per_month": 600}


@pytest.mark.parametrize(
    "claim",
    ["Erik's 78 kg are enough.", "His 78 kg are enough.", "At 13.1 g/dl he is too low.", "He earns €600 a month."],
)
def test_what_the_profile_tells_of_a_third_person_is_given(claim: str) -> None:
    assert bound(claim, "Donors weigh at least 50 kg.", profile=PROFILE) == [Bound.GIVEN]


@pytest.mark.parametrize(
    "claim", ["Donors weigh 78 kg.", "Rita Moss gives her 78 kg.", "Erik's 79 kg are enough.", "He earns €600 a week."]
)
def test_of_others_and_otherwise_the_profile_tells_nothing(claim: str) -> None:
    assert bound(claim, "Donors need a meal.", profile=PROFILE)[0] not in HOLDING


def last(draft: str, *texts: str, **more: object) -> list[Bound]:
    passages = tuple(Passage(id=f"S{number}", text=text) for number, text in enumerate(texts, 1))
    claims = claims_of(draft, passages, PACK)
    read_with = Submission(
        draft=draft,
        claims=claims,
        passages=passages,
        pack=PACK,
        today="2026-01-01",
        **more,  # type: ignore[arg-type]
    )
    return [one.bound for one in read_with.bindings(claims[-1])]


@pytest.mark.parametrize(("day", "hard"), [("15 May", False), ("16 May", True)])
def test_a_day_is_counted_by_a_length_of_the_sentence_before(day: str, hard: bool) -> None:
    table = "Waiting times.\nFilling: 24 hours.\nAntibiotics: 14 days after the last tablet.\nFlu: none."
    draft = (
        f"After the tablet a fortnight has to go by. The longer time counts. So in your case {day} is the first date."
    )
    found = last(draft, table, "Doors open early.", question="I took my last tablet on 1 May. When may I give?")
    assert (Bound.ABSENT in found) is hard


def test_a_label_sets_up_a_case_under_a_bound() -> None:
    source = "Between 48 and 24 hours before, we charge half the price. Later the full price is due."
    assert HARD.isdisjoint(bound("Notice of 30 hours: half.", source))
    assert bound("We charge half for 30 hours.", source) == [Bound.ABSENT]


@pytest.mark.parametrize(("day", "hard"), [("25 April", False), ("26 April", True)])
def test_the_25th_of_the_month_may_be_in_any(day: str, hard: bool) -> None:
    found = bound(f"First quarter: by {day}.", "Returns are due on the 25th of the month after the quarter.")
    assert (Bound.ABSENT in found) is hard


def test_the_weekday_of_a_rhythm_counts() -> None:
    bins = "Blue bin: every second Tuesday.\n\nGrey bin: every third Wednesday."
    assert bound("Grey bin: every other Wednesday.", bins)[0] not in HOLDING
    assert bound("Blue bin: every other Tuesday.", bins) == [Bound.MATCHED]
    assert bound("The market is held every Friday.", "The market is held every Tuesday and Friday.") == [Bound.MATCHED]


def test_a_week_is_no_ten_days() -> None:
    source = "Book a pickup at least ten days ahead."
    assert bound("Book a pickup at least a week ahead.", source)[0] in HARD
    assert bound("Book a pickup at least a week ahead.", "Book a pickup 7 days ahead.") == [Bound.MATCHED]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("The desk is open 9-12 and 16-18.", Bound.MATCHED),
        ("The desk closes at 18:00.", Bound.MATCHED),
    ],
)
def test_an_hour_is_bound_to_hours_only(source: str, found: Bound) -> None:
    assert bound("Our desk shuts at six.", source) == [found]
