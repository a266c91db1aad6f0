"""A passage as evidence: its text with what its metadata say of it written in front."""

from __future__ import annotations

from surefoot.core.evidence import flatten, parse_record
from surefoot.core.types import Passage

KEYS = ("title", "headings", "institution", "career", "date")
"""What is read of a passage's metadata; offsets, file names and scores say nothing about the world."""


def lead(passage: Passage) -> str:
    """`NSFAS > Who can apply. University of Cape Town.`; what the text begins with anyway is not said twice."""
    if not passage.metadata:
        return ""
    parts: list[str] = []
    for key in KEYS:
        value = passage.metadata.get(key)
        texts = [str(item) for item in value] if isinstance(value, list) else [str(value)] if value else []
        parts += [f"{key}: {text}" if key in ("institution", "career", "date") else text for text in texts if text]
    return ". ".join(part for part in dict.fromkeys(parts) if not passage.text.startswith(part))


def written(passage: Passage) -> str:
    """What a grounder reads of a passage; a record becomes one line per field."""
    before, record = lead(passage), parse_record(passage.text)
    text = passage.text if record is None else "\n".join(f"{field.path}: {field.text}" for field in flatten(record))
    return f"{before}.\n{text}" if before else text
