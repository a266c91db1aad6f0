"""The documents of the knowledge base: upload, list, look, delete."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, File, UploadFile
from fastapi.responses import JSONResponse, Response

from surefoot.core.hashing import plain
from surefoot.server import examples
from surefoot.server.keys import needs
from surefoot.server.library import safe_name
from surefoot.server.problems import Problem
from surefoot.server.schemas import DocumentList, DocumentShown, PassageList, QuestionList, TextDocument
from surefoot.server.service import Here
from surefoot.server.strict import StrictRoute

router = APIRouter(route_class=StrictRoute, tags=["documents"])


@router.get("/v1/documents", response_model=DocumentList)
@needs("read")
async def documents(service: Here) -> Response:
    """Every document and whether it is indexed."""
    return JSONResponse({"documents": [plain(document) for document in await service.library.documents()]})


@router.post("/v1/documents", response_model=DocumentList, status_code=202)
@needs("write")
async def upload(files: Annotated[list[UploadFile], File(max_length=50)], service: Here) -> Response:
    """Takes files as multipart/form-data, field `files`; indexing follows in the background."""
    if not all(file.filename for file in files):
        raise Problem(400, "bad_document", "a file has no name", "send each file with its name")
    names = [safe_name(file.filename or "") for file in files]
    if len(set(names)) < len(names):
        raise Problem(400, "bad_document", "two files have the same name", "give each file a name of its own")
    contents = [await file.read() for file in files]
    if not all(content.strip() for content in contents):
        raise Problem(400, "bad_input", "a document is empty", "send documents with words in them")
    added = [await service.library.add(name, content) for name, content in zip(names, contents, strict=True)]
    return JSONResponse({"documents": [plain(document) for document in added]}, status_code=202)


@router.post("/v1/documents/text", response_model=DocumentShown, status_code=202)
@needs("write")
async def write(body: Annotated[TextDocument, Body(openapi_examples=examples.TEXT)], service: Here) -> Response:
    """Takes one text as JSON; `source` is its file name, such as `fees.md`."""
    return JSONResponse(plain(await service.library.add(body.source, body.text.encode())), status_code=202)


@router.get("/v1/documents/{document_id}", response_model=DocumentShown)
@needs("read")
async def document(document_id: str, service: Here) -> Response:
    """One document's status."""
    return JSONResponse(plain(await service.library.document(document_id)))


@router.get("/v1/documents/{document_id}/passages", response_model=PassageList)
@needs("read")
async def passages(document_id: str, service: Here) -> Response:
    """One document as it was read: its passages in order, with their places in its text."""
    source, found = await service.library.passages(document_id)
    return JSONResponse({"source": source, "passages": [plain(passage) for passage in found]})


@router.get("/v1/questions", response_model=QuestionList)
@needs("read")
async def questions(service: Here) -> Response:
    """A few questions that the documents answer."""
    return JSONResponse({"questions": await service.library.questions()})


@router.delete("/v1/documents/{document_id}", response_model=DocumentShown, status_code=202)
@needs("write")
async def remove(document_id: str, service: Here) -> Response:
    """Deletes an uploaded document; answers cached from it go with it."""
    return JSONResponse(plain(await service.library.remove(document_id)), status_code=202)
