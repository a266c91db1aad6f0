"""Is it alive, is it ready, and what has it done."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from surefoot.core.errors import StoreError
from surefoot.core.ports import MetricsPage
from surefoot.server.keys import needs
from surefoot.server.problems import Problem
from surefoot.server.schemas import Health
from surefoot.server.service import Here, Service
from surefoot.server.strict import StrictRoute

STORE_SECONDS = 2.0
"""A store that takes longer to say how much it holds is as good as down."""
router = APIRouter(route_class=StrictRoute, tags=["operations"])


@router.get("/healthz", response_model=Health)
@needs("open")
async def healthz() -> Response:
    """200 while the process can answer at all."""
    return JSONResponse({"status": "ok"})


@router.get("/readyz", response_model=Health)
@needs("open")
async def readyz(service: Here) -> Response:
    """200 when answers can be made; 503 while starting, broken or draining."""
    if service.draining:
        raise Problem(503, "draining", "the service is shutting down", "send requests to another instance")
    if not service.ready:
        raise Problem(503, "not_ready", *_why_not_ready(service))
    await _reach_store(service)
    running, waiting = service.pool.load
    now = {"status": "ready", "running": running, "waiting": waiting, "indexing": service.library.waiting}
    if service.house.settings.redis_url:
        now["redis"] = "ok" if await service.aside(service.house.reach_redis) else "away"
    return JSONResponse(now | ({"readOnly": reason} if (reason := service.read_only()) else {}))


async def _reach_store(service: Service) -> None:
    try:
        async with asyncio.timeout(STORE_SECONDS):
            await service.aside(service.house.reach_store)
    except (StoreError, TimeoutError) as error:
        problem = "the knowledge base cannot be reached"
        raise Problem(503, "store_unavailable", problem, "check the store, then ask again") from error


def _why_not_ready(service: Service) -> tuple[str, str]:
    note = service.notes.get("start")
    if note is None:
        return "the service is still starting", "ask again in a moment"
    message, _, remedy = note.rpartition("; ")
    return message or note, remedy if message else "see the service's log"


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
@needs("read")
async def metrics(service: Here) -> Response:
    """Prometheus' text format; every name starts with surefoot_."""
    meter = service.house.meter
    page = meter.text() if isinstance(meter, MetricsPage) else b""
    running, waiting = service.pool.load
    now = f"# TYPE surefoot_running gauge\nsurefoot_running {running}\n"
    now += f"# TYPE surefoot_waiting gauge\nsurefoot_waiting {waiting}\n"
    return Response(page + now.encode(), media_type="text/plain; version=0.0.4; charset=utf-8")


@router.get("/openapi.json", include_in_schema=False)
@needs("read")
async def openapi(request: Request) -> Response:
    """This interface. A route of ours, so that it has a scope like every other."""
    return JSONResponse(request.app.openapi())
