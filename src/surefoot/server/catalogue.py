"""Packs, as data."""

from __future__ import annotations

from functools import partial
from typing import Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

from surefoot.core.hashing import plain
from surefoot.server.problems import Problem
from surefoot.server.schemas import PackList, PackShown
from surefoot.server.service import Here, Service
from surefoot.server.strict import StrictRoute

router = APIRouter(route_class=StrictRoute, tags=["packs"])


@router.get("/v1/packs", response_model=PackList)
async def packs(service: Here) -> Response:
    """Every pack this service can answer with."""
    names = service.house.pack_names()
    return JSONResponse({"packs": [await service.aside(partial(_summary, service, name)) for name in names]})


@router.get("/v1/packs/{name}", response_model=PackShown)
async def pack(name: str, service: Here) -> Response:
    """One pack with its rules, sections, warnings and thresholds."""
    if name not in service.house.pack_names():
        raise Problem(404, "not_found", "there is no such pack", "GET /v1/packs lists them")
    return JSONResponse(await service.aside(partial(_whole, service, name)))


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
