"""JSON out of replies, and schemas."""

from __future__ import annotations

import pytest

from surefoot.core.structured import extract_object, schema_problem, strictly_closed

VERDICT = {
    "type": "object",
    "additionalProperties": False,
    "required": ["grounded", "reasoning"],
    "properties": {
        "grounded": {"type": "boolean"},
        "reasoning": {"type": "string", "minLength": 1},
        "issues": {"type": "array", "maxItems": 2, "items": {"type": "string", "enum": ["a", "b"]}},
        "score": {"type": "number", "minimum": 0, "maximum": 1},
        "note": {"type": ["string", "null"]},
    },
}
GOOD = {"grounded": True, "reasoning": "x"}


@pytest.mark.parametrize(
    "text",
    [
        '{"a": {"b": 1}}',
        '```json\n{"a": {"b": 1}}\n```',
        'I think {not json} and then:\n{"a": {"b": 1}}\nHope it helps!',
        '<think>{"a": 0}</think> {"a": {"b": 1}}',
    ],
)
def test_the_object_is_found_whatever_stands_around_it(text: str) -> None:
    assert extract_object(text) == {"a": {"b": 1}}


@pytest.mark.parametrize("text", ["", "no", "[1, 2]", '{"a": 1', "{'a': 1}", "{" * 5000])
def test_a_reply_without_a_whole_object_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no complete JSON object"):
        extract_object(text)


def test_a_value_that_meets_the_schema_has_no_problem() -> None:
    assert schema_problem({**GOOD, "issues": ["a"], "score": 1, "note": None}, VERDICT) is None


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"grounded": "yes"}, '$.grounded must be boolean, not "yes"'),
        ({"grounded": 1}, "$.grounded must be boolean, not 1"),
        ({"reasoning": ""}, "$.reasoning must have at least 1 characters"),
        ({"issues": ["c"]}, '$.issues[0] must be one of ["a", "b"], not "c"'),
        ({"issues": ["a", "a", "a"]}, "$.issues must have at most 2 items, not 3"),
        ({"score": 1.5}, "$.score must be at most 1, not 1.5"),
        ({"score": True}, "$.score must be number, not true"),
        ({"extra": 1}, "$.extra is not a known key"),
    ],
)
def test_the_first_breach_is_named_with_its_place(change: dict[str, object], problem: str) -> None:
    assert problem in (schema_problem({**GOOD, **change}, VERDICT) or "")


def test_a_missing_key_is_named() -> None:
    assert schema_problem({"grounded": True}, VERDICT) == "$.reasoning is missing"


def test_only_a_schema_that_requires_every_key_is_strict() -> None:
    closed = {
        "type": "object",
        "additionalProperties": False,
        "required": ["a"],
        "properties": {"a": {"type": "string"}},
    }
    assert strictly_closed(closed)
    assert not strictly_closed(VERDICT)
    assert not strictly_closed({"type": "array", "items": VERDICT})


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_number_of_json_is_no_reply(number: str) -> None:
    with pytest.raises(ValueError, match="no complete JSON object"):
        extract_object(f'{{"score": {number}}}')


def test_a_number_without_end_meets_no_schema() -> None:
    said = extract_object('{"score": 1e999}')
    problem = schema_problem({**GOOD, "score": said["score"]}, VERDICT)
    assert problem is not None
    assert "number" in problem
