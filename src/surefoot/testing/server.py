"""A local server that speaks the OpenAI chat protocol: scripted replies, latency, slots, 429s, and a count of it all.

Only the standard library, only loopback. Run it beside a test with `with LocalModelServer(plan) as server:` or alone
with `python -m surefoot.testing.server --latency-ms 50 --slots 16`.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

Body = Mapping[str, Any]


def echo(body: Body) -> str:
    """The default reply: depends on nothing but the request, so that equal requests get equal replies."""
    said = str(body["messages"][-1]["content"])
    digest = hashlib.sha256(said.encode()).hexdigest()[:12]
    if "response_format" in body:
        return json.dumps({"grounded": True, "reasoning": f"echo {digest}"})
    return f"echo {digest}"


@dataclass(kw_only=True)
class ServerPlan:
    reply: Callable[[Body], str] = echo
    latency_s: float = 0.0
    slots: int = 0
    """How many requests are worked on at once; 0: all of them."""
    refuse_over_slots: bool = False
    """True: a request that finds no free slot gets a 429; False: it waits."""
    random_429: float = 0.0
    """Share of requests answered 429, whatever the load."""
    retry_after_s: float | None = None
    refuse_fields: tuple[str, ...] = ()
    """Request fields this server answers 400 to, by name."""
    fail_first: int = 0
    """The first so many requests get a 500."""
    seed: int = 7


@dataclass(kw_only=True)
class ServerCounts:
    started: int = 0
    answered: int = 0
    """Replies given with status 200: what a provider would bill."""
    refused: int = 0
    by_request: Counter[str] = field(default_factory=Counter)
    """Replies given, by hash of the request's body."""
    in_flight: int = 0
    most_in_flight: int = 0
    busy_slot_s: float = 0.0
    """Slots times seconds in which they worked."""


class LocalModelServer:
    """Serves in a thread of its own until the `with` block ends."""

    def __init__(self, plan: ServerPlan | None = None) -> None:
        self.plan = plan or ServerPlan()
        self.counts = ServerCounts()
        self.port = 0
        self._random = random.Random(self.plan.seed)
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._connections: set[asyncio.Task[None]] = set()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> LocalModelServer:
        self._thread = threading.Thread(target=lambda: asyncio.run(self.serve(0)), daemon=True)
        self._thread.start()
        if not self._ready.wait(timeout=10):
            raise RuntimeError("the local model server did not start within 10 s; is loopback available?")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._loop is not None and self._thread is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(timeout=10)

    async def serve(self, port: int) -> None:
        """Listens on loopback; 0 picks a free port."""
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        self._slots = asyncio.Semaphore(self.plan.slots or 1_000_000)
        server = await asyncio.start_server(self._connection, "127.0.0.1", port, limit=2**22)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        try:
            await self._stop.wait()
        finally:
            server.close()
            for task in list(self._connections):
                task.cancel()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while (request := await _read_request(reader)) is not None:
                status, payload, headers = await self._answer(*request)
                writer.write(_response(status, payload, headers))
                await writer.drain()
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._connections.discard(task)
            writer.close()

    async def _answer(self, path: str, raw: bytes) -> tuple[int, dict[str, Any], dict[str, str]]:
        if path == "/counts":
            counts = self.counts
            shown = {name: getattr(counts, name) for name in _SHOWN}
            return 200, {**shown, "by_request": dict(counts.by_request), "now": time.monotonic()}, {}
        if path.endswith("/models"):
            return 200, {"object": "list", "data": [{"id": "local", "object": "model"}]}, {}
        if not path.endswith("/chat/completions"):
            return 404, _error("no such path", "not_found"), {}
        self.counts.started += 1
        body: Body = json.loads(raw)
        refusal = self._refusal(body)
        if refusal is not None:
            return refusal
        return await self._work(body, hashlib.sha256(raw).hexdigest())

    def _refusal(self, body: Body) -> tuple[int, dict[str, Any], dict[str, str]] | None:
        if self.counts.started <= self.plan.fail_first:
            return 500, _error("planned failure", "server_error"), {}
        for name in self.plan.refuse_fields:
            if name in body or name == str(body.get("response_format", {}).get("type")):
                return 400, _error(f"unsupported field: {name}", "invalid_request_error"), {}
        full = self.plan.refuse_over_slots and self._slots.locked()
        if full or self._random.random() < self.plan.random_429:
            self.counts.refused += 1
            wait = self.plan.retry_after_s
            return 429, _error("slow down", "rate_limit"), {} if wait is None else {"Retry-After": f"{wait:g}"}
        return None

    async def _work(self, body: Body, key: str) -> tuple[int, dict[str, Any], dict[str, str]]:
        counts = self.counts
        async with self._slots:
            counts.in_flight += 1
            counts.most_in_flight = max(counts.most_in_flight, counts.in_flight)
            began = time.monotonic()
            try:
                if self.plan.latency_s:
                    await asyncio.sleep(self.plan.latency_s)
                text = self.plan.reply(body)
            finally:
                counts.busy_slot_s += time.monotonic() - began
                counts.in_flight -= 1
        counts.answered += 1
        counts.by_request[key] += 1
        return 200, _completion(body, text), {}


async def _read_request(reader: asyncio.StreamReader) -> tuple[str, bytes] | None:
    """Path and body of the next request on the connection; None when the caller is gone."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    first, *lines = head.split("\r\n")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    try:
        body = await reader.readexactly(int(headers.get("content-length") or 0))
    except asyncio.IncompleteReadError:
        return None
    return first.split(" ")[1], body


def _response(status: int, payload: Mapping[str, Any], headers: Mapping[str, str]) -> bytes:
    content = json.dumps(payload).encode()
    more = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    head = f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n{more}\r\n"
    return head.encode() + content


def _completion(body: Body, text: str) -> dict[str, Any]:
    asked = sum(len(str(message["content"]).split()) for message in body["messages"])
    said = len(text.split())
    return {
        "id": "chatcmpl-local",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said},
    }


def _error(message: str, kind: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind}}


_SHOWN = ("started", "answered", "refused", "in_flight", "most_in_flight", "busy_slot_s")


def main() -> None:
    parser = argparse.ArgumentParser(description="a local OpenAI-compatible server for tests and benchmarks")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency-ms", type=float, default=0.0)
    parser.add_argument("--slots", type=int, default=0)
    parser.add_argument("--refuse-over-slots", action="store_true")
    parser.add_argument("--random-429", type=float, default=0.0)
    args = parser.parse_args()
    server = LocalModelServer(
        ServerPlan(
            latency_s=args.latency_ms / 1000,
            slots=args.slots,
            refuse_over_slots=args.refuse_over_slots,
            random_429=args.random_429,
        )
    )

    async def announce() -> None:
        serving = asyncio.create_task(server.serve(args.port))
        while not server.port:
            await asyncio.sleep(0.01)
        print(server.base_url, flush=True)
        await serving

    asyncio.run(announce())


if __name__ == "__main__":
    main()
