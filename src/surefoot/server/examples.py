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

_DOCUMENT = {
    "id": "e57434ecae8a3dde38eb2be6",
    "source": "bursaries.md",
    "status": "indexed",
    "chunks": 3,
    "reason": None,
    "name": None,
}
_PASSAGE = {
    "id": "f231015a4a1451a7",
    "text": "The bursary pays R35 000 per year.",
    "metadata": {"file": "bursaries.md", "title": "Bursaries", "start": 0, "end": 34},
}
_PACK = {
    "name": "default",
    "title": "Knowledge base only",
    "version": "1.0",
    "hash": "d71afe22534a45af",
    "jurisdiction": "",
    "citations": {"mode": "auto", "style": "[S#]", "show": False},
    "rules": 0,
    "entities": 0,
    "default": True,
    "decidedBeforeStreaming": False,
}
_RUN = {
    "runId": "01a1e8718583d314cd6632eae3161fdd",
    "at": "2026-11-17T07:38:36.291+00:00",
    "kind": "ask",
    "decision": "approved",
    "reason": None,
    "pack": "default",
    "question": "How much does the bursary pay?",
    "cached": False,
}
PARAMETERS: dict[str, Any] = {
    "document_id": _DOCUMENT["id"],
    "run_id": _RUN["runId"],
    "index": 0,
    "limit": 20,
    "offset": 0,
    "before": _RUN["runId"],
    "decision": "approved",
    "pack": "default",
    "kind": "ask",
}
"""A value for each part of an address; `name` is a pack's or a dataset's."""
ANSWERS: dict[str, Any] = {
    "get /v1/models": {
        "object": "list",
        "data": [{"id": "surefoot", "object": "model", "created": 0, "owned_by": "surefoot"}],
    },
    "get /v1/documents": {"documents": [_DOCUMENT]},
    "post /v1/documents": {"documents": [{**_DOCUMENT, "status": "queued", "chunks": None, "name": "bursaries.md"}]},
    "get /v1/documents/{document_id}": _DOCUMENT,
    "get /v1/documents/{document_id}/passages": {"source": "bursaries.md", "passages": [_PASSAGE]},
    "get /v1/questions": {"questions": ["How much does the bursary pay?"]},
    "get /v1/packs": {"packs": [_PACK]},
    "get /v1/packs/{name}": {
        **_PACK,
        "rules": [],
        "sections": [],
        "warnings": [],
        "thresholds": {"reject": None, "release": None, "accept": None, "validation": 0.8},
        "sources": [],
        "entityKinds": [],
    },
    "get /v1/packs/{name}/cases": {
        "cases": [{"id": "marker-unknown", "note": "", "decisions": ["revised"], "codes": ["citation_unknown"]}]
    },
    "get /v1/runs": {"runs": [_RUN], "next": _RUN["runId"]},
    "get /v1/audit": {"rows": 17, "intact": True, "findings": []},
    "get /v1/runs/{run_id}": {
        **_RUN,
        "record": {"final_answer": "The bursary pays R35 000 per year [S1]."},
        "feedback": [],
    },
    "get /v1/runs/{run_id}/certificate": {
        "decision": "approved",
        "final_text": {},
        "sentences": [],
        "sources": [],
        "seal": "…",
    },
    "get /v1/datasets": {"datasets": [{"name": "library", "rows": 2, "reviewed": 0}]},
    "get /v1/datasets/{name}/rows": {
        "rows": [{"index": 0, "row": {"question": "How much does the bursary pay?"}, "review": None}],
        "total": 2,
    },
    "get /healthz": {"status": "ok"},
    "get /readyz": {"status": "ready", "running": 0, "waiting": 0, "indexing": 0},
    "get /metrics": 'surefoot_decisions_total{decision="approved",reason=""} 12.0',
}
"""What a call without a body of its own is answered with, shortened."""


def put_into(document: dict[str, Any]) -> None:
    """Shows an answer for every call that sends no body, and a value for every part of an address."""
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            answer = ANSWERS.get(f"{method} {path}")
            if answer is not None:
                kind = "text/plain" if isinstance(answer, str) else "application/json"
                good = next(reply for code, reply in operation["responses"].items() if code.startswith("2"))
                good.setdefault("content", {}).setdefault(kind, {})["example"] = answer
            for given in operation.get("parameters", []):
                own = {"name": "library" if "datasets" in path else "default"}
                given["example"] = {**PARAMETERS, **own}[given["name"]]


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
