"""The page's only way to the service: HTTP. It knows nothing of Surefoot but its addresses."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx2


class Refused(Exception):
    """The service said no, or could not be reached; the words are fit to be shown."""


@dataclass(frozen=True, kw_only=True)
class Service:
    url: str
    key: str | None = None

    def get(self, path: str, **query: Any) -> Any:
        return self._call("GET", path, params={name: value for name, value in query.items() if value is not None})

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        return self._call("POST", path, json=body)

    def delete(self, path: str) -> Any:
        return self._call("DELETE", path)

    def upload(self, name: str, data: bytes) -> Any:
        return self._call("POST", "/v1/documents", files={"files": (name, data)})

    def text(self, path: str) -> str:
        try:
            with self._client() as client:
                return str(client.get(path).raise_for_status().text)
        except httpx2.HTTPError as error:
            raise self._unreachable(error) from error

    def ask(self, body: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        """The events of one question, as they come."""
        try:
            with self._client() as client, client.stream("POST", "/v1/ask", json={**body, "stream": True}) as response:
                if response.status_code >= 400:
                    response.read()
                    raise _refused(response)
                yield from _events(response.iter_lines())
        except httpx2.HTTPError as error:
            raise self._unreachable(error) from error

    def _call(self, method: str, path: str, **more: Any) -> Any:
        try:
            with self._client() as client:
                response = client.request(method, path, **more)
        except httpx2.HTTPError as error:
            raise self._unreachable(error) from error
        if response.status_code >= 400:
            raise _refused(response)
        return response.json()

    def _client(self) -> httpx2.Client:
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        return httpx2.Client(base_url=self.url, headers=headers, timeout=120)

    def _unreachable(self, error: Exception) -> Refused:
        return Refused(f"No service answers at {self.url} ({type(error).__name__}). Start it with: surefoot serve")


def _events(lines: Iterator[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            data = json.loads(line.removeprefix("data: "))
            if name == "error":
                raise Refused(_sentence(data["error"]))
            yield name, data


def _refused(response: httpx2.Response) -> Refused:
    try:
        return Refused(_sentence(response.json()["error"]))
    except (ValueError, KeyError, TypeError):
        return Refused(f"The service answered with status {response.status_code}.")


def _sentence(error: Mapping[str, Any]) -> str:
    return (
        f"{str(error['message'])[:1].upper()}{str(error['message'])[1:]} — {error['remedy']} (id {error['request_id']})"
    )
