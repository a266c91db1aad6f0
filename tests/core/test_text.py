from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.core.text import begins_inside, blank_markers, markers, row_end, sentences, squash, without_markers


def texts(text: str) -> list[str]:
    return [sentence.text for sentence in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dr. Smith pays R1.5 million. He left.", ["Dr. Smith pays R1.5 million.", "He left."]),
        ("See e.g. rule 5. Then stop.", ["See e.g. rule 5.", "Then stop."]),
        ("It costs R50. [S2][S3] It opens.", ["It costs R50. [S2][S3]", "It opens."]),
        ("It costs R50 [S2]. It opens.", ["It costs R50 [S2].", "It opens."]),
        ("Open at 8 a.m. The next day too.", ["Open at 8 a.m.", "The next day too."]),
        ("J. R. wrote it. Fine.", ["J. R. wrote it.", "Fine."]),
        ("Is it so? Yes! Good…", ["Is it so?", "Yes!", "Good…"]),
        ("Read https://x.org/a.b?c=d. Then go.", ["Read https://x.org/a.b?c=d.", "Then go."]),
        ('He said "Go." Then he left.', ['He said "Go."', "Then he left."]),
        ("The fee is R3.50 per day.", ["The fee is R3.50 per day."]),
        (
            "It is so. 10. The end came in 2006. No. It did not.",
            ["It is so.", "10. The end came in 2006.", "No.", "It did not."],
        ),
        ("It is free.<br>Dogs stay.<BR /> It is so<br>here.", ["It is free.", "Dogs stay.", "It is so<br>here."]),
        ("", []),
        ("   \n ", []),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


ENDINGS = st.sampled_from("fee Dr No 2006 R50 U.S a.m [S1] (see) x A it's max 3.5 10 é approx".split())


@given(st.lists(st.tuples(st.sampled_from("The it 5 Zoo [S2] Élan".split()), ENDINGS), min_size=1, max_size=6))
def test_a_text_of_plain_sentences_is_cut_as_among_others(parts: list[tuple[str, str]]) -> None:
    text = " ".join([*(f"{first} cat {last}." for first, last in parts), "So it ends."])
    assert texts(f"{text} Why?") == [*texts(text), "Why?"]


def test_headings_items_and_rows_are_sentences_of_their_own() -> None:
    cut = sentences("# Fees\nOne line\ngoes on. Next.\n- first item\n1. second item\n| a | b |\n")
    assert [(s.kind, s.text) for s in cut] == [
        ("heading", "# Fees"),
        ("prose", "One line\ngoes on."),
        ("prose", "Next."),
        ("item", "first item"),
        ("item", "second item"),
        ("row", "| a | b |"),
    ]


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("Hours\nSaturday: 10 to 12\nSunday: closed\nNo entry in May", 4),
        ("Phone: 0123 456\nDeposit: £50", 2),
        ("**Cost:** £9\n**Time:** 3 days", 2),
        ("One thing: it is late\nand it rains.", 1),
        ("It says: Sunday: closed,\nMonday: open", 1),
    ],
)
def test_lines_of_a_label_and_what_it_says_stand_by_themselves(text: str, cut: int) -> None:
    assert len(texts(text)) == cut


def test_a_number_that_does_not_count_on_is_no_bullet() -> None:
    assert texts("1. one\n2. two\n900. rand\n(500) rand a month") == ["one", "two\n900. rand\n(500) rand a month"]


@given(st.text(alphabet=st.sampled_from("aB1 .!?\n[]S-#|:\"'é€")))
def test_every_sentence_is_the_slice_its_offsets_name(text: str) -> None:
    cut = sentences(text)
    assert all(text[s.start : s.end] == s.text and s.text.strip() for s in cut)
    assert all(a.end <= b.start for a, b in pairwise(cut))


