"""The server process: patient with its own work, impatient with clients that trickle, and leaving in good order."""

from __future__ import annotations

import asyncio
import signal
import socket
from types import FrameType
from typing import TYPE_CHECKING, Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from surefoot.core.errors import ConfigError, InputError
from surefoot.server.app import create_app
from surefoot.server.guard import is_loopback
from surefoot.server.notice import announced

if TYPE_CHECKING:
    from fastapi import FastAPI

    from surefoot.wiring import Surefoot

HEADER_SECONDS = 5.0
"""A request's head must be in by then, and after an early answer the rest of its body."""
LINGER_SECONDS = 0.5
"""After SIGTERM we still accept for so long: what was on its way here is answered, not reset."""
DRAIN_SECONDS = 90
MAX_CONNECTIONS = 2_000


def serve(house: Surefoot, *, host: str, port: int, inherited: int | None = None) -> None:
    """Runs until told to stop. Without API keys it listens on loopback only.

    `inherited` is the number of a listening socket that the process was started with.
    """
    allow(house, host)
    app = create_app(house)
    server = DrainingServer(configured(app), service=app.state.service)
    listener = bound(host, port) if inherited is None else socket.socket(fileno=inherited)
    with announced(house.settings.kb, host, listener.getsockname()[1]):
        server.run(sockets=[listener])


def allow(house: Surefoot, host: str) -> None:
    """A ConfigError where strangers could call: an outside address and not a single key."""
    shared = house.shared_keys
    if is_loopback(host) or house.settings.api_keys or (shared is not None and shared.entries()):
        return
    raise ConfigError(
        f"host: {host!r} is reachable from outside and no api_keys are set; "
        "make one with: surefoot serve --new-key, or use 127.0.0.1"
    )


def configured(app: FastAPI) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=ImpatientProtocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=DRAIN_SECONDS,
        backlog=1024,
    )


class DrainingServer(uvicorn.Server):
    """On SIGTERM it first says it is draining, goes on accepting for a moment, then lets every request end."""

    def __init__(self, config: uvicorn.Config, *, service: Any) -> None:
        super().__init__(config)
        self._service = service

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self._service.draining or sig == signal.SIGINT:
            super().handle_exit(sig, frame)
            return
        self._service.draining = True
        asyncio.get_event_loop().call_later(LINGER_SECONDS, super().handle_exit, sig, frame)


class ImpatientProtocol(H11Protocol):
    """Closes a connection whose request does not arrive in time, and refuses more than it can hold.

    The body of a request that is being answered has its limit elsewhere; here is looked after a body whose answer is
    already out, such as that of a stranger who was refused: nobody reads it, so nobody else would count its time.
    """

    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > MAX_CONNECTIONS:
            transport.close()
            return
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._unwanted_body or (self.conn.their_state is h11.IDLE and self.timeout_keep_alive_task is None):
            self._wait_for_head()
        else:
            self._stop_waiting()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._unwanted_body:
            self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    @property
    def _unwanted_body(self) -> bool:
        return self.conn.our_state is h11.DONE and self.conn.their_state is h11.SEND_BODY

    def _wait_for_head(self) -> None:
        if self._head_timer is None:
            self._head_timer = self.loop.call_later(HEADER_SECONDS, self._give_up)

    def _stop_waiting(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _give_up(self) -> None:
        if self.transport.is_closing():
            return
        if not self._unwanted_body:
            self.transport.write(b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        self.transport.close()


def bound(host: str, port: int) -> socket.socket:
    """The listening socket, bound before anything heavy is loaded, so that a taken port is said at once."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named: asyncio turns Nagle's delay off (40 ms a reply) only on sockets that say they are TCP.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise InputError(
            f"port: {host}:{port} cannot be used: {(error.strerror or str(error)).lower()}; choose another with --port"
        ) from error
    listener.setblocking(False)
    return listener
