"""The Ask view: the answer sentence by sentence, each with its verdict, its source a click away."""

from __future__ import annotations

import json
from typing import Any

import streamlit as st

from surefoot.ui import markup
from surefoot.ui.client import Refused, Service


def view(service: Service) -> None:
    st.header("Ask")
    packs = [pack["name"] for pack in service.get("/v1/packs")["packs"]]
    with st.form("ask"):
        question = st.text_area("Question", key="question", height=90, placeholder="What does the bursary pay?")
        left, right = st.columns(2)
        pack = left.selectbox("Pack", ["(the service's own)", *packs], key="ask_pack")
        profile = right.text_input("Profile (JSON, optional)", key="ask_profile", placeholder='{"grade": 12}')
        submitted = st.form_submit_button("Ask", type="primary")
    if submitted and question.strip():
        body: dict[str, Any] = {"question": question.strip()}
        if pack in packs:
            body["pack"] = pack
        if profile.strip():
            body["profile"] = _profile(profile)
        st.session_state["asked"] = _stream(service, body)
        st.session_state["shown"] = None
    if asked := st.session_state.get("asked"):
        _answer(service, asked)


def _profile(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise Refused('The profile must be a JSON object such as {"grade": 12}.')
    return value


def _stream(service: Service, body: dict[str, Any]) -> dict[str, Any]:
    """Shows steps and sentences while they come; gives back everything for the lasting view."""
    steps, sentences, decision = [], [], {}
    place = st.empty()
    with place.container(), st.status("Working …", expanded=True) as status:
        for name, data in service.ask(body):
            if name == "step":
                steps.append(data)
                status.update(label=f"{data['node']} {data['state']}")
            elif name == "sentence":
                sentences.append(data)
                st.html(markup.STYLE + markup.claim(data["text"], data["verdict"]))
            else:
                decision = data
    place.empty()
    return {"steps": steps, "sentences": sentences, "result": decision}


def _answer(service: Service, asked: dict[str, Any]) -> None:
    result = asked["result"]
    metadata = result["metadata"]
    st.html(markup.STYLE + markup.decision(result["decision"], metadata.get("fallbackReason")))
    answer, source = st.columns([3, 2], gap="medium")
    with answer:
        for sentence in asked["sentences"]:
            st.html(markup.claim(sentence["text"], sentence["verdict"]))
            _chips(sentence, result)
        for part in result.get("unanswered", []):
            st.info(f"Not answered by any source: {part}", icon=":material/help:")
    with source:
        _source(result)
    _details(service, asked)


def _chips(sentence: dict[str, Any], result: dict[str, Any]) -> None:
    if not sentence["evidence"]:
        return
    with st.container(horizontal=True, gap="small"):
        for number, evidence in enumerate(sentence["evidence"]):
            label = _title(result, evidence["source"])
            key = f"cite-{sentence['index']}-{number}"
            if st.button(label, key=key, icon=":material/format_quote:", help="Show the passage with the quote marked"):
                st.session_state["shown"] = {**evidence, "claim": sentence["text"].strip()}


def _source(result: dict[str, Any]) -> None:
    shown = st.session_state.get("shown")
    st.subheader("Source", anchor=False)
    if not shown:
        st.caption("Choose a citation to see its passage here, with the quote marked.")
        return
    st.caption(_title(result, shown["source"]))
    sources = {item["id"]: item["text"] for item in result["metadata"]["certificate"].get("sources", [])}
    st.html(markup.STYLE + markup.passage(sources.get(shown["source"], shown.get("quote", "")), _span(shown)))


def _span(shown: dict[str, Any]) -> tuple[int, int] | None:
    span = shown.get("span")
    return (int(span[0]), int(span[1])) if isinstance(span, list) and len(span) == 2 else None


def _title(result: dict[str, Any], source: str) -> str:
    """A passage as its marker and its document, such as `S2 · Membership`."""
    for number, found in enumerate(result.get("passages", []), 1):
        if found["id"] == source:
            metadata = found.get("metadata") or {}
            return f"S{number} · {metadata.get('title') or metadata.get('source') or 'source'}"
    return source


def _details(service: Service, asked: dict[str, Any]) -> None:
    result = asked["result"]
    metadata = result["metadata"]
    with st.container(horizontal=True):
        st.download_button(
            "Download the certificate",
            json.dumps(metadata["certificate"], indent=2, ensure_ascii=False),
            file_name="certificate.json",
            mime="application/json",
            icon=":material/verified:",
        )
        if run := metadata.get("runId"):
            for verdict, label, icon in (("right", "Right", "thumb_up"), ("wrong", "Wrong", "thumb_down")):
                if st.button(label, key=f"feedback-{verdict}", icon=f":material/{icon}:"):
                    service.post(f"/v1/runs/{run}/feedback", {"verdict": verdict})
                    st.toast("Written down. Thank you.")
    with st.expander("How it was made", icon=":material/timeline:"):
        st.html(markup.STYLE + markup.table(["step", "round", "took"], _times(asked["steps"])))
        stages = [[stage, f"{time:.1f} ms"] for stage, time in (metadata.get("stageTimes") or {}).items()]
        if stages:
            st.html(markup.STYLE + markup.table(["stage of verification", "took"], stages))
        st.caption(f"{metadata['processingTime']:.1f} ms in the gate · confidence {metadata['confidence']:.2f}")
    if metadata["issuesDetected"]:
        with st.expander(f"Issues found ({len(metadata['issuesDetected'])})", icon=":material/report:"):
            st.html(markup.STYLE + markup.issues(metadata["issuesDetected"]))


def _times(steps: list[dict[str, Any]]) -> list[list[Any]]:
    """Each finished step with the time since it started."""
    started: dict[tuple[str, int], float] = {}
    rows = []
    for step in steps:
        key = (step["node"], step["round"])
        if step["state"] == "started":
            started[key] = step["elapsedMs"]
        else:
            begun = started.get(key, next((at for (node, _), at in started.items() if node == step["node"]), 0.0))
            sign = "✓" if step["state"] == "finished" else "✕"
            rows.append([f"{sign} {step['node']}", step["round"], f"{step['elapsedMs'] - begun:.1f} ms"])
    return rows
