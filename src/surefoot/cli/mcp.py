"""`surefoot mcp`: the MCP server, over standard input and output or over HTTP on this machine."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer


def command(
    http: Annotated[
        bool, typer.Option("--http", help="Serve over HTTP on loopback instead of standard input.")
    ] = False,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port for --http.")] = 8809,
    kb: Annotated[Path | None, typer.Option(help="Folder of the knowledge base; default .surefoot.")] = None,
    pack: Annotated[str | None, typer.Option(help="The pack for calls that name none.")] = None,
    llm: Annotated[str | None, typer.Option(help="The answer model as provider:name.")] = None,
) -> None:
    from surefoot.mcp.server import create_server
    from surefoot.wiring import build

    house = build(kb=kb, pack=pack, llm=llm)
    server = create_server(house)
    try:
        if http:
            server.run("streamable-http", host="127.0.0.1", port=port)
        else:
            server.run("stdio")
    finally:
        asyncio.run(house.close())
