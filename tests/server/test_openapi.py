"""The OpenAPI document, and requests made from it at random: never a 500, never an error in another shape."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient
from tests.server.small_house import SmallHouse, local_client

from surefoot.settings import Settings

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def test_every_operation_documents_its_errors_and_says_what_it_does(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            assert operation["description"], (method, path)
            assert {"400", "401", "429", "500"} <= set(operation["responses"]), (method, path)
            assert "422" not in operation["responses"]


def test_every_operation_that_takes_a_body_shows_one(client: TestClient) -> None:
    for path, operations in client.get("/openapi.json").json()["paths"].items():
        for method, operation in operations.items():
            for kind, content in operation.get("requestBody", {}).get("content", {}).items():
                assert content.get("examples") or kind == "multipart/form-data", (method, path)


def test_the_interface_is_a_page_made_of_our_own_files(client: TestClient) -> None:
    page = client.get("/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert "default-src 'none'; script-src 'self';" in page.headers["content-security-policy"]
    assert "://" not in page.text
    for name in re.findall(r'(?:src|href)="([^"]+)"', page.text):
        assert client.get(f"/{name}").status_code == 200, name


def test_the_page_of_the_interface_is_open_and_the_interface_is_not(tmp_path: Any) -> None:
    keys = (f"{hashlib.sha256(b'key').hexdigest()}:read",)
    with local_client(SmallHouse(Settings(kb=tmp_path, api_keys=keys))) as keyed:
        assert keyed.get("/docs").status_code == 200
        assert keyed.get("/openapi.json").status_code == 401


def test_random_requests_never_break_the_service(tmp_path_factory: Any) -> None:
    house = SmallHouse(Settings(kb=tmp_path_factory.mktemp("kb"), rate_limit_per_minute=0))
    with local_client(house) as client:
        document = client.get("/openapi.json").json()
        operations = [(p, m, op) for p, found in document["paths"].items() for m, op in found.items()]

        @settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
        @given(st.sampled_from(operations), st.data())
        def attack(operation: tuple[str, str, dict[str, Any]], data: st.DataObject) -> None:
            path, method, described = operation
            while "{" in path:
                start, rest = path.split("{", 1)
                value = data.draw(st.text(alphabet="abc0.-_%/", min_size=1, max_size=8))
                path = start + value + rest.split("}", 1)[1]
            body = data.draw(_body(described))
            response = client.request(method, path, content=body, headers={"Content-Type": "application/json"})
            assert response.status_code < 500 or response.status_code == 503, (method, path, body, response.text)
            if response.status_code >= 400:
                assert set(response.json()["error"]) == {"code", "message", "remedy", "request_id"}

        attack()


def _body(described: dict[str, Any]) -> st.SearchStrategy[bytes]:
    """An example of the document with some values replaced, or anything at all."""
    content = described.get("requestBody", {}).get("content", {}).get("application/json", {})
    shown = [example["value"] for example in content.get("examples", {}).values()]
    anything = VALUES.map(lambda value: json.dumps(value).encode()) | st.binary(max_size=60)
    if not shown:
        return anything
    changed = st.tuples(st.sampled_from(shown), st.dictionaries(st.sampled_from(sorted(shown[0])), VALUES, max_size=2))
    return anything | changed.map(lambda pair: json.dumps({**pair[0], **pair[1]}).encode())
