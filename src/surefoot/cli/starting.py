"""The start of a short command: importing the house makes hundreds of thousands of objects, none of them garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def starting() -> Iterator[None]:
    """For imports: garbage is looked for again when they are done, and not among what they made."""
    gc.disable()
    try:
        yield
    finally:
        if not gc.get_freeze_count():  # once, or a process that calls many commands would keep their garbage
            gc.freeze()
        gc.enable()
