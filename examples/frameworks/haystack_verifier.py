"""Haystack: retriever and verifier in one pipeline: `python examples/frameworks/haystack_verifier.py`."""

import asyncio
import tempfile
from pathlib import Path

from haystack import Pipeline

from surefoot.integrations.haystack import SurefootRetriever, SurefootVerifier
from surefoot.wiring import build, builtin_documents


def main() -> str:
    house = build(kb=Path(tempfile.mkdtemp()))
    asyncio.run(house.ingest([builtin_documents("default")]))
    pipeline = Pipeline()
    pipeline.add_component("retriever", SurefootRetriever(house, k=4))
    pipeline.add_component("verifier", SurefootVerifier(house))
    pipeline.connect("retriever.documents", "verifier.documents")
    question, draft = "What is the late fee for a DVD?", "The late fee for a DVD is R50 a day [S1]."
    out = pipeline.run({"retriever": {"query": question}, "verifier": {"replies": [draft], "query": question}})
    asyncio.run(house.close())
    return f"{out['verifier']['decision']}: {out['verifier']['answer']}"


if __name__ == "__main__":
    print(main())
