"""The interface as a page, `/docs`: Swagger UI from our own files, nothing from elsewhere.

The page is open, because it holds nothing but code; what it shows it reads from `/openapi.json`, with a key where the
service asks for one. Swagger UI 5.34.1 comes from npm's `swagger-ui-dist`, Apache-2.0: see LICENSE and NOTICE here.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import FileResponse, Response

from surefoot.server.keys import needs
from surefoot.server.strict import StrictRoute

FOLDER = Path(__file__).parent
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'none'; frame-ancestors 'none'"
)
FILES = {
    "/docs": ("index.html", "text/html"),
    "/docs/page.js": ("page.js", "text/javascript"),
    "/docs/swagger-ui-bundle.js": ("swagger-ui-bundle.js", "text/javascript"),
    "/docs/swagger-ui.css": ("swagger-ui.css", "text/css"),
}
router = APIRouter(route_class=StrictRoute, include_in_schema=False)


async def _sent(name: str, kind: str) -> Response:
    headers = {"Content-Security-Policy": POLICY, "Cache-Control": "public, max-age=3600"}
    return FileResponse(FOLDER / name, media_type=kind, headers=headers)


for _path, (_name, _kind) in FILES.items():
    _endpoint = partial(_sent, _name, _kind)
    router.add_api_route(_path, needs("open")(_endpoint), methods=["GET"])
