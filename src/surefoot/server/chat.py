"""The OpenAI-compatible face: any client of theirs gets verified answers, plain and streamed."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Body, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from surefoot.core.errors import InputError, SurefootError
from surefoot.core.types import AskEvent, AskResult, Shown, Turn
from surefoot.core.wire import ask_to_wire
from surefoot.server import examples
from surefoot.server.keys import needs
from surefoot.server.problems import INTERNAL, Problem, error_body, problem_of
from surefoot.server.schemas import ChatMessage, ChatRequest, ChatResponse, ModelList
from surefoot.server.service import Here, Service
from surefoot.server.stream import STILL_WORKING, Asking, Sentence, told
from surefoot.server.strict import StrictRoute

router = APIRouter(route_class=StrictRoute, tags=["openai"])
MODEL = "surefoot"


@router.get("/v1/models", response_model=ModelList)
@needs("read")
async def models(service: Here) -> Response:
    """`surefoot` answers with the service's own pack, `surefoot:PACK` with another."""
    names = [MODEL, *(f"{MODEL}:{name}" for name in service.house.pack_names())]
    data = [{"id": name, "object": "model", "created": 0, "owned_by": "surefoot"} for name in names]
    return JSONResponse({"object": "list", "data": data})


@router.post(
    "/v1/chat/completions",
    response_model=ChatResponse,
    responses={200: {"content": {"text/event-stream": {"example": examples.CHAT_STREAM}}}},
)
@needs("read")
async def chat(
    request: Request, body: Annotated[ChatRequest, Body(openapi_examples=examples.CHAT)], service: Here
) -> Response:
    """The last user message is the question, resolved against those before it.

    Verdict, sources and certificate stand in the field `surefoot`.
    """
    question, pack = _question(body.messages), _pack(body.model, service)
    identity = f"chatcmpl-{secrets.token_hex(12)}"
    work = partial(
        service.house.ask,
        question,
        pack=pack,
        profile=body.profile or {},
        history=_history(body.messages),
        session_id=body.user,
    )
    if body.stream:
        usage = bool((body.stream_options or {}).get("include_usage"))
        events = _chunks(partial(_asked, service, work), identity, body.model, request.state.request_id, usage=usage)
        return StreamingResponse(events, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})
    answer = await service.ask(work)
    message = {"role": "assistant", "content": answer.result.final_answer, "refusal": None}
    return JSONResponse(
        {
            **_head(identity, body.model, "chat.completion"),
            "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
            "usage": _usage(answer),
            "surefoot": _extension(answer),
        }
    )


async def _asked(
    service: Service,
    work: Callable[..., Awaitable[AskResult]],
    *,
    on_event: Callable[[AskEvent], None],
    on_release: Callable[[Shown], None],
) -> AskResult:
    return await service.ask(partial(work, on_event=on_event, on_release=on_release))


async def _chunks(ask: Asking, identity: str, model: str, request_id: str, *, usage: bool) -> AsyncIterator[bytes]:
    head = _head(identity, model, "chat.completion.chunk")
    delta: dict[str, Any] = {"role": "assistant"}
    try:
        async with aclosing(told(ask)) as stream:
            async for heard in stream:
                if heard is None:
                    yield STILL_WORKING
                elif isinstance(heard, Sentence):
                    delta["content"] = heard.text
                    yield _data({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
                    delta = {}
                elif isinstance(heard, AskResult):
                    choices = [{"index": 0, "delta": {}, "finish_reason": "stop"}]
                    yield _data({**head, "choices": choices, "surefoot": _extension(heard)})
                    if usage:
                        yield _data({**head, "choices": [], "usage": _usage(heard)})
                    yield b"data: [DONE]\n\n"
    except Problem as problem:
        yield _data(error_body(problem, request_id))
    except SurefootError as error:
        yield _data(error_body(problem_of(error), request_id))
    except Exception:
        yield _data(error_body(INTERNAL, request_id))
        raise


def _question(messages: list[ChatMessage]) -> str:
    for message in reversed(messages):
        if message.role == "user":
            text = message.content if isinstance(message.content, str) else _joined(message.content or [])
            if not text.strip():
                raise InputError("messages: the last user message is empty; ask something")
            if len(text) > 20_000:
                raise InputError("messages: the last user message is longer than 20000 characters; shorten it")
            return text
    raise InputError("messages: there is no user message; the last one is taken as the question")


def _history(messages: list[ChatMessage]) -> list[Turn]:
    """Each earlier user message with the reply behind it; what is no text is no part of it, and no other's reply."""
    turns: list[Turn] = []
    last = max(at for at, message in enumerate(messages) if message.role == "user")
    for message in messages[:last]:
        if message.role == "user":
            turns.append(Turn(question=_said(message)))
        elif message.role == "assistant" and turns:
            turns[-1] = Turn(question=turns[-1].question, answer=_said(message))
    return [turn for turn in turns if turn.question.strip()]


def _said(message: ChatMessage) -> str:
    """What of an earlier message is text."""
    if isinstance(message.content, str):
        return message.content
    return "\n".join(str(part.get("text") or "") for part in message.content or () if part.get("type") == "text")


def _joined(parts: list[dict[str, Any]]) -> str:
    texts = [part.get("text") for part in parts if part.get("type") == "text"]
    if len(texts) != len(parts) or not all(isinstance(text, str) for text in texts):
        raise InputError("messages: only text parts can be answered; leave images and files out")
    return "\n".join(str(text) for text in texts)


def _pack(model: str, service: Service) -> str | None:
    name, _, pack = model.partition(":")
    if name != MODEL or (pack and pack not in service.house.pack_names()):
        raise Problem(404, "model_not_found", "there is no such model here", "GET /v1/models lists them")
    return pack or None


def _head(identity: str, model: str, kind: str) -> dict[str, Any]:
    return {"id": identity, "object": kind, "created": int(time.time()), "model": model}


def _extension(answer: AskResult) -> dict[str, Any]:
    wire = ask_to_wire(answer)
    return {key: wire[key] for key in ("decision", "metadata", "passages", "rounds", "unanswered", "cached", "domain")}


def _usage(answer: AskResult) -> dict[str, Any]:
    """Words, as a stand-in for tokens: proven text has no tokenizer of its own."""
    prompt, completion = len(answer.question.split()), len(answer.result.final_answer.split())
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def _data(value: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n".encode()
