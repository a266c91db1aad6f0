"""Stage 2: status by risk, what is no claim, and that nothing passes unread."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest

from surefoot.core.case import case_passage
from surefoot.core.types import CheckReport, ClaimText, GroundingScore, Passage, Status
from surefoot.packs.schema import Pack, Thresholds
from surefoot.verify.ground.risk import GroundingCheck
from surefoot.verify.read.submission import Submission

LIBRARY = [
    Passage(id="fees", text="A yearly card costs R120. Children under 12 join free of charge."),
    Passage(id="hours", text="The reading room opens at 09:00 on weekdays. It is closed on Sundays."),
]
Submit = Callable[..., Submission]


@dataclass
class Says:
    """A grounder that gives every claim what it is told, and keeps what it was asked."""

    unsupported: float = 0.0
    silent: float = 0.0
    spans: tuple[tuple[int, int, float], ...] = ()
    identity: str = "says"
    bands: Mapping[str, float] = field(default_factory=lambda: {"accept": 0.1, "release": 0.3, "reject": 0.7})
    asked: list[tuple[ClaimText, tuple[str, ...]]] = field(default_factory=list)

    def warm(self) -> None: ...

    def judge(self, claims: Sequence[ClaimText], sources: Sequence[str]) -> list[GroundingScore]:
        self.asked += [(claim, tuple(sources)) for claim in claims]
        return [GroundingScore(unsupported=self.unsupported, silent=self.silent, spans=self.spans) for _ in claims]


def run(submission: Submission, grounder: Says | None = None) -> CheckReport:
    return GroundingCheck(accurate=grounder).run(submission)  # type: ignore[arg-type]


def statuses(submission: Submission, grounder: Says | None = None) -> list[Status]:
    return [one.status for one in run(submission, grounder).judgements]


@pytest.mark.parametrize(
    ("risk", "status"),
    [
        (0.0, Status.PROVEN),
        (0.1, Status.PROVEN),
        (0.11, Status.SUPPORTED),
        (0.3, Status.SUPPORTED),
        (0.31, Status.DOUBTFUL),
        (0.69, Status.DOUBTFUL),
        (0.7, Status.UNSUPPORTED),
        (1.0, Status.UNSUPPORTED),
    ],
)
def test_the_risk_decides_the_status(submit: Submit, risk: float, status: Status) -> None:
    assert statuses(submit("Youngsters need no money to become members.", LIBRARY), Says(risk)) == [status]


def test_the_packs_own_bands_are_followed(submit: Submit, pack: Pack) -> None:
    strict = replace(pack, thresholds=Thresholds(accept=0.01, release=0.02, reject=0.05))
    draft = "Youngsters need no money to become members."
    assert statuses(submit(draft, LIBRARY, using=strict), Says(0.04)) == [Status.DOUBTFUL]


def test_a_value_that_is_not_bound_is_never_proven(submit: Submit) -> None:
    assert statuses(submit("There are three rules for the yearly card.", LIBRARY), Says(0.0)) == [Status.SUPPORTED]


def test_a_quote_is_proven_without_a_grounder(submit: Submit) -> None:
    report = run(submit("A yearly card costs R120 [S1].", LIBRARY))
    assert [(one.status, one.method) for one in report.judgements] == [(Status.PROVEN, "quote")]


LEANING = Passage(
    id="plan",
    text="The care plan spreads costs over the year. It is not an insurance. The clinic is open daily. It has parking.",
)


def test_a_sentence_that_leans_is_a_quote_behind_the_one_it_leans_on(submit: Submit) -> None:
    report = run(submit("The care plan spreads costs over the year. It is not an insurance.", [LEANING]))
    assert [one.method for one in report.judgements] == ["quote", "quote"]


@pytest.mark.parametrize(
    "draft",
    [
        "It is not an insurance.",
        "The clinic is open daily. It is not an insurance.",
        "The care plan is popular. It is not an insurance.",
        "The care plan spreads costs over the year. Many like it. It is not an insurance.",
        "The care plan spreads costs over the year. It has parking.",
    ],
)
def test_a_sentence_that_leans_on_another_one_is_no_quote(submit: Submit, draft: str) -> None:
    report = run(submit(draft, [LEANING]))
    assert report.judgements[-1].method == "nothing"


def test_a_quote_carries_nothing_else(submit: Submit) -> None:
    draft = "A yearly card costs R120. Penguins read at night."
    assert statuses(submit(draft, LIBRARY)) == [Status.PROVEN, Status.DOUBTFUL]


@pytest.mark.parametrize(
    "draft",
    [
        "It is a myth that a yearly card costs R120.",
        "The mayor denied that children under 12 join free of charge.",
        "Children under 12 join free of charge, say scammers.",
        "A yearly card costs R120 and comes with a golden bicycle.",
    ],
)
def test_a_part_of_a_sentence_is_no_quote(submit: Submit, draft: str) -> None:
    assert Status.PROVEN not in statuses(submit(draft, LIBRARY))


@pytest.mark.parametrize(
    "over",
    [
        "Myths:",
        "These are not so:",
        "# Myths\n\nThe three best known ones:",
        "Scammers say:",
        "What is wrong here?",
        "None of this is so. It was written long ago.",
        "The following is not so. It was written long ago.",
        "Until 2020 the school taught such things.",
        "The school does not teach the moon.",
        "What may be so:",
        "# What 6 may hold",
        "# MAY HOLD",
        "",
    ],
)
def test_an_item_of_a_list_that_may_be_taken_back_is_read_by_the_grounder(submit: Submit, over: str) -> None:
    myths = [Passage(id="S1", text=f"{over}\n\n- The sun is cold.\n- The moon is made of cheese.")]
    assert statuses(submit("The moon is made of cheese.", myths)) == [Status.DOUBTFUL]


@pytest.mark.parametrize(
    ("source", "draft"),
    [
        (
            "# In an incident\n\n1. Write down the time.\n2. Post a note every 30 minutes.",
            "Post a note every 30 minutes.",
        ),
        ("# Prices\n\n| Animal | Price |\n|---|---|\n| Rabbit | R130 |", "| Rabbit | R130 |"),
        (
            "# Fees\n\nFees are counted by the day. Sundays are not counted, nor days before 2 May.\n\n- A book is R2.",
            "A book is R2.",
        ),
        ("# Minutes of 6 May 2026\n\n1. Guests pay £8.\n2. The jetty is shut.", "Guests pay £8."),
        ("# Fees from May 2026\n\n- Guests pay £8.\n- Members pay £2.", "Guests pay £8."),
    ],
)
def test_a_whole_item_or_row_under_a_plain_heading_is_a_quote(submit: Submit, source: str, draft: str) -> None:
    assert statuses(submit(draft, [Passage(id="S1", text=source)])) == [Status.PROVEN]


def test_emphasis_makes_no_other_sentence_of_a_quote(submit: Submit) -> None:
    assert statuses(submit("A yearly card costs **R120**.", LIBRARY)) == [Status.PROVEN]


def test_the_ordinal_of_a_step_states_nothing(submit: Submit) -> None:
    assert statuses(submit("Your first step: think about it.", LIBRARY), Says(0.4, 0.9)) == [Status.SILENT]


def test_a_leaning_sentence_is_read_by_the_grounder(submit: Submit) -> None:
    assert statuses(submit("It is closed on Sundays.", LIBRARY)) == [Status.DOUBTFUL]


def test_without_a_grounder_nothing_but_a_quote_is_released(submit: Submit) -> None:
    assert statuses(submit("Youngsters become members without paying.", LIBRARY)) == [Status.DOUBTFUL]


def test_without_evidence_a_claim_is_unsupported(submit: Submit) -> None:
    assert statuses(submit("Cards are free.", []), Says(0.0)) == [Status.UNSUPPORTED]


def test_a_sentence_that_claims_nothing_is_silent(submit: Submit) -> None:
    assert statuses(submit("Take your time to think about it.", LIBRARY), Says(0.4, 0.8)) == [Status.SILENT]


def test_what_is_most_likely_wrong_is_not_silent_either(submit: Submit) -> None:
    assert statuses(submit("Cats like milk.", LIBRARY), Says(0.7, 0.8)) == [Status.UNSUPPORTED]


@pytest.mark.parametrize(
    "draft",
    [
        "Visit the open day on 3 May.",
        "Look at www.example.org for more.",
        "Think about a degree at Harvard Business School.",
    ],
)
def test_whatever_holds_a_value_a_name_or_an_address_is_never_silent(submit: Submit, draft: str) -> None:
    assert statuses(submit(draft, LIBRARY), Says(0.9, 1.0)) == [Status.UNSUPPORTED]


def test_sources_are_read_once_for_all_claims_that_share_them(submit: Submit) -> None:
    grounder = Says(0.0)
    run(submit("Youngsters pay nothing. The room is shut on Sundays.", LIBRARY), grounder)
    assert len({sources for _, sources in grounder.asked}) == 1
    assert grounder.asked[1][0].before == "Youngsters pay nothing."


def test_metadata_are_read_as_part_of_the_passage(submit: Submit) -> None:
    grounder = Says(0.0)
    titled = [Passage(id="S1", text="Six faculties are here.", metadata={"institution": "UCT", "start": 12})]
    run(submit("UCT has six of them.", titled), grounder)
    assert grounder.asked[0][1] == ("institution: UCT.\nSix faculties are here.",)


def test_what_the_person_told_is_evidence_for_sentences_about_them(submit: Submit) -> None:
    grounder = Says(0.0)
    told = {"profile": {"grade": 11}, "question": "I live in Gauteng. Is the fee R900?"}
    run(submit("You are in Grade 11. The fee is high.", LIBRARY, **told), grounder)
    about, other = (sources for _, sources in grounder.asked)
    assert about[-2:] == ("About the person: grade: 11.", "The person says: I live in Gauteng.")
    assert other == tuple(passage.text for passage in LIBRARY)


def test_values_and_aliases_are_read_as_the_evidence_writes_them(submit: Submit, pack: Pack) -> None:
    grounder = Says(0.0)
    run(submit("The act, of 2024-03-05, is old.", [Passage(id="S1", text="It was signed on 5 March 2024.")]), grounder)
    assert grounder.asked[0][0].text == "The act, of 5 March 2024, is old."


def test_unsupported_words_are_located_in_the_draft_as_it_is(submit: Submit) -> None:
    draft = "On 2024-03-05 penguins came."
    grounder = Says(0.9, spans=((16, 24, 0.9),))
    report = run(submit(draft, [Passage(id="S1", text="It was signed on 5 March 2024.")]), grounder)
    assert [draft[start:end] for start, end in report.unsupported] == ["penguins"]


def test_a_denial_of_the_sources_own_words_raises_the_risk(submit: Submit) -> None:
    plain, denied = (
        run(submit(draft, LIBRARY), Says(0.2)).judgements[0].risk
        for draft in ("Under 12, children join free of any charge.", "Children under 12 do not join free of charge.")
    )
    assert plain == 0.2
    assert denied > 0.5


def test_a_claim_that_was_judged_is_not_judged_again(submit: Submit) -> None:
    grounder = Says(0.0)
    check = GroundingCheck(accurate=grounder)  # type: ignore[arg-type]
    for _ in range(2):
        check.run(submit("Youngsters pay nothing.", LIBRARY))
    assert len(grounder.asked) == 1


def test_long_sources_are_cut_to_what_the_claims_need(submit: Submit) -> None:
    grounder = Says(0.0)
    noise = " ".join(f"Sentence number {n} speaks of rivers, hills and other matters." for n in range(400))
    run(submit("Youngsters under twelve join free.", [*LIBRARY, Passage(id="S3", text=noise)]), grounder)
    (_, sources) = grounder.asked[0]
    assert "join free of charge" in " ".join(sources)
    assert sum(map(len, sources)) < 12_000


def test_a_grounder_that_gives_too_few_scores_is_broken(submit: Submit) -> None:
    class Mute(Says):
        def judge(self, claims: Sequence[ClaimText], sources: Sequence[str]) -> list[GroundingScore]:
            return []

    with pytest.raises(ValueError, match="0 scores for 1"):
        run(submit("Youngsters pay nothing.", LIBRARY), Mute())


def test_a_value_in_an_adjectives_form_is_not_written_in_its_nouns_place(submit: Submit) -> None:
    grounder = Says(0.0)
    run(submit("The shifts last nine hours.", [Passage(id="S1", text="They are nine-hour shifts.")]), grounder)
    assert grounder.asked[0][0].text == "The shifts last nine hours."


def test_a_case_is_read_once(submit: Submit) -> None:
    grounder, case = Says(0.0), "I work nine hours in a shop."
    sources = [Passage(id="1", text="A break is due after six hours."), case_passage(case)]
    run(submit("That is longer than the six hours of the guide [1] [case].", sources, case=case), grounder)
    assert [source.count("nine hours") for source in grounder.asked[0][1]] == [0, 1]


COLD = "My radiator will not get warm. What should I try?"


@pytest.mark.parametrize(
    ("heading", "question", "proven"),
    [
        ("If one radiator does not get warm", COLD, True),
        ("If one radiator does not get warm", "How do I wind the clock?", False),
        ("If one radiator does not get warm", None, False),
        ("If you are over 65", COLD, False),
        ("Things you must not do to get a radiator warm", COLD, False),
        ("If you believe the myths of warm radiators", COLD, False),
    ],
)
def test_steps_are_quotes_where_their_case_is_the_one_asked_for(
    submit: Submit, heading: str, question: str | None, proven: bool
) -> None:
    source = Passage(id="a", text=f"## {heading}\n\n1. Open the valve.\n2. Use the brass key.")
    found = statuses(submit("- Use the brass key [S1].", [source], question=question))
    assert (found == [Status.PROVEN]) is proven
