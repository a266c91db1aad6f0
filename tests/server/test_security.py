"""Strangers, wrong keys, floods and hostile bodies get the right answer."""

from __future__ import annotations

import asyncio
import hashlib
import json
import socket
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.server.conftest import served
from tests.server.small_house import SmallHouse, local_client

from surefoot.core.errors import ConfigError
from surefoot.server import examples, process
from surefoot.server.keys import Keyring, parse_keys
from surefoot.server.library import safe_name
from surefoot.server.ratelimit import MemoryLimiter
from surefoot.settings import Settings


def digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


@pytest.fixture
def keyed(settings: Settings) -> TestClient:
    keys = (f"{digest('r')}:read:app", f"{digest('w')}:write", f"{digest('a')}:admin")
    with local_client(
        SmallHouse(replace(settings, api_keys=keys)), host="surefoot.example", address="203.0.113.9"
    ) as client:
        yield client


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


@pytest.mark.parametrize("headers", [{}, bearer("nope"), {"Authorization": "Basic cjpy"}, bearer(digest("r"))])
def test_a_missing_or_wrong_key_is_401(keyed: TestClient, headers: dict[str, str]) -> None:
    response = keyed.post("/v1/verify", json=examples.VERIFY, headers=headers)
    assert response.status_code == 401
    assert response.json()["error"]["code"] == "unauthorized"


@pytest.mark.parametrize("headers", [bearer("r"), {"X-API-Key": "r"}])
def test_a_right_key_opens_from_anywhere(keyed: TestClient, headers: dict[str, str]) -> None:
    assert keyed.post("/v1/verify", json=examples.VERIFY, headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "key", "status"),
    [
        ("POST", "/v1/documents/text", "r", 403),
        ("POST", "/v1/documents/text", "w", 400),
        ("GET", "/v1/documents", "r", 200),
        ("DELETE", "/v1/documents/x", "r", 403),
        ("GET", "/v1/runs", "w", 403),
        ("GET", "/v1/runs", "a", 200),
        ("POST", "/v1/runs/x/feedback", "w", 400),
        ("POST", "/v1/runs/x/replay", "w", 403),
        ("DELETE", "/v1/runs/x", "a", 404),
        ("POST", "/v1/datasets/x/rows/0/review", "r", 403),
    ],
)
def test_each_scope_opens_what_it_should(keyed: TestClient, method: str, path: str, key: str, status: int) -> None:
    assert keyed.request(method, path, headers=bearer(key)).status_code == status


def test_probes_are_open_and_metrics_are_not(keyed: TestClient) -> None:
    assert keyed.get("/healthz").status_code == 200
    assert keyed.get("/metrics").status_code == 401
    assert keyed.get("/metrics", headers=bearer("r")).status_code == 200


def test_without_keys_any_key_is_taken_on_loopback(client: TestClient) -> None:
    assert client.post("/v1/verify", json=examples.VERIFY, headers=bearer("anything")).status_code == 200


@pytest.mark.parametrize(
    ("host", "address"), [("127.0.0.1", "203.0.113.9"), ("evil.example", "127.0.0.1"), ("localhost.evil", "127.0.0.1")]
)
def test_without_keys_strangers_and_rebound_names_are_refused(house: SmallHouse, host: str, address: str) -> None:
    with local_client(house, host=host, address=address) as client:
        response = client.post("/v1/verify", json=examples.VERIFY)
    assert response.status_code == 403
    assert response.json()["error"]["code"] == "loopback_only"


@pytest.mark.parametrize("name", ["X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Forwarded", "Via"])
def test_without_keys_nobody_comes_in_by_way_of_a_proxy(client: TestClient, name: str) -> None:
    """It calls from this machine and under our name; who stands behind it does not."""
    response = client.get("/v1/runs", headers={name: "127.0.0.1"})
    assert (response.status_code, response.json()["error"]["code"]) == (403, "loopback_only")


def test_with_a_key_a_proxy_is_welcome(keyed: TestClient) -> None:
    assert keyed.get("/v1/models", headers={**bearer("r"), "X-Forwarded-For": "203.0.113.9"}).status_code == 200


