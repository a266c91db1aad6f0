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
from surefoot.core.hashing import canonical_json, sha256_text
from surefoot.core.types import Json
from surefoot.observe.chain import GENESIS, Head, old_link
from surefoot.observe.runbook import FILE, HEAD, SCHEMA
from surefoot.observe.runlog import RunStore

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
        "UPDATE runs SET decision = 'rejected' WHERE seq = 2",
        "UPDATE runs SET reason = 'x' WHERE seq = 2",
        "UPDATE runs SET pack = 'other' WHERE seq = 2",
        "UPDATE runs SET at = '1999-01-01' WHERE seq = 2",
        "UPDATE runs SET kind = 'judge' WHERE seq = 2",
        "UPDATE runs SET of = 'x' WHERE seq = 2",
        "UPDATE runs SET run_id = 'x' WHERE seq = 2",
        "DELETE FROM runs WHERE seq = 4",
        "DELETE FROM runs WHERE seq >= 3",
        "DELETE FROM runs",
        "DELETE FROM runs WHERE seq = 1",
        """DELETE FROM runs WHERE seq = 1;
           INSERT OR REPLACE INTO meta SELECT 'anchor', previous FROM runs WHERE seq = 2""",
        "UPDATE runs SET body = json_object('run_id', run_id, 'kind', 'forgotten', 'at', at) WHERE seq = 2",
        """UPDATE runs SET body = '{"at":"' || at || '","kind":"forgotten","run_id":"' || run_id || '"}'
           WHERE seq = 2""",
        """DELETE FROM runs WHERE seq = 1; INSERT OR REPLACE INTO meta VALUES ('removed', '1');
           INSERT OR REPLACE INTO meta SELECT 'anchor', previous FROM runs WHERE seq = 2""",
        "UPDATE runs SET body = 'no json' WHERE seq = 2",
        "UPDATE runs SET body = x'00ff' WHERE seq = 2",
        "UPDATE runs SET at = x'00ff' WHERE seq = 2",
        "UPDATE runs SET hash = 7 WHERE seq = 2",
        "UPDATE meta SET value = '9' WHERE key = 'old_links'",
        *(
            f"UPDATE runs SET {column} = {value} WHERE seq = 2"
            for column in ("run_id", "at", "kind", "decision", "reason", "pack", "of", "body", "body_hash", "hash")
            for value in ("CAST(x'61ff62' AS TEXT)", "7", "'a' || char(0)")
        ),
        """UPDATE runs SET body = '{"question": "\\ud800"}' WHERE seq = 2""",
        """UPDATE runs SET body = '{"question": NaN}' WHERE seq = 2""",
        """UPDATE runs SET body = '{"question": 1e999}' WHERE seq = 2""",
        "UPDATE runs SET body = replace(hex(zeroblob(50000)), '00', '[') WHERE seq = 2",
        "UPDATE runs SET seq = 9223372036854775807 WHERE seq = 4",
        "UPDATE runs SET seq = -1 WHERE seq = 1",
        *(
            f"INSERT OR REPLACE INTO meta VALUES ('{key}', {value})"
            for key in ("removed", "old_links", "anchor")
            for value in ("'x'", "''", "x'00ff'", "1e308", "'-5'", "CAST(x'ff' AS TEXT)")
        ),
        "CREATE TABLE loose AS SELECT * FROM runs; DROP TABLE runs; ALTER TABLE loose RENAME TO runs; "
        "UPDATE runs SET seq = 'x' WHERE seq = 2",
        "CREATE TABLE loose AS SELECT * FROM runs; DROP TABLE runs; ALTER TABLE loose RENAME TO runs; "
        "UPDATE runs SET run_id = NULL, at = NULL, kind = NULL, body = NULL, hash = NULL WHERE seq = 2",
    ],
)
def test_tampering_breaks_the_chain(tmp_path: Path, tamper: str) -> None:
    store = RunStore(tmp_path)
    for _ in range(4):
        store.append({"decision": "approved"})
    assert store.check().intact
    with sqlite3.connect(tmp_path / FILE) as db:
        db.executescript(tamper)
    report = store.check()
    assert not report.intact
    assert all(finding.problem for finding in report.findings)
    assert len(store.runs()) == store.count()  # nobody is kept from reading the rest
    for run in store.runs():
        canonical_json([run, store.read(run.run_id)]).encode()  # and what is read can be shown
    assert len(list(store.since("0"))) <= store.count()
    store.append({"decision": "approved"})
    store.append({"decision": "approved"})
    assert not store.check().intact  # more records do not heal the log


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


def test_a_row_that_cannot_be_read_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    ids = [store.append({"decision": "approved"}) for _ in range(3)]
    with sqlite3.connect(tmp_path / FILE) as db:
        db.execute("UPDATE runs SET body = 'no json', decision = x'00ff' WHERE run_id = ?", [ids[1]])
    assert store.read(ids[1]) == {"kind": "unreadable"}
    assert [record["kind"] for record in store.since("2000")] == ["verify", "unreadable", "verify"]
    assert [run.decision for run in store.runs()] == ["approved", "?", "approved"]
    assert {finding.run_id for finding in store.check().findings} == {ids[1]}


