"""What a reader of a Markdown page sees."""

from __future__ import annotations

import pytest

from surefoot.core.plain import plain


@pytest.mark.parametrize(
    ("given", "seen"),
    [
        ("Ask [the office](https://a.org/b) today.", "Ask the office today."),
        ("Use the [ form\n](https://a.org/b-\nc/) . You must", "Use the form. You must"),
        ('[A](/en/x) and [B](#b "a title")', "A and B"),
        ("[Law](https://a.org/Act_(2014)) holds.", "Law holds."),
        ("![Not](no.png) for children.", "Not for children."),
        ("[![logo](l.png) Home](https://a.org)", "logo Home"),
        ("Empty [here]() too. ![](x.png)", "Empty here too. "),
        ("You do **not** have to, _ever_ .", "You do not have to, ever ."),
        ("**If it swells, ring the ward at once.** Do not wait.", "If it swells, ring the ward at once. Do not wait."),
        ("> **Warning:** stop.\n> > Now.", "**Warning:** stop.\nNow."),
        ("- **Hobley Lane:** 48 plots\n2. **Sign.** Then go.", "- Hobley Lane: 48 plots\n2. Sign. Then go."),
    ],
)
def test_marks_are_not_seen(given: str, seen: str) -> None:
    assert plain(given).text == seen


@pytest.mark.parametrize(
    "text",
    [
        "The fee is R5 [S1] (a day).",
        "The dose is 5[1](#fn1) mg, under section 12[3](a); 5 [2](#fn2) times.",
        "Fees:\n\n> 65 years: free",
        "Call `rows[0](event)` twice.",
        "```\nrows[0](event)\n```\n",
        "It costs [see note] £5.",
        "A task list:\n- [ ] open\n- [x] done",
        "**Opening hours**\n\n**Fees.** The fee is R5.\n\n* one\n* two",
        "The sum is 3 * 4 * 5 and file_name_here or a*b*c; 5 > 4",
        "| **Day** | Hours |\n|---|---|",
    ],
)
def test_what_is_no_mark_stays(text: str) -> None:
    assert plain(text).text == text


def test_whole_addresses_are_kept_with_their_place() -> None:
    found = plain("Ask [us](mailto:a@b.org) or [read](/local) or [see](https://a.org/\nb).")
    assert [(found.text[:at], url) for at, url in found.links] == [
        ("Ask us", "mailto:a@b.org"),
        ("Ask us or read or see", "https://a.org/b"),
    ]


def test_places_are_found_again() -> None:
    given = "One [two](https://a.org/2) three [four](https://a.org/4) five.\nSix"
    found = plain(given)
    for word in ("One", "two", "three", "five", "Six"):
        if word != "two":
            assert found.at(given.index(word)) == found.text.index(word)
    assert found.at(len(given)) == len(found.text)


ODD = ("[a](" + " " * 50_000, "[" * 50_000, "[a](" * 20_000, "[a](b " * 20_000, "`" * 50_000, "![" * 30_000)


@pytest.mark.parametrize("text", ODD)
def test_odd_text_without_a_link_stays_as_it_is(text: str) -> None:
    assert plain(text).text == text