def test_without_keys_it_refuses_to_listen_for_strangers(house: SmallHouse) -> None:
    with pytest.raises(ConfigError, match="no api_keys are set"):
        process.serve(house, host="0.0.0.0", port=0)


@pytest.mark.parametrize("entry", ["abc", f"{'f' * 64}:root", "plain-key"])
def test_a_bad_key_entry_is_refused_without_showing_it(entry: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_keys([entry])
    assert "entry 1" in str(caught.value)
    assert "plain-key" not in str(caught.value)


def test_revoking_the_last_key_opens_nothing() -> None:
    ring = Keyring(())
    ring.share(parse_keys([digest("r")]))
    ring.share(Keyring(()))
    assert ring  # asks for a key, and knows none
    assert ring.find("r") is None


def test_keys_that_are_not_known_yet_open_nothing() -> None:
    ring = parse_keys([], more_to_come=True)
    assert ring
    ring.share(Keyring(()))
    assert not ring  # there are none: this machine may call


def test_the_rate_of_a_key_is_limited_and_says_when_to_return(settings: Settings) -> None:
    with local_client(SmallHouse(replace(settings, rate_limit_per_minute=3))) as client:
        answers = [client.get("/v1/models") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert answers[2].headers["x-ratelimit-remaining"] == "0"
    assert 1 <= int(answers[3].headers["retry-after"]) <= 60


def test_a_bucket_fills_again_with_time() -> None:
    now = [0.0]
    limiter = MemoryLimiter(60, clock=lambda: now[0])
    allowed = [asyncio.run(limiter.take("k")).allowed for _ in range(61)]
    assert allowed.count(True) == 60
    now[0] += 2
    assert asyncio.run(limiter.take("k")).allowed
    assert asyncio.run(limiter.take("other")).allowed


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"[" * 10_000 + b"]" * 10_000, "too_deep"),
        (b'{"draftAnswer": ' + b'{"a":' * 100 + b"1" + b"}" * 100 + b"}", "too_deep"),
        (b'{"draftAnswer": "x"', "bad_json"),
        (b'{"draftAnswer": NaN}', "bad_json"),
        (b'{"draftAnswer": "x", "ragChunks": [{"id": "1", "text": "a", "similarity": 1e999}]}', "bad_json"),
        (b'{"draftAnswer": "\\ud800"}', "bad_json"),
        (b'{"draftAnswer": "a\\u0000b"}', "bad_json"),
        (b'{"draftAnswer": "\xff"}', "bad_json"),
        (b'{"draftAnswer": "\xed\xa0\x80"}', "bad_json"),
        ('{"draftAnswer": "x"}'.encode("utf-16"), "bad_json"),
        ('{"draftAnswer": "\\ud800"}'.encode("utf-16-le"), "bad_json"),
        ('{"draftAnswer": "a\\u0000b"}'.encode("utf-32"), "bad_json"),
        ('{"draftAnswer": "\u2200", "a": '.encode("utf-16-le") + "[".encode("utf-16-le") * 900, "bad_json"),
        (b'{"draftAnswer": ' + b"1" * 5000 + b"}", "bad_json"),
        (b"[]", "bad_input"),
        (b"", "bad_json"),
        (b'{"draftAnswer": 7}', "bad_input"),
    ],
)
@pytest.mark.parametrize("path", ["/v1/verify", "/v1/ask"])
def test_hostile_json_is_400_and_named(client: TestClient, path: str, body: bytes, code: str) -> None:
    response = client.post(path, content=body, headers={"Content-Type": "application/json"})
    assert response.status_code == 400
    error = response.json()["error"]
    assert error["code"] == ("bad_input" if path == "/v1/ask" and not body else code)
    assert error["remedy"]


def test_a_byte_order_mark_before_a_body_is_no_part_of_it(client: TestClient) -> None:
    body = b"\xef\xbb\xbf" + json.dumps(examples.VERIFY).encode()
    assert client.post("/v1/verify", content=body).status_code == 200


