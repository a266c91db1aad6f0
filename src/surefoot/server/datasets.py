"""Generated datasets: their rows, and what a reviewer said of each.

A dataset is a JSONL file in the datasets folder; reviews go to a file beside it, one JSON line each, appended.
"""

from __future__ import annotations

import asyncio
import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response

from surefoot.server.problems import Problem
from surefoot.server.schemas import Accepted, DatasetList, ReviewRequest, RowList
from surefoot.server.service import Here, Service
from surefoot.server.strict import StrictRoute

router = APIRouter(route_class=StrictRoute, tags=["datasets"])
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,80}")


@router.get("/v1/datasets", response_model=DatasetList)
async def datasets(service: Here) -> Response:
    """The datasets there are, with how many rows and reviews each has."""
    return JSONResponse({"datasets": await asyncio.to_thread(_listed, _folder(service))})


@router.get("/v1/datasets/{name}/rows", response_model=RowList)
async def rows(
    name: str,
    service: Here,
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 20,
) -> Response:
    """Rows in file order, each with its newest review."""
    return JSONResponse(await asyncio.to_thread(_page, _file(service, name), offset, limit))


@router.post("/v1/datasets/{name}/rows/{index}/review", response_model=Accepted, status_code=201)
async def review(name: str, index: int, body: ReviewRequest, service: Here) -> Response:
    """Accepts, rejects or corrects one row; the row itself stays as it was generated."""
    file = _file(service, name)
    if not 0 <= index < await asyncio.to_thread(_count, file):
        raise Problem(404, "not_found", "there is no such row", "GET the rows to see how many there are")
    at = datetime.now(UTC).isoformat(timespec="seconds")
    entry = {"row": index, "verdict": body.verdict, "note": body.note, "answer": body.answer, "at": at}
    await asyncio.to_thread(_append, _reviews(file), entry)
    return JSONResponse({"id": str(index)}, status_code=201)


def _folder(service: Service) -> Path:
    settings = service.house.settings
    return settings.datasets_dir or settings.kb / "datasets"


def _file(service: Service, name: str) -> Path:
    file = _folder(service) / f"{name}.jsonl"
    if not NAME.fullmatch(name) or not file.is_file():
        raise Problem(404, "not_found", "there is no such dataset", "GET /v1/datasets lists them")
    return file


def _listed(folder: Path) -> list[dict[str, Any]]:
    files = sorted(file for file in folder.glob("*.jsonl") if NAME.fullmatch(file.stem)) if folder.is_dir() else []
    return [{"name": file.stem, "rows": _count(file), "reviewed": len(_latest(_reviews(file)))} for file in files]


def _page(file: Path, offset: int, limit: int) -> dict[str, Any]:
    reviews = _latest(_reviews(file))
    shown: list[dict[str, Any]] = []
    total = 0
    with file.open(encoding="utf-8") as lines:
        for index, line in enumerate(line for line in lines if line.strip()):
            total += 1
            if offset <= index < offset + limit:
                shown.append({"index": index, "row": json.loads(line), "review": reviews.get(index)})
    return {"rows": shown, "total": total}


def _count(file: Path) -> int:
    with file.open("rb") as lines:
        return sum(1 for line in lines if line.strip())


def _reviews(file: Path) -> Path:
    return file.with_suffix(".reviews")


def _latest(file: Path) -> dict[int, dict[str, Any]]:
    if not file.is_file():
        return {}
    entries = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.endswith("}")]
    return {entry["row"]: entry for entry in entries}


def _append(file: Path, entry: dict[str, Any]) -> None:
    """One write in append mode: a reader sees the whole line or none of it."""
    with file.open("ab", buffering=0) as out:
        out.write(json.dumps(entry, ensure_ascii=False).encode() + b"\n")
