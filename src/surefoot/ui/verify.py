"""The Verify view: a draft and its sources in; the draft marked up and what is delivered out."""

from __future__ import annotations

import re
from typing import Any

import streamlit as st

from surefoot.ui import answer, markup
from surefoot.ui.client import Service

_OWN = "(the service's own)"


def view(service: Service) -> None:
    st.header("Verify a draft", anchor=False)
    st.caption("Paste an answer from any other system and the texts it should rest on.")
    documents = {one["source"]: one["id"] for one in service.get("/v1/documents")["documents"] if one["chunks"]}
    _example(service, documents)
    packs = [pack["name"] for pack in service.get("/v1/packs")["packs"]]
    with st.form("verify"):
        left, right = st.columns(2)
        draft = left.text_area("Draft answer", height=180, key="draft", placeholder="The answer to be checked")
        sources = right.text_area(
            "Sources",
            height=180,
            key="sources",
            placeholder="The texts it should rest on; a line of --- between two of them",
        )
        chosen = st.multiselect("Or choose documents as sources", list(documents), key="chosen")
        left, right = st.columns(2)
        question = left.text_input("Question (optional)", key="verify_question")
        pack = right.selectbox("Pack", [_OWN, *packs], key="verify_pack")
        submitted = st.form_submit_button("Verify", type="primary")
    if submitted:
        chunks = [*_pasted(sources), *(one for name in chosen for one in _passages(service, documents[name]))]
        if not draft.strip() or not chunks:
            st.warning("Give a draft and at least one source.", icon=":material/edit:")
            return
        body: dict[str, Any] = {"draftAnswer": draft, "ragChunks": chunks}
        body |= {"question": question} if question.strip() else {}
        body |= {"pack": pack} if pack in packs else {}
        st.session_state["verified"] = (draft, service.post("/v1/verify", body))
    if "verified" in st.session_state:
        _result(*st.session_state["verified"])


def _pasted(text: str) -> list[dict[str, Any]]:
    texts = [part.strip() for part in re.split(r"^\s*-{3,}\s*$", text, flags=re.MULTILINE) if part.strip()]
    return [{"id": f"S{number}", "chunk_text": part} for number, part in enumerate(texts, 1)]


def _passages(service: Service, document: str) -> list[dict[str, Any]]:
    found = service.get(f"/v1/documents/{document}/passages")["passages"]
    return [{"id": one["id"], "chunk_text": one["text"], "chunk_metadata": one["metadata"]} for one in found]


def _example(service: Service, documents: dict[str, str]) -> None:
    """A true sentence of one of the documents with a figure changed."""
    if documents and st.button("Fill in an example from your documents", icon=":material/science:", key="example"):
        for identity in list(documents.values())[:5]:
            for passage in service.get(f"/v1/documents/{identity}/passages")["passages"]:
                if wrong := misquoted(passage["text"]):
                    st.session_state["draft"], st.session_state["sources"] = wrong, passage["text"]
                    return


def misquoted(text: str) -> str | None:
    """The first sentence of a text that holds a number of two digits or more, with that number changed."""
    for line in re.split(r"(?<=[.!?])\s+|\n+", text):
        plain = re.sub(r"^[-*+#>\s]+", "", line).strip()
        found = re.search(r"\d*[1-8]\d|\d[1-8]", plain)
        if found and plain.endswith(".") and len(plain.split()) > 4:
            digits = "".join(str((int(digit) + 1) % 10) for digit in found.group())
            return plain[: found.start()] + digits + plain[found.end() :]
    return None


def _result(draft: str, result: dict[str, Any]) -> None:
    metadata = result["metadata"]
    st.html(markup.decision(result["decision"], metadata.get("fallbackReason")))
    st.subheader("The draft, marked up", anchor=False)
    st.html(markup.draft(draft, metadata.get("claims", [])))
    if spans := metadata.get("unsupportedSpans"):
        st.caption("Marked below: the words no source was found to support.")
        st.html(markup.marked(draft, [(int(start), int(end)) for start, end in spans]))
    if metadata["issuesDetected"]:
        st.subheader("What was found", anchor=False)
        st.html(markup.issues(metadata["issuesDetected"]))
    st.subheader("What is delivered", anchor=False)
    if result["finalAnswer"] != draft:
        st.caption("Struck out: taken from the draft. Underlined: put in its place.")
    st.html(markup.difference(draft, result["finalAnswer"]))
    answer.certificate(metadata, key="verify")
