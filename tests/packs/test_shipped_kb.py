"""The shipped knowledge bases keep the rules of their own packs: no document trips a check it was written for."""

from __future__ import annotations

import pytest

from surefoot.core.types import Passage
from surefoot.packs import loader
from surefoot.verify.checks.entities import EntityCheck
from surefoot.verify.checks.policy import PolicyCheck
from surefoot.verify.checks.structure import StructureCheck
from surefoot.verify.checks.terms import TermCheck
from surefoot.verify.checks.tone import ToneCheck
from surefoot.verify.read.submission import Submission

ADDED = {"warning_missing", "section_missing", "policy:jurisdiction-named"}
"""What an answer is given afterwards, and what is only reported."""


@pytest.mark.parametrize("name", ["thandi", "judge"])
def test_no_document_trips_a_check_of_its_own_pack(name: str) -> None:
    pack = loader.load(name)
    alarms = []
    for path in sorted((loader.BUILTIN / name / "kb").glob("*.md")):
        text = path.read_text("utf-8").split("---", 2)[2].strip()
        passages = (Passage(id="S1", text=text),)
        submission = Submission(draft=text, claims=(), passages=passages, pack=pack, today="2026-01-01")
        for check in (PolicyCheck(), EntityCheck(), StructureCheck(), ToneCheck(), TermCheck()):
            found = check.run(submission).findings
            alarms += [(path.name, one.issue.code, one.issue.location) for one in found if one.issue.code not in ADDED]
    assert alarms == []
