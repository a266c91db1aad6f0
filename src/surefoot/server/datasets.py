"""Generated datasets: their rows, and what a reviewer said of each.

A dataset is a JSONL file in the datasets folder. One made by `surefoot dataset build` has its audit beside it: then a
row is a pair with its four steps, and reviews are appended to the audit, where the exports heed them. Of any other file
a row is a line, and reviews go to a file of their own.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Body, Query
from fastapi import Path as PathParameter
from fastapi.responses import JSONResponse, Response

from surefoot.server import examples
from surefoot.server.keys import needs
from surefoot.server.problems import Problem
from surefoot.server.schemas import Accepted, DatasetList, ReviewRequest, RowList
from surefoot.server.service import Here, Service
from surefoot.server.strict import StrictRoute

router = APIRouter(route_class=StrictRoute, tags=["datasets"])
Name = Annotated[str, PathParameter(examples=["library"])]
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,80}")


@router.get("/v1/datasets", response_model=DatasetList)
@needs("read")
async def datasets(service: Here) -> Response:
    """The datasets there are, with how many rows and reviews each has."""
    return JSONResponse({"datasets": await asyncio.to_thread(_listed, _folder(service))})


@router.get("/v1/datasets/{name}/rows", response_model=RowList)
@needs("read")
async def rows(
    name: Name,
    service: Here,
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 20,
) -> Response:
    """Rows in file order, each with its newest review."""
    return JSONResponse(await asyncio.to_thread(_page, _file(service, name), offset, limit))


@router.post("/v1/datasets/{name}/rows/{index}/review", response_model=Accepted, status_code=201)
@needs("write")
async def review(
    name: Name, index: int, body: Annotated[ReviewRequest, Body(openapi_examples=examples.REVIEW)], service: Here
) -> Response:
    """Accepts, rejects or corrects one row; the row itself stays as it was generated."""
    file = _file(service, name)
    if not 0 <= index < await asyncio.to_thread(_count, file):
        raise Problem(404, "not_found", "there is no such row", "GET the rows to see how many there are")
    at = datetime.now(UTC).isoformat(timespec="seconds")
    entry = {"row": index, "verdict": body.verdict, "note": body.note, "answer": body.answer, "at": at}
    await asyncio.to_thread(_keep_review, file, entry)
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
    for index, row in enumerate(_rows(file)):
        total += 1
        if offset <= index < offset + limit:
            shown.append({"index": index, "row": row, "review": reviews.get(_key(file, row, index))})
    return {"rows": shown, "total": total}


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    audit = _audit(file)
    with (audit if audit.is_file() else file).open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                record = json.loads(line)
                if not audit.is_file():
                    yield record
                elif record.get("kind") == "pair":
                    yield _four_steps(record)


def _four_steps(record: dict[str, Any]) -> dict[str, Any]:
    """A pair of the audit as a reviewer reads it."""
    pair = record["pair"]
    sources = [f"[{one['id']}] {one['metadata'].get('source', '')}: {one['text']}" for one in pair["passages"]]
    return {
        "row": record["row"],
        "aspect": record["aspect"],
        "type": pair["question"]["type"],
        "question": pair["question"]["text"],
        **{name: pair[name] for name in ("initial_answer", "initial_critique", "final_answer", "final_critique")},
        "accepted": record["accepted"],
        "passages": sources,
    }


def _count(file: Path) -> int:
    return sum(1 for _ in _rows(file))


def _audit(file: Path) -> Path:
    return file.with_name(f"{file.stem}.audit.jsonl")


def _reviews(file: Path) -> Path:
    audit = _audit(file)
    return audit if audit.is_file() else file.with_suffix(".reviews")


def _key(file: Path, row: dict[str, Any], index: int) -> object:
    return row["row"] if _audit(file).is_file() else index


def _latest(file: Path) -> dict[object, dict[str, Any]]:
    if not file.is_file():
        return {}
    entries = [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line.endswith("}")]
    return {entry["row"]: entry for entry in entries if entry.get("kind", "review") == "review"}


def _keep_review(file: Path, entry: dict[str, Any]) -> None:
    if _audit(file).is_file():
        row = next(row for index, row in enumerate(_rows(file)) if index == entry["row"])
        entry = {"kind": "review", **entry, "row": row["row"]}
    _append(_reviews(file), entry)


def _append(file: Path, entry: dict[str, Any]) -> None:
    """One write in append mode: a reader sees the whole line or none of it."""
    with file.open("ab", buffering=0) as out:
        out.write(json.dumps(entry, ensure_ascii=False).encode() + b"\n")
