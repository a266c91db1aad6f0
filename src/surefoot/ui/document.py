"""One document, opened at the place an answer rests on."""

from __future__ import annotations

from typing import Any

import streamlit as st

from surefoot.ui import markup
from surefoot.ui.client import Service


def view(service: Service) -> None:
    query = st.query_params
    name = query.get("name", "")
    documents = {one["source"]: one["id"] for one in service.get("/v1/documents")["documents"]}
    st.header("Document", anchor=False)
    if name not in documents:
        st.info("This document is no longer here.", icon=":material/description:")
        return
    found = service.get(f"/v1/documents/{documents[name]}/passages")
    st.subheader(markup.literal(found["source"]), anchor=False)
    place = _place(query.get("passage", ""), query.get("from", ""), query.get("to", ""))
    if place:
        st.html('<p class="sf-doc"><a href="#place">Go to the marked place</a></p>')
    st.html(f'<div class="sf-doc">{"".join(_passage(one, place) for one in found["passages"])}</div>')


def _place(passage: str, start: str, end: str) -> tuple[str, int, int] | None:
    return (passage, int(start), int(end)) if passage and start.isdecimal() and end.isdecimal() else None


def _passage(one: dict[str, Any], place: tuple[str, int, int] | None) -> str:
    if place is None or one["id"] != place[0]:
        return markup.marked(one["text"], [])
    return markup.marked(one["text"], [(place[1], place[2])], place="place")