@pytest.mark.parametrize("path", ["/v1/verify", "/v1/documents", "/healthz"])
def test_a_body_with_two_lengths_is_refused_and_its_connection_closed(live_url: str, path: str) -> None:
    """One reader would go by the chunks, another by the length, and take the rest for a request of its own."""
    host, port = live_url.removeprefix("http://").split(":")
    hidden = b"GET /v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    for lengths in (
        ("Content-Length: 4", "Transfer-Encoding: chunked"),
        ("Transfer-Encoding: chunked", "Content-Length: 4"),
    ):
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{lengths[0]}\r\n{lengths[1]}\r\n\r\n"
        with socket.create_connection((host, int(port)), timeout=20) as sender:
            sender.sendall(head.encode() + b"0\r\n\r\n" + hidden)
            said = b"".join(iter(lambda: sender.recv(65536), b""))
        assert said.startswith(b"HTTP/1.1 400")
        assert said.count(b"HTTP/1.1") == 1


def test_a_caller_who_leaves_early_is_no_fault_of_ours(
    live_url: str, house: SmallHouse, capsys: pytest.CaptureFixture[str]
) -> None:
    host, port = live_url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as sender:
        sender.sendall(b"POST /v1/verify HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{")
    deadline = time.monotonic() + 20
    while b'status="499"' not in house.meter.text() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert b'status="499"' in house.meter.text()
    assert b'status="500"' not in house.meter.text()
    assert "request failed" not in "".join(capsys.readouterr())


def test_a_stranger_who_trickles_a_body_after_the_refusal_is_sent_away(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """The answer is out and nobody reads the body: without a limit each such connection would stay for hours."""
    monkeypatch.setattr(process, "HEADER_SECONDS", 0.3)
    with served(SmallHouse(replace(settings, api_keys=(digest("r"),)))) as url:
        host, port = url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=0.05) as slow:
            slow.sendall(b"POST /v1/verify HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\n{")
            said, ended, deadline = b"", False, time.monotonic() + 30
            while not ended and time.monotonic() < deadline:
                try:
                    piece = slow.recv(4096)
                    said, ended = said + piece, not piece
                    slow.sendall(b" ")
                except TimeoutError:
                    slow.sendall(b" ")
                except ConnectionError:
                    ended = True
    assert ended
    assert said.startswith(b"HTTP/1.1 401")
    assert said.count(b"HTTP/1.1") == 1


def test_a_large_body_is_refused_by_its_declared_length_alone(client: TestClient) -> None:
    response = client.post("/v1/verify", content=b"x", headers={"Content-Length": "1000000000"})
    assert response.status_code == 413


def test_a_large_body_without_a_length_is_cut_off(client: TestClient) -> None:
    def trickle() -> object:
        for _ in range(40):
            yield b"x" * 100_000

    for path in ("/v1/verify", "/v1/ask", "/v1/judge", "/v1/verify/batch", "/v1/chat/completions"):
        response = client.post(path, content=trickle(), headers={"Content-Type": "application/json"})
        assert (response.status_code, response.json()["error"]["code"]) == (413, "too_large"), path


def test_an_upload_without_a_length_is_cut_off_too(settings: Settings) -> None:
    form = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.md"\r\n\r\n'

    def trickle() -> object:
        yield form
        for _ in range(40):
            yield b"x" * 10_000

    with local_client(SmallHouse(replace(settings, max_upload_bytes=100_000))) as client:
        kind = {"Content-Type": "multipart/form-data; boundary=x"}
        response = client.post("/v1/documents", content=trickle(), headers=kind)
    assert (response.status_code, response.json()["error"]["code"]) == (413, "too_large")


def test_security_headers_are_on_every_answer_and_cors_is_off(client: TestClient) -> None:
    for path in ("/healthz", "/nowhere", "/v1/models"):
        response = client.get(path, headers={"Origin": "https://evil.example"})
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["content-security-policy"].startswith("default-src 'none'")
        assert response.headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in response.headers
        assert "server" not in response.headers


