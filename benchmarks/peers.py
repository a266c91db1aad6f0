"""What other tools do with an invented sentence when their check has no evidence, gets nonsense or fails.

`python benchmarks/peers.py` makes an environment for each tool under .venv/peers, runs the same four cases in it and
writes benchmarks/results/peers.json. No model is fetched: the judge is scripted, so what is measured is the tool's own
code around it. Tools that need weights from a model hub before they do anything are resolved and counted only.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "benchmarks" / "results" / "peers.json"
ENVIRONMENTS = ROOT / ".venv" / "peers"
NEED_WEIGHTS = ("lettucedetect", "verbatim-rag", "haiku.rag", "guardrails-ai")
"""Guardrails AI's provenance checks come from its hub."""
QUESTION = "What does a torn page cost?"
SOURCE = "A torn page costs R20. A broken spine costs R45."
INVENTED = "The library sells bicycles."
DRAFT = f"A torn page costs R20. {INVENTED}"
UV = [sys.executable, "-m", "uv"]
ALSO = {"ragas": ("langchain-community<0.4",)}
"""Ragas 0.4.3 imports a module that newer ones no longer have."""
CASES = ("judge objects", "no evidence", "judge says nonsense", "judge fails")


class Judge:
    """The scripted judge of one case; counts how often it was asked."""

    def __init__(self, case: str, objects: Callable[[str], str]) -> None:
        self.case, self.objects, self.calls = case, objects, 0

    def reply(self, prompt: str) -> str:
        self.calls += 1
        if self.case == "judge fails":
            raise ConnectionError("the judge cannot be reached")
        return "Bananas are yellow." if self.case == "judge says nonsense" else self.objects(prompt)


def nemoguardrails(case: str) -> dict[str, Any]:
    """The rail `self check facts` around a model whose draft holds the invented sentence."""
    from nemoguardrails import LLMRails, RailsConfig
    from nemoguardrails.types import LLMResponse

    judge = Judge(case, lambda _: "no")
    config = """
models: []
rails: {output: {flows: [self check facts]}}
prompts:
  - task: self_check_facts
    content: 'Is it in the evidence? evidence: {{ evidence }} response: {{ response }} Answer yes or no.'
"""

    class Model:
        model_name, provider_name, provider_url = "scripted", None, None

        async def generate_async(self, prompt: Any, **_: Any) -> Any:
            said = str(prompt)
            return LLMResponse(content=judge.reply(said) if "Is it in the evidence?" in said else DRAFT)

        async def stream_async(self, prompt: Any, **_: Any) -> Any:
            yield await self.generate_async(prompt)

    rails = LLMRails(RailsConfig.from_content(yaml_content=config), llm=Model())
    context = {"relevant_chunks": "" if case == "no evidence" else SOURCE, "check_facts": True}
    asked = [{"role": "context", "content": context}, {"role": "user", "content": QUESTION}]
    try:
        said = str(asyncio.run(rails.generate_async(messages=asked))["content"])
    except Exception as error:  # whatever it is, the reader gets nothing
        return {"outcome": f"raises {type(error).__name__}", "given": False, "calls": judge.calls}
    return {"outcome": said, "given": INVENTED in said, "calls": judge.calls}


def ragas(case: str) -> dict[str, Any]:
    """The metric `Faithfulness`: it scores, it gates nothing."""
    from langchain_core.outputs import Generation, LLMResult
    from ragas import EvaluationDataset, SingleTurnSample, evaluate
    from ragas.llms.base import BaseRagasLLM
    from ragas.metrics import Faithfulness
    from ragas.run_config import RunConfig

    statements = ["A torn page costs R20.", INVENTED]

    def objects(prompt: str) -> str:
        if '"verdict"' not in prompt:
            return json.dumps({"statements": statements})
        rows = [{"statement": one, "reason": "-", "verdict": int(one != INVENTED)} for one in statements]
        return json.dumps({"statements": rows})

    judge = Judge(case, objects)

    class Model(BaseRagasLLM):
        def generate_text(self, prompt: Any, **_: Any) -> Any:
            return LLMResult(generations=[[Generation(text=judge.reply(prompt.to_string()))]])

        async def agenerate_text(self, prompt: Any, **_: Any) -> Any:
            return self.generate_text(prompt)

        def is_finished(self, response: Any) -> bool:
            return True

    contexts = [""] if case == "no evidence" else [SOURCE]
    sample = SingleTurnSample(user_input=QUESTION, response=DRAFT, retrieved_contexts=contexts)
    found = evaluate(
        EvaluationDataset([sample]),
        metrics=[Faithfulness()],
        llm=Model(),
        show_progress=False,
        run_config=RunConfig(max_retries=1, timeout=20),
    )
    return {"outcome": f"faithfulness {found['faithfulness'][0]}", "given": None, "calls": judge.calls}


