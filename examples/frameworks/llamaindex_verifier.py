"""LlamaIndex: any query engine's response, verified: `python examples/frameworks/llamaindex_verifier.py`."""

import asyncio
import tempfile
from pathlib import Path

from llama_index.core.base.response.schema import Response

from surefoot.integrations.llamaindex import SurefootRetriever, SurefootVerifier
from surefoot.wiring import build, builtin_documents


async def main() -> str:
    house = build(kb=Path(tempfile.mkdtemp()))
    await house.ingest([builtin_documents("default")])
    nodes = await SurefootRetriever(house, k=4).aretrieve("What is the late fee for a DVD?")
    response = Response(response="The late fee for a DVD is R50 a day [S1].", source_nodes=nodes)
    verified = await SurefootVerifier(house).averify(response)
    await house.close()
    return f"{verified.metadata['surefoot']['decision']}: {verified.response}"


if __name__ == "__main__":
    print(asyncio.run(main()))