@given(st.text(alphabet=st.sampled_from("aB1 .!?\n[]S-#|")))
def test_no_letter_or_digit_falls_between_sentences_but_an_items_number(text: str) -> None:
    inside = sum(len([c for c in s.text if c.isalpha()]) for s in sentences(text))
    bullets = sum(1 for c in text if c.isalpha()) - inside
    assert bullets <= text.count("\n") + 1


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("A [S1].", ["S1"]),
        ("A [S1, S2] and [3].", ["S1", "S2", "3"]),
        ("A [1](http://x.org) b", []),
        ("A [sic] [note] [Source]", []),
        ("A [kb-7]", ["kb-7"]),
    ],
)
def test_markers_are_found_and_links_are_not(text: str, targets: list[str]) -> None:
    assert [marker.target for marker in markers(text, {"kb-7"})] == targets


def test_markers_can_be_taken_out_or_blanked_without_moving_the_rest() -> None:
    text = "It costs R50 [S2][S3]. Next [1]."
    assert without_markers(text) == "It costs R50. Next."
    assert len(blank_markers(text)) == len(text)


@pytest.mark.parametrize(
    ("row", "upto"),
    [
        ("| Half | £46 |", "| Half | £46"),
        ("|Half|£46|  ", "|Half|£46"),
        ("| Half |  |", "| Half |"),
        ("| Half | £46", "| Half | £46"),
        (r"| Half | a \|", r"| Half | a \|"),
    ],
)
def test_the_last_cell_of_a_row_ends_before_the_pipe_that_closes_it(row: str, upto: str) -> None:
    assert row[: row_end(row)] == upto


LIST = "Bring:\n- your licence\n- glasses, if the licence says so\n"


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        (f"{LIST}If you fail, come again in a month. It is £9.", ["If you fail, come again in a month.", "It is £9."]),
        (
            f"{LIST}If you fail, you may come again, and that\nis £9.",
            ["If you fail, you may come again, and that\nis £9."],
        ),
        (
            f"{LIST}Please also bring a photo and together with it:\n- a pen",
            ["Please also bring a photo and together with it:"],
        ),
        ("- Paint is free.\nVans pay five dollars more", ["Vans pay five dollars more"]),
        ("1. Reservations\nReservations are free of charge.", ["Reservations are free of charge."]),
        (
            "1. Loans\nBooks are lent for a month.\nFilms for a week.",
            ["Books are lent for a month.", "Films for a week."],
        ),
        ("* Soup is on Mondays\nBread is free. Warm wishes", ["Bread is free.", "Warm wishes"]),
        ("1. Notice\n1.1 A learner hands in form W2.", ["1.1 A learner hands in form W2."]),
    ],
)
def test_a_paragraph_right_under_a_list_is_none_of_its_items(text: str, cut: list[str]) -> None:
    assert [one.text for one in sentences(text) if one.kind == "prose" and one.text != "Bring:"] == cut


@pytest.mark.parametrize(
    "text",
    [
        f"{LIST}  If you fail, come again.",
        f"{LIST}and your pass.",
        "- Ask for the form at any of the offices of the\nRevenue in time.",
        "- Ask at the office of the Chief\nInspector in Hill Street,\nLeeds.",
        "- **Cost:**\nThe car costs £9.",
        "- The basic sum is:\n£10 and £15.",
        "- Over 65?\nYou travel free.",
        "- It comes to about\n900 rand a month.",
        "- The office, [ Carer's\nBenefit](/a) pays, in a long line of its own.",
        "- Anna Berg\nHill Street 4",
        "- Ask for Dr. Ann Berg at the office of the\nRevenue. Bring a pen. Thank you",
    ],
)
def test_a_line_that_goes_on_or_stands_further_in_belongs_to_its_item(text: str) -> None:
    assert {one.kind for one in sentences(text) if one.text != "Bring:"} == {"item"}


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("Ticket | Adult\n--- | ---\nDay | £9\nWeek | £30\nDogs pay nothing.", 4),
        ("Age  |  Rate   \n---|---  \nUnder 12  |  €350   \n", 3),
        ("Prices\nTicket | Adult\nDay | £9\nWeek | £30\nDogs pay nothing.", 3),
        ("Ticket | Adult | Child\n|---|:-:|--:|\nDay | £9 |", 3),
        ("English | Deutsch\n\nA page.", 0),
        ("Home | Fees\nContact | Press\nIt opens at nine.", 0),
        ("a | b\nc | d | e\nf | g", 0),
        ("- Ann | Leeds\n- Bob | York\n- Cy | Hull", 0),
        ("if a|b\nor c|d\nor e|f", 0),
        ("Fees | Dues\n-----\nA swim costs £3.", 1),
    ],
)
def test_rows_of_a_table_need_no_bars_around_them(text: str, rows: int) -> None:
    found = sentences(text)
    assert [one.kind for one in found].count("row") == rows
    assert all(text[one.start : one.end] == one.text for one in found)


