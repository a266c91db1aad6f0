"""Retries are told to the log: standard output is for answers alone."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import asyncio
from surefoot.core.patience import retried

async def main():
    tried = 0
    async for attempt in retried(OSError, attempts=3, wait_initial=0.0, wait_max=0.0, wait_jitter=0.0):
        with attempt:
            tried += 1
            if tried < 3:
                raise OSError("busy")
    print(tried)

asyncio.run(main())
"""


def test_a_retry_is_told_on_standard_error_and_nothing_on_standard_output() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=120)
    assert done.stdout == "3\n"
    assert done.stderr.count("retry") == 2
