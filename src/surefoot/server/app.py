"""The application: routes, and around them the guard and the envelope."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from surefoot.core.errors import SurefootError
from surefoot.core.types import IngestReport, Passage, StoredDocument
from surefoot.server import answers, catalogue, chat, datasets, documents, examples, health, judging, runs, swagger
from surefoot.server.engine import Engine, Pool
from surefoot.server.envelope import Envelope
from surefoot.server.guard import Guard
from surefoot.server.keys import parse_keys
from surefoot.server.library import Library
from surefoot.server.problems import (
    Problem,
    disk_problem,
    error_response,
    problem_of,
    shown_key,
    without_values,
)
from surefoot.server.ratelimit import limiter
from surefoot.server.schemas import ErrorBody
from surefoot.server.service import WAITING_FACTOR, Service
from surefoot.server.shared_library import SharedLibrary

if TYPE_CHECKING:
    from surefoot.wiring import Surefoot

ROUTERS = (
    answers.router,
    judging.router,
    chat.router,
    documents.router,
    catalogue.router,
    runs.router,
    datasets.router,
    health.router,
    swagger.router,
)
ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorBody, "description": text}
    for status, text in (
        (400, "the request is wrong"),
        (401, "no key, or a wrong one"),
        (403, "the key's scope is too small, or a stranger calls a loopback-only service"),
        (404, "there is no such thing"),
        (409, "not possible now"),
        (413, "too large"),
        (429, "too many requests; see Retry-After"),
        (500, "our fault"),
        (502, "a model or page we depend on failed"),
        (503, "not ready"),
        (504, "not in time"),
        (507, "the disk is full"),
    )
}


SETTLE_SECONDS = 10.0
"""After a request to stop, indexing has so long to end; it is safe to break off, and goes on at the next upload."""


REMEMBERING = 4
"""Answers given before that are looked up at once while others stand in line; one takes milliseconds."""


KEYS_SECONDS = 3.0
"""Between two looks at the keys that replicas share."""


def create_app(house: Surefoot, *, version: str = "0.2.0") -> FastAPI:
    """The service over a built Surefoot. Starting it starts the engine; stopping it drains and closes the house."""
    service = _service(house)
    app = FastAPI(
        title="Surefoot",
        version=version,
        summary="Answers questions from a knowledge base and lets nothing out that it cannot prove.",
        lifespan=partial(_lifespan, service),
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        responses=ERRORS,
    )
    app.state.service = service
    for router in ROUTERS:
        app.include_router(router)
    app.add_exception_handler(Problem, _on_problem)
    app.add_exception_handler(SurefootError, _on_problem)
    app.add_exception_handler(RequestValidationError, _on_problem)
    app.add_exception_handler(HTTPException, _on_problem)
    app.add_exception_handler(OSError, _on_problem)
    settings = house.settings
    app.add_middleware(
        Guard, keyring=service.keyring, limiter=limiter(settings.rate_limit_per_minute, settings.redis_url)
    )
    app.add_middleware(
        Envelope, meter=house.meter, max_body=settings.max_body_bytes, max_upload=settings.max_upload_bytes
    )
    app.openapi = partial(_openapi, app)  # type: ignore[method-assign]
    return app


def _service(house: Surefoot) -> Service:
    engine = Engine()
    settings = house.settings
    remote = settings.llm != "extractive" or settings.llm_critic is not None
    running = settings.workers * (WAITING_FACTOR if remote else 1)

    async def ingest(paths: Sequence[Path]) -> IngestReport:
        return await engine.call(partial(house.ingest, paths))

    async def listing() -> Sequence[StoredDocument]:
        return await engine.call(house.documents)

    async def reading(path: Path) -> Sequence[Passage]:
        return await engine.call(partial(house.document_passages, path))

    async def asking() -> Sequence[str]:
        return await engine.call(house.example_questions)

    folder = house.uploads_folder
    return Service(
        house=house,
        engine=engine,
        pool=Pool(engine, running=running, waiting=settings.queue),
        quick=Pool(engine, running=REMEMBERING, waiting=settings.queue),
        library=Library(folder, ingest=ingest, listing=listing, reading=reading, asking=asking)
        if house.shelf is None
        else SharedLibrary(house.shelf, folder, ingest=ingest, listing=listing, reading=reading, asking=asking),
        keyring=parse_keys(settings.api_keys, more_to_come=house.shared_keys is not None),
    )


@asynccontextmanager
async def _lifespan(service: Service, app: FastAPI) -> AsyncIterator[None]:
    service.engine.start()
    if reason := service.read_only():
        log = structlog.get_logger("surefoot.server")
        log.warning("read-only: answers are made, documents and runs are not written", reason=reason)
    warming = asyncio.create_task(_warm(service))
    await asyncio.wait([asyncio.create_task(_learn_keys(service))], timeout=KEYS_SECONDS)
    following = asyncio.create_task(_follow_keys(service))
    if isinstance(service.library, SharedLibrary):
        service.library.start()
    try:
        yield
    finally:
        service.draining = True
        warming.cancel()
        following.cancel()
        await service.library.settle(within_s=SETTLE_SECONDS)
        await service.engine.call(service.house.close)
        service.engine.stop()


async def _follow_keys(service: Service) -> None:
    """Keys that replicas share: one made or revoked elsewhere is known here within seconds.

    While the database is away the keys stay as they were last seen.
    """
    while service.house.shared_keys is not None:
        await asyncio.sleep(KEYS_SECONDS)
        await _learn_keys(service)


async def _learn_keys(service: Service) -> None:
    if (shared := service.house.shared_keys) is not None:
        with suppress(SurefootError):
            service.keyring.share(parse_keys(await asyncio.to_thread(shared.entries)))


async def _warm(service: Service) -> None:
    """Loads the models before the first question has to wait for them."""
    try:
        await service.engine.call(service.house.warm)
    except SurefootError as error:
        service.notes["start"] = without_values(str(error))
        return
    except Exception as error:
        structlog.get_logger("surefoot.server").error("starting failed", error=type(error).__name__)
        service.notes["start"] = f"starting failed ({type(error).__name__}); see the log"
        return
    service.ready = True


async def _on_problem(request: Request, error: Exception) -> Response:
    request_id = request.state.request_id
    if isinstance(error, HTTPException) and isinstance(error.__cause__, Problem | OSError):
        error = error.__cause__  # FastAPI calls whatever goes wrong while it reads a body a bad request
    if isinstance(error, OSError):
        return error_response(disk_problem(error), request_id)
    if isinstance(error, Problem):
        return error_response(error, request_id)
    if isinstance(error, SurefootError):
        return error_response(problem_of(error), request_id)
    if isinstance(error, RequestValidationError):
        return error_response(_invalid(error), request_id)
    assert isinstance(error, HTTPException)
    problem = _http(error)
    if problem.status == 405:
        problem.headers = {"Allow": ", ".join(_methods(request))}
    return error_response(problem, request_id)


def _invalid(error: RequestValidationError) -> Problem:
    """Names the place and the rule, never the value."""
    first = error.errors()[0]
    place = ".".join(shown_key(part) for part in first["loc"] if part not in ("body", "query", "path"))
    said = without_values(str(first["msg"])).lower()
    message = f"{place}: {said}" if place else said
    return Problem(400, "bad_input", message, "see /openapi.json for what this request takes")


def _http(error: HTTPException) -> Problem:
    known = {
        404: ("not_found", "there is nothing at this address", "see /openapi.json for what there is"),
        405: ("method_not_allowed", "this address does not take this method", "see /openapi.json for what it takes"),
    }
    code, message, remedy = known.get(
        error.status_code, ("bad_input", "the request cannot be read", "see /openapi.json")
    )
    return Problem(error.status_code, code, message, remedy, headers=dict(error.headers or {}))


def _methods(request: Request) -> list[str]:
    """What the address takes, over all routes that share it."""
    paths = request.app.openapi()["paths"]
    if request.url.path in paths:
        return sorted(method.upper() for method in paths[request.url.path])
    found: set[str] = set()
    for path, operations in paths.items():
        if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", path), request.url.path):
            found |= {method.upper() for method in operations}
    return sorted(found)


def _openapi(app: FastAPI) -> dict[str, Any]:
    """FastAPI's document, with our errors in place of its own and with the ways to show a key."""
    if app.openapi_schema is None:
        document: dict[str, Any] = FastAPI.openapi(app)
        for path in document["paths"].values():
            for operation in path.values():
                operation["responses"].pop("422", None)
        schemes = {
            "bearer": {"type": "http", "scheme": "bearer"},
            "header": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
        }
        document.setdefault("components", {})["securitySchemes"] = schemes
        document["security"] = [{"bearer": []}, {"header": []}, {}]
        examples.put_into(document)
        app.openapi_schema = document
    return app.openapi_schema
