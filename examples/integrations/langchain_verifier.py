"""A LangChain chain over a knowledge base: `python examples/integrations/langchain_verifier.py`."""

import tempfile
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableLambda

import surefoot
from surefoot.integrations.langchain import SurefootRetriever, verifier


def careless(given: dict[str, Any]) -> dict[str, Any]:
    """Stands for any model."""
    return {**given, "answer": "The late fee for a DVD is R9 a day."}


folder = Path(tempfile.mkdtemp())
(folder / "fees.md").write_text("The late fee for a DVD is R5 a day. The desk closes at 18:00.")
house = surefoot.Surefoot(kb=folder / "kb")
with house as sf:
    sf.ingest(folder / "fees.md")
    question = RunnableLambda(lambda text: {"question": text})
    chain = question.assign(documents=lambda given: SurefootRetriever(house=house).invoke(given["question"]))
    result = (chain | RunnableLambda(careless) | verifier(house)).invoke("What is the late fee for a DVD?")
    print(f"{result['decision']}: {result['text']}")
