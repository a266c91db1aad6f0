"""Typed values: found with exact spans, equal across forms, different where one word changes the meaning."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.core.values import Comparison, Value, compare, equal, extract, follows, lies_off, may_follow


def only(text: str) -> Value:
    found = extract(text)
    assert len(found) == 1, [value.text for value in found]
    return found[0]


SAME = [
    ("R350 000", "R350,000"),
    ("R350 000", "350 thousand rand"),
    ("R350k", "R350 thousand"),
    ("R1.5 million", "R1 500 000"),
    ("€1.5bn", "1.5 billion euro"),
    ("ZAR 500 per month", "R500 p.m."),
    ("R15-20k per month", "between R15 000 and R20 000 a month"),
    ("$20 per annum", "USD 20 a year"),
    ("12 %", "12 per cent"),
    ("12 %", "twelve percent"),
    ("12 March 2025", "March 12, 2025"),
    ("12 March 2025", "2025-03-12"),
    ("12 March 2025", "12/03/2025"),
    ("the 12th of March 2025", "12 March 2025"),
    ("9am", "09:00"),
    ("5.30 pm", "17:30"),
    ("four to five hours", "4-5 hours"),
    ("between four and five hours", "240 to 300 minutes"),
    ("one to two hours", "1–2 hours"),
    ("thirty to forty-five kilos", "30-45 kg"),
    ("74 °C", "165 °F"),
    ("15-24 °C", "59-75 °F"),
    ("the P60s", "form P60"),
    ("two weeks", "14 days"),
    ("a fortnight", "two weeks"),
    ("1 year", "12 months"),
    ("eight and a half hours", "8.5 hours"),
    ("8 and a half hours", "510 minutes"),
    ("half an hour", "30 minutes"),
    ("an hour and a half", "90 minutes"),
    ("a year and a half", "18 months"),
    ("a quarter of an hour", "15 minutes"),
    ("two and three quarters hours", "165 minutes"),
    ("2 hours 15 minutes", "135 minutes"),
    ("2 hours and 15 minutes", "2.25 hours"),
    ("two years and six months", "30 months"),
    ("2 weeks and 3 days", "17 days"),
    ("1 m 75 cm", "1.75 m"),
    ("3 kg 450 g", "3,450 g"),
    ("one and a half times", "1.5 times"),
    ("by midnight", "12 am"),
    ("until noon", "12:00"),
    ("once a fortnight", "every second Friday"),
    ("twice a year", "every six months"),
    ("3 times daily", "every eight hours"),
    ("once in two days", "every other day"),
    ("every half hour", "every 30 minutes"),
    ("twenty-five to nine", "8:35"),
    ("ten past three", "15:10"),
    ("the first of May", "1 May"),
    ("three quarters of an hour", "45 minutes"),
    ("half a kilo", "500 g"),
    ("half a dozen", "6"),
    ("two hours and a half", "150 minutes"),
    ("four dollars fifty", "$4.50"),
    ("fifty pence", "£0.50"),
    ("20 cents", "€0.20"),
    ("just under 500", "495"),
    ("forty dollars or so", "$39.99"),
    ("at 9.30", "9:30"),
    ("at 9.30", "9.30 pm"),
    ("half past nine", "9.30 pm"),
    ("quarter past five", "17.15"),
    ("a 2/3 majority", "a two-thirds majority"),
    ("three quarters of the members", "3/4 of the members"),
    ("until 15/11", "15 November"),
    ("until 11/15", "15 November 2025"),
    ("until 1/3", "1 March"),
    ("on 15 November", "until 15/11"),
    ("at half twelve", "12.30 p.m."),
    ("until half 7", "7:30 pm"),
    ("120 calories a tablespoon", "120 calories per tablespoon"),
    ("quarter to six", "17:45"),
    ("0.35 kg", "350 g"),
    ("1,500 kg", "1.5 t"),
    ("a 10t lorry", "10 tonnes"),
    ("1.5 km", "1 500 metres"),
    ("25 m²", "25 square metres"),
    ("twenty-five people", "25 people"),
    ("two hundred and fifty", "250"),
    ("3rd year", "third year"),
    ("10 to 15 days", "10-15 days"),
    ("at least 18", "18 or over"),
    ("no more than 40 hours", "a maximum of 40 hours"),
    ("01 807 5000", "01-807 5000"),
    ("+44 1632 960 417", "01632 960 417"),
    ("+44 (0)1632 960417", "01632 960 417"),
    ("+44 1632 960 417", "+44 1632 960417"),
    ("01632 960 417", "+44 1632 960 417"),
    ("+353 (0)1 234 5678", "+353 1 2345678"),
    ("021 650 9111", "+27 21 650 9111"),
    ("form P45", "form p45"),
    ("March 2025", "12 March 2025"),
    ("by the end of March", "late March"),
    ("the start of May 2025", "in early May 2025"),
    ("the middle of May", "mid-May"),
    ("in March", "late March"),
    ("They end June", "early June"),
    ("in late March", "early to mid-March"),
    ("2025", "12 March 2025"),
    ("€400", "€400 per week"),
    ("about 350 000 people", "347 000 people"),
    ("more than 500 people", "520 people"),
]


@pytest.mark.parametrize(
    "text",
    ["half one and half the other", "reduced by half five years ago", "by half, ten times", "about half six feet"],
)
def test_a_half_before_another_number_is_no_time(text: str) -> None:
    assert not [value for value in extract(text) if value.kind == "time"]


def test_noon_behind_a_weekday_is_a_time() -> None:
    assert [value.kind for value in extract("By Wednesday noon.")] == ["weekday", "time"]
    assert extract("A midday snack.") == []


DIFFERENT = [
    ("two and a half weeks", "two weeks", Comparison.DIFFERENT),
    ("half past nine", "9 pm", Comparison.DIFFERENT),
    ("half past four", "17.30", Comparison.DIFFERENT),
    ("at half eleven", "12.30 p.m.", Comparison.DIFFERENT),
    ("at half twelve", "11.30 a.m.", Comparison.DIFFERENT),
    ("2 hours 15 minutes", "2 hours", Comparison.DIFFERENT),
    ("4 years and 3 months", "4 years", Comparison.DIFFERENT),
    ("3 kg 450 g", "3 kg 540 g", Comparison.DIFFERENT),
    ("9:30", "21:30", Comparison.DIFFERENT),
    ("by midnight", "by noon", Comparison.DIFFERENT),
    ("R350 000", "R35 000", Comparison.DIFFERENT),
    ("R350", "€350", Comparison.CURRENCY),
    ("R350k", "R350m", Comparison.SCALE),
    ("R350", "R350 thousand", Comparison.SCALE),
    ("R500 per month", "R500 per week", Comparison.PERIOD),
    ("R500 per month", "R500", Comparison.PERIOD),
    ("12 %", "12 percentage points", Comparison.UNIT),
    ("350 kg", "350 g", Comparison.UNIT),
    ("1,400 kg", "1.5 t", Comparison.DIFFERENT),
    ("2 tonnes", "2 t-shirts", Comparison.UNIT),
    ("2 tonnes", "2 T-shirts", Comparison.UNIT),
    ("12 weeks", "12 months", Comparison.UNIT),
    ("5 working days", "5 days", Comparison.UNIT),
    ("at least 18", "at most 18", Comparison.COMPARATOR),
    ("up to €400", "€400", Comparison.COMPARATOR),
    ("more than 500", "less than 500", Comparison.COMPARATOR),
    ("12 March 2025", "13 March 2025", Comparison.DIFFERENT),
    ("12 March 2025", "March 2025", Comparison.DIFFERENT),
    ("the end of March", "early March", Comparison.DIFFERENT),
    ("the end of March", "late April", Comparison.DIFFERENT),
    ("the end of March 2025", "late March 2024", Comparison.DIFFERENT),
    ("9am", "9pm", Comparison.DIFFERENT),
    ("a 3/4 majority", "a two-thirds majority", Comparison.DIFFERENT),
    ("a 2/3 majority", "67 % of the members", Comparison.DIFFERENT),
    ("until 15/12", "15 November", Comparison.DIFFERENT),
    ("until 1/3", "3 January", Comparison.DIFFERENT),
    ("1/3 of the members", "1 March", Comparison.DIFFERENT),
    ("on 1 March", "until 1/3", Comparison.DIFFERENT),
    ("open 24/7", "24 July", Comparison.DIFFERENT),
    ("350 000 people", "347 000 people", Comparison.DIFFERENT),
    ("about 350 000 people", "300 000 people", Comparison.DIFFERENT),
    ("+44 1632 960 418", "01632 960 417", Comparison.DIFFERENT),
    ("+353 1632 960 417", "01632 960 417", Comparison.DIFFERENT),
    ("+353 1632 960 417", "+44 1632 960 417", Comparison.DIFFERENT),
    ("+44 21 650 9111", "021 650 9111", Comparison.DIFFERENT),
    ("form P45", "form P60", Comparison.DIFFERENT),
    ("third year", "3 years", Comparison.DIFFERENT),
    ("on Monday", "on Tuesday", Comparison.DIFFERENT),
    ("15-20 days", "15-25 days", Comparison.DIFFERENT),
    ("four to five hours", "4-6 hours", Comparison.DIFFERENT),
    ("64 °C", "165 °F", Comparison.DIFFERENT),
    ("74 °C", "74 °F", Comparison.UNIT),
    ("more than 500 people", "480 people", Comparison.DIFFERENT),
]


@pytest.mark.parametrize(("one", "two"), SAME)
def test_one_value_in_two_forms_is_the_same(one: str, two: str) -> None:
    assert compare(only(one), only(two)) is Comparison.SAME


@pytest.mark.parametrize(("claim", "source", "why"), DIFFERENT)
def test_what_differs_is_named(claim: str, source: str, why: Comparison) -> None:
    assert compare(only(claim), only(source)) is why
    assert not equal(only(claim), only(source))


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("The fee is R350 000 per year, due on 1 May 2025.", ["money", "date"]),
        ("Visit https://example.org/2024/35 or [the page](/en/2024/).", []),
        ("You may apply first; no one is second to none, one of them.", []),
        ("See [S2] and [3].", []),
        ("COVID-19 rules apply to NQF4 and P45 forms.", ["token", "token", "token"]),
        ("Open 9am to 5pm on Monday.", ["time", "time", "weekday"]),
        ('"Monday": "16:0-21:30", "Sunday": "9:30-8:0"', ["weekday", "time", "time", "weekday", "time", "time"]),
        ("They won 4:3.", ["number", "number"]),
        ("Open Jun-Sep, closed Dec–Mar; go/may, two to one.", ["date", "date", "date", "date", "number"]),
        ("From 2019 to 2023 it grew 4 %.", ["count", "percent"]),
        ("", []),
    ],
)
def test_kinds_are_told_apart(text: str, kinds: list[str]) -> None:
    assert [value.kind for value in extract(text)] == kinds


def test_two_days_with_slashes_make_a_range() -> None:
    days = [(None, 11, 15), (None, 3, 1)]
    assert [value.when for value in extract("Closed 15/11–1/3.")] == days
    assert [value.when for value in extract("Closed from 15/11 to 1/3.")] == days
    assert [value.when for value in extract("It is 1/3–2/3 full.")] == [(None, None, None)] * 2


@pytest.mark.parametrize(
    "text", ["+12 500 000 people", "+5 %", "a gain of +1,250.50", "10+5 hours", "+20 30 40", "10+441632960417"]
)
def test_a_plus_before_an_amount_makes_no_telephone_number(text: str) -> None:
    assert "token" not in [value.kind for value in extract(text)]


def test_every_span_is_the_exact_slice() -> None:
    text = "At least 12 people paid €1,200.50 p.m. from 3 June 2024, about 5 % more."
    for value in extract(text):
        assert text[value.start : value.end] == value.text


def test_comparators_and_periods_are_read_on_both_sides() -> None:
    value = only("not less than €20 per week")
    assert (value.comparator, value.period, value.unit) == ("at_least", "week", "EUR")
    assert only("aged 66 and over").comparator == "at_least"


def test_a_sum_of_two_cited_parts_is_derived() -> None:
    parts = extract("Tuition is R30 000. Residence is R20 000. Books are $50 000.")
    found = follows(only("R50 000"), parts, frozenset({"together"}))
    assert [part.text for part in found] == ["R30 000", "R20 000"]


def test_a_sum_over_two_currencies_is_not_derived() -> None:
    assert follows(only("R80"), extract("It costs R30 and $50."), frozenset({"together"})) == ()


@given(st.text(max_size=300))
def test_any_text_gives_ordered_disjoint_exact_spans(text: str) -> None:
    end = 0
    for value in extract(text):
        assert value.start >= end
        assert text[value.start : value.end] == value.text
        end = value.end


@given(st.integers(min_value=1, max_value=9_999_999))
def test_grouping_never_changes_a_number(number: int) -> None:
    spaced = f"{number:,}".replace(",", " ")
    assert equal(only(f"R{number}"), only(f"R{number:,}"))
    assert equal(only(f"R{spaced}"), only(f"R{number:,}"))


@pytest.mark.parametrize(
    ("target", "parts", "own", "reached"),
    [
        ("€46.80", "€28.80 and €18", "", True),
        ("R1 081", "R3 900, R1 319 and R1 500", "", True),
        ("€330", "€110 a night", "3", True),
        ("€28.80", "€36 less 20 %", "", True),
        ("95 %", "2,740 of 2,900", "", True),
        ("€47", "€28.80 and €18", "", False),
        ("€46.80", "$28.80 and $18", "", False),
        ("12 to 14", "6 and 8", "", False),
        ("3 May 2024", "1 May 2024 and 2", "", False),
        ("47 years", "from 1903 to 1950", "", True),
        ("30 years", "from 1903 to 1950", "", False),
        ("three months", "begun on 2 March 2020, flooded on 4 June 2020", "", True),
        ("seventeen days", "fell ill on 3 May 2020 and rose on 20 May 2020", "", True),
        ("four days", "fell ill on 3 May 2020 and rose on 20 May 2020", "", False),
        ("40 minutes", "from 13:20 to 14:00", "", True),
        ("40 minutes", "13.20 to 14.30", "", False),
        ("35 %", "the fund bears 65 %", "", True),
        ("45 %", "the fund bears 65 %", "", False),
        ("€44.50", "€89", "", True),
        ("310 in all", "£75", "£235", True),
        ("320 in all", "£75", "£235", False),
        ("310 in all", "75 km", "£235", False),
        ("five months", "from 30 September to 28 February", "", True),
        ("three months", "from 30 September to 28 February", "", False),
        ("1952 to 1955", "founded in 1952, sold in 1955", "", True),
        ("1952 to 1958", "founded in 1952, sold in 1955", "", False),
    ],
)
def test_what_may_have_been_worked_out(target: str, parts: str, own: str, reached: bool) -> None:
    assert may_follow(only(target), extract(parts), extract(own)) is reached


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("open until 8 o'clock", [480]),
        ("by 8 o'clock in the evening", [1200]),
        ("nothing to eat after 4 in the morning", [240]),
        ("from 3 to 4 in the afternoon", [900, 960]),
        ("from 11 to 2 in the afternoon", [660, 840]),
        ("between 8 and 11 in the morning", [480, 660]),
        ("until 1 at night", [60]),
        ("take 1 in the morning and 2 at night", []),
        ("from 3 to 4 in total", []),
        ("room 8 in the morning", []),
        ("between eleven at night and six in the morning", [1380, 360]),
        ("close at six in the evening", [1080]),
        ("take one in the morning and two at night", []),
        ("a vote of 9 to 5", []),
        ("one tablet at lunch and two at night", []),
        ("The fare changed from R12 to R8", []),
    ],
)
def test_an_hour_by_its_part_of_the_day_is_a_time(text: str, minutes: list[int]) -> None:
    assert [value.low for value in extract(text) if value.kind == "time"] == minutes


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("open 10-12:30", [600, 750]),
        ("from 10 to 13:30", [600, 810]),
        ("between 9 and 12:30", [540, 750]),
        ("open 10-12.30 pm", [600, 750]),
        ("1–2.30pm", [780, 870]),
        ("from 10 to 2 a.m.", [1320, 120]),
        ("at 5 to 10 pm", []),
        ("from half one to half five, daily", [90, 330]),
        ("they won 3-2:1", []),
        ("it costs £5 to 10 pm", []),
        ("rooms 6 and 7:30", [450]),
    ],
)
def test_an_hour_that_begins_a_range_of_times_is_a_time(text: str, minutes: list[int]) -> None:
    assert [value.low for value in extract(text) if value.kind == "time"] == minutes


@pytest.mark.parametrize("source", ["08:00", "20:00"])
def test_o_clock_leaves_open_which_half_of_the_day(source: str) -> None:
    assert equal(only("8 o'clock"), only(source))
    assert not equal(only("8 o'clock"), only("09:00"))
    assert equal(only("8 o'clock in the evening"), only(source)) is (source == "20:00")


@pytest.mark.parametrize(
    ("text", "comparator"),
    [
        ("it cannot be higher than R500", "at_most"),
        ("you don't pay more than R500", "at_most"),
        ("it is never less than R500", "at_least"),
        ("if you do not come, more than R500 is due", "more_than"),
        ("it adds up to R500", ""),
        ("which comes up to R500", ""),
        ("you get up to R500", "at_most"),
    ],
)
def test_what_a_bound_says_depends_on_the_words_before_it(text: str, comparator: str) -> None:
    assert only(text).comparator == comparator


DERIVED_IN_TIME = [
    ("R54,000 a year", "R4,500 a month", True),
    ("R50,000 a year", "R4,500 a month", False),
    ("R216,000 to R336,000 a year", "R18,000 to R28,000 a month", True),
    ("R216,000 to R300,000 a year", "R18,000 to R28,000 a month", False),
    ("R1,000 a month", "R12,000 a year", True),
    ("two weeks", "10 working days", True),
    ("three weeks", "10 working days", False),
    ("four weeks", "20 business days", True),
]


@pytest.mark.parametrize(("target", "part", "derived"), DERIVED_IN_TIME)
def test_an_amount_for_one_time_gives_that_for_another(target: str, part: str, derived: bool) -> None:
    assert bool(follows(only(target), [only(part)], frozenset())) is derived


def test_what_is_due_for_ten_months_is_not_due_for_a_year() -> None:
    parts = extract("R3,500 a month for ten months")
    assert not follows(only("R42,000 a year"), parts, frozenset())
    assert follows(only("R35,000 a year"), parts, frozenset({"year"}))


@pytest.mark.parametrize(
    ("target", "start", "length", "lies"),
    [
        ("7 June", "31 May", "seven days", True),
        ("8 June", "31 May", "seven days", False),
        ("17 February", "3 March 2025", "two weeks", True),
        ("17 February 2024", "3 March 2025", "two weeks", False),
        ("10 June", "10 April", "two months", True),
        ("28 February", "31 January 2025", "one month", True),
        ("January", "in July", "six months", True),
        ("October", "3 June", "four months", True),
        ("December", "in July", "six months", False),
        ("January", "in July", "six weeks", False),
        ("January 2026", "July 2025", "six months", True),
        ("January 2025", "July 2025", "seven months", False),
        ("4 in the morning", "10:00", "six hours", True),
        ("5 in the morning", "10:00", "six hours", False),
        ("at 8 o'clock", "09:30", "90 minutes", True),
        ("9 pm", "07:00", "10 to 12 hours", True),
        ("11 pm", "07:00", "10 to 12 hours", False),
    ],
)
def test_a_date_or_time_lies_so_long_before_or_after_another(target: str, start: str, length: str, lies: bool) -> None:
    given = only(f"until {target}")
    assert bool(lies_off(given, [only(start)], [only(length)])) is lies


@pytest.mark.parametrize("length", ["30000 months", "3000 years"])
def test_a_date_before_all_years_is_none(length: str) -> None:
    assert lies_off(only("5 June 2024"), [only("1 March 1990")], [only(length)]) is None


@pytest.mark.parametrize(
    "text",
    ["boards of 1 m and 75 cm", "1 hour 90 minutes", "2 hours, 35 minutes of it"],
)
def test_two_quantities_beside_each_other_stay_two(text: str) -> None:
    assert len(extract(text)) == 2


@pytest.mark.parametrize(
    ("hours", "times", "lie"),
    [
        ("eight hours", "I work from 9 to 5", True),
        ("nine hours", "I work from 9 to 5", False),
        ("seven hours", "I finished at 11 pm and started at 6 am", True),
        ("six hours", "I finished at 11 pm and started at 6 am", False),
    ],
)
def test_hours_lie_between_times_also_over_noon_and_midnight(hours: str, times: str, lie: bool) -> None:
    assert may_follow(only(hours), extract(times), ()) is lie


@pytest.mark.parametrize(
    ("line", "times"),
    [
        ("- Wednesday: 10.00 to 18.30", [600, 1110]),
        ("| Saturday | 8.00–17.00 | 10.00–16.30 |", [480, 1020, 600, 990]),
        ("We are open from 9.00 to 5.30", [540, 1050]),
    ],
)
def test_hours_with_full_stops_are_times(line: str, times: list[float]) -> None:
    assert [value.low for value in extract(line) if value.kind == "time"] == times


@pytest.mark.parametrize("text", ["It costs £9.00 to 17.30 a day", "boards of 2.10 to 2.40 m", "daily 9.12 to 9.57"])
def test_other_figures_with_full_stops_are_none(text: str) -> None:
    assert not [value for value in extract(text) if value.kind == "time"]


@pytest.mark.parametrize(
    ("said", "alike"),
    [("half past six in the evening", True), ("half past six", True), ("6.30 pm", True), ("half past five", False)],
)
def test_an_hour_in_words_agrees_with_hours_of_a_day(said: str, alike: bool) -> None:
    hours = [value for value in extract("Wednesday: 10.00 to 18.30") if value.kind == "time"]
    assert any(equal(only(f"until {said}"), one) for one in hours) is alike


def test_pence_have_decimals() -> None:
    assert equal(only("14p"), only("14.0p"))
    assert not equal(only("14p"), only("14.5p"))


def test_the_commas_of_a_record_belong_to_no_number() -> None:
    found = extract("id,title,price,stock,year\n401,The Orchard,22.00,7,2023")
    assert [value.low for value in found] == [401, 22, 7, 2023]
    assert [value.low for value in extract("Of 1,234,567 people 2,5 % came")] == [1234567, 2.5]
    assert [value.low for value in extract('"12,5",a,b,c')] == [12.5]


def test_an_amount_until_a_date_is_no_range() -> None:
    assert [value.text for value in extract("It costs R250 until 30 September or so")] == ["R250", "30 September"]
    assert [value.high for value in extract("It costs R250 to R300, R15-20 in May.")][:1] == [300]


@pytest.mark.parametrize(
    ("claim", "source", "how"),
    [
        ("24 plasma donations a year", "at most 24 times a year", Comparison.COMPARATOR),
        ("no more than 24 donations a year", "at most 24 times a year", Comparison.SAME),
        ("six donations", "six times in twelve months", Comparison.SAME),
        ("at most twice a week", "at most two lessons a week", Comparison.SAME),
        ("at least 24 donations a year", "at most 24 times a year", Comparison.COMPARATOR),
        ("24 donations a month", "24 times a year", Comparison.PERIOD),
        ("24 times a month", "24 donations a year", Comparison.PERIOD),
        ("20 donations a year", "24 times a year", Comparison.DIFFERENT),
        ("two people", "twice a year", Comparison.SAME),
    ],
)
def test_so_many_things_a_period_are_compared_with_so_many_times(claim: str, source: str, how: Comparison) -> None:
    assert compare(only(claim), only(source)) is how


@pytest.mark.parametrize(("text", "period"), [("two buses an hour", "hour"), ("24 visits a year later", "")])
def test_a_count_has_the_period_behind_its_thing(text: str, period: str) -> None:
    assert only(text).period == period


def test_a_rhythm_keeps_its_weekday() -> None:
    tuesday, wednesday = only("every second Tuesday"), only("every other Wednesday")
    assert compare(wednesday, tuesday) is Comparison.DIFFERENT
    assert equal(only("every other Tuesday"), tuesday)
    assert equal(only("once a fortnight"), tuesday)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("at least a week ahead", "at least 7 days"),
        ("within an hour.", "within 60 minutes"),
        ("over a year", "more than 12 months"),
        ("lasts an hour and 20 minutes", "80 minutes"),
    ],
)
def test_an_article_before_a_period_is_one(text: str, same: str) -> None:
    assert equal(only(text), only(same))


@pytest.mark.parametrize("text", ["a week", "in a day out", "takes a day trip", "a year ago", "about a week longer"])
def test_what_may_be_due_each_week_or_says_how_much_later_is_no_duration(text: str) -> None:
    assert extract(text) == []


@pytest.mark.parametrize(
    ("text", "unit"), [("£5 a week", "GBP"), ("twice a year", "month"), ("after an hour and a half", "day")]
)
def test_a_rate_and_a_part_stay_one_value(text: str, unit: str) -> None:
    assert only(text).unit == unit
    assert only(text).raw != 1.0


def test_grams_in_a_decilitre_are_ten_times_as_many_in_a_litre() -> None:
    assert equal(only("13.5 g/dl"), only("135 g/l"))
