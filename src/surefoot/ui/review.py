"""The Dataset view: read generated pairs, accept, reject or correct them."""

from __future__ import annotations

from typing import Any

import streamlit as st

from surefoot.ui.client import Service

SIGNS = {"accept": "✓ accepted", "reject": "✕ rejected", "edit": "✎ corrected"}


def view(service: Service) -> None:
    st.header("Dataset review")
    datasets = service.get("/v1/datasets")["datasets"]
    if not datasets:
        st.info(
            "No datasets in the service's datasets folder. Make one with: surefoot dataset build",
            icon=":material/dataset:",
        )
        return
    names = {d["name"]: f"{d['name']} ({d['reviewed']} of {d['rows']} reviewed)" for d in datasets}
    name = str(st.selectbox("Dataset", list(names), format_func=lambda name: names[name], key="dataset"))
    total = next(d["rows"] for d in datasets if d["name"] == name)
    number = st.number_input("Row", 1, max(1, total), key="row")
    page = service.get(f"/v1/datasets/{name}/rows", offset=int(number) - 1, limit=1)
    if page["rows"]:
        _row(service, name, page["rows"][0])


def _row(service: Service, name: str, item: dict[str, Any]) -> None:
    row, review = item["row"], item["review"]
    st.caption(SIGNS.get((review or {}).get("verdict", ""), "○ not reviewed"))
    for key, value in row.items():
        if isinstance(value, str):
            st.markdown(f"**{key}**")
            st.text(value)
    with st.expander("Everything in this row"):
        st.json(row)
    with st.form("review"):
        note = st.text_input("Note")
        answer = st.text_area("Corrected answer (for Correct)")
        with st.container(horizontal=True):
            accept = st.form_submit_button("Accept", icon=":material/check:", type="primary")
            reject = st.form_submit_button("Reject", icon=":material/close:")
            edit = st.form_submit_button("Correct", icon=":material/edit:")
    verdict = "accept" if accept else "reject" if reject else "edit" if edit else None
    if verdict:
        body = {"verdict": verdict, "note": note or None, "answer": answer or None}
        service.post(f"/v1/datasets/{name}/rows/{item['index']}/review", body)
        st.toast(f"Row {item['index'] + 1}: {SIGNS[verdict]}")
        st.rerun()
