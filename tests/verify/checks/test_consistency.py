"""A draft may not say one thing and then its opposite; a verdict may not end where it did not begin."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from surefoot.core.types import Passage
from surefoot.verify.checks.consistency import ConsistencyCheck
from surefoot.verify.read.submission import Submission

Submit = Callable[..., Submission]
GUIDE = Passage(id="1", text="The landlord repairs the boiler. The agency keeps a deposit for damage.")


def contradictions(submit: Submit, *parts: str) -> list[str]:
    report = ConsistencyCheck().run(submit("\n\n".join(parts), [GUIDE]))
    return [finding.issue.location for finding in report.findings]


@pytest.mark.parametrize(
    ("summary", "rationale"),
    [
        ("The landlord may keep the deposit [1].", "The landlord may not keep the deposit [1]."),
        ("The landlord may keep the deposit [1].", "In conclusion, the landlord may not keep the deposit [1]."),
        ("Yes, the landlord has to repair the boiler [1].", "So the landlord does not have to repair the boiler [1]."),
        ("No, the agency cannot keep the deposit [1].", "Therefore the agency can keep the deposit [1]."),
        (
            "No: the agency can't keep £400 of the deposit [1].",
            "It follows that the agency can keep £400 of the deposit [1].",
        ),
        ("The repair takes 14 days at most [1].", "Thus the repair takes 30 days at most [1]."),
        (
            "The landlord has to repair the boiler, because in England the heating is his job [1].",
            "So the landlord does not have to repair the boiler [1].",
        ),
        (
            "The agency may not keep the deposit unless there is damage [1].",
            "In short, the agency may keep the deposit [1].",
        ),
        ("The agency must not keep the deposit [1].", "Therefore the agency is allowed to keep the deposit [1]."),
        ("The agency has no right to keep the deposit [1].", "So the agency may keep the deposit [1]."),
        ("The notice of the landlord was unfair [1].", "Overall, the notice of the landlord was fair [1]."),
        ("Keeping the deposit is illegal [1].", "Thus keeping the deposit is legal [1]."),
        ("The landlord is wrong about the boiler [1].", "All in all the landlord is right about the boiler [1]."),
    ],
)
def test_a_verdict_and_a_conclusion_that_deny_each_other_are_found(
    submit: Submit, summary: str, rationale: str
) -> None:
    assert contradictions(submit, summary, rationale) == [rationale]


@pytest.mark.parametrize(
    ("summary", "rationale"),
    [
        ("Yes, the landlord has to repair the boiler [1].", "So the landlord has to repair the boiler [1]."),
        ("No, the agency cannot keep the deposit [1].", "Therefore the agency can't keep the deposit [1]."),
        ("The landlord may keep the deposit [1].", "The landlord does not have to keep the deposit [1]."),
        ("The landlord has to repair the boiler [1].", "So the tenant does not have to repair the boiler [1]."),
        ("The agency is forbidden to keep the deposit [1].", "So the agency may not keep the deposit [1]."),
        ("The agency may keep the deposit if there is damage [1].", "It does not show damage to the boiler [1]."),
        (
            "The landlord has to repair the boiler, and the tenant does not have to pay for it [1].",
            "So the landlord has to repair the boiler [1].",
        ),
        (
            "The landlord has to repair the boiler, because the heating is not the tenant's job [1].",
            "So the landlord has to repair the boiler [1].",
        ),
    ],
)
def test_what_agrees_or_speaks_of_another_is_no_contradiction(submit: Submit, summary: str, rationale: str) -> None:
    assert contradictions(submit, summary, rationale) == []
