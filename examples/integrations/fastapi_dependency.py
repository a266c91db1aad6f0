"""An endpoint that verifies what it says: `python examples/integrations/fastapi_dependency.py`.

To serve it: `uvicorn fastapi_dependency:app` in this folder.
"""

import asyncio
from typing import Annotated

import httpx2
from fastapi import Depends, FastAPI

from surefoot.integrations.fastapi import Verifier, Verify

SOURCES = ["The late fee for a DVD is R5 a day. The desk closes at 18:00."]
verifier = Verifier()
app = FastAPI(lifespan=verifier.lifespan)


@app.get("/answer")
async def answer(verify: Annotated[Verify, Depends(verifier)]) -> dict[str, str]:
    result = await verify("The late fee for a DVD is R9 a day.", SOURCES)
    return {"decision": result.decision, "text": result.text}


async def main() -> str:
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://example") as client:
        said = (await client.get("/answer")).json()
    return f"{said['decision']}: {said['text']}"


if __name__ == "__main__":
    print(asyncio.run(main()))
