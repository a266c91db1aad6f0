from __future__ import annotations

from surefoot.core.types import Edit, Finding, Issue, IssueType, Passage, Severity
from surefoot.packs.loader import load
from surefoot.verify.mend.repair import Repaired, repair
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
