"""Past decisions: list, read, replay, comment, forget."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Body, Query
from fastapi.responses import JSONResponse, Response

from surefoot.core.hashing import plain
from surefoot.core.types import Json
from surefoot.core.wire import result_to_wire
from surefoot.flows.replay import replay as replayed
from surefoot.server import examples
from surefoot.server.keys import needs
from surefoot.server.problems import Problem
from surefoot.server.schemas import Accepted, AuditReport, FeedbackRequest, Name, ReplayRequest, RunList, RunShown
from surefoot.server.service import Here, Service
from surefoot.server.strict import StrictRoute

router = APIRouter(route_class=StrictRoute, tags=["runs"])


@router.get("/v1/runs", response_model=RunList)
@needs("admin")
async def runs(
    service: Here,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    before: Annotated[Name | None, Query()] = None,
    decision: Annotated[Name | None, Query()] = None,
    pack: Annotated[Name | None, Query()] = None,
    kind: Annotated[Name | None, Query()] = None,
) -> Response:
    """The newest decisions first, each with its redacted question; `next` is the `before` of the next page."""
    log = service.house.runlog
    listed = await asyncio.to_thread(log.runs, limit=limit, before=before, decision=decision, pack=pack, kind=kind)
    shown = [_summary(plain(run)) for run in listed]
    return JSONResponse({"runs": shown, "next": shown[-1]["runId"] if len(shown) == limit else None})


@router.get("/v1/audit", response_model=AuditReport)
@needs("admin")
async def audit(service: Here) -> Response:
    """Whether the log of past decisions is whole, and what is wrong with it and where."""
    report = await asyncio.to_thread(service.house.runlog.check)
    findings = [{"seq": one.seq, "runId": one.run_id, "problem": one.problem} for one in report.findings]
    return JSONResponse({"rows": report.rows, "intact": report.intact, "findings": findings})


@router.get("/v1/runs/{run_id}", response_model=RunShown)
@needs("admin")
async def run(run_id: str, service: Here) -> Response:
    """One decision as it was written down: redacted, with its certificate and what people said of it."""
    record = await _record(service, run_id)
    feedback = await asyncio.to_thread(service.house.runlog.feedback_on, run_id)
    said = [{key: item.get(key) for key in ("at", "verdict", "note")} for item in feedback]
    return JSONResponse({**_summary(record), "record": record, "feedback": said})


@router.get("/v1/runs/{run_id}/certificate", response_model=dict[str, Any])
@needs("admin")
async def certificate(run_id: str, service: Here) -> Response:
    """The proof as a file. Where redaction changed its texts, re-verification will say so."""
    proof = (await _record(service, run_id)).get("certificate")
    if not isinstance(proof, dict):
        raise Problem(404, "not_found", "this run kept no certificate", "set run_content to 'redacted' to keep them")
    return JSONResponse(proof, headers={"Content-Disposition": 'attachment; filename="certificate.json"'})


@router.post("/v1/runs/{run_id}/replay", response_model=dict[str, Any])
@needs("admin")
async def replay(
    run_id: str, body: Annotated[ReplayRequest, Body(openapi_examples=examples.REPLAY)], service: Here
) -> Response:
    """Decides again from the recorded input, with the pack as it is now or with another one."""
    record = await _record(service, run_id)
    pack = service.known_pack(body.pack)
    again = await service.check(partial(replayed, service.house.punctual, record, pack=pack))
    return JSONResponse(
        {
            "runId": run_id,
            "before": again.before,
            "after": again.after,
            "flipped": again.flipped,
            "criticAsked": again.critic_asked,
            "result": result_to_wire(again.result),
        }
    )


@router.post("/v1/runs/{run_id}/feedback", response_model=Accepted, status_code=201)
@needs("write")
async def feedback(
    run_id: str, body: Annotated[FeedbackRequest, Body(openapi_examples=examples.FEEDBACK)], service: Here
) -> Response:
    """What a person thought of a decision; counted by `surefoot gaps`."""
    await _record(service, run_id)
    written = await asyncio.to_thread(service.house.runlog.feedback, run_id, body.verdict, body.note, body.claim)
    return JSONResponse({"id": written}, status_code=201)


@router.delete("/v1/runs/{run_id}", status_code=204)
@needs("admin")
async def forget(run_id: str, service: Here) -> Response:
    """Erases what the run says; that it was, and its place in the chain, stays."""
    if not await asyncio.to_thread(service.house.runlog.forget, run_id):
        raise _missing()
    return Response(status_code=204)


async def _record(service: Service, run_id: str) -> Mapping[str, Json]:
    record = await asyncio.to_thread(service.house.runlog.read, run_id)
    if record is None or record.get("kind") == "forgotten":
        raise _missing()
    return record


def _summary(record: Mapping[str, Any]) -> dict[str, Any]:
    names = {"runId": "run_id", "at": "at", "kind": "kind", "decision": "decision", "reason": "reason", "pack": "pack"}
    shown = {shown: record.get(name) for shown, name in names.items()}
    return {**shown, "question": record.get("question"), "cached": record.get("cached") is True}


def _missing() -> Problem:
    return Problem(404, "not_found", "there is no such run", "GET /v1/runs lists them")
