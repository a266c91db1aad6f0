"""Tables in a draft: the header claims nothing, each row is read with it, and a row taken from a source's is proven."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from surefoot.core.types import Passage, Status
from surefoot.verify.ground.phrasing import phrased
from surefoot.verify.ground.risk import GroundingCheck
from surefoot.verify.read.derived import against_its_row
from surefoot.verify.read.submission import Submission

Submit = Callable[..., Submission]
TOOLS = "| Tool | First day | Deposit |\n|---|---|---|\n| Rotavator | £18 | £50 |\n| Strimmer | £9 | £30 |"
OPEN_TOOLS = "Tool | First day | Deposit\n---|---|---\nRotavator | £18 | £50\nStrimmer | £9 | £30"
MOWER = "| Tool | Deposit |\n|---|---|\n| Mower | £5 |"
ENTRY = "| Who | Day | Price |\n|---|---|---|\n| Adult | Sunday | free |\n| Adult | Monday | £4 |"


def statuses(submit: Submit, draft: str, source: str) -> list[Status]:
    found = GroundingCheck().run(submit(draft, [Passage(id="one", text=source)]))
    return [one.status for one in found.judgements]


@pytest.mark.parametrize(
    "source", [TOOLS, OPEN_TOOLS, f"# Hire\n\n{TOOLS}", f"{TOOLS}\n\nOnly members can hire tools."]
)
@pytest.mark.parametrize(
    "draft", [TOOLS, OPEN_TOOLS, "| Tool | Deposit |\n|---|---|\n| Strimmer | £30 |\n| Rotavator | £50 |"]
)
def test_rows_of_a_source_are_proven_wherever_its_table_stands(submit: Submit, draft: str, source: str) -> None:
    assert statuses(submit, draft, source) == [Status.PROVEN] * 2


@pytest.mark.parametrize(
    ("draft", "source"),
    [
        ("| Tool | Deposit |\n|---|---|\n| Rotavator | £18 |", TOOLS),
        ("| Tool | Deposit | First day |\n|---|---|---|\n| Rotavator | £18 | £50 |", TOOLS),
        ("| Who | Price |\n|---|---|\n| Adult | free |", ENTRY),
        (
            "| Tool | Old deposit |\n|---|---|\n| Mower | £5 |",
            f"| Tool | Old deposit |\n|---|---|\n| Saw | £9 |\n\n{MOWER}",
        ),
        ("| Tool | Old deposit |\n|---|---|\n| Mower | £5 |", MOWER),
        ("| Tool | Deposit |\n|---|---|\n| Rotavator | £50 |", f"{TOOLS}\n\nThese deposits are no longer valid."),
    ],
)
def test_cells_under_other_names_or_without_what_tells_rows_apart_are_not(
    submit: Submit, draft: str, source: str
) -> None:
    assert Status.PROVEN not in statuses(submit, draft, source)


def test_a_row_against_its_source_is_known_as_such(submit: Submit) -> None:
    draft = "| Tool | Deposit |\n|---|---|\n| Rotavator | £18 |\n| Strimmer | £30 |\n| Mower | £18 |"
    submission = submit(draft, [Passage(id="one", text=TOOLS)])
    assert [against_its_row(claim, submission) for claim in submission.claims] == [False, False, True, False, False]


def test_a_row_is_read_with_its_header_and_the_header_is_no_claim(submit: Submit) -> None:
    submission = submit("| Tool | Price per day |\n|---|---|\n| Strimmer | £9 |", [Passage(id="one", text=TOOLS)])
    header, _, row = submission.claims
    assert not header.factual
    assert phrased(row, submission).text == "Tool: Strimmer; Price per day: £9."


def test_a_header_that_states_something_is_a_claim(submit: Submit) -> None:
    for header in ("| Tool | Each one is free of charge today |", "| Tool | Price £5 |"):
        submission = submit(f"{header}\n|---|---|\n| Strimmer | yes |", [Passage(id="one", text=TOOLS)])
        assert submission.claims[0].factual
