"""An MCP client lists and calls the tools, in process and over standard input and output."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from mcp import Client, StdioServerParameters
from surefoot.mcp.server import create_server
from surefoot.wiring import build

KB = Path(__file__).parents[2] / "src" / "surefoot" / "packs" / "builtin" / "default" / "kb"
QUESTION = "What is the late fee for a DVD?"


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kb")

    async def fill() -> None:
        house = build(kb=folder)
        await house.ingest([KB / "fines-and-lost-items.md"])
        await house.close()

    asyncio.run(fill())
    return folder


async def converse(server: Any) -> dict[str, Any]:
    async with Client(server) as client:
        listed = await client.list_tools()
        asked = await client.call_tool("ask", {"question": QUESTION})
        draft = {"answer": "The fee is R9 a day [S1].", "sources": ["The fee is R5 a day."]}
        verified = await client.call_tool("verify", draft)
        found = await client.call_tool("search", {"query": QUESTION, "limit": 3})
        wrong = await client.call_tool("ask", {"question": QUESTION, "pack": "/etc"})
    return {
        "tools": sorted(tool.name for tool in listed.tools),
        "asked": asked.structured_content,
        "verified": verified.structured_content,
        "found": found.structured_content,
        "wrong": wrong.is_error,
    }


def check(seen: dict[str, Any]) -> None:
    assert seen["tools"] == ["ask", "search", "verify"]
    assert seen["asked"]["decision"] in ("approved", "revised")
    assert "R5 a day" in seen["asked"]["finalAnswer"]
    assert seen["verified"]["finalAnswer"] == "The fee is R5 a day [S1]."
    assert "DVD" in seen["found"]["passages"][0]["text"]
    assert seen["wrong"] is True


def test_a_client_in_process_lists_and_calls_the_tools(kb: Path) -> None:
    async def run() -> dict[str, Any]:
        house = build(kb=kb)
        try:
            return await converse(create_server(house))
        finally:
            await house.close()

    check(asyncio.run(run()))


def test_a_client_over_standard_streams_lists_and_calls_the_tools(kb: Path) -> None:
    command = ["-m", "surefoot", "mcp", "--kb", str(kb)]
    check(asyncio.run(converse(StdioServerParameters(command=sys.executable, args=command))))
