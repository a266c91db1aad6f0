"""Judge: a situation weighed against curated references."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Body
from fastapi.responses import JSONResponse, Response

from surefoot.core.wire import judge_to_wire, result_to_wire
from surefoot.server import examples
from surefoot.server.keys import needs
from surefoot.server.schemas import JudgeRequest, JudgeResponse
from surefoot.server.service import Here
from surefoot.server.strict import StrictRoute

router = APIRouter(route_class=StrictRoute, tags=["answers"])


@router.post("/v1/judge", response_model=JudgeResponse)
@needs("read")
async def judge(body: Annotated[JudgeRequest, Body(openapi_examples=examples.JUDGE)], service: Here) -> Response:
    """Weighs a situation against curated references; every citation in the summary is valid."""
    judged = await service.ask(partial(service.house.judge, body.context, body.query))
    return JSONResponse({**judge_to_wire(judged), "result": result_to_wire(judged.result)})
