"""A LangChain chain that shows only what is proven: `python examples/frameworks/langchain_verifier.py`."""

import asyncio
import tempfile
from pathlib import Path

from langchain_core.documents import Document

from surefoot.integrations.langchain import SurefootRetriever, verifier
from surefoot.wiring import build, builtin_documents


async def main() -> str:
    house = build(kb=Path(tempfile.mkdtemp()))
    await house.ingest([builtin_documents("default")])
    documents: list[Document] = await SurefootRetriever(house=house, k=4).ainvoke("What is the late fee for a DVD?")
    draft = "The late fee for a DVD is R50 a day [S1]."  # what a careless model might say
    result = await verifier(house).ainvoke({"answer": draft, "documents": documents})
    await house.close()
    return f"{result['decision']}: {result['finalAnswer']}"


if __name__ == "__main__":
    print(asyncio.run(main()))
