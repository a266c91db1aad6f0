from __future__ import annotations

import pytest

from surefoot.core.types import Edit, Finding, Issue, IssueType, Passage, Severity
from surefoot.packs.loader import load
from surefoot.verify.mend.repair import Plan, Repaired, repair
from surefoot.verify.read.claims import claims_of


def finding(draft: str, text: str, *edits: Edit, code: str = "evidence_miss") -> Finding:
    start = draft.index(text)
    issue = Issue(
        type=IssueType.HALLUCINATION,
        severity=Severity.HIGH,
        code=code,
        location=text,
        span=(start, start + len(text)),
        problem="said by a test",
    )
    return Finding(issue=issue, edits=edits)


def mend(draft: str, *findings: Finding) -> Repaired:
    return repair(draft, claims_of(draft, (Passage(id="S1", text="x"),), load("default")), findings)


def test_a_finding_without_an_edit_costs_its_sentence() -> None:
    draft = "One is true. Two is false. Three is true."
    assert mend(draft, finding(draft, "Two")).text == "One is true. Three is true."


def test_an_edit_changes_only_its_span() -> None:
    draft = "It costs R150 a year."
    edit = Edit(span=(9, 13), replacement="R120", kind="replace")
    result = mend(draft, finding(draft, "R150", edit))
    assert result.text == "It costs R120 a year."
    assert [(r.before, r.after, r.kind) for r in result.revisions] == [("R150", "R120", "replace")]


def test_a_sentence_that_leans_on_a_dropped_one_goes_with_it() -> None:
    draft = "The club is free. It meets on Mondays. Rooms can be booked."
    assert mend(draft, finding(draft, "The club")).text == "Rooms can be booked."


def test_a_dropped_list_item_takes_its_bullet_along() -> None:
    draft = "Options:\n- first thing\n- second thing\n- third thing"
    assert mend(draft, finding(draft, "second")).text == "Options:\n- first thing\n- third thing"


def test_edits_inside_a_dropped_sentence_are_moot() -> None:
    draft = "It costs R150 a year. Rooms are free."
    edit = Edit(span=(9, 13), replacement="R120", kind="replace")
    result = mend(draft, finding(draft, "R150", edit), finding(draft, "It costs"))
    assert result.text == "Rooms are free."


def test_texts_are_appended_and_prepended() -> None:
    draft = "It opens daily."
    end = len(draft)
    appended = finding(draft, "It", Edit(span=(end, end), replacement="\n\nCheck dates.", kind="append"))
    assert mend(draft, appended).text == "It opens daily.\n\nCheck dates."


@pytest.mark.parametrize(
    ("draft", "bad", "left"),
    [
        ("One is true. Is it late? Go home. Two is true.", "Is it late?", "One is true. Two is true."),
        ("One is true. Is it late? Are they out? Go home. Two is true.", "Is it late?", "One is true. Two is true."),
        ("One is true. Is it late? Go home. It is far. Two is true.", "Is it late?", "One is true. Two is true."),
        (
            "One is true.\n\nOver 65?\n- Go free.\n- Go fast.\n\nTwo is true.",
            "Over 65?",
            "One is true.\n\nTwo is true.",
        ),
        ("# Over 65?\nGo free. Go fast.\n# Others?\nYou pay.", "# Over 65?", "# Others?\nYou pay."),
        ("One is true. What is two? Two is true.", "What is two?", "One is true. Two is true."),
        ("# Is it true?\nOne is true.", "# Is it true?", "One is true."),
    ],
)
def test_what_hangs_on_a_dropped_question_goes_with_it(draft: str, bad: str, left: str) -> None:
    assert mend(draft, finding(draft, bad)).text == left


def test_an_edit_in_what_hangs_on_a_dropped_question_is_moot() -> None:
    draft = "One is true. Is it late? It costs R150 a year."
    edit = Edit(span=(draft.index("R150"), draft.index("R150") + 4), replacement="R120", kind="replace")
    assert mend(draft, finding(draft, "Is it late?"), finding(draft, "R150", edit)).text == "One is true."


def test_a_rule_that_drops_a_question_drops_what_hangs_on_it() -> None:
    draft = "One is true. Is it late? Go home."
    start = draft.index("Is it late?")
    drop = Edit(span=(start, start + len("Is it late?")), replacement="", kind="drop")
    assert mend(draft, finding(draft, "Is it late?", drop)).text == "One is true."


