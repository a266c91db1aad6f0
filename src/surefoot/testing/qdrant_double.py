"""A labelled double of a Qdrant server for tests: the REST subset that Surefoot speaks, over the embedded engine.

It is not a Qdrant server. It checks what a server would check of our requests (key, collection, names of vectors) and
answers in its shapes; ranking is the real engine's, so that parity between laptop and server can be tested.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit


class QdrantDouble:
    """Listens on a free loopback port while used as a context manager; `url` says where."""

    def __init__(self, *, api_key: str | None = None, version: str | None = "1.15.0") -> None:
        self.api_key = api_key
        self.version = version
        """What it says at `/`; None: nothing of the kind, as behind a proxy."""
        self.requests: list[tuple[str, str]] = []
        self.created: dict[str, dict[str, Any]] = {}
        self.refuse_next = 0
        """So many coming requests are answered 503."""
        self._folder = Path(tempfile.mkdtemp(prefix="qdrant-double-"))
        self._shards: dict[str, Any] = {}
        self._guard = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> QdrantDouble:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        for shard in self._shards.values():
            shard.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def answer(self, method: str, path: str, body: dict[str, Any], key: str | None) -> tuple[int, Any]:
        self.requests.append((method, path))
        if self.refuse_next > 0:
            self.refuse_next -= 1
            return 503, "busy"
        if path == "/":  # a server says this to everyone
            known = {"title": "qdrant - vector search engine", "version": self.version}
            return (200, known) if self.version else (404, "not found")
        if self.api_key is not None and key != self.api_key:
            return 401, "Must provide an API key"
        _, _, collection, *rest = path.split("/")
        action = (method, "/".join(rest))
        with self._guard:
            if action == ("PUT", ""):
                return self._create(collection, body)
            if collection not in self._shards:
                return 404, f"Collection `{collection}` doesn't exist!"
            if action == ("GET", ""):
                return 200, _info(self.created[collection])
            work = _ACTIONS.get(action)
            return (200, work(self._shards[collection], body)) if work else (404, "unknown path")

    def drop(self, collection: str) -> None:
        """Deletes a collection behind everyone's back."""
        with self._guard:
            self._shards.pop(collection).close()
            shutil.rmtree(self._folder / collection)

    def _create(self, collection: str, body: dict[str, Any]) -> tuple[int, Any]:
        from qdrant_edge import Distance, EdgeConfig, EdgeShard, EdgeSparseVectorParams, EdgeVectorParams, Modifier

        if collection in self._shards:
            return 409, f"Collection `{collection}` already exists!"
        dense = {
            name: EdgeVectorParams(given["size"], getattr(Distance, given["distance"]))
            for name, given in body["vectors"].items()
        }
        sparse = {
            name: EdgeSparseVectorParams(modifier=Modifier.Idf if given.get("modifier") == "idf" else None)
            for name, given in body["sparse_vectors"].items()
        }
        folder = self._folder / collection
        folder.mkdir()
        self._shards[collection] = EdgeShard.create(str(folder), EdgeConfig(vectors=dense, sparse_vectors=sparse))
        self.created[collection] = body
        return 200, True


def _info(made: dict[str, Any]) -> dict[str, Any]:
    """As a server describes a collection at rest, with its defaults."""
    return {
        "status": "green",
        "optimizer_status": "ok",
        "segments_count": 1,
        "payload_schema": {},
        "config": {
            "params": made,
            "hnsw_config": {"m": 16, "ef_construct": 100, "full_scan_threshold": 10_000},
            "optimizer_config": {
                "deleted_threshold": 0.2,
                "vacuum_min_vector_number": 1000,
                "default_segment_number": 0,
                "flush_interval_sec": 5,
            },
        },
    }


def _index(shard: Any, body: dict[str, Any]) -> Any:
    from qdrant_edge import PayloadSchemaType, UpdateOperation

    schema = getattr(PayloadSchemaType, body["field_schema"].capitalize())
    shard.update(UpdateOperation.create_field_index(body["field_name"], schema))
    return {"status": "completed"}


