"""What the gate does not reach yet, by the id of the case: nearly all needs a grounder that doubts less.

Each is run and expected to fail; one that passes must be taken off. `NEAR` holds those whose risk lies within 0.03 of a
band, where another processor's rounding may decide: they may pass.
"""

from __future__ import annotations

from typing import Any

import pytest

DOUBTED = "a true sentence is doubted and gives way to its source"
COUNTED = "a value that follows from others is bound, and its sentence doubted"
PROFILE = "what the profile says of the person is doubted"
LEAKS = "a wrong sentence is released"
NAMELESS = "a wrong name is stopped, but not called one"

TRUE_EXAMPLES = {
    "quiz-row": DOUBTED,
    "invisible": DOUBTED,
    "average": COUNTED,
    "total": COUNTED,
    "difference": COUNTED,
    "at-least": DOUBTED,
    "notice": DOUBTED,
    "up-to": DOUBTED,
    "no-more-than": DOUBTED,
    "community-service": DOUBTED,
    "nqf-level": DOUBTED,
    "grade": PROFILE,
}
"""Of tests/verify/test_named_examples.py: not approved as they stand."""

FALSE_EXAMPLES: dict[str, str] = {}
"""Of the same: approved."""

ATTACKS = {
    "museum-card-6": DOUBTED,
    "course-fees-6": COUNTED,
}
"""Of benchmarks/attacks, those that tests/bench/test_attacks.py samples."""

CASES = {
    "maths-without": LEAKS,
    "workplace-jokes-good": DOUBTED,
    "workplace-break-good": DOUBTED,
}
"""Of the shipped packs' cases."""

_DOUBTED_REPORTS = """
    nurse-lerato developer-naledi physio-sipho doctor-aisha plumber-johan teacher-thabo electrician-bongani
    social-zanele civil-pieter chef-fatima uj-refilwe tvet-david pharmacist-priya bursary-kagiso
    nqf-ayanda maths-tumi private-wendy loan-craig up-lwazi no-steps-physio income-developer
    social-vusi-advice civil-diploma-sizwe nurse-short-june scale-busi
    silence-chef doctor-dislike-jade
"""
REPORTS = dict.fromkeys((f"report-{name}" for name in _DOUBTED_REPORTS.split()), DOUBTED) | {
    "report-wrong-physio-university": NAMELESS,
    "report-wrong-teacher-council": NAMELESS,
    "report-wrong-bursary-name": NAMELESS,
    "report-wrong-uct-uj-mixed": LEAKS,
}
"""Of the personal reports of the pack thandi."""

SEED = {
    "level": DOUBTED,
    "field_of_study": "the pack knows a career by its title, not by its field of study",
}
"""Of tests/verify/test_seed_000.py."""

NEAR = frozenset({"quiz-row", "report-silence-chef"})


def expected_to_fail(name: str, not_yet: dict[str, str]) -> list[Any]:
    """The marks of a case: none where it is not on the list."""
    if name not in not_yet:
        return []
    return [pytest.mark.xfail(strict=name not in NEAR, raises=AssertionError, reason=not_yet[name])]