def test_a_table_without_rows_goes_with_its_header_and_its_rule() -> None:
    draft = "The Wren is the cheapest.\n\n| Bike | Price |\n|---|---|\n| Wren | 9 |"
    header, row = "| Bike | Price |", "| Wren | 9 |"
    assert mend(draft, finding(draft, header), finding(draft, row)).text == "The Wren is the cheapest."
    emptied = mend(draft, finding(draft, row))
    assert emptied.text == "The Wren is the cheapest."
    assert [change.before.strip() for change in emptied.revisions] == [header, "|---|---|", row]
    longer = f"{draft}\n| Robin | 11 |"
    assert mend(longer, finding(longer, row)).text == longer.replace(f"{row}\n", "")


@pytest.mark.parametrize(
    ("draft", "bad", "left"),
    [
        (
            "## Museum\n- Entry is free.\n\n## Golden Castle\n- Entry costs R50.",
            "## Golden Castle",
            "## Museum\n- Entry is free.\n\n## Other notes\n- Entry costs R50.",
        ),
        (
            "**Museum**\n\nEntry is free.\n\n**Golden Castle:**\n\nEntry costs R50.",
            "**Golden Castle:**",
            "**Museum**\n\nEntry is free.\n\n**Other notes:**\n\nEntry costs R50.",
        ),
        (
            "Museum:\n- Entry is free\n\nGolden Castle:\n- Entry costs R50",
            "Golden Castle:",
            "Museum:\n- Entry is free\n\nOther notes:\n- Entry costs R50",
        ),
        ("## Golden Castle\n- Entry costs R50.", "## Golden Castle", "- Entry costs R50."),
        ("## Museum\nEntry is free.\n## Golden Castle", "## Golden Castle", "## Museum\nEntry is free."),
        ("Entry is free. Golden Castle: it costs R50. Dogs may enter.", "Golden", "Entry is free. Dogs may enter."),
    ],
)
def test_what_stood_under_a_heading_that_went_is_not_said_of_the_one_above(draft: str, bad: str, left: str) -> None:
    assert mend(draft, finding(draft, bad)).text == left


def test_two_headings_that_went_leave_one_and_an_empty_one_leaves_none() -> None:
    draft = "# A museum\nEntry is free.\n# Castle\nEntry costs R50.\n# Palace\nDogs may enter.\n# Tower\nIt fell."
    found = [finding(draft, bad) for bad in ("# Castle", "# Palace", "# Tower", "It fell")]
    left = "# A museum\nEntry is free.\n# Other notes\nEntry costs R50.\n\nDogs may enter."
    assert mend(draft, *found).text == left


@pytest.mark.parametrize(
    ("draft", "bad", "left"),
    [
        ("1. Fees are due.\n2. Cats fly.\n3. Cards are free.", "Cats", "1. Fees are due.\n2. Cards are free."),
        ("1. Cats fly.\n2. Fees are due.\n3. Cards are free.", "Cats", "1. Fees are due.\n2. Cards are free."),
        (
            "1) Fees are due.\n2) Cards are free.\n\nThen:\n1) Cats fly.\n2) Doors open.",
            "Cats",
            "1) Fees are due.\n2) Cards are free.\n\nThen:\n1) Doors open.",
        ),
        ("1. Fees are due.\n\nCats fly.\n\n24) rand is due.", "Cats", "1. Fees are due.\n\n24) rand is due."),
    ],
)
def test_a_numbered_list_counts_on_where_an_item_went(draft: str, bad: str, left: str) -> None:
    assert mend(draft, finding(draft, bad)).text == left


OPEN_TABLE = "Card | Price\n--- | ---\nAdult | R5\nChild | R9\nPensioner | R2"
TABLE = "| Card | Price |\n|---|---|\n| Adult | R5 |\n| Child | R9 |\n| Pensioner | R2 |"


