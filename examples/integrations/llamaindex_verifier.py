"""LlamaIndex: a query engine that shows only what is proven: `python examples/integrations/llamaindex_verifier.py`."""

import tempfile
from pathlib import Path

from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import get_response_synthesizer

import surefoot
from surefoot.integrations.llamaindex import SurefootRetriever, VerifiedQueryEngine


class CarelessModel(MockLLM):
    """Stands for any model."""

    def _generate_text(self, length: int) -> str:
        return "The late fee for a DVD is R9 a day."


folder = Path(tempfile.mkdtemp())
(folder / "fees.md").write_text("The late fee for a DVD is R5 a day. The desk closes at 18:00.")
house = surefoot.Surefoot(kb=folder / "kb")
with house as sf:
    sf.ingest(folder / "fees.md")
    synthesizer = get_response_synthesizer(llm=CarelessModel(max_tokens=20))
    engine = RetrieverQueryEngine(SurefootRetriever(house, k=4), synthesizer)
    response = VerifiedQueryEngine(engine).query("What is the late fee for a DVD?")
    print(f"{response.metadata['surefoot']['decision']}: {response.response}")
