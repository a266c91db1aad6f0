"""The Judge view: a case in a form; out comes the verdict, its references, and what was cut."""

from __future__ import annotations

from typing import Any

import streamlit as st

from surefoot.ui import answer, loop, markup
from surefoot.ui.client import Service


def view(service: Service) -> None:
    st.header("Judge a case", anchor=False)
    st.caption(
        "For everyday disputes: parenting, tenancy, work. The verdict cites its references. It is no legal advice."
    )
    with st.form("judge"):
        context = st.text_area(
            "What happened", height=150, key="case", placeholder="Who did what, when, and what was agreed"
        )
        query = st.text_input("What you want to know", key="case_question", placeholder="One question about it")
        submitted = st.form_submit_button("Judge", type="primary")
    if submitted:
        if not context.strip() or not query.strip():
            st.warning("Say what happened, and what you want to know.", icon=":material/edit:")
        else:
            body = {"context": context.strip(), "query": query.strip()}
            with st.spinner("Weighing the case …"):
                st.session_state["judged"] = service.post("/v1/judge", body)
    if "judged" in st.session_state:
        _verdict(st.session_state["judged"])


def _verdict(judged: dict[str, Any]) -> None:
    result = judged["result"]
    if judged["grounded"]:
        st.html(loop.headline(result))
    else:
        st.warning("No reference speaks about this case. The verdict rests on nothing that can be shown.")
    st.subheader("Verdict", anchor=False)
    _marked(judged, judged["summary"])
    if judged["rationale"]:
        st.subheader("Why", anchor=False)
        _marked(judged, judged["rationale"])
    st.caption(f"Field: {markup.literal(judged['domain'])}")
    loop.view({**result, "references": judged["references"]})
    if judged["grounded"] and result["metadata"].get("certificate"):
        answer.certificate(result["metadata"], key="judge")
    loop.made(result["metadata"])


def _marked(judged: dict[str, Any], text: str) -> None:
    """The sentences of a part of the verdict, each with the reference it rests on."""
    result = judged["result"]
    proofs = result["metadata"].get("certificate", {}).get("sentences", []) if judged["grounded"] else []
    references = [{"id": str(one["number"]), "metadata": {"title": one["title"]}} for one in judged["references"]]
    known = {**result, "passages": references}
    found = [entry for entry in proofs if entry["text"].strip() in text]
    if not found:
        st.text(text)
        return
    st.html("".join(answer.sentence(entry, known) for entry in found))
