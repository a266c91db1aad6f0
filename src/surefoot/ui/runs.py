"""The Runs view: decisions over time, one run in full, and which would change with another pack."""

from __future__ import annotations

import json
from typing import Any

import pandas
import streamlit as st

from surefoot.ui import charts, loop, markup, words
from surefoot.ui.client import Refused, Service

DECISIONS = ("approved", "revised", "fallback", "rejected")


def view(service: Service) -> None:
    st.header("Runs", anchor=False)
    st.caption("What was asked and decided, the newest first. Personal data is blacked out before it is kept.")
    runs = [run for run in service.get("/v1/runs", limit=200)["runs"] if run["decision"]]
    if not runs:
        st.info("No runs yet. Ask something first.", icon=":material/history:")
        return
    _over_time(runs)
    kept = _filtered(runs)
    rows = [
        [
            _sign(run["decision"]),
            run["question"],
            words.of_code(run["reason"]),
            words.KINDS.get(run["kind"], run["kind"]),
            "↺ remembered" if run["cached"] else "",
            run["pack"],
            run["at"][:16].replace("T", " "),
        ]
        for run in kept
    ]
    st.html(markup.table(["decision", "question", "why", "kind", "cache", "pack", "when (UTC)"], rows[:30]))
    st.caption(f"{min(30, len(kept))} of {len(kept)} shown.")
    if kept:
        _one(service, kept)
    _flips(service, runs)


def _filtered(runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    first, second, third, fourth = st.columns(4)
    shown = first.selectbox("Decision", ["all", *DECISIONS], key="runs_decision", format_func=_sign)
    held = second.text_input("Words in the question", key="runs_text").strip().lower()
    pack = third.selectbox("Pack", ["all", *sorted({str(run["pack"]) for run in runs})], key="runs_pack")
    kinds = {words.KINDS.get(run["kind"], run["kind"]): run["kind"] for run in runs}
    kind = fourth.selectbox("Kind", ["all", *sorted(kinds)], key="runs_kind")
    return [
        run
        for run in runs
        if shown in ("all", run["decision"])
        and held in str(run["question"] or "").lower()
        and pack in ("all", run["pack"])
        and (kind == "all" or run["kind"] == kinds[kind])
    ]


def _over_time(runs: list[dict[str, Any]]) -> None:
    frame = pandas.DataFrame(runs)
    frame["at"] = pandas.to_datetime(frame["at"], format="ISO8601")
    named = frame.assign(decision=frame["decision"].map(lambda name: words.DECISIONS.get(name, ("", name))[1]))
    st.altair_chart(charts.over_time(named[["at", "decision"]]))
    counts = frame["decision"].value_counts()
    st.caption(" · ".join(f"{_sign(name)}: {counts[name]}" for name in DECISIONS if name in counts))


def _one(service: Service, runs: list[dict[str, Any]]) -> None:
    labels = {
        run[
            "runId"
        ]: f"{_sign(run['decision'])} · {run['question'] or run['runId'][:12]} · {run['at'][:16].replace('T', ' ')}"
        for run in runs[:100]
    }
    chosen = st.selectbox("Look at one run", list(labels), format_func=lambda run: labels[run], index=None, key="run")
    if not chosen:
        return
    whole = service.get(f"/v1/runs/{chosen}")
    record = whole["record"]
    st.html(markup.decision(whole["decision"], whole["reason"]))
    if record.get("content") == "none":
        st.caption("This service keeps no texts of runs.")
    elif "request" not in record:
        st.caption(f"A remembered answer was given again; run {str(record.get('of', ''))[:12]} holds its texts.")
    else:
        if record.get("question"):
            st.text(record["question"])
        draft, final = record["request"]["draft_answer"], record.get("final_answer", "")
        if draft != final:
            st.caption("Struck out: taken from the draft. Underlined: put in its place.")
        st.html(markup.difference(draft, final))
        if record.get("nodes"):
            st.html(loop.steps(record["nodes"]))
        st.download_button(
            "Download the record",
            icon=":material/download:",
            data=json.dumps(record, indent=2),
            file_name=f"{chosen}.json",
        )
    for said in whole["feedback"]:
        st.caption(markup.literal(f"{said['at'][:19]}: {said['verdict']} {said['note'] or ''}"))


def _flips(service: Service, runs: list[dict[str, Any]]) -> None:
    with st.expander("Which decisions would change with a pack as it is now?", icon=":material/compare_arrows:"):
        packs = [pack["name"] for pack in service.get("/v1/packs")["packs"]]
        pack = st.selectbox("Pack", packs, key="flip_pack")
        count = st.slider("Newest runs to replay", 5, 50, 10, key="flip_count")
        if st.button("Replay", key="replay"):
            rows = []
            for run in [run for run in runs if run["kind"] != "feedback"][:count]:
                now = _replayed(service, run["runId"], pack)
                if now != run["decision"]:
                    rows.append([run["runId"][:12], _sign(run["decision"]), _sign(now)])
            st.write(f"{len(rows)} of {min(count, len(runs))} would change.")
            if rows:
                st.html(markup.table(["run", "was", "would be"], rows))


def _replayed(service: Service, run: str, pack: str) -> str:
    try:
        again = service.post(f"/v1/runs/{run}/replay", {"pack": pack})
    except Refused as refused:
        return f"not replayed: {refused}"
    return str(again["result"]["decision"])


def _sign(decision: str) -> str:
    sign, title, *_ = words.DECISIONS.get(decision, ("", decision))
    return f"{sign} {title}".strip()
