"""The page's HTTP client: events as they come, refusals in words."""

from __future__ import annotations

import pytest

from surefoot.ui.client import Refused, Service, _events


def test_events_are_read_and_comments_skipped() -> None:
    lines = iter(
        ["event: step", 'data: {"node": "retrieve"}', "", ": still working", "", "event: decision", "data: {}"]
    )
    assert list(_events(lines)) == [("step", {"node": "retrieve"}), ("decision", {})]


def test_an_error_event_is_a_refusal_with_its_remedy() -> None:
    error = '{"error": {"message": "no answer", "remedy": "retry", "request_id": "r1"}}'
    with pytest.raises(Refused, match="No answer — retry"):
        list(_events(iter(["event: error", f"data: {error}"])))


def test_a_service_that_is_not_there_is_named_with_the_command_to_start_it() -> None:
    with pytest.raises(Refused, match="surefoot serve"):
        Service(url="http://127.0.0.1:9").get("/v1/packs")
