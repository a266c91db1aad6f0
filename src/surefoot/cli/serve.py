"""`surefoot serve`: the HTTP service."""

from __future__ import annotations

import hashlib
import secrets
import sys
from pathlib import Path
from typing import Annotated

import typer

from surefoot.core.errors import MissingExtraError


def command(
    host: Annotated[str | None, typer.Option(help="Address to listen on; default 127.0.0.1.")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="Port; default 8808.")] = None,
    kb: Annotated[Path | None, typer.Option(help="Folder of the knowledge base; default .surefoot.")] = None,
    pack: Annotated[str | None, typer.Option(help="The pack for requests that name none.")] = None,
    llm: Annotated[str | None, typer.Option(help="The answer model as provider:name.")] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, max=64, help="Processes on this machine; more than one need a shared store.")
    ] = None,
    fd: Annotated[int | None, typer.Option(hidden=True, help="A listening socket this process was given.")] = None,
    new_key: Annotated[bool, typer.Option("--new-key", help="Print a new API key and its settings entry.")] = False,
    openapi: Annotated[bool, typer.Option("--openapi", help="Print the OpenAPI document and exit.")] = False,
) -> None:
    if new_key:
        _print_new_key()
        return
    try:
        from surefoot.server.process import serve
    except ImportError as error:
        raise MissingExtraError("fastapi", "server") from error
    from surefoot.wiring import build_service

    house = build_service(kb=kb, pack=pack, llm=llm)
    if openapi:
        import json

        from surefoot.server.app import create_app

        print(json.dumps(create_app(house).openapi(), indent=2))
        return
    settings = house.settings
    if not house.has_documents:
        print(f"surefoot: {house.nothing_ingested}, or upload to /v1/documents", file=sys.stderr)
    address, number = host or settings.host, settings.port if port is None else port
    processes = workers or settings.processes
    if fd is not None:
        serve(house, host=address, port=number, inherited=fd)
        return
    if processes > 1:
        from surefoot.server.crew import run_crew

        run_crew(house, _own_arguments(kb, pack, llm), host=address, port=number, processes=processes)
        return
    print(f"surefoot serves on http://{address}:{number} (stop with Ctrl+C)", file=sys.stderr)
    serve(house, host=address, port=number)


def _own_arguments(kb: Path | None, pack: str | None, llm: str | None) -> list[str]:
    given = (("--kb", kb), ("--pack", pack), ("--llm", llm))
    return [part for name, value in given if value is not None for part in (name, str(value))]


def _print_new_key() -> None:
    key = f"sf_{secrets.token_urlsafe(32)}"
    digest = hashlib.sha256(key.encode()).hexdigest()
    print(f"key (shown once): {key}")
    print(f"settings entry:   {digest}:read:NAME   (scopes: read, write, admin)")
