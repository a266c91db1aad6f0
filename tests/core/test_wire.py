from __future__ import annotations

import json

import pytest

from surefoot.core.errors import InputError
from surefoot.core.wire import EXAMPLE, parse_verify_input

SEED = {
    "draftAnswer": "Study hard.",
    "ragChunks": [
        {
            "id": "c1",
            "chunk_text": "Nursing needs Life Sciences.",
            "chunk_metadata": {"source": "careers.md", "category": "career", "career": "Nurse"},
            "similarity": 0.81,
        }
    ],
    "studentProfile": {"grade": 11, "financialNeed": True},
    "ragDraft": "Safe text.",
    "options": {"skipLLMVerification": True, "strictMode": False, "llmModel": "openai:gpt-4o-mini"},
}


def test_the_designs_camel_case_input_is_read() -> None:
    request = parse_verify_input(SEED)
    assert request.draft_answer == "Study hard."
    assert request.chunks[0].metadata["career"] == "Nurse"
    assert request.chunks[0].similarity == 0.81
    assert request.profile["financialNeed"] is True
    assert request.rag_draft == "Safe text."
    assert request.options.skip_llm_verification is True
    assert request.options.strict_mode is False


def test_snake_case_means_the_same() -> None:
    snake = {
        "draft_answer": "Study hard.",
        "chunks": [{"id": "c1", "text": "Nursing needs Life Sciences.", "metadata": {}, "similarity": 0.81}],
        "profile": {"grade": 11, "financialNeed": True},
        "rag_draft": "Safe text.",
        "options": {"skip_llm_verification": True, "strict_mode": False, "llm_model": "openai:gpt-4o-mini"},
    }
    mine, theirs = parse_verify_input(snake), parse_verify_input(SEED)
    assert mine.options == theirs.options
    assert mine.chunks[0].text == theirs.chunks[0].text


def test_a_passage_may_be_a_plain_text() -> None:
    request = parse_verify_input({"draft_answer": "x", "chunks": ["first", "second"]})
    assert [(chunk.id, chunk.text) for chunk in request.chunks] == [("S1", "first"), ("S2", "second")]


@pytest.mark.parametrize(
    ("data", "names"),
    [
        ([], "JSON object"),
        ({}, "draft_answer"),
        ({"draftAnswer": 3}, "draft_answer"),
        ({"draftAnswer": "x", "ragChunks": "text"}, "chunks"),
        ({"draftAnswer": "x", "ragChunks": [{"id": "a"}]}, "chunk 1: 'text' is missing"),
        ({"draftAnswer": "x", "ragChunks": [{"id": "a", "text": "t"}, {"id": "a", "text": "u"}]}, "used twice"),
        ({"draftAnswer": "x", "ragChunks": [{"id": "a", "text": "t", "similarity": "high"}]}, "similarity"),
        ({"draftAnswer": "x", "studentProfile": [1]}, "profile"),
        ({"draftAnswer": "x", "studentProfile": []}, "profile"),
        ({"draftAnswer": "x", "studentProfile": ""}, "profile"),
        ({"draftAnswer": "x", "ragChunks": {}}, "chunks"),
        ({"draftAnswer": "x", "ragChunks": [{"id": "a", "text": "t", "metadata": 0}]}, "metadata"),
        ({"draftAnswer": "x", "rules": False}, "rules"),
        ({"draftAnswer": "x", "options": {"strictMode": "yes"}}, "strict_mode"),
        ({"draftAnswer": "x", "options": {"deadlineMs": -1}}, "deadline_ms"),
        ({"draftAnswer": "x", "draftanswer": "y"}, "draftanswer"),
        ({"draftAnswer": "x", "rules": "a.md"}, "rules"),
    ],
)
def test_bad_input_names_the_key(data: object, names: str) -> None:
    with pytest.raises(InputError, match=names):
        parse_verify_input(data)


def test_the_example_that_a_message_gives_is_itself_taken() -> None:
    request = parse_verify_input(json.loads(EXAMPLE))
    assert (request.draft_answer, len(request.chunks)) == ("We open daily [S1].", 1)
