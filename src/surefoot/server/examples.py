"""Real requests and responses for the OpenAPI document; a test sends each of them."""

from __future__ import annotations

from typing import Any

VERIFY: dict[str, Any] = {
    "draftAnswer": "The bursary pays R35 000 per year [S1]. Applications close on 30 September 2026 [S1].",
    "ragChunks": [
        {
            "id": "S1",
            "chunk_text": "The bursary pays R35 000 per year. Applications close on 30 September 2026.",
            "chunk_metadata": {"source": "bursaries.md", "category": "funding"},
            "similarity": 0.91,
        }
    ],
    "studentProfile": {"grade": 12, "subjects": ["Mathematics"]},
    "ragDraft": "See bursaries.md for the bursary's amount and closing date.",
    "options": {"skipLLMVerification": True},
}
BAD_VERIFY: dict[str, Any] = {
    **VERIFY,
    "draftAnswer": "The bursary pays R53 000 per year [S1]. Applications close on 30 September 2026 [S1].",
}
ASK: dict[str, Any] = {
    "plain": {
        "summary": "One answer as JSON",
        "value": {"question": "How much does the bursary pay?", "pack": "default", "profile": {"grade": 12}},
    },
    "stream": {
        "summary": "The same as events",
        "value": {"question": "How much does the bursary pay?", "stream": True},
    },
}
TEXT: dict[str, Any] = {
    "text": {
        "summary": "One text as a document",
        "value": {"source": "opening-hours.md", "text": "# Opening hours\n\nThe library opens at 08:00."},
    }
}
FEEDBACK: dict[str, Any] = {
    "right": {"summary": "The decision was right", "value": {"verdict": "right"}},
    "wrong": {
        "summary": "Its first sentence was not",
        "value": {"verdict": "wrong", "claim": 1, "note": "the fee changed in May"},
    },
}
REPLAY: dict[str, Any] = {"other": {"summary": "With another pack", "value": {"pack": "default"}}}
REVIEW: dict[str, Any] = {
    "accept": {"summary": "A good row", "value": {"verdict": "accept"}},
    "edit": {"summary": "A corrected one", "value": {"verdict": "edit", "answer": "The library opens at 08:00."}},
}
REHEARSAL: dict[str, Any] = {"first": {"summary": "The first five cases", "value": {"offset": 0, "limit": 5}}}
BATCH: dict[str, Any] = {"two": {"summary": "Two drafts", "value": {"items": [VERIFY, BAD_VERIFY]}}}
JUDGE: dict[str, Any] = {
    "tenancy": {
        "summary": "A dispute about a deposit",
        "value": {
            "context": "The landlord keeps the whole deposit because of one scratched tile.",
            "query": "May the landlord keep all of it?",
        },
    }
}
CHAT: dict[str, Any] = {
    "plain": {
        "summary": "As any OpenAI client sends it",
        "value": {
            "model": "surefoot",
            "messages": [{"role": "user", "content": "How much does the bursary pay?"}],
        },
    }
}
STREAM = (
    'event: step\ndata: {"node": "retrieve", "state": "finished", "round": 0, "elapsedMs": 12.5}\n\n'
    'event: sentence\ndata: {"index": 0, "text": "The bursary pays R35 000 per year [S1].", "span": [0, 39], '
    '"verdict": "proven", "evidence": []}\n\n'
    'event: decision\ndata: {"success": true, "decision": "approved", "finalAnswer": "…", "metadata": {}}\n\n'
)
CHAT_STREAM = (
    'data: {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0, "model": "surefoot", '
    '"choices": [{"index": 0, "delta": {"content": "The bursary pays R35 000 per year [S1]."}, '
    '"finish_reason": null}]}\n\ndata: [DONE]\n\n'
)


def verify_body() -> dict[str, Any]:
    """The request body of /v1/verify, described by hand because it takes two spellings of every key."""
    chunk = {
        "type": "object",
        "required": ["chunk_text"],
        "properties": {
            "id": {"type": ["string", "integer"], "minLength": 1, "description": "left out: S1, S2 … in order"},
            "chunk_text": {"type": "string"},
            "chunk_metadata": {"type": ["object", "null"]},
            "similarity": {"type": ["number", "null"]},
        },
    }
    options = {
        "type": ["object", "null"],
        "additionalProperties": False,
        "properties": {
            "skipLLMVerification": {"type": ["boolean", "null"]},
            "strictMode": {"type": ["boolean", "null"]},
            "llmModel": {"type": ["string", "null"], "description": "one of the critics the operator configured"},
            "deadlineMs": {"type": ["integer", "null"], "minimum": 1, "maximum": 60000},
            "citations": {"enum": ["auto", "required", None], "description": "left out: as the pack says"},
        },
    }
    schema = {
        "type": "object",
        "required": ["draftAnswer"],
        "additionalProperties": False,
        "properties": {
            "draftAnswer": {"type": "string"},
            "ragChunks": {"type": ["array", "null"], "items": {"anyOf": [{"type": "string"}, chunk]}},
            "studentProfile": {"type": ["object", "null"]},
            "ragDraft": {"type": ["string", "null"]},
            "question": {"type": ["string", "null"]},
            "sessionId": {"type": ["string", "null"]},
            "pack": {"type": ["string", "null"]},
            "options": options,
        },
    }
    shown = {
        "good": {"summary": "A proven draft", "value": VERIFY},
        "bad": {"summary": "A wrong amount, repaired from the source", "value": BAD_VERIFY},
    }
    return {"required": True, "content": {"application/json": {"schema": schema, "examples": shown}}}
