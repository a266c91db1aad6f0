"""What comes along with the statement that answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from surefoot.core.types import Passage
from surefoot.generate.answerer import Answerer
from surefoot.generate.answering import Answering, Weights
from surefoot.generate.quotable import Quotable, quotables
from surefoot.testing.embedding import HashingEmbedder

CEILING = Passage(
    id="repairs#0",
    text="## Water through the ceiling\n\n1. Turn off the stopcock. It is under the sink.\n"
    "2. If water is near a lamp, switch off at the fuse box.\n3. Ring 0800 111 222 at any hour.\n\n"
    "- The joiner comes on Mondays.\n- The plumber comes on Fridays.",
)


@dataclass
class Sure:
    """Finds one statement likely: the one with these words."""

    words: str
    weights: Weights = field(default_factory=lambda: Weights(bias=0.0, weights={}, least=0.3))

    def chances(self, question: str, candidates: Sequence[Quotable]) -> list[float]:
        return [0.9 if self.words in one.text else 0.0 for one in candidates]


def answer(question: str, words: str) -> str:
    return Answerer(answering=Sure(words)).write(question, [CEILING])  # type: ignore[arg-type]


def test_a_step_brings_the_others_and_their_warning() -> None:
    said = answer("Water drips through my ceiling, what now?", "Ring 0800")
    order = ["stopcock", "under the sink", "fuse box", "0800 111 222"]
    assert [said.index(part) for part in order] == sorted(said.index(part) for part in order)
    assert "joiner" not in said


@pytest.mark.parametrize(
    ("question", "words"),
    [("When does the joiner come?", "joiner"), ("what about the joiner", "joiner"), ("Who do I ring?", "Ring 0800")],
)
def test_an_item_without_a_number_and_a_plain_fact_stand_alone(question: str, words: str) -> None:
    said = answer(question, words)
    assert words in said
    assert "stopcock" not in said


FALL = Passage(
    id="fall#0",
    text="## After a fall\n\n1. Move off the road.\n2. Call 112.\n\nNever touch the battery.\n\n"
    "3. Ring the workshop.\n\nWarning: do not ride on with a bent fork.\n\nThe workshop is open until six.\n\n"
    "## What to bring\n\n- Your own bike\n- Old clothes\n- A lock\n",
)


def test_a_remark_does_not_end_the_steps_and_a_warning_behind_them_comes_along() -> None:
    said = Answerer(answering=Sure("Call 112")).write("What do I do after a fall?", [FALL])  # type: ignore[arg-type]
    order = ["off the road", "Call 112", "Never touch", "Ring the workshop", "bent fork"]
    assert [said.index(part) for part in order] == sorted(said.index(part) for part in order)
    assert "until six" not in said
    assert [line[:2] for line in said.splitlines()] == ["1.", "2.", "Ne", "3.", "Wa"]


def test_a_list_comes_with_its_short_items() -> None:
    asked = "What are the things to bring?"
    said = Answerer(answering=Sure("Your own bike")).write(asked, [FALL])  # type: ignore[arg-type]
    assert said.splitlines() == ["- Your own bike [S1].", "- Old clothes [S1].", "- A lock [S1]."]


def test_a_statement_under_the_heading_of_one_thing_is_not_of_the_other() -> None:
    bikes = Passage(
        id="bikes#0",
        text="# Heron\n\nIt weighs 11 kg.\n\n# Bittern\n\nIt weighs 38 kg.",
        metadata={"title": "Heron"},
    )
    said = Answerer(answering=Sure("weighs")).write("Which is heavier, the Heron or the Bittern?", [bikes])  # type: ignore[arg-type]
    assert said == "It weighs 11 kg [S1]. It weighs 38 kg [S1]."


def test_a_verdict_stands_before_its_statement_and_never_before_one_that_leads_up_to_it() -> None:
    plan = Passage(id="a", text="The plan spreads the cost. It is not an insurance. Horses are not covered.")
    said = Answerer(answering=Sure("Horses")).write("Are horses covered?", [plan])  # type: ignore[arg-type]
    assert said == "No [S1]. Horses are not covered [S1]."
    said = Answerer(answering=Sure("insurance")).write("Is it an insurance?", [plan])  # type: ignore[arg-type]
    assert said == "The plan spreads the cost [S1]. It is not an insurance [S1]."


def test_a_statement_that_only_leads_to_the_answer_brings_the_one_that_gives_it() -> None:
    yard = Passage(
        id="yard",
        text="The yard was founded by Marta Lind in 2009. Marta Lind likes tea. Marta Lind was born in Oslo.",
    )
    said = Answerer(answering=Sure("founded")).write("Where was the founder of the yard born?", [yard])  # type: ignore[arg-type]
    assert said == "The yard was founded by Marta Lind in 2009 [S1]. Marta Lind was born in Oslo [S1]."
    said = Answerer(answering=Sure("founded")).write("When was the yard founded?", [yard])  # type: ignore[arg-type]
    assert said == "The yard was founded by Marta Lind in 2009 [S1]."
    said = Answerer(answering=Sure("founded")).write("Where was the founder of the yard married?", [yard])  # type: ignore[arg-type]
    assert "tea" not in said


def test_an_item_brings_the_sentence_that_leads_to_its_list() -> None:
    flat = Passage(
        id="flat",
        text="## Appliances\n\nPrivate landlords must provide their tenants with access to:\n\n- A washing machine\n"
        "- A clothes dryer\n\nThe rent is paid monthly.",
    )
    said = Answerer(answering=Sure("washing")).write("Is there a washing machine?", [flat])  # type: ignore[arg-type]
    assert said == ("Private landlords must provide their tenants with access to [S1]:\n- A washing machine [S1].")
    said = Answerer(answering=Sure("monthly")).write("Is the rent paid monthly?", [flat])  # type: ignore[arg-type]
    assert said == "Yes [S1]. The rent is paid monthly [S1]."


TRAILERS = Passage(
    id="trailers#0",
    text="## Trailers\n\n| Trailer | Payload |\n|---|---|\n| Flatbed | 1200 kg |\n| Plant | 1900 kg |\n"
    "| Long | 2000 kg |\n\nThe strongest trailer for stone is the flatbed.",
)


def test_a_row_alone_is_no_answer_to_which_is_the_most() -> None:
    best = Answerer(answering=Sure("Plant"))  # type: ignore[arg-type]
    said = best.write("Which trailer is the best?", [TRAILERS])
    assert all(name in said for name in ("Flatbed", "Plant", "Long"))
    long = "\n".join(f"| T{n} | {n} kg |" for n in range(1, 9))
    assert (
        best.write(
            "Which trailer is the best?", [Passage(id="t", text=f"{TRAILERS.text[:76]}\n| Plant | 9 kg |\n{long}")]
        )
        == ""
    )


def test_a_table_in_an_answer_has_as_many_cells_in_each_row() -> None:
    said = Answerer(answering=Sure("Plant")).write("How much does the plant trailer carry?", [TRAILERS])  # type: ignore[arg-type]
    assert said == "| Trailer | Payload |\n|---|---|\n| Plant | 1900 kg [S1] |"


def test_a_sentence_and_a_row_that_is_asked_for_by_name_stand_alone() -> None:
    sure = Answerer(answering=Sure("strongest"))  # type: ignore[arg-type]
    assert (
        sure.write("Which trailer is the best?", [TRAILERS]) == "The strongest trailer for stone is the flatbed [S1]."
    )
    named = Answerer(answering=Sure("Plant"))  # type: ignore[arg-type]
    assert "Flatbed" not in named.write("How much does the plant trailer carry?", [TRAILERS])


@pytest.mark.parametrize(
    "text",
    ["Lane 1 is slow and lane 3 is fast.", "Lane 1 is for beginners, lane 3 for members of the club."],
)
def test_one_statement_on_both_things_compared_is_the_answer(text: str) -> None:
    said = Answerer(answering=Sure(text[:6])).write(  # type: ignore[arg-type]
        "What is the difference between lane 1 and lane 3?", [Passage(id="l", text=f"Swim to the right. {text}")]
    )
    assert text[:-1] in said
    assert "right" not in said


def test_a_statement_on_one_thing_goes_before_one_that_names_both() -> None:
    text = "Lane 1 is slow. Lane 3 is fast. Lane 1 is swept before lane 3."
    said = Answerer(answering=Sure("ane ")).write(  # type: ignore[arg-type]
        "What is the difference between lane 1 and lane 3?", [Passage(id="l", text=text)]
    )
    assert said == "Lane 1 is slow [S1]. Lane 3 is fast [S1]."


@pytest.mark.parametrize(
    ("text", "leads"),
    [
        ("Stop the machine at once. Do not repair it yourself.", True),
        ("Every accident is written in the book. The manager signs it.", True),
        ("The waiver is optional. Without it you pay for repairs.", True),
        ("Moulds stand in the yard. Clean the mould and dry it.", False),
        ("Moulds stand in the yard. The oven is swept when it is cold.", False),
        ("Moulds stand in the yard. Put the lid on it.", False),
    ],
)
def test_a_sentence_whose_it_is_not_named_brings_the_one_before(text: str, leads: bool) -> None:
    first, _, last = text.partition(". ")
    said = Answerer(answering=Sure(last)).write("What then?", [Passage(id="p", text=text)])  # type: ignore[arg-type]
    assert (first in said) is leads
    assert last[:-1] in said


def test_a_question_in_bold_is_what_its_answer_is_about() -> None:
    page = Passage(
        id="f", text="**Do you sell used looms?** Yes, every October.\n\n**How do I join?**\n\n1. Ring us first.\n"
    )
    about = {one.text: one.about for one in quotables([page], style="[S#]", rows=True)}
    assert about == {"Yes, every October.": "Do you sell used looms?", "Ring us first.": "How do I join?"}


def test_a_row_that_names_the_thing_compared_goes_before_one_under_a_heading_that_does() -> None:
    tables = (
        "## Swims\n\n| Ticket | Adult |\n|---|---|\n| Sauna and steam | £11 |\n\n"
        "## Memberships\n\n| Plan | Month |\n|---|---|\n| Swim and sauna | £36 |\n| Family | £58 |"
    )
    said = Answerer(answering=Sure("")).write(  # type: ignore[arg-type]
        "Is the family membership dearer than swim and sauna?", [Passage(id="t", text=tables)]
    )
    assert "£58" in said
    assert "£36" in said
    assert "£11" not in said


MINUTES = Passage(
    id="minutes#0",
    text="# Minutes\n\n1. Water. Usage rose by 12%. The charge will not rise.\n2. Rent. The rent will rise to £92.\n"
    "3. Hosepipes. Sprinklers are forbidden. They are sold at the gate.\n",
)


@pytest.mark.parametrize(
    ("question", "words", "said"),
    [
        ("Are sprinklers allowed?", "forbidden", "Sprinklers are forbidden [S1]."),
        ("Will the charge rise?", "charge", "No [S1]. The charge will not rise [S1]."),
        ("what about the gate", "gate", "- Hosepipes. They are sold at the gate [S1]."),
    ],
)
def test_a_decision_of_many_stands_alone(question: str, words: str, said: str) -> None:
    assert Answerer(answering=Sure(words)).write(question, [MINUTES]) == said  # type: ignore[arg-type]


def test_decisions_that_are_asked_for_come_whole_each_behind_its_label() -> None:
    said = Answerer(answering=Sure("Minutes: Water.")).write("What was decided?", [MINUTES])  # type: ignore[arg-type]
    assert said.splitlines() == [
        "1. Water. Usage rose by 12% [S1]. The charge will not rise [S1].",
        "2. Rent. The rent will rise to £92 [S1].",
        "3. Hosepipes. Sprinklers are forbidden [S1]. They are sold at the gate [S1].",
    ]


TREATED = Passage(
    id="pharmacy#0",
    text="## Without an appointment\n\nA pharmacist can treat the following without a doctor.\n\n- Earache\n"
    "- Sore throat, from age 5\n\n## Zones\n\n- Zone A: 8am to 6pm\n- Zone B: 9am to 5pm\n- Zone C: every day",
)


@dataclass
class Weighed:
    """Finds each statement as likely as the longest of these words that it holds."""

    chance: dict[str, float]
    weights: Weights = field(default_factory=lambda: Weights(bias=0.0, weights={}, least=0.3))

    def chances(self, question: str, candidates: Sequence[Quotable]) -> list[float]:
        known = sorted(self.chance, key=len, reverse=True)
        return [next((self.chance[word] for word in known if word in one.text), 0.0) for one in candidates]


def test_a_list_is_judged_with_what_leads_to_it() -> None:
    judged = Weighed({"can treat the following without a doctor. Earache": 0.9})
    said = Answerer(answering=judged).write("What can a pharmacist treat without a doctor?", [TREATED])  # type: ignore[arg-type]
    assert said.splitlines()[0] == "A pharmacist can treat the following without a doctor [S1]."
    assert said.splitlines()[-1] == "- Sore throat, from age 5 [S1]."


def test_one_item_stands_alone_where_the_others_are_of_other_things() -> None:
    asked = "What are the hours of zone B?"
    judged = Weighed({"Zone B": 0.9, "Zones: Zone A": 0.5})
    assert Answerer(answering=judged).write(asked, [TREATED]) == "- Zone B: 9am to 5pm [S1]."  # type: ignore[arg-type]
    judged = Weighed({"Zone A": 0.8, "Zone B": 0.9, "Zones: Zone A": 0.9})
    said = Answerer(answering=judged).write("What are the hours of all zones?", [TREATED])  # type: ignore[arg-type]
    assert len(said.splitlines()) == 3


FIRES = Passage(
    id="plots#0",
    text="Bonfires are allowed from November on, after 4pm. At Quarry Field no bonfires are allowed.",
)


def test_what_is_said_of_the_very_name_asked_about_comes_along() -> None:
    said = Answerer(answering=Sure("from November")).write("When are bonfires allowed at Quarry Field?", [FIRES])  # type: ignore[arg-type]
    assert said.endswith("At Quarry Field no bonfires are allowed [S1].")
    said = Answerer(answering=Sure("from November")).write("When are bonfires allowed at Hobley Lane?", [FIRES])  # type: ignore[arg-type]
    assert said == "Bonfires are allowed from November on, after 4pm [S1]."


class Likely(Sure):
    """The others of the list are likely too."""

    def chances(self, question: str, candidates: Sequence[Quotable]) -> list[float]:
        return [0.9 if self.words in one.text else 0.4 for one in candidates]


def test_one_thing_of_a_list_brings_the_others() -> None:
    said = Answerer(answering=Likely("Old clothes")).write("what stuff do i take along", [FALL])  # type: ignore[arg-type]
    assert all(thing in said for thing in ("Your own bike", "Old clothes", "A lock"))
    assert "battery" not in said


def test_one_thing_that_stands_out_stays_alone() -> None:
    said = Answerer(answering=Sure("Old clothes")).write("what do they say of clothes", [FALL])  # type: ignore[arg-type]
    assert "A lock" not in said


ACCESS = Passage(
    id="access#0",
    text="# Access\n\n- Assistance dogs are welcome everywhere. No other dogs may come into the foyer.\n"
    "- The lift is behind the bar. It takes two wheelchairs.\n",
)


def test_the_second_sentence_of_an_item_brings_the_first_where_it_leans_on_it() -> None:
    said = Answerer(answering=Sure("No other")).write("Can I bring my poodle?", [ACCESS])  # type: ignore[arg-type]
    assert said.startswith("Assistance dogs are welcome everywhere [S1].")
    assert "No other dogs may come into the foyer [S1]." in said


def test_a_list_that_is_quoted_whole_says_no_sentence_twice() -> None:
    said = Answerer(answering=Sure("Access")).write("What is there to know about access?", [ACCESS])  # type: ignore[arg-type]
    assert said.count("Assistance dogs are welcome everywhere") <= 1
    assert said.count("The lift is behind the bar") <= 1


MOVING = "Moving the date costs nothing up to three working days before."


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        (f"{MOVING} Later than that we charge £150. Flowers are extra.", True),
        (f"{MOVING}\n\nLater than that we charge £150.", False),
        (f"{MOVING} Flowers are extra. Otherwise we charge £150.", False),
        (f"{MOVING} Ring us and we charge £150.", False),
    ],
)
def test_a_rule_of_two_cases_is_quoted_with_both(text: str, whole: bool) -> None:
    passage = Passage(id="dates#0", text=text)
    said = Answerer(answering=Sure("Moving the date")).write("What does moving the date cost?", [passage])  # type: ignore[arg-type]
    assert ("£150" in said) is whole
    assert "Flowers" not in said
    assert said.count("Moving") == 1


def test_a_part_that_rests_on_the_first_is_not_answered_without_it() -> None:
    page = Passage(id="forms#0", text="The choir has form C7 for new singers. Help with the bill is given on Mondays.")
    asked = "Is there any help with the bill and which form?"

    @dataclass
    class Part(Sure):
        def chances(self, question: str, candidates: Sequence[Quotable]) -> list[float]:
            form = question.startswith("which form")
            return [0.9 if ("C7" if form else self.words) in one.text else 0.0 for one in candidates]

    def said(words: str) -> str:
        return Answerer(answering=Part(words)).write(asked, [page])  # type: ignore[arg-type]

    assert said("nowhere") == ""
    assert "C7" in said("Mondays")


def test_a_rule_is_quoted_with_its_exception() -> None:
    text = "Small firms may use the short form. Lawyers cannot use it. The form is blue.\n"
    said = Answerer(answering=Sure("Small firms")).write("Who may use the short form?", [Passage(id="p", text=text)])  # type: ignore[arg-type]
    assert said == "Small firms may use the short form [S1]. Lawyers cannot use it [S1]."


def test_a_list_of_which_an_item_says_you_or_it_stands_under_its_heading() -> None:
    fires = "## Fires\n\n- They are allowed in iron bowls.\n- They must be out by 11 pm.\n\n"
    page = Passage(id="a", text=f"{fires}## Dogs\n\n- Dogs sleep outside.\n", metadata={"title": "Rules"})
    said = Answerer(answering=Sure("11 pm")).write("When must fires be out?", [page])  # type: ignore[arg-type]
    assert said == "Fires:\n- They must be out by 11 pm [S1]."
    said = Answerer(answering=Sure("outside")).write("Where do dogs sleep?", [page])  # type: ignore[arg-type]
    assert said == "Dogs sleep outside [S1]."


def test_rows_of_one_table_that_are_told_are_drawn_as_one() -> None:
    text = "Pitch: Orchard; Power: yes.\nPitch: Hilltop; Power: no.\nPitch: Barn; Power: yes."
    page = Passage(id="a", text=text, metadata={"title": "Pitches", "columns": ["Pitch", "Power"], "rows": 3})
    asked = "Which pitches have power?"
    said = Answerer(answering=Sure("Pitch")).write(asked, [page])  # type: ignore[arg-type]
    drawn = ["| Pitch | Power |", "|---|---|", "| Orchard | yes [S1] |", "| Barn | yes [S1] |"]
    assert said.splitlines()[-4:] == drawn
    judge = Answering(embedder=HashingEmbedder(), weights=Weights(bias=1.0, weights={}, least=0.6))
    assert judge.holds("What about the pitches?", "\n".join(drawn), [page])
    said = Answerer(answering=Sure("Hilltop")).write("Has Hilltop power?", [page])  # type: ignore[arg-type]
    assert said == "Pitch: Hilltop; Power: no [S1]."