@pytest.mark.parametrize(
    "path", ["/nowhere", "/v1/packs/nope", "/v1/runs/nope", "/v1/documents/nope", "/v1/datasets/nope/rows"]
)
def test_what_is_not_there_is_404_in_our_shape(client: TestClient, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 404
    assert set(response.json()["error"]) == {"code", "message", "remedy", "request_id"}


def test_a_wrong_method_is_405_in_our_shape(client: TestClient) -> None:
    response = client.delete("/v1/ask")
    assert response.status_code == 405
    assert response.json()["error"]["code"] == "method_not_allowed"
    assert response.headers["allow"] == "POST"
    assert client.options("/v1/documents").headers["allow"] == "GET, POST"
    assert client.options("/v1/documents/text").headers["allow"] == "POST"


def test_a_fault_inside_is_500_without_its_words(client: TestClient, house: SmallHouse) -> None:
    async def fail() -> None:
        raise ValueError("Zola Nkosi")

    house.before_ask = fail
    response = client.post("/v1/ask", json={"question": "x"})
    assert response.status_code == 500
    assert response.json()["error"]["code"] == "internal"
    assert "Zola" not in response.text


def test_a_request_id_is_kept_when_it_is_safe(client: TestClient) -> None:
    assert client.get("/healthz", headers={"X-Request-ID": "trace-12345"}).headers["x-request-id"] == "trace-12345"
    assert client.get("/healthz", headers={"X-Request-ID": "a b\tc"}).headers["x-request-id"] != "a b\tc"


def test_a_slow_head_is_closed_and_others_are_served_meanwhile(monkeypatch: pytest.MonkeyPatch, live_url: str) -> None:
    monkeypatch.setattr(process, "HEADER_SECONDS", 0.3)
    host, port = live_url.removeprefix("http://").split(":")
    slow = [socket.create_connection((host, int(port))) for _ in range(50)]
    for connection in slow:
        connection.sendall(b"POST /v1/verify HTTP/1.1\r\nHost: 127.0.0.1\r\nX-")
    fast = socket.create_connection((host, int(port)))
    fast.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
    fast.settimeout(10)
    assert b"200 OK" in fast.recv(4096)
    for connection in slow:
        connection.settimeout(10)
        assert b"408" in connection.recv(4096)
        assert connection.recv(4096) == b""


def test_a_body_that_trickles_is_408(monkeypatch: pytest.MonkeyPatch, live_url: str) -> None:
    monkeypatch.setattr("surefoot.server.envelope.BODY_SECONDS", 0.3)
    host, port = live_url.removeprefix("http://").split(":")
    slow = socket.create_connection((host, int(port)))
    slow.sendall(b"POST /v1/verify HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{")
    slow.settimeout(10)
    assert b"408" in slow.recv(4096)


def test_a_gigabyte_is_refused_before_it_is_sent(live_url: str) -> None:
    host, port = live_url.removeprefix("http://").split(":")
    sender = socket.create_connection((host, int(port)))
    head = "POST /v1/documents HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000000\r\n"
    sender.sendall(f"{head}Content-Type: multipart/form-data; boundary=x\r\n\r\n".encode())
    sender.settimeout(10)
    assert b"413" in sender.recv(4096)


def test_a_full_line_is_429_with_a_time_and_probes_still_answer(settings: Settings) -> None:
    house = SmallHouse(replace(settings, workers=1, queue=2))
    release = threading.Event()

    async def wait() -> None:
        while not release.is_set():
            await asyncio.sleep(0.01)

    house.before_ask = wait
    statuses: list[int] = []
    with local_client(house) as client:

        def ask() -> None:
            statuses.append(client.post("/v1/ask", json={"question": "bursary"}).status_code)

        threads = [threading.Thread(target=ask) for _ in range(3)]
        [thread.start() for thread in threads]
        deadline = time.monotonic() + 20
        while client.get("/readyz").json().get("waiting") != 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        refused = client.post("/v1/ask", json={"question": "bursary"})
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) >= 1
        assert client.get("/healthz").status_code == 200
        release.set()
        [thread.join() for thread in threads]
    assert statuses == [200, 200, 200]


def test_work_that_takes_too_long_is_504(settings: Settings) -> None:
    house = SmallHouse(replace(settings, ask_budget_ms=-4_800))
    house.before_ask = lambda: asyncio.sleep(30)
    with local_client(house) as client:
        response = client.post("/v1/ask", json={"question": "bursary"})
    assert response.status_code == 504
    assert response.json()["error"]["code"] == "deadline_exceeded"


