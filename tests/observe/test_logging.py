"""What a log line may say."""

from __future__ import annotations

import asyncio
import gc
import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from surefoot.core.errors import InputError
from surefoot.core.types import VerificationResult
from surefoot.observe.logging import configure, decision_line, log_decision


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    handlers, level = logging.root.handlers, logging.root.level
    yield io.StringIO()
    logging.root.handlers, logging.root.level = handlers, level
    structlog.reset_defaults()


def lines(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_decision_line_has_codes_counts_times_and_hashes_and_no_text(
    stream: io.StringIO, result: VerificationResult
) -> None:
    configure(stream=stream)
    log_decision(decision_line(result, session_id="whatsapp-27821234567", pack="thandi"))
    (line,) = lines(stream)
    assert line["decision"] == "fallback"
    assert line["reason"] == "policy:nsfas-first"
    assert line["issues"] == {"value_mismatch": 2}
    assert line["times_ms"] == {"rules": 2.0, "grounding": 9.0}
    assert line["pack_hash"] == "f" * 64
    assert line["run_id"] == "r1"
    assert len(str(line["session"])) == 16
    for secret in ("Sipho", "whatsapp", "27821234567"):
        assert secret not in stream.getvalue()


def test_a_decision_line_is_the_line_any_logger_would_write(stream: io.StringIO, result: VerificationResult) -> None:
    configure(stream=stream)
    decided = decision_line(result, pack="call 082 123 4567")
    with structlog.contextvars.bound_contextvars(request_id="r-12345678"):
        log_decision(decided)
        structlog.get_logger("surefoot.decision").info("decision", **decided)
    ours, theirs = lines(stream)
    assert ours["pack"] == "call <PHONE_A>"
    assert list(ours) == list(theirs)
    assert {**ours, "at": theirs["at"]} == theirs


def test_a_decision_line_below_the_level_is_not_written(stream: io.StringIO, result: VerificationResult) -> None:
    configure(stream=stream, level="warning")
    log_decision(decision_line(result))
    assert stream.getvalue() == ""


def test_texts_are_dropped_unless_switched_on(stream: io.StringIO) -> None:
    configure(stream=stream)
    structlog.get_logger("surefoot").info("asked", question="who is Zola", run_id="r")
    assert "question" not in lines(stream)[0]
    configure(stream=stream, content=True)
    structlog.get_logger("surefoot").info("asked", question="who is Zola, 0821234567", run_id="r")
    assert lines(stream)[1]["question"] == "who is Zola, <PHONE_A>"


def test_an_exception_is_its_type_and_place_not_its_message(stream: io.StringIO) -> None:
    configure(stream=stream)
    try:
        raise ValueError("Zola Nkosi is not a number")
    except ValueError:
        structlog.get_logger("surefoot").exception("broken")
        logging.getLogger("uvicorn.error").exception("broken too")
    assert "Zola" not in stream.getvalue()
    assert [line["error"] for line in lines(stream)] == ["ValueError", "ValueError"]
    assert "test_logging.py" in stream.getvalue()


def test_lines_of_libraries_are_json_and_redacted(stream: io.StringIO) -> None:
    configure(stream=stream)
    logging.getLogger("some.library").warning("sent to %s", "a@b.co.za")
    assert lines(stream)[0]["event"] == "sent to <EMAIL_A>"


def test_an_unknown_level_is_refused() -> None:
    with pytest.raises(InputError, match="'loud'"):
        configure(level="loud")


def test_an_exception_that_carries_a_document_does_not_bring_it_into_the_log(stream: io.StringIO) -> None:
    configure(stream=stream)

    async def fail() -> None:
        "Zola Nkosi of Soweto \ud800".encode()

    async def main() -> None:
        task = asyncio.create_task(fail())
        await asyncio.sleep(0)
        del task
        gc.collect()

    asyncio.run(main())
    try:
        "Zola Nkosi of Soweto \ud800".encode()
    except UnicodeEncodeError as error:
        logging.getLogger("library").error("it failed: %r and %s", error, error)
        logging.getLogger("library").error("it failed: %(why)s", {"why": error})
        logging.getLogger("library").error("it failed", extra={"why": error})
        structlog.get_logger("surefoot").error("it failed", why=error, more={"why": [error]})
        logging.getLogger("library").exception("it failed")
        structlog.get_logger("surefoot").error("it failed", exc_info=True)
    written = stream.getvalue()
    assert "Zola" not in written
    assert written.count("UnicodeEncodeError") >= 4
