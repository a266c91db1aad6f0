"""The source's own sentence in the place of a claim: about the same matter, whole, and never a scrap."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from surefoot.core.case import case_passage
from surefoot.core.types import Passage, Status
from surefoot.verify.ground.risk import GroundingCheck
from surefoot.verify.mend.mending import Mending
from surefoot.verify.mend.quotes import Quotation, Quoter, is_told
from surefoot.verify.read.submission import Submission

Submit = Callable[..., Submission]
LIBRARY = [
    Passage(id="fees", text="# Yearly card prices\n\nA yearly card costs R120. It is free for children under 12."),
    Passage(
        id="hours",
        text="| day | reading room |\n|---|---|\n| Monday | opens at nine |\n\nOpening hours: see above",
        metadata={"start": 900},
    ),
]


def quoted(submit: Submit, draft: str) -> list[str]:
    submission = submit(draft, LIBRARY)
    return [one.text for some in Quoter().choose(submission.claims, submission).values() for one in some]


def test_the_sentence_about_the_same_matter_is_chosen(submit: Submit) -> None:
    assert quoted(submit, "A yearly card is R500.") == ["A yearly card costs R120."]


def test_a_sentence_that_leans_takes_the_one_before_it_along(submit: Submit) -> None:
    assert quoted(submit, "Children under 12 are free.") == [
        "A yearly card costs R120. It is free for children under 12."
    ]


@pytest.mark.parametrize(("between", "quoted"), [(0, True), (2, True), (3, False)])
def test_sentences_that_lean_on_each_other_come_together_if_they_are_few(
    submit: Submit, between: int, quoted: bool
) -> None:
    leaning = ["It may be on paper.", "It comes by post.", "It bears a date."][:between]
    text = " ".join(["Workers get a payslip on payday.", *leaning, "It must show the pay before deductions."])
    submission = submit("Pay before deductions must be shown.", [Passage(id="one", text=text)])
    found = Quoter().choose(submission.claims, submission)
    assert [one.text for some in found.values() for one in some] == ([text] if quoted else [])


@pytest.mark.parametrize(
    ("first", "behind"),
    [
        ("The flyer promises that every room has a balcony.", "In fact only the front rooms have one."),
        ("Many owners believe that every cat needs milk.", "In reality, most cannot digest it."),
        ("Entry to the gardens is free of charge.", "However, visitors pay R20 on concert days."),
        ("Guides say that the bell was cast in Riga.", "This is wrong."),
        ("Small firms may use the simple account.", "Doctors and lawyers cannot use it."),
        ("Seven nights are charged as six nights.", "This does not apply to cabins in July."),
        ("Students get £2 off each single lesson.", "The discount does not apply to blocks."),
        ("The guarantee on pumps runs for seven years.", "It does not cover damage by frost."),
        ("Firms must register above sales of £60,000.", "For hotels and inns the limit is £40,000."),
        ("Street trading costs £34 a day.", "Exempt are newspapers and milk rounds."),
        ("Visits are by appointment on weekdays.", "The exception is the week before Halloween."),
        ("The relief is £40 for every household.", "Only residents over 60 can claim."),
    ],
)
def test_a_sentence_takes_the_one_behind_it_along_that_takes_it_back(submit: Submit, first: str, behind: str) -> None:
    for text, chosen in ((f"{first} {behind}", f"{first} {behind}"), (f"{first} Tea is served at four.", first)):
        submission = submit(first.replace(".", ", surely."), [Passage(id="one", text=text)])
        ((quote,),) = Quoter().choose(submission.claims, submission).values()
        assert quote.text == chosen


@pytest.mark.parametrize(
    "behind",
    [
        "Only when the lamp glows may salt be added.",
        "If you cannot make it, ring the desk.",
        "Do not send it by mail.",
        "For lunch there is soup with bread.",
        "The dog cannot swim.",
        "It opens at nine on Mondays.",
    ],
)
def test_a_sentence_that_bounds_nothing_does_not_come_along(submit: Submit, behind: str) -> None:
    first = "Small firms may use the simple account."
    submission = submit("Small firms may well use the simple account.", [Passage(id="one", text=f"{first} {behind}")])
    ((quote,),) = Quoter().choose(submission.claims, submission).values()
    assert quote.text == first


def test_an_exception_comes_with_what_it_is_from(submit: Submit) -> None:
    text = "Small firms may use the simple account. Doctors and lawyers cannot use it."
    submission = submit("Doctors and lawyers can surely use it.", [Passage(id="one", text=text)])
    ((quote,),) = Quoter().choose(submission.claims, submission).values()
    assert quote.text == text


@pytest.mark.parametrize("draft", ["On Monday the reading room opens at ten.", "Hours are long."])
def test_rows_and_scraps_are_never_quoted(submit: Submit, draft: str) -> None:
    assert quoted(submit, draft) == []


PRICES = "# Entry prices\n\nThe pool opens in May.\n\n- Adults: £12\n- **Late return of keys:** 30p a day"
LOANS = "# Loans\n\nMembers may borrow the following:\n\n- Books: 21 days\n- Board games: 3 days"
ROOMS = "# Clinics\n\n| Clinic | Days | Zone |\n|---|---|---|\n| Urology | Fri | Red |\n| Eyes | Mon | Blue |"


@pytest.mark.parametrize(
    ("draft", "source", "quote"),
    [
        ("Entry for adults is £15.", PRICES, "Entry prices – Adults: £12."),
        ("A late return of keys is 50p.", PRICES, "Entry prices – Late return of keys: 30p a day."),
        ("Members may borrow board games for ever.", LOANS, "Members may borrow the following – Board games: 3 days."),
        ("The urology clinic is in the blue zone.", ROOMS, "Clinics – Clinic: Urology; Days: Fri; Zone: Red."),
    ],
)
def test_labelled_items_and_rows_are_quoted_with_their_names_and_heading(
    submit: Submit, draft: str, source: str, quote: str
) -> None:
    submission = submit(draft, [Passage(id="one", text=source)])
    mended = Mending(quoter=Quoter()).mend(submission, (), submission.claims, submission.claims).text
    assert mended == quote
    (judged,) = GroundingCheck().run(submit(mended, [Passage(id="one", text=source)])).judgements
    assert (judged.status, judged.method) == (Status.PROVEN, "derived")
    assert source[slice(*judged.span or (0, 0))] in source


COURSES = (
    "| Course | Town | Deposit |\n|---|---|---|\n| N4 Welding | Leeds | £30 |\n| Baking | Leeds | £20 |\n"
    "| N4 Welding | Hull | £30 |"
)


@pytest.mark.parametrize(
    ("draft", "question", "rows"),
    [
        ("The deposit for baking is £30.", "", ["Course: Baking; Town: Leeds; Deposit: £20."]),
        ("We teach in Hull. The course deposit is £90.", "", ["Course: N4 Welding; Town: Hull; Deposit: £30."]),
        ("The course deposit is £90.", "What about baking?", ["Course: Baking; Town: Leeds; Deposit: £20."]),
        ("The course deposit is £90.", "And welding in Hull?", ["Course: N4 Welding; Town: Hull; Deposit: £30."]),
    ],
)
def test_of_a_tables_rows_the_one_is_quoted_that_the_claim_or_what_leads_to_it_names(
    submit: Submit, draft: str, question: str, rows: list[str]
) -> None:
    submission = submit(draft, [Passage(id="one", text=COURSES)], question=question)
    quotes = Quoter().choose(submission.claims[-1:], submission)
    assert [one.text for some in quotes.values() for one in some] == rows


def test_her_and_his_take_along_whose_they_are(submit: Submit) -> None:
    source = "Chloe Banerjee teaches automatic only. Her car has hand controls."
    submission = submit("She has a car without hand controls.", [Passage(id="one", text=source)])
    ((found,),) = Quoter().choose(submission.claims, submission).values()
    assert found.text == source


@pytest.mark.parametrize(
    "source",
    [
        PRICES.replace("Entry prices", "Common myths about entry prices"),
        PRICES.replace("Entry prices", "Former entry prices"),
        PRICES.replace("The pool opens in May.", "These entry prices are not true:"),
        PRICES.replace("- Adults", "- Wrong answer for adults, entry"),
        PRICES.replace("# Entry prices\n\n", ""),
        f"{PRICES}\n\nThe entry prices above for adults are no longer valid.",
    ],
)
def test_what_is_taken_back_is_not_quoted_and_its_sentence_not_proven(submit: Submit, source: str) -> None:
    passage = Passage(id="one", text=source)
    draft = "Entry for adults is £15."
    chosen = Quoter().choose(submit(draft, [passage]).claims, submit(draft, [passage]))
    assert not any("£12" in one.text for quotes in chosen.values() for one in quotes)
    for said in ("Entry prices – Adults: £12.", "Common myths about entry prices – Adults: £12."):
        (judged,) = GroundingCheck().run(submit(said, [passage])).judgements
        assert judged.status is not Status.PROVEN


def test_an_item_under_another_heading_is_not_proven(submit: Submit) -> None:
    passage = Passage(id="one", text="# Summer\n\n- Adults: £12\n\n# Winter\n\n- Adults: £9")
    for said, proven in (("Winter – Adults: £9.", True), ("Winter – Adults: £12.", False)):
        (judged,) = GroundingCheck().run(submit(said, [passage])).judgements
        assert (judged.status is Status.PROVEN) is proven


def test_what_no_source_speaks_of_has_no_quote(submit: Submit) -> None:
    assert quoted(submit, "Penguins guard the archive at night.") == []


def mended(submit: Submit, draft: str, *held_back: int) -> str:
    submission = submit(draft, LIBRARY)
    claims = [submission.claims[at] for at in held_back]
    return Mending(quoter=Quoter()).mend(submission, (), claims, claims).text


def test_the_quote_takes_the_claims_place_and_is_cited_where_the_draft_cites(submit: Submit) -> None:
    assert mended(submit, "A yearly card is R500.", 0) == "A yearly card costs R120."
    draft = "Hello! A yearly card is R500 [S1]."
    assert mended(submit, draft, 1) == "Hello! A yearly card costs R120 [S1]."


def test_a_copied_sentence_that_leans_gets_the_one_it_leans_on(submit: Submit) -> None:
    whole = "A yearly card costs R120. It is free for children under 12."
    assert mended(submit, "It is free for children under 12.", 0) == whole
    assert mended(submit, "A yearly card costs R120.", 0) == ""


def test_what_the_text_says_already_is_not_said_twice(submit: Submit) -> None:
    draft = "A yearly card costs R120. The yearly card costs little."
    submission = submit(draft, LIBRARY)
    held = [submission.claims[1]]
    done = Mending(quoter=Quoter()).mend(submission, (), held, held)
    assert done.text == "A yearly card costs R120."
    assert [(one.kind, one.before, one.after) for one in done.revisions] == [
        ("quote", "The yearly card costs little.", "A yearly card costs R120.")
    ]


def test_a_lead_in_whose_list_is_empty_goes_too(submit: Submit) -> None:
    draft = "A yearly card costs R120.\n\nYou also get:\n- a golden bicycle\n- a silver boat"
    assert mended(submit, draft, 2, 3) == "A yearly card costs R120."


def test_a_claim_of_two_facts_gets_a_sentence_for_each(submit: Submit) -> None:
    allotments = [
        Passage(id="rent", text="A full plot costs GBP 65 a year. Members vote in March."),
        Passage(id="water", text="Nobody pays extra for water from the taps."),
    ]
    submission = submit("A full plot costs GBP 80 a year, and extra for water.", allotments)
    mended = Mending(quoter=Quoter()).mend(submission, (), submission.claims, submission.claims).text
    assert mended == "A full plot costs GBP 65 a year. Nobody pays extra for water from the taps."
    submission = submit("A full plot costs GBP 80 a year.", allotments)
    mended = Mending(quoter=Quoter()).mend(submission, (), submission.claims, submission.claims).text
    assert mended == "A full plot costs GBP 65 a year."


class Matters:
    """Puts a text beside another by the matter it speaks of: a plot, water, or something else."""

    identity = "matters"
    dimension = 3

    def warm(self) -> None: ...

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        rows = [[float("plot" in text), float("tap" in text), 0.1] for text in texts]
        return [[one / sum(value * value for value in row) ** 0.5 for one in row] for row in rows]


@pytest.mark.parametrize(("said", "quotes"), [("from the taps", 2), ("for each month", 1)])
def test_the_second_sentence_is_about_the_claim_as_well(submit: Submit, said: str, quotes: int) -> None:
    allotments = [
        Passage(id="rent", text="A full plot costs GBP 65 a year."),
        Passage(id="other", text=f"Whoever leaves early pays back some money {said} in small amounts."),
    ]
    submission = submit(f"A full plot costs GBP 80 and you pay some money back {said}.", allotments)
    (found,) = Quoter(embedder=Matters()).choose(submission.claims, submission).values()
    assert len(found) == quotes


def test_a_claim_that_goes_does_not_take_its_sources_sentence_along(submit: Submit) -> None:
    assert mended(submit, "You are right: a yearly card costs R120.", 0) == "A yearly card costs R120."


def test_what_leans_on_a_claim_that_goes_is_said_with_what_its_source_says_before_it(submit: Submit) -> None:
    whole = "A yearly card costs R120. It is free for children under 12."
    assert mended(submit, "Zebras wear no gumboots. It is free for children under 12.", 0) == whole
    assert mended(submit, "Zebras wear no gumboots. They prefer sandals.", 0) == ""


def test_a_quote_that_is_held_back_itself_is_not_put_in_again(submit: Submit) -> None:
    assert mended(submit, "Hello! A yearly card costs R120.", 1) == "Hello!"


def test_a_sentence_quoted_right_before_is_not_said_again_for_the_one_that_leans_on_it(submit: Submit) -> None:
    draft = "A yearly card is R500. Children under 12 are free."
    assert mended(submit, draft, 0, 1) == "A yearly card costs R120. It is free for children under 12."
    apart = "A yearly card is R500. Hello! Children under 12 are free."
    assert mended(submit, apart, 0, 2).endswith("A yearly card costs R120. It is free for children under 12.")


ACCOUNT = (
    "I reported the mould on 3 November and nobody has come to look. My boss pays me 210 a week in cash. He told me "
    "twice to wait. My sister goes 'I never got the key'. I think they must pay me the whole rent back. My tooth "
    "hurts, is that his fault?"
)


def told_again(submit: Submit, draft: str) -> list[str]:
    submission = submit(draft, [*LIBRARY, case_passage(ACCOUNT)], case=ACCOUNT)
    return [one.text for some in Quoter().choose(submission.claims, submission).values() for one in some]


@pytest.mark.parametrize(
    ("draft", "told"),
    [
        (
            "You reported the mould on 3 December and nobody has come [case].",
            "You reported the mould on 3 November and nobody has come to look.",
        ),
        ("Your boss pays you 310 a week in cash [case].", "Your boss pays you 210 a week in cash."),
        (
            "He told you twice to wait for it [case].",
            "Your boss pays you 210 a week in cash. He told you twice to wait.",
        ),
    ],
)
def test_what_happened_is_told_again_in_the_accounts_words(submit: Submit, draft: str, told: str) -> None:
    assert told_again(submit, draft) == [told]


@pytest.mark.parametrize(
    "draft",
    [
        "You sent your boss a registered letter [case].",
        "Your sister never got the key [case].",
        "They pay you the whole rent back [case].",
        "Your tooth hurts because of him [case].",
        "A yearly card cost you R500 [case].",
    ],
)
def test_what_was_not_told_is_somebody_elses_word_or_the_law_is_not(submit: Submit, draft: str) -> None:
    assert told_again(submit, draft) == []


DEPOSITS = Passage(
    id="1",
    text="A landlord must pay a deposit back within five weeks. If he keeps any of it he must send a list with prices. "
    "Ordinary wear, such as faded paint, may not be taken off. Broken things may be. In winter it is forbidden to turn "
    "the heating off. Report a broken window. The caretaker must see to it within three days.",
)
MOVED = "I moved out on 6 February."


@pytest.mark.parametrize(
    ("draft", "told"),
    [
        (
            "He also owes you a list with prices if he keeps any [1].",
            "A landlord must pay a deposit back within five weeks. If he keeps any of it he must send a list with "
            "prices.",
        ),
        (
            "Things that are broken may be taken off [1].",
            "Ordinary wear, such as faded paint, may not be taken off. Broken things may be.",
        ),
        (
            "The caretaker must see to it within two days [1].",
            "Report a broken window. The caretaker must see to it within three days.",
        ),
        (
            "He turned off the heating in winter, which is forbidden [1].",
            "In winter it is forbidden to turn the heating off.",
        ),
    ],
)
def test_what_leaves_out_whom_it_speaks_of_is_quoted_with_the_sentence_that_names_it(
    submit: Submit, draft: str, told: str
) -> None:
    submission = submit(draft, [DEPOSITS, case_passage(MOVED)], case=MOVED)
    quotes = [one.text for some in Quoter().choose(submission.claims, submission).values() for one in some]
    assert quotes[:1] == [told]


def test_the_sentence_for_two_claims_that_lean_on_each_other_is_put_in_once(submit: Submit) -> None:
    draft = "A yearly card is R500. It costs R500 a year."
    assert mended(submit, draft, 0).count("A yearly card costs R120.") == 1


def test_a_quote_that_stands_in_another_claims_quote_is_not_put_in_again(submit: Submit) -> None:
    draft = "Children under 12 are free. Cards are sold. A card costs R120."
    assert mended(submit, draft, 0, 2) == "A yearly card costs R120. It is free for children under 12. Cards are sold."


@pytest.mark.parametrize(
    ("beside", "told"),
    [
        ("You pay R120 for each yearly card.", True),
        ("You pay R130 for each yearly card.", False),
        ("You pay R120 for each card.", False),
    ],
)
def test_what_a_sentence_that_stays_says_in_other_words_is_not_said_again(
    submit: Submit, beside: str, told: bool
) -> None:
    quote = "A yearly card costs R120."
    assert mended(submit, f"{beside} The yearly card is R500.", 1) == (beside if told else f"{beside} {quote}")


def test_a_sentence_that_has_only_the_value_and_one_word_of_a_quote_does_not_tell_it(submit: Submit) -> None:
    text = "Please do not smoke in the two hours before you give blood."
    quote = Quotation(passage="one", span=(0, len(text)), text=text)
    draft = (
        "Drink water within two hours. For two hours before you give blood do not smoke. No cigarette for two hours."
    )
    less, same, claim = submit(draft, LIBRARY).claims
    assert not is_told(quote, claim, [less])
    assert is_told(quote, claim, [less, same])
