"""The labelled answers about records that `benchmarks/records.py` measures on."""

from __future__ import annotations

import json
from pathlib import Path

LABELS = Path(__file__).parents[2] / "benchmarks" / "labels"


def rows(name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (LABELS / name).read_text(encoding="utf-8").splitlines()]


def test_every_wrong_word_stands_in_its_sentence() -> None:
    sentences = [
        sentence
        for row in rows("business_overviews.jsonl")
        for overview in row["overviews"]  # type: ignore[attr-defined]
        for sentence in overview
    ]
    assert any(sentence["wrong"] for sentence in sentences)
    assert all(words in sentence["text"] for sentence in sentences for words in sentence["wrong"])


def test_a_sentence_is_wrong_exactly_where_wrong_words_are_named() -> None:
    labelled = rows("record_answers.jsonl")
    assert len({row["id"] for row in labelled}) == len(labelled)
    assert all(bool(row["wrong"]) == bool(row["label"]) for row in labelled)
