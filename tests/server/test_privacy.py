"""A person's data goes through every endpoint; nothing that is written or logged, and no error, repeats it."""

from __future__ import annotations

import asyncio
import io
import json
import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import structlog
from starlette.testclient import TestClient

from surefoot.core.known_names import names_known
from surefoot.core.types import Turn
from surefoot.correct.evidence import ExternalEvidence
from surefoot.observe.logging import configure
from surefoot.settings import Settings
from surefoot.testing.server import LocalModelServer, ServerPlan
from surefoot.wiring import build, builtin_documents

NAME, SURNAME = "Thandiwe", "Mokoena"
SECRETS = (NAME, SURNAME, "8001015009087", "thandiwe.m@example.org", "082 555 0199", "14 Vilakazi Street")
TEXT = f"I am {NAME} {SURNAME}, ID 8001015009087, thandiwe.m@example.org, 082 555 0199, 14 Vilakazi Street, Soweto."
PROFILE = {"name": f"{NAME} {SURNAME}", "idNumber": "8001015009087", "grade": 12, "about": TEXT}
CHUNK = {"id": "S1", "text": f"The bursary pays R35 000. {TEXT}"}
REQUESTS = (
    ("POST", "/v1/ask", {"question": f"{TEXT} What does the bursary pay?", "profile": PROFILE, "sessionId": NAME}),
    ("POST", "/v1/ask", {"question": f"{TEXT} the bursary?", "profile": PROFILE, "stream": True}),
    ("POST", "/v1/verify", {"draftAnswer": TEXT, "ragChunks": [CHUNK], "studentProfile": PROFILE, "sessionId": NAME}),
    ("POST", "/v1/verify", {"draftAnswer": {"name": NAME}, "studentProfile": TEXT}),
    ("POST", "/v1/verify", {TEXT: TEXT}),
    ("POST", "/v1/verify", {"draftAnswer": TEXT, "pack": TEXT}),
    ("POST", "/v1/verify", {"draftAnswer": TEXT, "options": f'It\'s {NAME} {SURNAME} "here"'}),
    ("POST", "/v1/verify", {"draftAnswer": TEXT, "options": {"llmModel": f"{NAME} {SURNAME}"}}),
    ("POST", "/v1/verify/batch", {"items": [{"draftAnswer": TEXT, "profile": PROFILE}, {"draftAnswer": [TEXT]}]}),
    ("POST", "/v1/judge", {"context": TEXT, "query": TEXT}),
    ("POST", "/v1/judge", {"context": TEXT, "query": TEXT, TEXT: 1}),
    ("POST", "/v1/chat/completions", {"model": f"{NAME} {SURNAME}", "messages": [{"role": "user", "content": TEXT}]}),
    (
        "POST",
        "/v1/chat/completions",
        {"model": "surefoot", "messages": [{"role": "user", "content": TEXT}], "profile": PROFILE, "user": NAME},
    ),
    ("POST", "/v1/runs/x/feedback", {"verdict": TEXT, "note": TEXT}),
    ("POST", "/v1/documents/text", {"source": TEXT, "text": ""}),
    ("POST", "/v1/datasets/x/rows/0/review", {"verdict": "accept", "note": TEXT}),
    ("GET", f"/v1/runs/{NAME}", None),
    ("GET", f"/v1/packs/{NAME}", None),
    ("GET", f"/v1/documents/{NAME}", None),
    ("GET", f"/v1/datasets/{NAME}/rows?offset={NAME}", None),
    ("GET", f"/{NAME}?q={SURNAME}", None),
)


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    handlers, level = logging.root.handlers, logging.root.level
    stream = io.StringIO()
    configure(stream=stream, level="debug")
    yield stream
    logging.root.handlers, logging.root.level = handlers, level
    structlog.reset_defaults()


def test_no_log_error_metric_or_stored_run_repeats_a_persons_data(
    log: io.StringIO, client: TestClient, settings: Settings
) -> None:
    for method, path, body in REQUESTS:
        response = client.request(method, path, json=body)
        if response.status_code >= 400:
            assert not _leaks(response.text), (path, response.text)
    runs = client.get("/v1/runs", params={"limit": 500}).json()["runs"]
    assert len(runs) >= 5
    for run in runs:
        assert not _leaks(client.get(f"/v1/runs/{run['runId']}").text)
    assert not _leaks(client.get("/metrics").text)
    assert "decision" in log.getvalue()
    assert not _leaks(log.getvalue())
    client.app.state.service.house.runlog.close()
    for file in (path for path in settings.kb.rglob("*") if path.is_file()):
        assert not _leaks(file.read_bytes()), file.name


def _leaks(text: str | bytes) -> list[str]:
    """In small letters once, as bytes: a store's files have millions of them, most of them empty."""
    small = (text if isinstance(text, bytes) else text.encode("utf-8", "replace")).lower()
    return [secret for secret in SECRETS if secret.lower().encode() in small]


def test_the_real_house_keeps_no_personal_data_in_caches_or_runs(tmp_path: Path) -> None:
    async def ask() -> None:
        house = build(kb=tmp_path / "kb")
        await house.ingest([builtin_documents("default") / "fines-and-lost-items.md"])
        asked = await house.ask(f"{TEXT} What is the late fee for a DVD?", profile=PROFILE)
        assert asked.result.metadata.run_id
        await house.close()

    asyncio.run(ask())
    files = [path for path in (tmp_path / "kb").rglob("*") if path.is_file()]
    assert any(file.name.startswith("cache") for file in files)
    for file in files:
        assert not _leaks(file.read_bytes()), file.name


def test_a_name_that_only_the_profile_gives_reaches_no_model_and_no_search(tmp_path: Path) -> None:
    """In the question, in an earlier turn and in a draft that a critic reads; none of them introduces her."""
    asked: list[str] = []
    about = {"name": f"{NAME} {SURNAME}"}

    def reply(body: Mapping[str, Any]) -> str:
        asked.append(json.dumps(body))
        return f"{NAME} pays R10 a day [S1]."

    async def ask(model: LocalModelServer) -> None:
        spec = f"openai-compatible:local@{model.base_url}"
        house = build(
            kb=tmp_path / "kb", llm=spec, llm_critic=spec, search_provider="searxng", search_url=model.base_url
        )
        await house.ingest([builtin_documents("default") / "fines-and-lost-items.md"])
        earlier = [Turn(question=f"Does {NAME} borrow DVDs?", answer="Yes.")]
        await house.ask("And of those here, which are dear?", profile=about, history=earlier)
        await house.ask(f"What is the late fee that {NAME} pays for a DVD?", profile=about)
        told = len(asked)
        await house.verify(f"{SURNAME} often sings.", ["The late fee for a DVD is R10 a day."], profile=about)
        assert len(asked) > told > 0
        outside = house.evidence(house.pack())
        assert isinstance(outside, ExternalEvidence)
        with names_known(about):
            assert not _leaks(outside.redact(f"What does {NAME} pay?"))
        await house.close()

    with LocalModelServer(ServerPlan(reply=reply)) as model:
        asyncio.run(ask(model))
    assert not [text for text in asked if _leaks(text)]
