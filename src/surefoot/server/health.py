"""Is it alive, is it ready, and what has it done."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

from surefoot.core.ports import MetricsPage
from surefoot.server.problems import Problem
from surefoot.server.schemas import Health
from surefoot.server.service import Here

router = APIRouter(tags=["operations"])


@router.get("/healthz", response_model=Health)
async def healthz() -> Response:
    """200 while the process can answer at all."""
    return JSONResponse({"status": "ok"})


@router.get("/readyz", response_model=Health)
async def readyz(service: Here) -> Response:
    """200 when answers can be made; 503 while starting, broken or draining."""
    if service.draining:
        raise Problem(503, "draining", "the service is shutting down", "send requests to another instance")
    if not service.ready:
        raise Problem(503, "not_ready", "the service is still starting", "ask again in a moment")
    running, waiting = service.pool.load
    return JSONResponse({"status": "ready", "running": running, "waiting": waiting})


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def metrics(service: Here) -> Response:
    """Prometheus' text format; every name starts with surefoot_."""
    meter = service.house.meter
    page = meter.text() if isinstance(meter, MetricsPage) else b""
    running, waiting = service.pool.load
    now = f"# TYPE surefoot_running gauge\nsurefoot_running {running}\n"
    now += f"# TYPE surefoot_waiting gauge\nsurefoot_waiting {waiting}\n"
    return Response(page + now.encode(), media_type="text/plain; version=0.0.4; charset=utf-8")