@pytest.mark.parametrize(
    ("draft", "left"),
    [
        (f"{TABLE}\n\nCome soon.", "| Adult | R5 |\n| Pensioner | R2 |\n\nA child pays R3.\n\nCome soon."),
        (TABLE, "| Adult | R5 |\n| Pensioner | R2 |\n\nA child pays R3."),
        (TABLE.removesuffix("\n| Pensioner | R2 |") + "\n\nBye.", "| Adult | R5 |\n\nA child pays R3.\n\nBye."),
    ],
)
def test_the_sentence_for_a_row_stands_under_its_table(draft: str, left: str) -> None:
    claims = claims_of(draft, (Passage(id="S1", text="x"),), load("default"))
    row = next(claim.index for claim in claims if "Child" in claim.text)
    plan = Plan(held_back=frozenset({row}), quotes={row: "A child pays R3."})
    result = repair(draft, claims, (), plan)
    assert result.text == f"| Card | Price |\n|---|---|\n{left}"
    assert [(one.kind, one.before.strip(), one.after) for one in result.revisions] == [
        ("quote", "| Child | R9 |", "A child pays R3.")
    ]


def test_the_sentences_for_rows_stand_in_the_order_of_the_rows() -> None:
    claims = claims_of(TABLE, (Passage(id="S1", text="x"),), load("default"))
    adult, child = (next(one.index for one in claims if name in one.text) for name in ("Adult", "Child"))
    plan = Plan(held_back=frozenset({adult, child}), quotes={adult: "Men pay R5.", child: "A child pays R3."})
    assert repair(TABLE, claims, (), plan).text.endswith("| Pensioner | R2 |\n\nMen pay R5.\n\nA child pays R3.")


@pytest.mark.parametrize("row", ["| Child | R9 |", "Child | R9"])
def test_a_row_that_goes_leaves_the_table_whole(row: str) -> None:
    table = TABLE if row in TABLE.splitlines() else OPEN_TABLE
    assert mend(table, finding(table, row)).text == table.replace(f"{row}\n", "")


def test_the_sentence_for_a_row_without_bars_around_it_stands_under_its_table_too() -> None:
    claims = claims_of(OPEN_TABLE, (Passage(id="S1", text="x"),), load("default"))
    row = next(claim.index for claim in claims if "Child" in claim.text)
    plan = Plan(held_back=frozenset({row}), quotes={row: "A child pays R3."})
    left = "Card | Price\n--- | ---\nAdult | R5\nPensioner | R2\n\nA child pays R3."
    assert repair(OPEN_TABLE, claims, (), plan).text == left


def test_a_sentence_that_only_has_a_bar_in_it_is_no_row() -> None:
    draft = "Ask Ann | Bob. They are kind.\nOne is true."
    assert mend(draft, finding(draft, "They are kind.")).text == "Ask Ann | Bob.\nOne is true."


@pytest.mark.parametrize(
    ("draft", "bad", "left"),
    [
        ("Fees\n-----\nCards cost R5.\n\nCats\n----\nCats fly.", ("Cats",), "Fees\n-----\nCards cost R5."),
        ("Cats\n====\nCards cost R5.", ("Cats",), "Cards cost R5."),
        ("Cats fly.\n\n---\n\nCards cost R5.", ("Cats",), "---\n\nCards cost R5."),
    ],
)
def test_an_underline_goes_with_its_heading_and_a_rule_stays(draft: str, bad: tuple[str, ...], left: str) -> None:
    claims = claims_of(draft, (Passage(id="S1", text="x"),), load("default"))
    held = frozenset(claim.index for claim in claims if claim.text.startswith(bad))
    assert repair(draft, claims, (), Plan(held_back=held)).text == left


def test_an_underlined_heading_that_goes_parts_what_is_under_it_from_the_heading_above() -> None:
    draft = "Fees\n----\nCards cost R5.\n\nCats\n----\nDoors open."
    claims = claims_of(draft, (Passage(id="S1", text="x"),), load("default"))
    held = frozenset(claim.index for claim in claims if claim.text == "Cats")
    left = repair(draft, claims, (), Plan(held_back=held)).text
    assert left == "Fees\n----\nCards cost R5.\n\nOther notes\n----\nDoors open."


def test_no_marker_is_put_behind_what_goes() -> None:
    draft = "One is true [S1].\n\nFree rides for all,\nAnna"
    marker = Edit(span=(len(draft), len(draft)), replacement=" [S1]", kind="insert")
    result = mend(
        draft, finding(draft, "Free rides for all,\nAnna", marker, code="citation_missing"), finding(draft, "Anna")
    )
    assert result.text == "One is true [S1]."
