"""A model's server that sends too much, too long, packed, or elsewhere costs one call, and no more than we allow."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import threading
import time
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from surefoot.core.errors import (
    InvalidReplyError,
    ModelError,
    ModelTimeoutError,
    ModelUnavailableError,
    RateLimitedError,
)
from surefoot.core.types import ModelReply
from surefoot.llm.openai_compatible import MAX_REPLY_BYTES, OpenAICompatibleModel
from surefoot.testing import request


def packed_bomb() -> bytes:
    """300 MB in less than one, made piece by piece."""
    packer = zlib.compressobj(6, wbits=16 + zlib.MAX_WBITS)
    return b"".join(packer.compress(b" " * 1_000_000) for _ in range(300)) + packer.flush()


BOMB = packed_bomb()
Send = Callable[[socket.socket], None]


@contextmanager
def serving(send: Send) -> Iterator[tuple[str, list[bytes]]]:
    """A server that reads a request and then does what it likes; yields its address and what it heard."""
    listener = socket.create_server(("127.0.0.1", 0))
    heard: list[bytes] = []

    def talk(connection: socket.socket) -> None:
        with connection:
            reader = connection.makefile("rb")
            length = 0
            while (line := reader.readline()) not in (b"", b"\r\n"):
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            heard.append(reader.read(length))
            try:
                send(connection)
            except OSError:
                return

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=talk, args=[connection], daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1", heard
    finally:
        listener.close()


def ask(base_url: str, *, timeout_ms: int = 20_000) -> ModelReply:
    async def go() -> ModelReply:
        model = OpenAICompatibleModel(identity="m:m", name="m", base_url=base_url, api_key="k", timeout_ms=timeout_ms)
        try:
            return await model.complete(request("a prompt about a person"))
        finally:
            await model.close()

    return asyncio.run(go())


def head(length: int | None = None, *, status: str = "200 OK", more: str = "") -> bytes:
    size = "" if length is None else f"Content-Length: {length}\r\n"
    return f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{size}{more}\r\n".encode()


def endless(connection: socket.socket) -> None:
    connection.sendall(head())
    for _ in range(2_000):
        connection.sendall(b'{"choices": [' + b" " * 100_000)


def bomb(connection: socket.socket) -> None:
    connection.sendall(head(len(BOMB), more="Content-Encoding: gzip\r\n") + BOMB)


def brotli(connection: socket.socket) -> None:
    connection.sendall(head(4, more="Content-Encoding: br\r\n") + b"abcd")


def nested(connection: socket.socket) -> None:
    body = b'{"choices":' + b"[" * 200_000
    connection.sendall(head(len(body)) + body)


def huge_error(connection: socket.socket) -> None:
    connection.sendall(head(status="500 Sorry"))
    for _ in range(2_000):
        connection.sendall(b"sorry " * 20_000)


@pytest.mark.parametrize("send", [endless, bomb, brotli, nested, huge_error])
def test_a_reply_beyond_bounds_is_refused_soon_and_in_little_memory(send: Send) -> None:
    with serving(send) as (url, _):
        tracemalloc.start()
        began = time.monotonic()
        with pytest.raises(InvalidReplyError):
            ask(url)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert time.monotonic() - began < 10
    assert peak < 10 * MAX_REPLY_BYTES


def test_a_reply_that_trickles_is_cut_off_in_time() -> None:
    def trickle(connection: socket.socket) -> None:
        connection.sendall(head())
        for _ in range(600):
            connection.sendall(b" ")
            time.sleep(0.05)

    began = time.monotonic()
    with serving(trickle) as (url, _), pytest.raises(ModelTimeoutError):
        ask(url, timeout_ms=400)
    assert time.monotonic() - began < 5


def saying(body: bytes, *, status: str = "200 OK", more: str = "") -> Send:
    return lambda connection: connection.sendall(head(len(body), status=status, more=more) + body)


def test_half_a_character_in_a_reply_goes_no_further() -> None:
    with serving(saying(b'{"choices": [{"message": {"content": "R5 \\ud800 a day"}}]}')) as (url, _):
        assert ask(url).text == "R5 \ufffd a day"


@pytest.mark.parametrize("coding", ["deflate", "br", "zstd", "gzip, gzip", "identity, gzip"])
def test_a_reply_in_a_coding_we_did_not_ask_for_is_refused(coding: str) -> None:
    with (
        serving(saying(BOMB[:100], more=f"Content-Encoding: {coding}\r\n")) as (url, _),
        pytest.raises(InvalidReplyError),
    ):
        ask(url)


@pytest.mark.parametrize(
    "body",
    [
        b'{"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": 1e999}}',
        b'{"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": "many"}}',
        b'{"choices": {"0": 1}}',
        b'{"choices": [{"message": [1]}]}',
        b'{"choices": [{"message": {"content": ["x"]}}]}',
        b'{"choices": [{"message": {"content": null, "refusal": "' + b"no " * 100_000 + b'"}}]}',
        b"\xff\xfe",
    ],
)
def test_a_reply_of_an_odd_shape_is_one_failed_call_in_few_words(body: bytes) -> None:
    with serving(saying(body)) as (url, _), pytest.raises(InvalidReplyError) as caught:
        ask(url)
    assert len(str(caught.value)) < 500


def test_a_name_or_an_end_as_long_as_a_book_is_cut() -> None:
    long = "x" * 100_000
    said = {"model": long, "choices": [{"message": {"content": "x"}, "finish_reason": long}]}
    with serving(saying(json.dumps(said).encode())) as (url, _):
        reply = ask(url)
    assert len(reply.model) <= 200
    assert len(reply.finish_reason) <= 200


@pytest.mark.parametrize(("asked", "heard"), [("1e999", 600), ("999999999", 600), ("nan", 0), ("-5", 0), ("7", 7)])
def test_no_server_makes_us_wait_for_ever(asked: str, heard: float) -> None:
    with (
        serving(saying(b"{}", status="429 Later", more=f"Retry-After: {asked}\r\n")) as (url, _),
        pytest.raises(RateLimitedError) as caught,
    ):
        ask(url)
    assert caught.value.retry_after_s == heard


@pytest.mark.parametrize("send", [endless, bomb, nested])
def test_looking_whether_a_server_is_there_reads_no_body(send: Send) -> None:
    with serving(send) as (url, _):
        tracemalloc.start()
        asyncio.run(OpenAICompatibleModel(identity="m:m", name="m", base_url=url, api_key="k").reach())
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 10 * MAX_REPLY_BYTES


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_does_not_carry_the_prompt_elsewhere(status: int) -> None:
    with serving(lambda connection: connection.sendall(head(2) + b"{}")) as (other, heard_there):

        def elsewhere(connection: socket.socket) -> None:
            connection.sendall(head(0, status=f"{status} Moved", more=f"Location: {other}/chat/completions\r\n"))

        with serving(elsewhere) as (url, heard_here), pytest.raises(ModelUnavailableError, match="redirect"):
            ask(url)
    assert len(heard_here) == 1
    assert heard_there == []


def test_a_packed_reply_of_honest_size_is_read() -> None:
    body = b'{"choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}]}'
    packed = gzip.compress(body)

    def zipped(connection: socket.socket) -> None:
        connection.sendall(head(len(packed), more="Content-Encoding: gzip\r\n") + packed)

    with serving(zipped) as (url, _):
        assert ask(url).text == "yes"


def test_a_bomb_does_not_hold_up_others_on_the_same_loop() -> None:
    async def go(url: str) -> float:
        model = OpenAICompatibleModel(identity="m:m", name="m", base_url=url, api_key="k")
        call = asyncio.create_task(model.complete(request("x")))
        longest = 0.0
        while not call.done():
            began = time.monotonic()
            await asyncio.sleep(0.01)
            longest = max(longest, time.monotonic() - began)
        with pytest.raises(ModelError):
            await call
        await model.close()
        return longest

    with serving(bomb) as (url, _):
        assert asyncio.run(go(url)) < 2.0
