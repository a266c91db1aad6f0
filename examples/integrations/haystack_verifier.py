"""Haystack: a pipeline that shows only what is proven: `python examples/integrations/haystack_verifier.py`."""

import tempfile
from pathlib import Path

from haystack import Pipeline, component

import surefoot
from surefoot.integrations.haystack import SurefootRetriever, SurefootVerifier


@component
class CarelessGenerator:
    """Stands for any generator."""

    @component.output_types(replies=list[str])
    def run(self, prompt: str) -> dict[str, list[str]]:
        return {"replies": ["The late fee for a DVD is R9 a day."]}


folder = Path(tempfile.mkdtemp())
(folder / "fees.md").write_text("The late fee for a DVD is R5 a day. The desk closes at 18:00.")
house = surefoot.Surefoot(kb=folder / "kb")
with house as sf:
    sf.ingest(folder / "fees.md")
    pipeline = Pipeline()
    pipeline.add_component("retriever", SurefootRetriever(house, k=4))
    pipeline.add_component("generator", CarelessGenerator())
    pipeline.add_component("verifier", SurefootVerifier())
    pipeline.connect("retriever.documents", "verifier.documents")
    pipeline.connect("generator.replies", "verifier.replies")
    question = "What is the late fee for a DVD?"
    asked = {"query": question}
    out = pipeline.run({"retriever": asked, "generator": {"prompt": question}, "verifier": asked})
    print(f"{out['verifier']['decision']}: {out['verifier']['answer']}")
