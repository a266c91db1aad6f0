"""Packs, as data."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Body
from fastapi.responses import JSONResponse, Response

from surefoot.core.hashing import plain
from surefoot.flows.coverage import coverage
from surefoot.flows.regress import run_cases
from surefoot.server import examples
from surefoot.server.keys import needs
from surefoot.server.problems import Problem
from surefoot.server.schemas import CaseList, PackList, PackShown, RehearsalRequest, Rehearsed
from surefoot.server.service import Here, Service
from surefoot.server.strict import StrictRoute

router = APIRouter(route_class=StrictRoute, tags=["packs"])


@router.get("/v1/packs", response_model=PackList)
@needs("read")
async def packs(service: Here) -> Response:
    """Every pack this service can answer with."""
    names = service.house.pack_names()
    return JSONResponse({"packs": [await service.aside(partial(_summary, service, name)) for name in names]})


@router.get("/v1/packs/{name}", response_model=PackShown)
@needs("read")
async def pack(name: str, service: Here) -> Response:
    """One pack with its rules, sections, warnings and thresholds."""
    return JSONResponse(await service.aside(partial(_whole, service, _known(service, name))))


@router.get("/v1/packs/{name}/cases", response_model=CaseList)
@needs("read")
async def cases(name: str, service: Here) -> Response:
    """The pack's recorded cases and the decision each of them must get."""
    listed = await asyncio.to_thread(service.house.cases, _known(service, name))
    shown = [
        {
            "id": case.id,
            "note": case.note,
            "decisions": [decision.value for decision in case.expect.decision],
            "codes": list(case.expect.codes),
        }
        for case in listed
    ]
    return JSONResponse({"cases": shown})


@router.post("/v1/packs/{name}/cases", response_model=Rehearsed)
@needs("admin")
async def rehearse(
    name: str, body: Annotated[RehearsalRequest, Body(openapi_examples=examples.REHEARSAL)], service: Here
) -> Response:
    """Runs some of the pack's cases, and says which parts of the pack they show."""
    listed = await asyncio.to_thread(service.house.cases, _known(service, name))
    chosen = listed[body.offset : body.offset + body.limit]
    house = service.house
    results = await service.check(partial(run_cases, chosen, partial(house.rehearsal, name)))
    shown = [
        {
            "id": result.case.id,
            "passed": result.passed,
            "decision": result.result.decision.value if result.result else None,
            "codes": list(result.codes),
            "problems": list(result.problems),
        }
        for result in results
    ]
    covered = {item.name: item.cases for item in coverage(house.pack(name), results)}
    return JSONResponse({"total": len(listed), "results": shown, "coverage": covered})


def _known(service: Service, name: str) -> str:
    if name not in service.house.pack_names():
        raise Problem(404, "not_found", "there is no such pack", "GET /v1/packs lists them")
    return name


async def _summary(service: Service, name: str) -> dict[str, Any]:
    pack = service.house.pack(name)
    return {
        "name": pack.name,
        "title": pack.title,
        "version": pack.version,
        "hash": pack.hash,
        "jurisdiction": pack.jurisdiction,
        "citations": plain(pack.citations),
        "rules": len(pack.rules),
        "entities": len(pack.entities),
        "default": pack.name == service.house.settings.pack,
        "decidedBeforeStreaming": pack.looks_at_whole_answer,
    }


async def _whole(service: Service, name: str) -> dict[str, Any]:
    pack = service.house.pack(name)
    shown = {
        "rules": [
            {
                "id": rule.id,
                "title": rule.title,
                "reason": rule.reason,
                "severity": rule.severity.value,
                "action": rule.action.value,
            }
            for rule in pack.rules
        ],
        "sections": [section.id for section in pack.sections],
        "warnings": [warning.text for warning in pack.warnings],
        "thresholds": plain(pack.thresholds),
        "sources": [plain(source) for source in pack.sources],
        "entityKinds": sorted({entity.kind for entity in pack.entities}),
    }
    return {**await _summary(service, name), **shown}
