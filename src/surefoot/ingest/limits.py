"""How much of a stranger's file we are willing to swallow."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    max_bytes: int = 50_000_000
    """Of the file as it lies on disk."""
    max_characters: int = 20_000_000
    """Of the text inside it."""
    max_pages: int = 5_000
    max_expanded_bytes: int = 200_000_000
    """What a zipped format may unpack to."""
    max_records: int = 200_000
    """Rows of a table or a file of JSON lines."""
    reader_seconds: float = 60.0
    """Time for one file of a format that is parsed in a child process."""
    reader_memory_bytes: int = 2_000_000_000
    """Address space of that child."""
    max_file_names: int = 2_000_000
    """Entries of a folder tree before we call it endless."""
