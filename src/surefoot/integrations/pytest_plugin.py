"""The pytest plugin: `assert_grounded(answer, sources)` as a fixture.

Registered as an entry point, so it imports nothing of ours until a test uses the fixture.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from surefoot.core.types import VerificationResult

FORMAL = frozenset({"citation_missing"})
"""An answer without markers may still be grounded: the gate finds each claim's passage itself."""
Assertion = Callable[..., "VerificationResult"]


@pytest.fixture(scope="session")
def assert_grounded(tmp_path_factory: pytest.TempPathFactory) -> Assertion:
    """`assert_grounded(answer, sources, question=None, pack=None)`: fails unless every claim is proven."""
    from surefoot.core.blocking import blocking
    from surefoot.integrations.evidence import verify_input
    from surefoot.wiring import build

    house = build(kb=tmp_path_factory.mktemp("surefoot"), run_content="none")

    def check(
        answer: str, sources: Sequence[Any], *, question: str | None = None, pack: str | None = None
    ) -> VerificationResult:
        __tracebackhide__ = True
        result = blocking(house.verify(verify_input(answer, sources, question=question, pack=pack)))
        wrong = [issue for issue in result.metadata.issues_detected if issue.blocking and issue.code not in FORMAL]
        if wrong or not result.accepted:
            pytest.fail(_explained(result, wrong), pytrace=False)
        return result

    return check


def _explained(result: VerificationResult, wrong: Sequence[Any]) -> str:
    reason = result.metadata.fallback_reason or "see the issues"
    lines = [f"the answer is not grounded in its sources: {result.decision.value} ({reason})"]
    for issue in wrong:
        lines.append(f"  {issue.severity.value:<8} {issue.code}: {issue.problem}")
        lines.append(f"           at: {issue.location!r}")
        if issue.correction:
            lines.append(f"           say: {issue.correction!r}")
    return "\n".join(lines)
