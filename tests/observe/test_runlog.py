"""The audit of decisions: chained, redacted, safe under many writers and sudden death."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from surefoot.core.errors import InputError, StoreUnavailableError
from surefoot.observe.runlog import FILE, RunStore

RECORD = {
    "kind": "verify",
    "decision": "approved",
    "pack": "thandi",
    "input": {
        "profile": {"name": "Sipho Dube", "grade": 11},
        "draft_answer": "Sipho, call 0821234567 or a@b.co.za.",
        "chunks": [{"id": "c1", "text": "NSFAS phone 0821234567"}],
    },
}


def test_a_record_comes_back_redacted_and_consistent(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    record = store.read(store.append(RECORD))
    assert record is not None
    assert record["input"] == {
        "profile": {"grade": 11},
        "draft_answer": "<NAME_A>, call <PHONE_A> or <EMAIL_A>.",
        "chunks": [{"id": "c1", "text": "NSFAS phone <PHONE_A>"}],
    }


def test_nothing_personal_reaches_the_file(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    store.append(RECORD)
    store.close()
    written = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert not [word for word in (b"Sipho", b"Dube", b"0821234567", b"a@b.co.za") if word in written]


def test_a_session_is_known_by_its_hash_only(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    record = store.read(store.append({"session_id": "thandi-whatsapp-7"}))
    assert record is not None
    assert "session_id" not in record
    assert len(str(record["session"])) == 16


def test_without_content_only_facts_about_the_run_are_kept(tmp_path: Path) -> None:
    store = RunStore(tmp_path, content="none")
    record = store.read(store.append(RECORD))
    assert record is not None
    assert set(record) == {"run_id", "at", "kind", "decision", "pack", "content"}
    assert record["content"] == "none"


def test_an_unknown_content_choice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'everything'"):
        RunStore(tmp_path, content="everything")


def test_reading_before_anything_was_written_creates_no_file(tmp_path: Path) -> None:
    store = RunStore(tmp_path / "kb")
    assert store.read("x") is None
    assert store.runs() == []
    assert not (tmp_path / "kb").exists()


def test_runs_are_listed_newest_first_filtered_and_in_pages(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    ids = [store.append({"decision": d}) for d in ("approved", "fallback", "approved")]
    assert [run.run_id for run in store.runs()] == ids[::-1]
    assert [run.run_id for run in store.runs(decision="approved", limit=1)] == [ids[2]]
    assert [run.run_id for run in store.runs(before=ids[2])] == [ids[1], ids[0]]


def test_feedback_is_a_record_of_its_own_beside_the_run(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    run = store.append({"decision": "approved"})
    store.feedback(run, "wrong", "my number is 0821234567")
    assert [item["note"] for item in store.feedback_on(run)] == ["my number is <PHONE_A>"]
    with pytest.raises(InputError, match="no run 'nope'"):
        store.feedback("nope", "wrong")


def test_since_reads_records_from_a_time_on(tmp_path: Path) -> None:
    clock = [datetime(2026, 1, 1, tzinfo=UTC)]
    store = RunStore(tmp_path, now=lambda: clock[0], retention_days=9999)
    store.append({"decision": "approved"})
    clock[0] += timedelta(days=1)
    store.append({"decision": "fallback"})
    assert [record["decision"] for record in store.since("2026-01-02")] == ["fallback"]


@pytest.mark.parametrize(
    "tamper",
    [
        "UPDATE runs SET body = replace(body, 'approved', 'rejected') WHERE seq = 2",
        "DELETE FROM runs WHERE seq = 2",
        "UPDATE runs SET hash = previous WHERE seq = 2",
    ],
)
def test_tampering_breaks_the_chain(tmp_path: Path, tamper: str) -> None:
    store = RunStore(tmp_path)
    for _ in range(4):
        store.append({"decision": "approved"})
    assert store.check().intact
    with sqlite3.connect(tmp_path / FILE) as db:
        db.execute(tamper)
    assert not store.check().intact


def test_a_forgotten_run_loses_its_content_and_the_chain_holds(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    run = store.append({"decision": "approved", "question": "a secret"})
    store.append({"decision": "approved"})
    assert store.forget(run)
    record = store.read(run)
    assert record is not None
    assert record["kind"] == "forgotten"
    assert set(record) == {"run_id", "kind", "at"}
    assert store.check().intact
    assert not store.forget("nope")


def test_what_is_older_than_the_retention_goes_and_the_chain_holds(tmp_path: Path) -> None:
    clock = [datetime(2026, 1, 1, tzinfo=UTC)]
    store = RunStore(tmp_path, retention_days=30, now=lambda: clock[0])
    old = store.append({"decision": "approved"})
    clock[0] += timedelta(days=31)
    new = store.append({"decision": "fallback"})
    assert store.prune() == 1
    assert store.read(old) is None
    assert store.read(new) is not None
    store.append({"decision": "approved"})
    assert store.check().intact


def test_an_unusable_folder_is_named_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "kb").write_text("a file where a folder should be")
    with pytest.raises(StoreUnavailableError, match="permissions"):
        RunStore(tmp_path / "kb").append({"decision": "approved"})


def test_64_threads_in_one_process_lose_nothing(tmp_path: Path) -> None:
    store = RunStore(tmp_path)

    def write() -> None:
        for _ in range(5):
            store.append({"decision": "approved", "question": "q" * 2000})

    threads = [threading.Thread(target=write) for _ in range(64)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert store.count() == 320
    assert store.check().intact


def _append_forever(folder: str, acknowledged: str) -> None:
    store = RunStore(Path(folder))
    with open(acknowledged, "a", encoding="ascii") as out:
        while True:
            out.write(store.append({"decision": "approved", "question": "q" * 5000}) + "\n")
            out.flush()


def test_killed_writers_leave_whole_rows_and_lose_no_acknowledged_one(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = []
    for number in range(3):
        writer = context.Process(target=_append_forever, args=(str(tmp_path / "kb"), str(tmp_path / f"ack{number}")))
        writer.start()
        writers.append(writer)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and not all((tmp_path / f"ack{n}").exists() for n in range(3)):
        time.sleep(0.02)
    time.sleep(0.3)
    for writer in writers:
        assert writer.pid is not None
        os.kill(writer.pid, signal.SIGKILL)
        writer.join()
    acknowledged = [
        line for number in range(3) for line in (tmp_path / f"ack{number}").read_text().splitlines() if len(line) == 32
    ]
    store = RunStore(tmp_path / "kb")
    assert acknowledged
    assert all(store.read(run) is not None for run in acknowledged)
    assert store.check().intact
    store.append({"decision": "approved"})
    assert store.check().intact