def _upsert(shard: Any, body: dict[str, Any]) -> Any:
    from qdrant_edge import Point, UpdateOperation

    points = [
        Point(point["id"], {name: _vector(given) for name, given in point["vector"].items()}, point["payload"])
        for point in body["points"]
    ]
    shard.update(UpdateOperation.upsert_points(points))
    return {"status": "completed"}


def _delete(shard: Any, body: dict[str, Any]) -> Any:
    from qdrant_edge import UpdateOperation

    shard.update(UpdateOperation.delete_points(body["points"]))
    return {"status": "completed"}


def _retrieve(shard: Any, body: dict[str, Any]) -> Any:
    return [
        {"id": str(record.id), "payload": record.payload}
        for record in shard.retrieve(body["ids"], with_payload=True, with_vector=False)
    ]


def _query(shard: Any, body: dict[str, Any]) -> Any:
    from qdrant_edge import Query, QueryRequest

    request = QueryRequest(
        limit=body["limit"],
        query=Query.Nearest(_vector(body["query"]), using=body["using"]),
        filter=_filter(body.get("filter")),
        with_payload=True,
    )
    hits = shard.query(request)
    return {"points": [{"id": str(hit.id), "version": 0, "score": hit.score, "payload": hit.payload} for hit in hits]}


def _count(shard: Any, body: dict[str, Any]) -> Any:
    from qdrant_edge import CountRequest

    return {"count": shard.count(CountRequest(exact=body["exact"], filter=_filter(body.get("filter"))))}


def _scroll(shard: Any, body: dict[str, Any]) -> Any:
    from qdrant_edge import ScrollRequest

    wanted = body["with_vector"]
    records, following = shard.scroll(
        ScrollRequest(
            offset=body.get("offset"),
            limit=body["limit"],
            filter=_filter(body.get("filter")),
            with_payload=True,
            with_vector=bool(wanted),
        )
    )
    points = []
    for record in records:
        point: dict[str, Any] = {"id": str(record.id), "payload": record.payload}
        if wanted:
            point["vector"] = {name: list(record.vector[name]) for name in wanted}
        points.append(point)
    return {"points": points, "next_page_offset": str(following) if following is not None else None}


def _vector(given: Any) -> Any:
    from qdrant_edge import SparseVector

    return SparseVector(given["indices"], given["values"]) if isinstance(given, dict) else given


def _filter(given: dict[str, Any] | None) -> Any:
    from qdrant_edge import Filter

    if not given:
        return None
    return Filter(
        must=[_condition(item) for item in given.get("must", [])] or None,
        must_not=[_condition(item) for item in given.get("must_not", [])] or None,
    )


def _condition(item: dict[str, Any]) -> Any:
    from qdrant_edge import FieldCondition, HasIdCondition, MatchAny, RangeDateTime

    if "has_id" in item:
        return HasIdCondition(set(item["has_id"]))
    if "match" in item:
        return FieldCondition(item["key"], match=MatchAny(item["match"]["any"]))
    return FieldCondition(item["key"], range=RangeDateTime(**item["range"]))


_ACTIONS = {
    ("PUT", "index"): _index,
    ("PUT", "points"): _upsert,
    ("POST", "points/delete"): _delete,
    ("POST", "points"): _retrieve,
    ("POST", "points/query"): _query,
    ("POST", "points/count"): _count,
    ("POST", "points/scroll"): _scroll,
}


def _handler(double: QdrantDouble) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            body = json.loads(raw) if raw else {}
            try:
                status, result = double.answer(
                    self.command, urlsplit(self.path).path, body or {}, self.headers.get("api-key")
                )
            except Exception as error:  # a server answers 400 to what it cannot do
                status, result = 400, f"{type(error).__name__}: {error}"
            answer = {"result": result} if status == 200 else {"status": {"error": result}}
            answer = result if status == 200 and self.path == "/" else answer
            content = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_PUT = do_POST = _serve

        def log_message(self, *_: object) -> None:
            """Silent: tests print their own words."""

    return Handler
