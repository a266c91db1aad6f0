"""Whole builds against a real server on loopback: killed, interrupted, refused, and on Ray."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from surefoot.core.errors import StoreError
from surefoot.dataset.budget import Budget
from surefoot.dataset.files import Paths, read_audit
from surefoot.dataset.status import Price, cost, read_status, to_json
from surefoot.dataset.workshop import Listener, measure_critic, run_build
from surefoot.testing import LocalModelServer, ServerPlan

CHILD = Path(__file__).with_name("killed_build.py")


@pytest.fixture(scope="module")
def child() -> ModuleType:
    spec = importlib.util.spec_from_file_location("killed_build", CHILD)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def reply(body: Mapping[str, Any]) -> str:
    """Wrong numbers in drafts, right ones from the editor, a critic that likes everything."""
    system, prompt = body["messages"][0]["content"], body["messages"][-1]["content"]
    if "You plan a set of conversations" in system:
        thing = re.findall(r"# The (\w+)", prompt)
        return json.dumps({"aspects": [f"All about the {thing[0]}"]})
    if "You write the questions" in system:
        thing = re.findall(r"Theme: .*?(\w+)$", prompt, re.M)[0]
        kinds = re.findall(r"in this order: (.*)", prompt)[0].split(", ")
        texts = {kind: f"When or for what {kind} was the {thing} opened?" for kind in kinds}
        return json.dumps({"questions": [{"type": kind, "question": text} for kind, text in texts.items()]})
    if "You are the quality gate" in system:
        return json.dumps({"grounded": True, "reasoning": "Fine."})
    sentence = re.findall(r"The \w+ was opened in \d+", prompt)[0]
    return f"{sentence} [S1]." if "You are the editor" in system else f"{sentence[:-1]}9 [S1]."


def contents(out: Path) -> bytes:
    return out.read_bytes() + Paths(out=out).audit.read_bytes()


def test_a_killed_build_continues_gives_the_same_bytes_and_pays_for_nothing_twice(
    child: ModuleType, tmp_path: Path
) -> None:
    plan = ServerPlan(reply=reply, latency_s=0.03)
    with LocalModelServer(plan) as server:
        whole = tmp_path / "whole" / "d.jsonl"
        asyncio.run(run_build(child.workshop(whole, server.base_url), child.order(), Paths(out=whole)))
        calls = server.counts.answered
        assert sorted(server.counts.by_request.values()) == [1] * calls
    killed, chance, lost = tmp_path / "killed" / "d.jsonl", random.Random(11), 0
    with LocalModelServer(plan) as server:
        # A process of its own, never a fork: a forked copy of a process with threads may wait for a lock for ever.
        command = [sys.executable, str(CHILD), str(killed), server.base_url]
        for share in (0.3, 0.7):
            process = subprocess.Popen(command)
            while process.poll() is None and server.counts.answered - lost < share * calls:
                time.sleep(0.002)
            time.sleep(0.03 * chance.random())
            process.kill()
            assert process.wait() == -signal.SIGKILL
            while server.counts.in_flight:
                time.sleep(0.005)
            with sqlite3.connect(Paths(out=killed).journal) as journal:
                kept = journal.execute("SELECT COUNT(*) FROM calls").fetchone()[0]
            assert 0 <= server.counts.answered - lost - kept <= 4
            lost = server.counts.answered - kept
        child.run(killed, server.base_url)
        assert len(server.counts.by_request) == calls
        assert server.counts.answered == calls + lost
    assert contents(killed) == contents(whole)


def test_429s_at_random_fail_no_row(child: ModuleType, tmp_path: Path) -> None:
    with LocalModelServer(ServerPlan(reply=reply, random_429=0.3)) as server:
        out = tmp_path / "d.jsonl"
        built = asyncio.run(run_build(child.workshop(out, server.base_url), child.order(), Paths(out=out)))
        assert server.counts.refused > 0
        assert sorted(server.counts.by_request.values()) == [1] * server.counts.answered
    assert (built.failures, built.ended) == ([], None)


def test_an_interrupted_build_writes_nothing_and_keeps_everything(child: ModuleType, tmp_path: Path) -> None:
    out = tmp_path / "d.jsonl"
    stop: list[Budget] = []
    with LocalModelServer(ServerPlan(reply=reply, latency_s=0.005)) as server:
        halfway = Listener(
            on_start=lambda budget, journal: stop.append(budget),
            on_progress=lambda progress: stop[0].stop("interrupted") if progress.done == 4 else None,
        )
        run = run_build(child.workshop(out, server.base_url), child.order(), Paths(out=out), listener=halfway)
        built = asyncio.run(run)
        assert built.ended == "interrupted"
        assert not out.exists()
        paid = server.counts.answered
        state = read_status(Paths(out=out))
        assert (state.state, sum(use.calls for use in state.uses)) == ("interrupted", paid)
        again = asyncio.run(run_build(child.workshop(out, server.base_url), child.order(), Paths(out=out)))
        assert again.ended is None
        assert sorted(server.counts.by_request.values()) == [1] * server.counts.answered
    assert out.exists()


def test_status_tells_cost_by_role_and_reject_reasons(child: ModuleType, tmp_path: Path) -> None:
    out = tmp_path / "d.jsonl"
    with LocalModelServer(ServerPlan(reply=reply)) as server:
        built = asyncio.run(run_build(child.workshop(out, server.base_url), child.order(), Paths(out=out)))
    state = read_status(Paths(out=out))
    assert (state.state, state.pairs, state.accepted) == ("done", len(built.pairs), built.accepted)
    assert {use.role: use.calls for use in state.uses}["critic"] == 2 * len(built.pairs)
    costs = cost(state.uses, {"*": Price(prompt=1.0, completion=2.0)})
    assert costs is not None
    critic = next(use for use in state.uses if use.role == "critic")
    assert costs["critic"] == pytest.approx((critic.prompt_tokens + 2 * critic.completion_tokens) / 1e6)
    assert cost(state.uses, {}) is None
    rejected = sum(not pair.accepted for pair in built.pairs)
    assert sum(state.reasons.values()) >= rejected
    assert to_json(state, costs)["pairs"] == len(built.pairs)


def test_no_journal_has_no_status(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no journal"):
        read_status(Paths(out=tmp_path / "d.jsonl"))


def test_measuring_the_critic_again_pays_nothing(child: ModuleType, tmp_path: Path) -> None:
    out = tmp_path / "d.jsonl"
    with LocalModelServer(ServerPlan(reply=reply)) as server:
        workshop = child.workshop(out, server.base_url)
        asyncio.run(run_build(workshop, child.order(), Paths(out=out)))
        audit = read_audit(Paths(out=out))
        first = asyncio.run(measure_critic(workshop, audit, Paths(out=out), per_class=2))
        paid = server.counts.answered
        assert asyncio.run(measure_critic(workshop, audit, Paths(out=out), per_class=2)) == first
        assert server.counts.answered == paid
    assert [one.judge for one in first] == ["gate", "model", "joined"]


def test_two_ray_workers_give_the_same_bytes_as_the_local_runner(child: ModuleType, tmp_path: Path) -> None:
    pytest.importorskip("ray")
    from surefoot.dataset.runners.ray import RayRunner

    with LocalModelServer(ServerPlan(reply=reply)) as server:
        local, remote = tmp_path / "local" / "d.jsonl", tmp_path / "ray" / "d.jsonl"
        asyncio.run(run_build(child.workshop(local, server.base_url), child.order(), Paths(out=local)))
        calls = server.counts.answered
        runner = RayRunner(workers=2)
        workshop = child.workshop(remote, server.base_url)
        asyncio.run(run_build(workshop, child.order(), Paths(out=remote), runner=runner))
        assert server.counts.answered == 2 * calls
    assert contents(remote) == contents(local)