def test_what_stands_right_under_a_table_is_no_row() -> None:
    text = "Ticket | Adult\n--- | ---\nDay | £9\nDogs pay nothing. Cats pay £1."
    assert texts(text)[-2:] == ["Dogs pay nothing.", "Cats pay £1."]


def test_squash_makes_case_accents_quotes_and_spaces_equal() -> None:
    assert squash("Café  “NOIR”\n–x") == squash('cafe "noir" -x')


def test_who_changes_a_list_of_sentences_changes_nobody_elses() -> None:
    text = "One card costs R120. Two cost R200."
    sentences(text).clear()
    assert [one.text for one in sentences(text)] == ["One card costs R120.", "Two cost R200."]


def test_no_at_the_start_is_a_verdict_and_before_a_figure_a_number() -> None:
    assert [one.text for one in sentences("No. Dogs may not ride. See No. 5.")] == [
        "No.",
        "Dogs may not ride.",
        "See No. 5.",
    ]
    assert [one.text for one in sentences("No. 5 is red.")] == ["No. 5 is red."]


def test_a_bold_question_on_its_own_line_is_a_heading_unless_it_is_a_condition() -> None:
    assert texts("**What does it cost?**\nA card costs R5.") == ["**What does it cost?**", "A card costs R5."]
    assert texts("**Can you lose the flat?**\nNot at once.") == ["**Can you lose the flat?**", "Not at once."]
    assert len(texts("**Over 65?**\nYou travel free.")) == 1


@pytest.mark.parametrize(
    ("text", "inside"), [("v1 is shut down.", False), ("iPhones too.", False), ("and so on.", True)]
)
def test_a_name_in_small_letters_begins_a_sentence(text: str, inside: bool) -> None:
    assert begins_inside(text) is inside


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("Dear Ms Kvist,\nHot water is an amber defect.", ["Dear Ms Kvist,", "Hot water is an amber defect."]),
        ("Good morning Anna\n£5 is the fee.", ["Good morning Anna", "£5 is the fee."]),
        ("Hi Sam!\nWhat it costs\nA card costs £5.", ["Hi Sam!", "What it costs", "A card costs £5."]),
        ("It opens at nine.\nFees\nA swim costs £3.", ["It opens at nine.", "Fees", "A swim costs £3."]),
        ("Fees\n----\nA swim costs £3.", ["Fees", "----", "A swim costs £3."]),
        # a line that goes on is none of these
        ("Dear customers must wait until\nMay or June.", None),
        ("The fee is payable to\nDr Hall at the desk by May.", None),
        ("The rules were agreed by all members of the club in\nMarch and hold.", None),
        ("Anna Berg\n12 Mill Lane\nLeeds", None),
        ("List | Arrive at\nThe first | 9 o'clock.", None),
    ],
)
def test_a_greeting_and_a_heading_end_with_their_line(text: str, cut: list[str] | None) -> None:
    assert [one.text for one in sentences(text)] == (cut or [text])
