"""The Runs view: decisions over time, one run in full, and which would flip under another pack."""

from __future__ import annotations

import json
from typing import Any

import pandas
import streamlit as st

from surefoot.ui import charts, markup
from surefoot.ui.client import Refused, Service

DECISIONS = ("approved", "revised", "fallback", "rejected")


def view(service: Service) -> None:
    st.header("Runs")
    runs = [run for run in service.get("/v1/runs", limit=500)["runs"] if run["decision"]]
    if not runs:
        st.info("No runs yet. Ask something first.", icon=":material/history:")
        return
    _over_time(runs)
    shown = st.pills("Show", ["all", *DECISIONS], default="all", key="runs_decision")
    kept = [run for run in runs if shown in (None, "all", run["decision"])]
    rows = [
        [_sign(run["decision"]), run["reason"], run["kind"], run["pack"], run["at"][:19], run["runId"][:12]]
        for run in kept
    ]
    st.html(markup.STYLE + markup.table(["decision", "reason", "kind", "pack", "at (UTC)", "run"], rows[:30]))
    if kept:
        _one(service, kept)
    _flips(service, runs)


def _over_time(runs: list[dict[str, Any]]) -> None:
    frame = pandas.DataFrame(runs)
    frame["at"] = pandas.to_datetime(frame["at"], format="ISO8601")
    st.altair_chart(charts.over_time(frame[["at", "decision"]]))
    counts = frame["decision"].value_counts()
    st.caption(" · ".join(f"{_sign(name)}: {counts[name]}" for name in DECISIONS if name in counts))


def _one(service: Service, runs: list[dict[str, Any]]) -> None:
    labels = {run["runId"]: f"{_sign(run['decision'])} · {run['at'][:19]} · {run['runId'][:12]}" for run in runs[:100]}
    chosen = st.selectbox("Look at one run", list(labels), format_func=lambda run: labels[run], index=None, key="run")
    if not chosen:
        return
    whole = service.get(f"/v1/runs/{chosen}")
    record = whole["record"]
    st.html(markup.STYLE + markup.decision(whole["decision"], whole["reason"]))
    if record.get("content") == "none":
        st.caption("This service keeps no texts of runs.")
    elif "request" not in record:
        st.caption(f"A remembered answer was given again; run {str(record.get('of', ''))[:12]} holds its texts.")
    else:
        st.write(record.get("question") or "")
        st.html(markup.STYLE + markup.difference(record["request"]["draft_answer"], record.get("final_answer", "")))
        st.download_button("Download the record", json.dumps(record, indent=2), file_name=f"{chosen}.json")
    for said in whole["feedback"]:
        st.caption(f"{said['at'][:19]}: {said['verdict']} {said['note'] or ''}")


def _flips(service: Service, runs: list[dict[str, Any]]) -> None:
    with st.expander("Which decisions would flip under a pack as it is now?", icon=":material/compare_arrows:"):
        packs = [pack["name"] for pack in service.get("/v1/packs")["packs"]]
        pack = st.selectbox("Pack", packs, key="flip_pack")
        count = st.slider("Newest runs to replay", 5, 50, 10, key="flip_count")
        if st.button("Replay", key="replay"):
            rows = []
            for run in [run for run in runs if run["kind"] != "feedback"][:count]:
                now = _replayed(service, run["runId"], pack)
                if now != run["decision"]:
                    rows.append([run["runId"][:12], _sign(run["decision"]), _sign(now)])
            st.write(f"{len(rows)} of {min(count, len(runs))} would flip.")
            if rows:
                st.html(markup.STYLE + markup.table(["run", "was", "would be"], rows))


def _replayed(service: Service, run: str, pack: str) -> str:
    try:
        again = service.post(f"/v1/runs/{run}/replay", {"pack": pack})
    except Refused as refused:
        return f"not replayed: {refused}"
    return str(again["result"]["decision"])


def _sign(decision: str) -> str:
    sign, title, *_ = markup.DECISIONS.get(decision, ("", decision))
    return f"{sign} {title}".strip()
