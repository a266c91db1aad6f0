"""A LangChain chain with a gate at its end: `python examples/integrations/langchain_chain.py`."""

from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda

from surefoot.integrations.langchain import verifier

DOCUMENTS = [Document(page_content="The late fee for a DVD is R5 a day. The desk closes at 18:00.")]


def draft(question: str) -> dict[str, object]:
    """Stands for retrieval and a model."""
    return {"question": question, "answer": "The late fee for a DVD is R9 a day.", "documents": DOCUMENTS}


chain = RunnableLambda(draft) | verifier(citations="auto")
result = chain.invoke("What is the late fee for a DVD?")
print(f"{result['decision']}: {result['text']}")
