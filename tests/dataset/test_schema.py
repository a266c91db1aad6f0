"""The seed's line, to the letter."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from surefoot.core.errors import InputError
from surefoot.dataset.schema import SessionLine, read_lines, to_line

SEED: dict[str, Any] = {
    "conversation_id": "samr_rag_v2_session_2",
    "article_metadata": {"title": "SAMR Model Corpus", "source": "corpus/"},
    "session_metadata": {"focus_aspect": "Analysis of Transformation"},
    "messages": [{"role": "user", "content": "Q"}, {"role": "assistant", "content": "A2"}],
    "quality_metrics": {
        "pairs": [
            {
                "question": "Q",
                "initial_answer": "A1",
                "initial_critique": {"grounded": False, "reasoning": "unsupported"},
                "final_answer": "A2",
                "final_critique": {"grounded": True, "reasoning": "supported"},
            }
        ]
    },
}


def test_the_seeds_example_is_valid_and_comes_back_byte_for_byte() -> None:
    line = to_line(SessionLine.model_validate_json(json.dumps(SEED)))
    assert line == json.dumps(SEED)


def paths(value: Any, trail: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        return [spot for key, item in value.items() for spot in [(*trail, key), *paths(item, (*trail, key))]]
    if isinstance(value, list):
        return [spot for place, item in enumerate(value) for spot in paths(item, (*trail, place))]
    return []


@pytest.mark.parametrize("path", paths(SEED), ids=lambda path: ".".join(map(str, path)))
def test_no_field_may_be_missing(path: tuple[Any, ...]) -> None:
    broken = copy.deepcopy(SEED)
    parent = broken
    for part in path[:-1]:
        parent = parent[part]
    del parent[path[-1]]
    with pytest.raises(ValidationError):
        SessionLine.model_validate_json(json.dumps(broken))


@pytest.mark.parametrize("place", ["", "article_metadata", "session_metadata", "quality_metrics"])
def test_no_field_may_be_added(place: str) -> None:
    broken = copy.deepcopy(SEED)
    (broken[place] if place else broken)["more"] = 1
    with pytest.raises(ValidationError):
        SessionLine.model_validate_json(json.dumps(broken))


def test_a_rejected_pair_may_not_stand_in_the_messages() -> None:
    broken = copy.deepcopy(SEED)
    broken["quality_metrics"]["pairs"][0]["final_critique"]["grounded"] = False
    with pytest.raises(ValidationError, match="messages must be the accepted pairs"):
        SessionLine.model_validate_json(json.dumps(broken))


def test_a_broken_line_of_a_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "d.jsonl"
    file.write_text(json.dumps(SEED) + "\n" + json.dumps({**SEED, "messages": 3}) + "\n")
    with pytest.raises(InputError, match=r"d\.jsonl:2: messages"):
        read_lines(file)


def test_a_line_separator_inside_a_text_does_not_cut_the_line(tmp_path: Path) -> None:
    odd = copy.deepcopy(SEED)
    odd["session_metadata"]["focus_aspect"] = "one\u2028two\x85three"
    file = tmp_path / "d.jsonl"
    file.write_text(to_line(SessionLine.model_validate_json(json.dumps(odd))) + "\n", encoding="utf-8")
    assert read_lines(file)[0].session_metadata.focus_aspect == "one\u2028two\x85three"


def test_no_file_says_how_to_build_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="surefoot dataset build"):
        read_lines(tmp_path / "absent.jsonl")
