"""Parquet files as tables: read in a child process as every file is."""

from __future__ import annotations

import datetime
import io
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from surefoot.core.errors import ConfigError, InputError
from surefoot.ingest import reading
from surefoot.ingest.isolation import ReaderPool
from surefoot.ingest.limits import Limits

pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'surefoot[parquet]'")
from pyarrow import parquet  # noqa: E402


@pytest.fixture(scope="module")
def pool() -> Iterator[ReaderPool]:
    pool = ReaderPool()
    yield pool
    pool.close()


def packed(columns: dict[str, Any], **how: Any) -> bytes:
    memory = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), memory, **how)
    return memory.getvalue()


def written(folder: Path, data: bytes, name: str = "boat-fares.parquet") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


FARES = {"Route": ["Nes – Oost", "Nes – West"], "Price": ["R12.50", "R9.00"], "Boats": [4, 7]}


def test_rows_are_told_as_rows_of_a_csv_file_are(tmp_path: Path) -> None:
    table = tmp_path / "boat-fares.csv"
    table.write_text("Route,Price,Boats\nNes – Oost,R12.50,4\nNes – West,R9.00,7\n")
    (by_column,) = reading.read(written(tmp_path, packed(FARES)), "boat-fares.parquet", Limits())
    (by_line,) = reading.read(table, "boat-fares.csv", Limits())
    assert by_column.text == by_line.text
    assert by_column.metadata == {key: value for key, value in by_line.metadata.items() if key != "encoding"}


def test_the_child_with_bounded_memory_reads_it(pool: ReaderPool, tmp_path: Path) -> None:
    done = pool(written(tmp_path, packed(FARES)), "boat-fares.parquet", Limits(), {})
    assert "Route: Nes – West; Price: R9.00; Boats: 7." in done.passages[0].text


@pytest.mark.parametrize(
    ("value", "kind", "told"),
    [
        (0.1, pyarrow.float32(), "A: 0.1."),
        (Decimal("12.30"), None, "A: 12.30."),
        (datetime.date(2024, 5, 1), None, "A: 2024-05-01."),
        (1_700_000_000_123_456_789, pyarrow.timestamp("ns", tz="UTC"), "A: 2023-11-14 22:13:20.123456+00:00."),
        (True, None, "A: true."),
        (["red", "blue"], None, "A: red, blue."),
        ({"x": 1, "y": None}, None, "A: x: 1."),
        (b"plain", None, "A: plain."),
    ],
)
def test_a_value_is_written_as_a_person_would(tmp_path: Path, value: Any, kind: Any, told: str) -> None:
    data = packed({"a": pyarrow.array([value], type=kind)})
    (document,) = reading.read(written(tmp_path, data), "t.parquet", Limits())
    assert document.text == told


def test_what_is_missing_or_no_text_is_left_out(tmp_path: Path) -> None:
    columns = {"a": [None, float("nan"), 1.5], "b": [b"\xff\xfe", None, b"x"], "__index_level_0__": [0, 1, 2]}
    (document,) = reading.read(written(tmp_path, packed(columns)), "t.parquet", Limits())
    assert document.text == "A: 1.5; B: x."
    assert document.metadata["rows"] == 1


def test_two_columns_of_one_name_are_both_told(tmp_path: Path) -> None:
    table = pyarrow.Table.from_arrays([pyarrow.array(["x"]), pyarrow.array(["y"])], names=["a", "a"])
    memory = io.BytesIO()
    parquet.write_table(table, memory)
    (document,) = reading.read(written(tmp_path, memory.getvalue()), "t.parquet", Limits())
    assert document.text == "A: x; A: y."


@pytest.mark.parametrize(
    ("columns", "limits", "reason"),
    [
        ({"a": list(range(11))}, Limits(max_records=10), "more than 10 rows"),
        ({"a": [1], "b": [1], "c": [1]}, Limits(max_columns=2), "3 columns"),
        ({"a": ["long " * 1000] * 5000}, Limits(max_characters=100_000), "more than 100,000 characters"),
        ({"a": []}, Limits(), "without rows"),
    ],
)
def test_a_table_beyond_the_limits_is_refused(
    tmp_path: Path, columns: dict[str, Any], limits: Limits, reason: str
) -> None:
    with pytest.raises(InputError, match=reason):
        reading.read(written(tmp_path, packed(columns)), "t.parquet", limits)


@pytest.mark.parametrize("cut", [4, 40, -8])
def test_a_broken_file_is_a_reason(pool: ReaderPool, tmp_path: Path, cut: int) -> None:
    with pytest.raises(InputError, match="a broken Parquet file"):
        pool(written(tmp_path, packed(FARES)[:cut]), "t.parquet", Limits(), {})


def test_a_text_repeated_beyond_memory_costs_its_own_file_only(pool: ReaderPool, tmp_path: Path) -> None:
    text = pyarrow.array(["long words " * 10_000])
    data = packed({"a": pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * 150_000, pyarrow.int32()), text)})
    assert len(data) < 1_000_000
    with pytest.raises(InputError, match=r"characters|memory"):
        pool(written(tmp_path, data), "t.parquet", Limits(), {})


def test_without_pyarrow_the_reason_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ConfigError, match=r"pip install 'surefoot\[parquet\]'"):
        reading.read(written(tmp_path, b"PAR1"), "t.parquet", Limits())
