"""What a person writes for a moment is one, in UTC, or a mistake that is named."""

from __future__ import annotations

import pytest

from surefoot.core.errors import InputError
from surefoot.core.moment import moment


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2026-03-31", "2026-03-31T00:00:00.000+00:00"),
        ("2026-03-31T09:00", "2026-03-31T09:00:00.000+00:00"),
        ("2026-03-31 09:00:30", "2026-03-31T09:00:30.000+00:00"),
        ("2026-03-31T09:00Z", "2026-03-31T09:00:00.000+00:00"),
        ("2026-03-31T01:00+02:00", "2026-03-30T23:00:00.000+00:00"),
        ("2026-03", "2026-03-01T00:00:00.000+00:00"),
        ("2000", "2000-01-01T00:00:00.000+00:00"),
    ],
)
def test_a_moment_is_the_start_of_what_is_named_in_utc(written: str, meant: str) -> None:
    assert moment(written, "--since") == meant


@pytest.mark.parametrize(
    "written",
    ["yesterday", "2020-13-45", "2020-02-30", "2020-13", "31.03.2026", "0", "", "09:00", "0001-01-01T00:00+14:00"],
)
def test_what_is_no_moment_is_named_with_a_remedy(written: str) -> None:
    with pytest.raises(InputError, match=r"--since: .* is no date; write it as 2026-03-31"):
        moment(written, "--since")
