"""Every route, every scope, every odd way to write its path: a small key opens nothing, an odd path finds nothing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import anyio
import pytest
from fastapi import APIRouter
from starlette.testclient import TestClient
from tests.server.small_house import SmallHouse, local_client

from surefoot.core.types import VerifyInput
from surefoot.server.app import ROUTERS
from surefoot.server.strict import StrictRoute
from surefoot.settings import Settings

SCOPES = ("none", "read", "write", "admin")
TABLE = {
    ("POST", "/v1/ask"): "read",
    ("POST", "/v1/verify"): "read",
    ("POST", "/v1/verify/batch"): "read",
    ("POST", "/v1/judge"): "read",
    ("POST", "/v1/chat/completions"): "read",
    ("GET", "/v1/models"): "read",
    ("GET", "/v1/documents"): "read",
    ("GET", "/v1/documents/{document_id}"): "read",
    ("POST", "/v1/documents"): "write",
    ("POST", "/v1/documents/text"): "write",
    ("DELETE", "/v1/documents/{document_id}"): "write",
    ("GET", "/v1/packs"): "read",
    ("GET", "/v1/packs/{name}"): "read",
    ("GET", "/v1/datasets"): "read",
    ("GET", "/v1/datasets/{name}/rows"): "read",
    ("POST", "/v1/datasets/{name}/rows/{index}/review"): "write",
    ("POST", "/v1/runs/{run_id}/feedback"): "write",
    ("GET", "/v1/runs"): "admin",
    ("GET", "/v1/runs/{run_id}"): "admin",
    ("GET", "/v1/runs/{run_id}/certificate"): "admin",
    ("POST", "/v1/runs/{run_id}/replay"): "admin",
    ("DELETE", "/v1/runs/{run_id}"): "admin",
    ("GET", "/v1/audit"): "admin",
    ("GET", "/healthz"): "none",
    ("GET", "/readyz"): "none",
    ("GET", "/metrics"): "read",
    ("GET", "/openapi.json"): "read",
    ("GET", "/v1/documents/{document_id}/passages"): "read",
    ("GET", "/v1/questions"): "read",
    ("GET", "/v1/packs/{name}/cases"): "read",
    ("POST", "/v1/packs/{name}/cases"): "admin",
    ("GET", "/docs"): "none",
    ("GET", "/docs/page.js"): "none",
    ("GET", "/docs/swagger-ui-bundle.js"): "none",
    ("GET", "/docs/swagger-ui.css"): "none",
}
BODIES: dict[str, Any] = {
    "/v1/documents/text": {"source": "lie.md", "text": "The bursary pays R99 000 per year."},
    "/v1/runs/{run_id}/feedback": {"verdict": "up"},
    "/v1/runs/{run_id}/replay": {},
    "/v1/packs/{name}/cases": {"limit": 1},
    "/v1/datasets/{name}/rows/{index}/review": {"verdict": "accept"},
}
STRANGE = {
    "newline": lambda path: f"{path}%0a",
    "return and newline": lambda path: f"{path}%0d%0a",
    "nul": lambda path: f"{path}%00",
    "tab": lambda path: f"{path}%09",
    "unit separator": lambda path: f"{path}%1f",
    "line separator": lambda path: f"{path}%e2%80%a8",
    "next line": lambda path: f"{path}%c2%85",
    "broken utf-8": lambda path: f"{path}%ff",
    "doubled at the front": lambda path: f"/{path}",
    "doubled inside": lambda path: path[0] + path[1:].replace("/", "//", 1) if "/" in path[1:] else f"/{path}",
    "parameter": lambda path: f"{path};x=1",
    "encoded parameter": lambda path: f"{path}%3bx",
    "parameter inside": lambda path: path.replace("/v1", "/v1;a", 1) if "/v1" in path else f"{path};a",
    "trailing slash": lambda path: f"{path}/",
    "encoded trailing slash": lambda path: f"{path}%2f",
    "dot": lambda path: f"{path}/.",
    "dots": lambda path: f"{path}/x/..",
    "backslash": lambda path: path[0] + path[1:].replace("/", "\\") if "/" in path[1:] else f"{path}\\",
    "upper case": lambda path: path.upper(),
    "encoded twice": lambda path: path.replace("/", "%252f"),
    "absolute": lambda path: f"http://127.0.0.1{path}",
}
"""Ways to write a path that name no route of ours."""
SAME = {
    "as it is": lambda path: path,
    "encoded letters": lambda path: path.replace("s", "%73").replace("d", "%64"),
    "encoded slashes": lambda path: path[0] + path[1:].replace("/", "%2f"),
    "query": lambda path: f"{path}?_method=GET",
}
"""Ways to write a path that name the same route."""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TestClient, dict[str, str]]]:
    """A keyed service with one run, one document and one dataset, and the names of these."""
    kb: Path = tmp_path_factory.mktemp("scopes") / "kb"
    keys = tuple(f"{hashlib.sha256(scope.encode()).hexdigest()}:{scope}" for scope in SCOPES[1:])
    (kb / "datasets").mkdir(parents=True)
    (kb / "datasets" / "default.jsonl").write_text('{"question": "q"}\n')
    house = SmallHouse(Settings(kb=kb, rate_limit_per_minute=0, api_keys=keys))
    with local_client(house) as client:
        assert client.portal is not None
        client.portal.call(house.verify, VerifyInput(draft_answer="The library opens at 08:00.", chunks=house.passages))
        run = house.runlog.runs()[0].run_id
        yield client, {"run_id": run, "name": "default", "index": "0", "document_id": "d" * 24}


def test_every_route_is_in_the_table_and_has_its_scope() -> None:
    routes = [route for router in ROUTERS for route in router.routes]
    assert all(isinstance(route, StrictRoute) for route in routes)
    found = {(method, route.path): route.needs for route in routes for method in route.methods}
    assert found == {key: "open" if scope == "none" else scope for key, scope in TABLE.items()}


def test_a_route_without_a_scope_cannot_be_made() -> None:
    async def endpoint() -> None: ...

    with pytest.raises(TypeError, match="has no scope"):
        APIRouter(route_class=StrictRoute).add_api_route("/v1/new", endpoint)


@pytest.mark.parametrize("form", SAME)
@pytest.mark.parametrize(("method", "path"), TABLE)
def test_a_key_opens_its_routes_and_no_others(
    service: tuple[TestClient, dict[str, str]], method: str, path: str, form: str
) -> None:
    client, names = service
    needed = SCOPES.index(TABLE[method, path])
    for held, scope in enumerate(SCOPES):
        if method == "DELETE" and held >= needed:
            continue  # tested below, where the thing deleted is not missed
        status = _call(client, method, SAME[form](path.format(**names)), scope, path)
        if held < needed:
            assert status == (401 if scope == "none" else 403), scope
        elif "document_id" in path:
            assert status == 404, scope  # the route answered: there is no such document
        else:
            assert status in (200, 201, 202, 400), (scope, status)


@pytest.mark.parametrize("form", STRANGE)
@pytest.mark.parametrize(("method", "path"), TABLE)
def test_an_odd_path_is_refused_whatever_the_key(
    service: tuple[TestClient, dict[str, str]], method: str, path: str, form: str
) -> None:
    client, names = service
    before = _state(client)
    for scope in SCOPES:
        status = _call(client, method, STRANGE[form](path.format(**names)), scope, path)
        refused = (401,) if scope == "none" else (400, 404, 405)
        assert status in refused, (scope, status)
    assert _state(client) == before


@pytest.mark.parametrize("header", ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"])
@pytest.mark.parametrize(("method", "path"), [key for key, scope in TABLE.items() if scope in ("write", "admin")])
def test_no_header_changes_the_method_or_the_path(
    service: tuple[TestClient, dict[str, str]], method: str, path: str, header: str
) -> None:
    client, names = service
    before = _state(client)
    where = path.format(**names)
    for sent in ("GET", "POST", "HEAD", "OPTIONS", "PUT", "PATCH", "get", "delete"):
        extra = {header: method, "X-Original-URL": where, "X-Rewrite-URL": where}
        status = _call(client, sent, where, "read", path, extra)
        allowed = TABLE.get((sent, path)) == "read"
        assert allowed or status in (403, 404, 405), (sent, status)
        assert _call(client, sent, "/v1/models", "read", path, extra) in (200, 405)
    assert _state(client) == before


def _call(
    client: TestClient, method: str, raw: str, scope: str, path: str, headers: dict[str, str] | None = None
) -> int:
    """The status of a request whose path is sent as it is written: HTTP clients would tidy it first."""
    body = json.dumps(BODIES.get(path, {})).encode() if method in ("POST", "PUT", "PATCH") else b""
    sent = {"content-type": "application/json", "host": "127.0.0.1", **(headers or {})}
    if scope != "none":
        sent["authorization"] = f"Bearer {scope}"
    where, _, query = raw.partition("?")
    request = {
        "type": "http",
        "method": method,
        "path": unquote(where),
        "raw_path": where.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode()) for name, value in sent.items()],
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 80),
        "scheme": "http",
        "http_version": "1.1",
        "state": {},
    }
    statuses: list[int] = []

    parts = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> dict[str, Any]:
        if not parts:
            await anyio.sleep_forever()  # a client that stays on the line, as an answer sent from a file expects
        return parts.pop()

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    assert client.portal is not None
    client.portal.call(client.app, request, receive, send)
    return statuses[0]


def _state(client: TestClient) -> tuple[int, int, tuple[str, ...]]:
    """What a request that got through would have changed."""
    service = client.app.state.service  # type: ignore[attr-defined]
    assert client.portal is not None
    client.portal.call(service.library.settle)
    house = service.house
    files = tuple(sorted(str(file) for file in house.settings.kb.rglob("*") if file.suffix in (".md", ".reviews")))
    return house.runlog.count(), len(house.passages), files


def test_the_routes_that_delete_ask_for_their_scope(settings: Settings) -> None:
    keys = tuple(f"{hashlib.sha256(scope.encode()).hexdigest()}:{scope}" for scope in SCOPES[1:])
    house = SmallHouse(replace(settings, api_keys=keys))
    with local_client(house) as client:
        assert client.portal is not None
        client.portal.call(house.verify, VerifyInput(draft_answer="The library opens at 08:00.", chunks=house.passages))
        where = f"/v1/runs/{house.runlog.runs()[0].run_id}"
        statuses = [_call(client, "DELETE", where, scope, where) for scope in SCOPES]
        assert statuses == [401, 403, 403, 204]
        statuses = [_call(client, "DELETE", "/v1/documents/none", scope, "") for scope in SCOPES]
        assert statuses == [401, 403, 404, 404]
