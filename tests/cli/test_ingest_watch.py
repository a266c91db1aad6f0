from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("surefoot_models")


def heard_by_a_child_of_a_background_job() -> None:
    """A shell lets what it runs in the background ignore Ctrl-C, and so would this suite's children there."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_watching_follows_changes_and_leaves_the_store_free_between_looks(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "rent.md").write_text("# Rent\n\nRent is due monthly.\n")
    command = [sys.executable, "-m", "surefoot", "ingest", "docs", "--watch", "--every", "0.1", "--json"]
    child = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, text=True, preexec_fn=heard_by_a_child_of_a_background_job
    )
    assert child.stdout is not None
    try:
        assert json.loads(child.stdout.readline())["added"] == 1
        (docs / "fees.md").write_text("# Fees\n\nFees are due yearly.\n")
        assert json.loads(child.stdout.readline())["added"] == 1
        (docs / "rent.md").unlink()
        assert json.loads(child.stdout.readline())["removed"] == 1
    finally:
        child.send_signal(signal.SIGINT)
        child.wait(timeout=60)
        child.stdout.close()