def test_a_file_that_is_no_log_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"not a database" * 500)
    report = RunStore(tmp_path).check()
    assert not report.intact
    assert "cannot be used" in report.findings[0].problem


@pytest.mark.parametrize("tamper", ["missing", "changed", "other key"])
def test_the_head_outside_the_file_is_part_of_the_proof(tmp_path: Path, tamper: str) -> None:
    store = RunStore(tmp_path, key=lambda: b"secret")
    store.append({"decision": "approved"})
    head = tmp_path / HEAD
    if tamper == "missing":
        head.unlink()
    elif tamper == "changed":
        head.write_text(head.read_text().replace('"seq": 1', '"seq": 0'))
    else:
        store = RunStore(tmp_path, key=lambda: b"another")
    assert "head" in store.check().findings[0].problem


HEADS = {
    "empty": b"",
    "deep": b"[" * 100_000,
    "endless": b'{"seq": 1e999, "hash": "", "anchor": "", "removed": 0, "signature": ""}',
    "half a character": b'{"seq": 1, "hash": "\\ud800", "anchor": "", "removed": 0, "signature": "\\ud800"}',
    "a list": b"[1]",
    "a word": b'"x"',
    "another coding": '{"seq": 1}'.encode("utf-16"),
    "a long number": b'{"seq": ' + b"9" * 5_000 + b"}",
    "huge": b" " * 1_000_000,
}


@pytest.mark.parametrize("written", HEADS.values(), ids=HEADS)
def test_a_head_that_says_anything_is_a_finding_and_no_crash(tmp_path: Path, written: bytes) -> None:
    store = RunStore(tmp_path, key=lambda: b"secret")
    for _ in range(3):
        store.append({"decision": "approved"})
    (tmp_path / HEAD).write_bytes(written)
    assert "head" in store.check().findings[0].problem
    store.append({"decision": "approved"})
    assert not store.check().intact


@pytest.mark.parametrize("taken", ["deleted", "forged"])
def test_newest_rows_that_go_together_with_the_head_are_missed_for_good(tmp_path: Path, taken: str) -> None:
    """Who can write in the folder can take the head away; only who has the key can make one that knows nothing."""
    store = RunStore(tmp_path, key=lambda: b"secret")
    for _ in range(6):
        store.append({"decision": "approved"})
    with sqlite3.connect(tmp_path / FILE) as db:
        db.execute("DELETE FROM runs WHERE seq > 3")
    (tmp_path / HEAD).unlink()
    if taken == "forged":
        RunStore(tmp_path, key=lambda: b"a guess").append({"decision": "approved"})
    for _ in range(3):
        store.append({"decision": "approved"})
        assert "may be missing" in store.check().findings[0].problem
    again = RunStore(tmp_path, key=lambda: b"secret")
    again.append({"decision": "approved"})
    assert not again.check().intact


def test_a_doubt_goes_when_retention_has_reached_its_row_and_not_before(tmp_path: Path) -> None:
    clock = [datetime(2026, 1, 1, tzinfo=UTC)]
    store = RunStore(tmp_path, now=lambda: clock[0], retention_days=30)
    for _ in range(4):
        store.append({"decision": "approved"})
    for day, gone, intact in ((20, 0, False), (35, 4, False), (55, 1, True)):
        if day == 20:
            (tmp_path / HEAD).unlink()
        clock[0] = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=day)
        store.append({"decision": "approved"})
        assert (store.prune(), store.check().intact) == (gone, intact), day


def test_a_killed_first_writer_raises_no_doubt(tmp_path: Path) -> None:
    """Killed after the row and before its head: the head of before is there."""
    store = RunStore(tmp_path)
    store._book.sealed = lambda head, key: None  # type: ignore[method-assign]
    store.append({"decision": "approved"})
    store.append({"decision": "approved"})
    again = RunStore(tmp_path)
    assert again.check().intact
    again.append({"decision": "approved"})
    assert again.check().intact


@pytest.mark.parametrize(
    "record",
    [
        {"question": "half \ud83d of a smile"},
        {"decision": "\ud800"},
        {"profile": {"mark\udfff": "\ud800"}},
        {"request": {"weights": [float("nan"), float("inf")]}},
    ],
)
def test_no_record_is_lost_over_what_cannot_be_written(tmp_path: Path, record: dict[str, Json]) -> None:
    store = RunStore(tmp_path)
    run = store.append(record)
    assert store.check().intact
    canonical_json(store.read(run)).encode()


