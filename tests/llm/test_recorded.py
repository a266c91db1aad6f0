"""Record once, replay for ever."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from surefoot.core.errors import InputError, RecordingMissingError
from surefoot.core.hashing import request_key
from surefoot.llm.recorded import RecordedModel, Recording, recording_file
from surefoot.testing import FailingModel, ScriptedModel, request

ASKED = request("What is the fee?", system="Be brief.", role="answer")


def test_a_recorded_reply_comes_back_as_it_was(tmp_path: Path) -> None:
    first = asyncio.run(Recording(ScriptedModel(["R150."]), tmp_path / "new").complete(ASKED))
    again = asyncio.run(RecordedModel(tmp_path / "new").complete(ASKED))
    assert again == first


def test_patience_is_no_part_of_a_requests_identity(tmp_path: Path) -> None:
    asyncio.run(Recording(ScriptedModel(["R150."]), tmp_path).complete(ASKED))
    assert asyncio.run(RecordedModel(tmp_path).complete(replace(ASKED, timeout_ms=7))).text == "R150."


@pytest.mark.parametrize("change", [{"prompt": "What is the fee"}, {"temperature": 0.2}, {"system": ""}, {"seed": 1}])
def test_any_other_change_of_the_request_is_a_miss(tmp_path: Path, change: dict[str, object]) -> None:
    asyncio.run(Recording(ScriptedModel(["R150."]), tmp_path).complete(ASKED))
    with pytest.raises(RecordingMissingError):
        asyncio.run(RecordedModel(tmp_path).complete(replace(ASKED, **change)))  # type: ignore[arg-type]


def test_a_miss_names_the_request_and_how_to_record_it(tmp_path: Path) -> None:
    with pytest.raises(RecordingMissingError) as caught:
        asyncio.run(RecordedModel(tmp_path).complete(ASKED))
    said = str(caught.value)
    assert "What is the fee?" in said
    assert "'answer'" in said
    assert f"SUREFOOT_RECORD_DIR={tmp_path}" in said


def test_a_miss_names_the_missing_file_in_the_error_and_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(RecordingMissingError) as caught:
        asyncio.run(RecordedModel(tmp_path).complete(ASKED))
    file = str(recording_file(tmp_path, request_key(ASKED)))
    assert f"there is no file {file!r}" in str(caught.value)
    assert [file in record.getMessage() for record in caplog.records] == [True]
    assert "What is the fee?" not in caplog.text


def test_failures_are_not_recorded(tmp_path: Path) -> None:
    model = FailingModel()
    with pytest.raises(Exception, match="always fails"):
        asyncio.run(Recording(model, tmp_path).complete(ASKED))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_the_callers_mistake(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a folder"):
        RecordedModel(tmp_path / "absent")


def test_a_broken_recording_names_its_file(tmp_path: Path) -> None:
    asyncio.run(Recording(ScriptedModel(["R150."]), tmp_path).complete(ASKED))
    file = next(tmp_path.iterdir())
    file.write_text('{"request": {}}')
    with pytest.raises(InputError, match=file.name):
        asyncio.run(RecordedModel(tmp_path).complete(ASKED))
