"""The documents of the knowledge base: upload, list, look, delete."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, File, UploadFile
from fastapi.responses import JSONResponse, Response

from surefoot.core.hashing import plain
from surefoot.server.problems import Problem
from surefoot.server.schemas import DocumentList, DocumentShown, TextDocument
from surefoot.server.service import Here
from surefoot.server.strict import StrictRoute

router = APIRouter(route_class=StrictRoute, tags=["documents"])


@router.get("/v1/documents", response_model=DocumentList)
async def documents(service: Here) -> Response:
    """Every document and whether it is indexed."""
    return JSONResponse({"documents": [plain(document) for document in await service.library.documents()]})


@router.post("/v1/documents", response_model=DocumentList, status_code=202)
async def upload(files: Annotated[list[UploadFile], File(max_length=50)], service: Here) -> Response:
    """Takes files as multipart/form-data, field `files`; indexing follows in the background."""
    added = []
    for file in files:
        if not file.filename:
            raise Problem(400, "bad_document", "a file has no name", "send each file with its name")
        added.append(await service.library.add(file.filename, await file.read()))
    return JSONResponse({"documents": [plain(document) for document in added]}, status_code=202)


@router.post("/v1/documents/text", response_model=DocumentShown, status_code=202)
async def write(body: TextDocument, service: Here) -> Response:
    """Takes one text as JSON; `source` is its file name, such as `fees.md`."""
    return JSONResponse(plain(await service.library.add(body.source, body.text.encode())), status_code=202)


@router.get("/v1/documents/{document_id}", response_model=DocumentShown)
async def document(document_id: str, service: Here) -> Response:
    """One document's status."""
    return JSONResponse(plain(await service.library.document(document_id)))


@router.delete("/v1/documents/{document_id}", response_model=DocumentShown, status_code=202)
async def remove(document_id: str, service: Here) -> Response:
    """Deletes an uploaded document; answers cached from it go with it."""
    return JSONResponse(plain(await service.library.remove(document_id)), status_code=202)
