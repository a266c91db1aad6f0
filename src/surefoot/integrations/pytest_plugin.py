"""The pytest plugin: `assert_grounded(answer, sources)` as a fixture.

Registered as an entry point, so it imports nothing of ours until a test uses the fixture.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from surefoot.core.types import Issue, VerificationResult

FORMAL = frozenset({"citation_missing"})
"""An answer without markers may still be grounded: the gate finds each claim's passage itself."""
Assertion = Callable[..., "VerificationResult"]


@pytest.fixture(scope="session")
def assert_grounded(tmp_path_factory: pytest.TempPathFactory) -> Assertion:
    """`assert_grounded(answer, sources, question=None, pack=None)`: fails unless every claim is grounded."""
    from surefoot.core.blocking import blocking
    from surefoot.integrations.evidence import verify_input
    from surefoot.wiring import build

    house = build(kb=tmp_path_factory.mktemp("surefoot"), run_content="none")

    def check(answer: str, sources: Any, *, question: str | None = None, pack: str | None = None) -> VerificationResult:
        __tracebackhide__ = True
        result = blocking(house.verify(verify_input(answer, sources, question=question, pack=pack)))
        wrong = [issue for issue in result.metadata.issues_detected if issue.blocking and issue.code not in FORMAL]
        if wrong or not result.accepted:
            pytest.fail(_explained(result, wrong), pytrace=False)
        return result

    return check


def _explained(result: VerificationResult, wrong: Sequence[Issue]) -> str:
    """A diff: the answer's sentences, `-` for those that may not stand, and `+` for what the sources say instead."""
    reason = f" ({result.metadata.fallback_reason})" if result.metadata.fallback_reason else ""
    lines = [f"the answer is not grounded in its sources: {result.decision.value}{reason}", ""]
    told: set[int] = set()
    for claim in result.claims:
        about = [
            at for at, issue in enumerate(wrong) if claim.span[0] <= issue.span[0] < claim.span[1] and at not in told
        ]
        told.update(about)
        bad = bool(about) or claim.status in ("unsupported", "doubtful")
        lines.append(f"  {'-' if bad else ' '} {' '.join(claim.text.split())}")
        lines += [f"  ?   {wrong[at].severity.value} {wrong[at].code}: {wrong[at].problem}" for at in about]
    drafted = {" ".join(claim.text.split()) for claim in result.claims}
    sentences: Any = result.metadata.certificate.get("sentences") or []
    instead = [" ".join(str(sentence["text"]).split()) for sentence in sentences]
    lines += [f"  + {text}" for text in instead if text not in drafted]
    rest = [issue for at, issue in enumerate(wrong) if at not in told]
    lines += [f"  ? {issue.severity.value} {issue.code}: {issue.problem}" for issue in rest]
    return "\n".join(lines)
