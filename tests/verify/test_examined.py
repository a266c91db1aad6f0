"""What the checks of the first stage said, in the light of the second; what a source's sentence may stand for."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from surefoot.core.types import CheckReport, Judgement, Passage, Status
from surefoot.verify.checks.citations import CitationCheck
from surefoot.verify.examined import Examined
from surefoot.verify.read.submission import Submission
from surefoot.verify.work.stages import Outcome

Submit = Callable[..., Submission]
Library = tuple[Passage, ...]


def examined(submission: Submission, *statuses: Status) -> Examined:
    judged = tuple(
        Judgement(claim=at, status=status, risk=0.05, method="grounder") for at, status in enumerate(statuses)
    )
    rules = Outcome(reports=(CitationCheck().run(submission),))
    grounding = Outcome(reports=(CheckReport(name="grounding", version="test", judgements=judged),))
    return Examined.of(submission, rules, grounding, late=False)


def codes(found: Examined) -> list[str]:
    return [one.issue.code for one in found.findings]


@pytest.mark.parametrize("status", [Status.SUPPORTED, Status.DOUBTFUL, Status.UNSUPPORTED])
def test_only_what_states_nothing_needs_no_marker(submit: Submit, library: Library, status: Status) -> None:
    submission = submit("A yearly card costs R120 [S1]. Let me know if I can do more for you.", library)
    assert codes(examined(submission, Status.PROVEN, Status.SILENT)) == []
    assert codes(examined(submission, Status.PROVEN, status)) == ["citation_missing"]


@pytest.mark.parametrize("marker", ["[S2]", "[S9]"])
def test_what_states_nothing_loses_a_marker_that_means_nothing(submit: Submit, library: Library, marker: str) -> None:
    submission = submit(f"Tell me what else might be wanted {marker}.", library)
    (finding,) = examined(submission, Status.SILENT).findings
    (edit,) = finding.edits
    assert submission.draft[: edit.span[0]] + submission.draft[edit.span[1] :] == "Tell me what else might be wanted."


def test_a_marker_whose_passage_supports_the_sentence_is_in_use(submit: Submit, library: Library) -> None:
    submission = submit("Little ones pay nothing [S1].", library)
    assert codes(examined(submission, Status.SUPPORTED)) == []
    assert codes(examined(submission, Status.DOUBTFUL)) == ["citation_unused"]
    assert codes(examined(submission, Status.UNSUPPORTED)) == ["citation_unused"]


def test_a_decorative_marker_beside_another_is_found(submit: Submit, library: Library) -> None:
    submission = submit("A yearly card costs R120 [S1][S2].", library)
    assert codes(examined(submission, Status.PROVEN)) == ["citation_unused"]


def test_no_sentence_stands_for_a_heading(submit: Submit, library: Library) -> None:
    submission = submit("### Not allowed\n\n- A card costs nothing [S1].", library)
    found = examined(submission, Status.DOUBTFUL, Status.DOUBTFUL)
    assert [claim.index for claim in found.quotable(found.held_back(proof=False))] == [1]