def test_a_log_that_is_gone_is_missed(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    store.append({"decision": "approved"})
    store.close()
    for file in tmp_path.glob(f"{FILE}*"):
        file.unlink()
    assert "gone" in RunStore(tmp_path).check().findings[0].problem


def test_a_witness_hears_of_every_head(tmp_path: Path) -> None:
    heard: list[Head] = []
    store = RunStore(tmp_path, witness=heard.append)
    run = store.append({"decision": "approved"})
    store.forget(run)
    assert [head.seq for head in heard] == [1, 2]
    assert len({head.hash for head in heard}) == 2


def test_a_log_of_before_is_read_and_continued(tmp_path: Path) -> None:
    """Rows whose links did not cover the columns, and without a head beside them."""
    with sqlite3.connect(tmp_path / FILE) as db:
        db.executescript(SCHEMA)
        before = GENESIS
        for number in (1, 2):
            entry = {"run_id": f"r{number}", "at": "2026-01-01", "kind": "verify", "decision": "approved"}
            body = canonical_json(entry)
            made = old_link(before, sha256_text(body))
            row = [number, f"r{number}", "2026-01-01", "verify", "approved", body, sha256_text(body), before, made]
            db.execute(
                "INSERT INTO runs (seq, run_id, at, kind, decision, body, body_hash, previous, hash) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                row,
            )
            before = made
    store = RunStore(tmp_path, retention_days=99_999)
    assert store.check().intact
    store.append({"decision": "approved"})
    assert store.check().intact
    with sqlite3.connect(tmp_path / FILE) as db:
        db.execute("UPDATE runs SET decision = 'rejected' WHERE seq = 1")
    assert [finding.seq for finding in store.check().findings] == [1]


DAY = timedelta(days=1)
TODAY = datetime(2026, 6, 1, tzinfo=UTC)


def log_over(folder: Path, days: list[datetime], *, now: datetime, retention_days: int = 90) -> RunStore:
    """A log with one record a date, read at `now`."""
    clock = [days[0]]
    store = RunStore(folder, now=lambda: clock[0], retention_days=retention_days)
    for day in days:
        clock[0] = day
        store.append({"decision": "approved"})
    clock[0] = now
    return store


@pytest.mark.parametrize(
    "odd",
    [datetime(1970, 1, 1, tzinfo=UTC), datetime(2031, 6, 1, tzinfo=UTC), datetime(2026, 9, 15, tzinfo=UTC)],
)
def test_one_start_with_a_wrong_clock_deletes_nothing(tmp_path: Path, odd: datetime) -> None:
    days = [TODAY - DAY * (30 - number) for number in range(30)]
    for place, dates in enumerate(([odd, *days], [*days[:15], odd, odd, *days[15:]], [*days, odd])):
        for now in (odd, TODAY):
            store = log_over(tmp_path / f"{place}-{now.year}-{now.month}", dates, now=now)
            assert store.prune() == 0, (place, now)
            assert store.count() == len(dates)
            assert store.check().intact


def test_records_older_than_the_retention_go_also_around_a_wrong_date(tmp_path: Path) -> None:
    days = [TODAY - DAY * (140 - 10 * number) for number in range(15)]
    days.insert(3, datetime(2031, 1, 1, tzinfo=UTC))
    store = log_over(tmp_path, days, now=TODAY)
    assert store.prune() == 6  # 140 to 100 days ago and the odd one between them; 90 days ago is not older than 90
    assert store.check().intact


def test_a_bounded_share_goes_at_once_unless_the_operator_says_so(tmp_path: Path) -> None:
    days = [TODAY - 200 * DAY + timedelta(minutes=number) for number in range(1_500)]
    days += [TODAY - 200 * DAY + 20 * DAY * number for number in range(1, 11)]
    store = log_over(tmp_path, days, now=TODAY, retention_days=10_000)
    store.close()
    store = RunStore(tmp_path, now=lambda: TODAY, retention_days=90)
    assert store.prune() == 151
    assert store.check().intact
    assert store.prune(all_of_it=True) > 1_000
    assert store.check().intact
    store.append({"decision": "approved"})
    assert store.check().intact


def test_runs_are_listed_with_their_redacted_question_and_whether_they_came_from_the_cache(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    first = store.append({"kind": "ask", "decision": "approved", "question": "May Sipho call 0821234567?"})
    store.append({"kind": "ask", "decision": "approved", "question": "And now?", "cached": True, "of": first})
    assert [(run.question, run.cached) for run in store.runs()] == [
        ("And now?", True),
        ("May Sipho call <PHONE_A>?", False),
    ]
    store.close()
    with sqlite3.connect(tmp_path / FILE) as db:
        db.execute("UPDATE runs SET body = 'no json' WHERE run_id = ?", [first])
    assert [run.question for run in RunStore(tmp_path).runs()] == ["And now?", None]
    silent = RunStore(tmp_path / "none", content="none")
    silent.append({"kind": "ask", "decision": "approved", "question": "And now?"})
    assert [run.question for run in silent.runs()] == [None]