def surefoot(case: str) -> dict[str, Any]:
    """The gate, with the judge as its critic over HTTP."""
    from surefoot import Surefoot
    from surefoot.testing.server import LocalModelServer, ServerPlan

    issue = {"type": "hallucination", "location": INVENTED, "problem": "no source says so", "correction": ""}
    said = {"approved": False, "issues": [issue], "doubtful": [], "recommendation": "revise"}
    judge = Judge(case, lambda _: json.dumps(said))
    plan = ServerPlan(reply=lambda body: judge.reply(str(body)), fail_first=100 if case == "judge fails" else 0)
    with LocalModelServer(plan) as server:
        with Surefoot(
            keeps_runs=False,
            llm_critic="openai-compatible:judge",
            llm_base_url=server.base_url,
            critic_timeout_ms=15_000,
            deadline_ms=20_000,
        ) as gate:
            result = gate.verify(DRAFT, [] if case == "no evidence" else [SOURCE], question=QUESTION)
        asked = server.counts.started
    outcome = f"{result.decision}: {result.text}"
    return {"outcome": outcome, "given": INVENTED in result.text, "calls": asked}


RUN_HERE: dict[str, Callable[[str], dict[str, Any]]] = {
    "nemoguardrails": nemoguardrails,
    "ragas": ragas,
    "surefoot": surefoot,
}
"""What runs without weights of a hub; Surefoot has its own."""


def main() -> None:
    if len(sys.argv) > 1:
        name = sys.argv[1]
        cases = {case: RUN_HERE[name](case) for case in CASES}
        print(json.dumps({"version": version(name), "cases": cases}))
        return
    results: dict[str, Any] = {}
    for name in (*RUN_HERE, *NEED_WEIGHTS):
        found = _resolved(name)
        torch = any(line.startswith("torch==") for line in found)
        results[name] = {"packages": len(found), "torch": torch, "version": _version(name, found)}
    for name in RUN_HERE:
        results[name] |= _run(name)
    OUT.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print(OUT.read_text(encoding="utf-8"))


def _resolved(name: str) -> list[str]:
    """What `pip install NAME` would bring along."""
    if name == "surefoot":
        return _compiled(str(ROOT / "pyproject.toml"))
    with tempfile.NamedTemporaryFile("w", suffix=".in") as wanted:
        wanted.write(name)
        wanted.flush()
        return _compiled(wanted.name)


def _compiled(wanted: str) -> list[str]:
    command = [*UV, "pip", "compile", wanted, "--quiet", "--no-header", "--no-annotate", "--python-version", "3.12"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return [line for line in lines if "==" in line]


def _version(name: str, found: list[str]) -> str:
    wanted = name.replace(".", "-")
    return next((line.split("==")[1] for line in found if line.startswith(f"{wanted}==")), "this one")


def _run(name: str) -> dict[str, Any]:
    python = Path(sys.executable) if name == "surefoot" else ENVIRONMENTS / name / "bin" / "python"
    if not python.exists():
        subprocess.run([*UV, "venv", "--quiet", str(ENVIRONMENTS / name)], check=True)
        install = [*UV, "pip", "install", "--quiet", "--python", str(python), name, *ALSO.get(name, ())]
        subprocess.run(install, check=True)
    command = [str(python), __file__, name]
    told = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert told.returncode == 0, told.stderr[-2000:]
    found: dict[str, Any] = json.loads(told.stdout.splitlines()[-1])
    return found


if __name__ == "__main__":
    main()
