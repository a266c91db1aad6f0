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
    max_columns: int = 2_000
    """Of a table."""
    max_title: int = 500
    """Characters; a longer title is cut."""
    max_metadata: int = 50_000
    """Characters of what a document says beside its text: each of its passages carries it."""
    max_passages: int = 50_000
    """Of one file: embedding more would keep all others waiting for many minutes."""
    max_reply_bytes: int = 200_000_000
    """All passages of a file with what they carry, as they leave the child."""
    reader_seconds: float = 60.0
    """Time to read and cut one file, in a child process."""
    reader_memory_bytes: int = 2_000_000_000
    """Address space of that child."""
    max_file_names: int = 2_000_000
    """Entries of a folder tree before we call it endless."""
