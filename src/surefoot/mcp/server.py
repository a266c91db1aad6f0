"""The MCP server: ask, verify and search as tools for any agent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

from surefoot.core.errors import InputError, MissingExtraError, SurefootError
from surefoot.core.request import as_request
from surefoot.core.wire import ask_to_wire, passage_to_wire, result_to_wire

if TYPE_CHECKING:
    from surefoot.wiring import Surefoot

INSTRUCTIONS = (
    "Answers come from a knowledge base and carry a proof. When `decision` is rejected or fallback, say so to the "
    "user; never fill the gap from memory. Use `verify` before you show a text you wrote from sources yourself."
)


class Tools:
    """The tools' functions; their names, docstrings and types are what an agent sees."""

    def __init__(self, house: Surefoot) -> None:
        self._house = house

    async def ask(self, question: str, pack: str | None = None) -> dict[str, Any]:
        """Answers a question from the knowledge base. Every sentence is proven, or the answer is a refusal."""
        answer = ask_to_wire(await self._house.ask(question, pack=self._known(pack)))
        answer["metadata"].pop("certificate")
        return {key: answer[key] for key in ("decision", "finalAnswer", "passages", "unanswered", "metadata")}

    async def verify(
        self,
        answer: str,
        sources: list[str],
        question: str | None = None,
        pack: str | None = None,
        citations: str | None = None,
    ) -> dict[str, Any]:
        """Checks an answer against its sources, [S1] meaning the first one. Gives issues and a repaired text."""
        given = as_request(answer, sources, question=question, pack=self._known(pack), citations=citations)
        result = result_to_wire(await self._house.verify(given))
        result["metadata"].pop("certificate")
        return result

    async def search(self, query: str, limit: int = 8) -> dict[str, Any]:
        """Finds passages of the knowledge base, best first, and says whether they hold an answer at all."""
        found = await self._house.retriever.retrieve(query, k=max(1, min(limit, 50)))
        return {
            "relevant": found.relevant,
            "relevance": found.relevance,
            "passages": [passage_to_wire(passage) for passage in found.passages],
        }

    def _known(self, pack: str | None) -> str | None:
        """A pack is named, never a path of this machine."""
        if pack is not None and pack not in self._house.pack_names():
            raise InputError("there is no such pack; leave it out for the default one")
        return pack


def create_server(house: Surefoot) -> Any:
    try:
        from mcp.server.mcpserver import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
        from mcp.server.mcpserver.tools import Tool
    except ImportError as error:
        raise MissingExtraError("mcp", "mcp") from error
    tools = Tools(house)
    return MCPServer(
        name="surefoot",
        instructions=INSTRUCTIONS,
        tools=[
            Tool.from_function(_spoken(function, ToolError)) for function in (tools.ask, tools.verify, tools.search)
        ],
    )


def _spoken(function: Callable[..., Awaitable[Any]], failure: type[Exception]) -> Callable[..., Awaitable[Any]]:
    """An error of ours becomes the tool's answer, in its own words; anything else stays a crash without words."""

    @wraps(function)
    async def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return await function(*args, **kwargs)
        except SurefootError as error:
            raise failure(str(error)) from error

    return call