@pytest.mark.parametrize("name", ["../../evil.md", "a/b/c.md", "..\\..\\evil.md", "x\x00.md"])
def test_an_uploads_name_cannot_leave_its_folder(client: TestClient, settings: Settings, name: str) -> None:
    client.post("/v1/documents", files={"files": (name, b"some words")})
    outside = [path for path in settings.kb.parent.rglob("*.md") if path.parent != settings.kb / "uploads"]
    assert outside == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("e\u0301t\u00e9.md", "\u00e9t\u00e9.md"),
        ("fe\u200bes.md", "fees.md"),
        ("fees\u3164.md", "fees.md"),
        ("fees.md\ufe0f", "fees.md"),
        ("\u202efees.md", "fees.md"),
    ],
)
def test_names_that_look_the_same_are_one_document(one: str, other: str) -> None:
    assert safe_name(one) == safe_name(other)


@pytest.mark.parametrize(("one", "other"), [("हिंदी.md", "हांदो.md"), ("กา.md", "กี.md"), ("Fees.md", "fees.md")])
def test_names_that_differ_stay_two_documents(one: str, other: str) -> None:
    assert safe_name(one) != safe_name(other)


@pytest.mark.parametrize("charset", ["unicode_escape", "raw_unicode_escape", "utf-7", "idna", "zip", "none"])
@pytest.mark.parametrize("name", [r"a\ud800.md", r"..\u002f..\u002fevil.md", r"a\x00.md", "+2AA-.md"])
def test_an_odd_charset_of_a_form_smuggles_nothing_into_a_name(
    client: TestClient, settings: Settings, charset: str, name: str
) -> None:
    form = f'--x\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n\r\nwords\r\n--x--\r\n'
    kind = {"Content-Type": f"multipart/form-data; boundary=x; charset={charset}"}
    answer = client.post("/v1/documents", content=form.encode(), headers=kind)
    assert answer.status_code in (202, 400)
    assert all(path.parent == settings.kb / "uploads" for path in settings.kb.parent.rglob("*.md"))
    answer.text.encode()


def test_json_of_any_shape_is_never_a_500(client: TestClient) -> None:
    for value in (None, 1, "x", [], {}, [[]], {"question": None}, {"items": [[]]}, {"messages": {}}):
        for path in ("/v1/ask", "/v1/verify", "/v1/verify/batch", "/v1/judge", "/v1/chat/completions"):
            response = client.post(path, content=json.dumps(value))
            assert response.status_code == 400, (path, value, response.text)


def test_the_upload_folder_is_private_to_the_knowledge_base(client: TestClient, settings: Settings) -> None:
    client.post("/v1/documents/text", json={"source": "fees.md", "text": "The fee is R10."})
    assert (settings.kb / "uploads" / "fees.md").read_text() == "The fee is R10."
    assert not list(Path(settings.kb / "uploads").glob(".*.part"))


OTHER_SITES = [
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": ""},
    {"Origin": "http://127.0.0.1:9999"},
    {"Origin": "http://127.0.0.1@evil.example"},
    {"Origin": "http://127.0.0.1.evil.example"},
    {"Origin": "http://localhost"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Origin": "http://127.0.0.1", "Sec-Fetch-Site": "cross-site"},
    {"Origin": "http://localhost:8000", "Host": "127.0.0.1:8000"},
    {"Origin": "http://127.0.0.1 https://evil.example"},
    {"Origin": "http://127.0.0.1, https://evil.example"},
    {"Origin": "http://127.0.0.1\\.evil.example"},
    {"Origin": "file://"},
    {"Origin": "moz-extension://127.0.0.1"},
]


@pytest.mark.parametrize("headers", OTHER_SITES)
def test_a_page_of_another_site_cannot_upload(client: TestClient, settings: Settings, headers: dict[str, str]) -> None:
    form = client.post("/v1/documents", files={"files": ("lie.md", b"The fee is R1.")}, headers=headers)
    text = client.post("/v1/documents/text", content='{"source": "lie.md", "text": "x"}', headers=headers)
    for answer in (form, text):
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "cross_site")
    assert not (settings.kb / "uploads").exists()


