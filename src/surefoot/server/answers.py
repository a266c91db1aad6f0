"""Ask and verify."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Body, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic_core import to_json

from surefoot.core.errors import SurefootError
from surefoot.core.hashing import plain
from surefoot.core.types import AskEvent, AskResult, Shown, Turn
from surefoot.core.wire import ask_to_wire, result_shape, result_to_wire
from surefoot.server import examples
from surefoot.server.keys import needs
from surefoot.server.problems import Problem, error_body, problem_of
from surefoot.server.schemas import (
    AskRequest,
    AskResponse,
    BatchRequest,
    BatchResponse,
    VerifyResponse,
)
from surefoot.server.service import Here, Service, service_of
from surefoot.server.stream import ask_events
from surefoot.server.strict import DirectRoute, StrictRoute

router = APIRouter(route_class=StrictRoute, tags=["answers"])


@router.post(
    "/v1/ask",
    response_model=AskResponse,
    responses={200: {"content": {"text/event-stream": {"example": examples.STREAM}}}},
)
@needs("read")
async def ask(
    request: Request, body: Annotated[AskRequest, Body(openapi_examples=examples.ASK)], service: Here
) -> Response:
    """One verified answer, as JSON, or as events when `stream` is true or the Accept header asks for them."""
    service.known_pack(body.pack)
    if body.stream or "text/event-stream" in request.headers.get("accept", ""):
        events = ask_events(partial(_asked, service, body), request_id=request.state.request_id, finish=ask_to_wire)
        return StreamingResponse(events, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})
    return JSONResponse(ask_to_wire(await _asked(service, body)))


@needs("read")
async def verify(request: Request) -> Response:
    """A draft and its sources in, the verdict out. Takes the CAG design's camelCase names and snake_case."""
    service = await service_of(request)
    given = service.verify_input(await request.json())
    result = await service.verify(given)
    # Written in one pass: plain data first and json.dumps after it take several times as long.
    body = to_json(result_shape(result), inf_nan_mode="null", fallback=plain)
    return Response(body, media_type="application/json")


router.add_api_route(
    "/v1/verify",
    verify,
    methods=["POST"],
    response_model=VerifyResponse,
    openapi_extra={"requestBody": examples.verify_body()},
    route_class_override=DirectRoute,
)


@router.post("/v1/verify/batch", response_model=BatchResponse)
@needs("read")
async def verify_batch(
    request: Request, body: Annotated[BatchRequest, Body(openapi_examples=examples.BATCH)], service: Here
) -> Response:
    """Up to 100 drafts; each gets a result or an error of its own, in order."""
    workers = asyncio.Semaphore(service.house.settings.workers)
    results = [_one(service, item, workers, request.state.request_id) for item in body.items]
    return JSONResponse({"results": await asyncio.gather(*results)})


async def _asked(
    service: Service,
    body: AskRequest,
    *,
    on_event: Callable[[AskEvent], None] | None = None,
    on_release: Callable[[Shown], None] | None = None,
) -> AskResult:
    where = body.where.filter() if body.where else None
    pack = service.known_pack(body.pack)
    given: dict[str, Any] = {"pack": pack, "profile": body.profile, "where": where, "session_id": body.session_id}
    work = partial(
        service.house.ask,
        body.question,
        history=[Turn(question=turn.question, answer=turn.answer) for turn in body.history],
        on_event=on_event,
        on_release=on_release,
        **given,
    )
    remembered = None if body.history else partial(service.house.remembered, body.question, on_event=on_event, **given)
    return await service.ask(work, remembered=remembered)


async def _one(service: Service, item: dict[str, Any], workers: asyncio.Semaphore, request_id: str) -> dict[str, Any]:
    async with workers:
        try:
            given = service.verify_input(item)
            return result_to_wire(await service.verify(given))
        except Problem as problem:
            return error_body(problem, request_id)
        except SurefootError as error:
            return error_body(problem_of(error), request_id)
