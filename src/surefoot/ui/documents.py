"""Documents at the page: drop them, watch them being read, see which were skipped and why."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Protocol

import streamlit as st

from surefoot.ui import markup, words
from surefoot.ui.client import Refused, Service

TYPES = ("txt", "md", "html", "htm", "pdf", "docx", "csv", "json", "jsonl")
_PATIENCE_S = 300.0
"""Reading goes on in the service after that; the list says how far it is."""


class Dropped(Protocol):
    name: str

    def getvalue(self) -> bytes: ...


def view(service: Service) -> None:
    st.header("Documents", anchor=False)
    add(service, open_=True)
    _list(service)


def ready(service: Service) -> int:
    """How many documents can be asked about."""
    return sum(document["status"] == "indexed" for document in service.get("/v1/documents")["documents"])


def add(service: Service, *, open_: bool) -> None:
    """The place to drop files; what became of each stays on the page."""
    with st.expander("Add documents", icon=":material/upload_file:", expanded=open_):
        number = st.session_state.setdefault("drop", 0)
        files = st.file_uploader(
            "Drop documents here: text, Markdown, HTML, PDF, Word, CSV, JSON",
            type=list(TYPES),
            accept_multiple_files=True,
            key=f"drop-{number}",
        )
        if files:
            st.session_state["dropped"] = _send(service, files)
            st.session_state["drop"] = number + 1  # an empty place to drop, so that a rerun does not send them again
            st.rerun()
        if outcome := st.session_state.get("dropped"):
            done = sum(row[1] == words.DOCUMENT_STATES["indexed"] for row in outcome)
            st.success(f"{done} of {len(outcome)} documents can be asked about now.", icon=":material/task_alt:")
            st.html(markup.table(["document", "state", "parts", "why"], outcome))


def _send(service: Service, files: Sequence[Dropped]) -> list[list[Any]]:
    """Sends each file by itself, so that one that is refused stops no other; waits until all are read."""
    bar = st.progress(0.0, text="Sending …")
    sent: dict[str, str] = {}
    refused: list[list[Any]] = []
    for number, file in enumerate(files):
        try:
            taken = service.upload(file.name, file.getvalue())["documents"][0]
            sent[taken["id"]] = file.name
        except Refused as problem:
            refused.append([file.name, words.DOCUMENT_STATES["failed"], None, str(problem)])
        bar.progress((number + 1) / (2 * len(files)), text=f"Sent {number + 1} of {len(files)}")
    return [*_read(service, sent, bar), *refused]


def _read(service: Service, sent: dict[str, str], bar: Any) -> list[list[Any]]:
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        now = {document["id"]: document for document in service.get("/v1/documents")["documents"]}
        found = [now.get(identity, {"status": "queued"}) for identity in sent]
        waiting = sum(document["status"] == "queued" for document in found)
        if not waiting or time.monotonic() > deadline:
            return [
                [name, words.DOCUMENT_STATES[one["status"]], one.get("chunks"), one.get("reason")]
                for name, one in zip(sent.values(), found, strict=True)
            ]
        share = 0.5 + 0.5 * (len(sent) - waiting) / len(sent)
        bar.progress(share, text=f"Reading: {len(sent) - waiting} of {len(sent)} done")
        time.sleep(0.2)


def _list(service: Service) -> None:
    found = service.get("/v1/documents")["documents"]
    if not found:
        st.info("There are no documents yet.", icon=":material/description:")
        return
    rows = [
        [one["source"], words.DOCUMENT_STATES.get(one["status"], one["status"]), one["chunks"], one["reason"]]
        for one in found
    ]
    st.html(markup.table(["document", "state", "parts", "why"], rows[:200]))
    uploaded = {one["id"]: one["source"] for one in found if one["name"]}
    if not uploaded:
        return
    chosen = st.selectbox(
        "Remove an uploaded document", list(uploaded), format_func=lambda one: uploaded[one], index=None, key="remove"
    )
    if chosen and st.button("Remove it", icon=":material/delete:"):
        service.delete(f"/v1/documents/{chosen}")
        st.rerun()