def test_a_second_origin_behind_our_own_is_seen(client: TestClient, settings: Settings) -> None:
    headers = [("Origin", "http://127.0.0.1"), ("Origin", "https://evil.example"), ("Content-Type", "application/json")]
    answer = client.post("/v1/documents/text", content='{"source": "lie.md", "text": "x"}', headers=headers)
    assert answer.json()["error"]["code"] == "cross_site"
    assert not (settings.kb / "uploads").exists()


@pytest.mark.parametrize("key", ["r", "w", "a"])
def test_a_key_does_not_let_another_site_in(keyed: TestClient, key: str) -> None:
    sent = {**bearer(key), "Origin": "https://evil.example"}
    assert keyed.post("/v1/verify", json=examples.VERIFY, headers=sent).json()["error"]["code"] == "cross_site"


@pytest.mark.parametrize(("method", "path"), [("DELETE", "/v1/documents/x"), ("POST", "/v1/ask"), ("PUT", "/v1/packs")])
def test_every_method_that_changes_something_is_kept_from_other_sites(
    client: TestClient, method: str, path: str
) -> None:
    response = client.request(method, path, headers={"Origin": "https://evil.example"})
    assert response.json()["error"]["code"] == "cross_site"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "http://127.0.0.1"},
        {"Origin": "HTTP://127.0.0.1:80"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "http://127.0.0.1", "Sec-Fetch-Site": "same-origin"},
        {"Origin": "http://localhost:8000", "Host": "localhost:8000"},
        {"Origin": "https://localhost", "Host": "localhost"},
    ],
)
def test_programs_and_pages_of_our_own_address_may_upload(client: TestClient, headers: dict[str, str]) -> None:
    answer = client.post("/v1/documents/text", json={"source": "fees.md", "text": "The fee is R10."}, headers=headers)
    assert answer.status_code == 202


@pytest.mark.parametrize("path", ["/v1/verify", "/v1/ask", "/v1/documents", "/v1/documents/text"])
def test_a_body_that_trickles_is_named_on_every_route(
    monkeypatch: pytest.MonkeyPatch, live_url: str, path: str
) -> None:
    monkeypatch.setattr("surefoot.server.envelope.BODY_SECONDS", 0.3)
    monkeypatch.setattr("surefoot.server.envelope.UPLOAD_SECONDS", 0.3)
    host, port = live_url.removeprefix("http://").split(":")
    kind = "multipart/form-data; boundary=x" if path == "/v1/documents" else "application/json"
    slow = socket.create_connection((host, int(port)))
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {kind}\r\nContent-Length: 100\r\n\r\n"
    slow.sendall(head.encode() + (b"--x\r\n" if "multipart" in kind else b"{"))
    slow.settimeout(10)
    answer = b""
    while piece := slow.recv(4096):
        answer += piece
    assert b"408" in answer.split(b"\r\n")[0]
    assert b"body_too_slow" in answer


@pytest.mark.parametrize(("number", "status", "code"), [(28, 507, "store_full"), (30, 503, "store_read_only")])
def test_a_disk_that_fails_within_any_route_is_named(
    client: TestClient, house: SmallHouse, number: int, status: int, code: str
) -> None:
    async def fail() -> None:
        raise OSError(number, "of Zola Nkosi")

    house.before_ask = fail
    response = client.post("/v1/ask", json={"question": "bursary"})
    assert (response.status_code, response.json()["error"]["code"]) == (status, code)
    assert "Zola" not in response.text


def test_two_uploads_of_one_name_in_one_request_are_refused_and_nothing_is_kept(
    client: TestClient, settings: Settings
) -> None:
    files = [("files", ("a/fees.md", b"The fee is R1.")), ("files", ("b/fees.md", b"The fee is R2."))]
    response = client.post("/v1/documents", files=files)
    assert (response.status_code, response.json()["error"]["code"]) == (400, "bad_document")
    assert not (settings.kb / "uploads").exists()
