"""The Dataset view: read generated pairs, accept, reject or correct them."""

from __future__ import annotations

from typing import Any

import streamlit as st

from surefoot.ui import markup
from surefoot.ui.client import Service

SIGNS = {"accept": "✓ accepted", "reject": "✕ rejected", "edit": "✎ corrected"}


def view(service: Service) -> None:
    st.header("Dataset review", anchor=False)
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
    if "initial_critique" in row:
        _four_steps(row)
    else:
        for key, value in row.items():
            if isinstance(value, str):
                st.markdown(f"**{markup.literal(key)}**")
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
        st.rerun()


def _four_steps(row: dict[str, Any]) -> None:
    """Answer, critique, finalized, critique, side by side, under the question and above its passages."""
    st.subheader(markup.literal(row["question"]))
    about = f"{row['row']} · {row['aspect']} · {row['type']} · {'accepted' if row['accepted'] else 'rejected'}"
    st.caption(markup.literal(about))
    steps = (
        ("1 Answer", row["initial_answer"]),
        ("2 Critique", _verdict(row["initial_critique"])),
        ("3 Finalized", row["final_answer"]),
        ("4 Critique", _verdict(row["final_critique"])),
    )
    for column, (name, text) in zip(st.columns(4), steps, strict=True):
        with column:
            st.markdown(f"**{name}**")
            st.text(text)
    with st.expander("Passages"):
        for passage in row["passages"]:
            st.text(passage)


def _verdict(critique: dict[str, Any]) -> str:
    return f"{'✓ grounded' if critique['grounded'] else '✕ not grounded'}: {critique['reasoning']}"
