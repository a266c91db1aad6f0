"""The Verify view: a draft and its sources in, issues and the revised text as a difference out."""

from __future__ import annotations

import json
import re
from typing import Any

import streamlit as st

from surefoot.ui import markup
from surefoot.ui.client import Service

DRAFT = "The bursary pays R53 000 per year [S1]. Applications close on 30 September 2026 [S1]."
SOURCES = "The bursary pays R35 000 per year. Applications close on 30 September 2026."


def view(service: Service) -> None:
    st.header("Verify")
    packs = [pack["name"] for pack in service.get("/v1/packs")["packs"]]
    with st.form("verify"):
        left, right = st.columns(2)
        draft = left.text_area("Draft answer", DRAFT, height=180, key="draft")
        sources = right.text_area("Sources, one after the other, separated by a line of ---", SOURCES, height=180)
        left, right = st.columns(2)
        question = left.text_input("Question (optional)")
        pack = right.selectbox("Pack", ["(the service's own)", *packs], key="verify_pack")
        submitted = st.form_submit_button("Verify", type="primary")
    if submitted:
        texts = [text.strip() for text in re.split(r"^\s*-{3,}\s*$", sources, flags=re.MULTILINE) if text.strip()]
        chunks = [{"id": f"S{number}", "chunk_text": text} for number, text in enumerate(texts, 1)]
        body: dict[str, Any] = {"draftAnswer": draft, "ragChunks": chunks}
        body |= {"question": question} if question.strip() else {}
        body |= {"pack": pack} if pack in packs else {}
        st.session_state["verified"] = (draft, service.post("/v1/verify", body))
    if "verified" in st.session_state:
        _result(*st.session_state["verified"])


def _result(draft: str, result: dict[str, Any]) -> None:
    metadata = result["metadata"]
    st.html(markup.STYLE + markup.decision(result["decision"], metadata.get("fallbackReason")))
    if metadata["issuesDetected"]:
        st.subheader("Issues", anchor=False)
        st.html(markup.STYLE + markup.issues(metadata["issuesDetected"]))
    else:
        st.caption("No issues.")
    if spans := metadata.get("unsupportedSpans"):
        st.subheader("Words without support", anchor=False)
        st.caption("Marked in the draft: what no source was found to support.")
        st.html(markup.STYLE + markup.marked(draft, [(int(start), int(end)) for start, end in spans]))
    st.subheader("What is delivered", anchor=False)
    st.caption("Struck out: taken from the draft. Underlined: put in its place.")
    st.html(markup.STYLE + markup.difference(draft, result["finalAnswer"]))
    st.download_button(
        "Download the certificate",
        json.dumps(metadata["certificate"], indent=2, ensure_ascii=False),
        file_name="certificate.json",
        mime="application/json",
        icon=":material/verified:",
    )
