"""Two stories, offline: a wrong first answer corrected from the web, and a case judged with `[n]` and `[case]`.

Starts what it needs on this machine and nothing else: a web server with two pages, a search that answers as SearXNG
does, and a language model that speaks the OpenAI protocol and says what is written below. Run it with

    python examples/self_correction.py
"""

from __future__ import annotations

import http.server
import json
import shutil
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

from surefoot import Surefoot
from surefoot.core.types import AskResult, JudgeResult
from surefoot.packs.loader import BUILTIN
from surefoot.testing.server import LocalModelServer, ServerPlan

LOANS = """---
title: Loans
date: 2019-01-01
---
# Loans

A book loan lasts 21 days. A loan can be renewed twice.
"""
PACK = """name: town
title: Town library
version: '1.0'
citations:
  mode: required
  style: '[S#]'
thresholds:
  stale_after_days: 400
"""
NEWS = (
    "From this year on, a book loan lasts 28 days. A loan can be renewed three times by its reader. A film loan lasts "
    "7 days. A late book costs R2 a day. The desk sends a message 2 days before a loan ends."
)
REPAIRS = (
    "In England a landlord must keep in repair the heating and hot water. This duty covers a broken boiler. "
    "The landlord should repair the heating within 14 days of being told."
)
QUESTION = "How long does a book loan last?"
CONTEXT = (
    "My heating has been off for three weeks. I phoned my landlord on the first day. He says that the boiler is mine "
    "to repair."
)
QUERY = "Who has to repair the heating?"

OUTDATED = "A book loan lasts 21 days [S1]."
CORRECTED = (
    "From this year on, a book loan lasts 28 days [S1]. A loan can be renewed three times by its reader [S1]. A film "
    "loan lasts 7 days [S1]. A late book costs R2 a day [S1]. The desk sends a message 2 days before a loan ends [S1]. "
    "The library was founded in 1850 by a baker [S1]."
)
VERDICT = {
    "summary": "In England a landlord must keep in repair the heating and hot water [1].",
    "rationale": "Your heating has been off for three weeks [case]. Three weeks without heating is longer than the "
    "14 days the guide allows [1] [case]. You sent the landlord a registered letter [case].",
}
UNKNOWN = {**VERDICT, "summary": "The landlord must repair the heating [9]."}
"""The first verdict cites a reference that is not there; the second one is told so."""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, world(Path(folder)) as settings, Surefoot(**settings) as surefoot:
        surefoot.ingest(Path(folder) / "documents")
        tell_answer(surefoot.ask(QUESTION))
        print()
        tell_verdict(surefoot.judge(CONTEXT, QUERY))


@contextmanager
def world(folder: Path) -> Iterator[dict[str, Any]]:
    """The outside world on loopback, and the settings of a house that lives in it."""
    with web() as host, LocalModelServer(ServerPlan(reply=says)) as model:
        write(folder / "documents" / "loans.md", LOANS)
        write(folder / "packs" / "town" / "pack.yaml", PACK)
        shutil.copytree(BUILTIN / "judge", folder / "packs" / "judge", ignore=shutil.ignore_patterns("cases"))
        source = f"sources:\n  - url: http://{host}/repairs\n    title: Repairs in rented homes\n    domain: tenancy\n"
        write(folder / "packs" / "judge" / "sources.yaml", source)
        yield {
            "kb": folder / "kb",
            "packs_dir": folder / "packs",
            "pack": "town",
            "llm": f"openai-compatible:local@{model.base_url}",
            "search_provider": "searxng",
            "search_url": f"http://{host}",
            "fetch_allow_hosts": (host,),
            "deadline_ms": 60_000,
        }


def says(request: Mapping[str, Any]) -> str:
    """The model: it sees what a model is sent, and no more."""
    prompt = str(request["messages"][-1]["content"])
    if "<CONTEXT>" in prompt:
        return json.dumps(VERDICT if "Your last reply was not accepted" in prompt else UNKNOWN)
    return CORRECTED if NEWS in prompt else OUTDATED


@contextmanager
def web() -> Iterator[str]:
    """Two pages and a search; gives the host and port they are served at."""

    class Answers(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            place = urlparse(self.path).path
            here = f"http://{self.headers['host']}"
            if place == "/search":
                self.reply("application/json", json.dumps({"results": [{"url": f"{here}/loans"}]}))
            elif place in PAGES:
                self.reply("text/html; charset=utf-8", PAGES[place])
            else:
                self.send_error(404)

        def reply(self, kind: str, text: str) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *args: object) -> None: ...

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=10)


def page(title: str, text: str) -> str:
    more = "This page is kept by the people who run the service and is read again every month."
    article = f"<article><h1>{title}</h1><p>{text}</p><p>{more}</p></article>"
    return f"<html><head><title>{title}</title></head><body>{article}</body></html>"


PAGES = {"/loans": page("Library news", NEWS), "/repairs": page("Repairs in rented homes", REPAIRS)}


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def tell_answer(asked: AskResult) -> None:
    print(f"question: {asked.question}")
    for turn in asked.rounds:
        print(
            f"round {turn.number}: score {turn.score:.2f}, {'accepted' if turn.accepted else ', '.join(turn.reasons)}"
        )
    for search in asked.searches:
        print(f"searched ({search.where}): {search.query} -> {', '.join(search.pages)}")
    print(f"{asked.decision.value}: {asked.text}")
    for found in asked.passages:
        if found.passage.metadata.get("external") is True:
            print(f"from the web: {found.passage.metadata['source']}, fetched {found.passage.metadata['retrieved']}")
    for one in asked.result.metadata.revisions_applied:
        print(f"cut ({one.code}): {one.before.strip()} -> {one.after.strip() or 'nothing'}")


def tell_verdict(judged: JudgeResult) -> None:
    print(f"case: {CONTEXT} {QUERY}")
    for node in judged.result.metadata.nodes:
        if node.node == "validate":
            print(f"round {node.round}: {node.reason or f'accepted, score {node.score:.2f}'}")
    print(f"{judged.decision.value}: {judged.summary}")
    print(judged.rationale)
    for one in judged.references:
        print(f"[{one.number}] {one.title}: {one.url or one.note}")
    for cut in judged.cut:
        print(f"cut ({cut.code}): {cut.before.strip()} -> {cut.after.strip() or 'nothing'}")


if __name__ == "__main__":
    main()
