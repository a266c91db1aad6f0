"""The Packs view: what each pack asks of an answer, its recorded cases, and which parts they show."""

from __future__ import annotations

from collections import Counter
from typing import Any

import streamlit as st

from surefoot.ui import markup, words
from surefoot.ui.client import Service

_PORTION = 10
"""Cases run with one request."""


def view(service: Service) -> None:
    st.header("Packs", anchor=False)
    st.caption("A pack is a set of rules for one field: what an answer must hold, and what it must not.")
    found = service.get("/v1/packs")["packs"]
    names = {pack["name"]: f"{pack['name']}: {pack['title']}" for pack in found}
    own = next((place for place, pack in enumerate(found) if pack.get("default")), 0)
    name = str(st.selectbox("Pack", list(names), format_func=lambda one: names[one], index=own, key="pack"))
    whole = service.get(f"/v1/packs/{name}")
    st.caption(f"version {whole['version']} · {whole['entities']} names known · hash {whole['hash'][:16]}…")
    _rules(whole)
    _cases(service, name)


def _rules(whole: dict[str, Any]) -> None:
    st.subheader("Rules", anchor=False)
    if whole["rules"]:
        rows = [
            [rule["title"], words.ACTIONS.get(rule["action"]), words.SEVERITIES.get(rule["severity"]), rule["reason"]]
            for rule in whole["rules"]
        ]
        st.html(markup.table(["rule", "what happens", "how bad", "why"], rows))
    else:
        st.write("No rules of its own: only the documents count.")
    for warning in whole["warnings"]:
        st.info(f"Always said: {markup.literal(warning)}", icon=":material/campaign:")
    if whole["sections"]:
        st.write("Required parts: " + markup.literal(", ".join(whole["sections"])))


def _cases(service: Service, name: str) -> None:
    cases = service.get(f"/v1/packs/{name}/cases")["cases"]
    st.subheader("Cases", anchor=False)
    if not cases:
        st.write("No cases are recorded for this pack.")
        return
    st.caption("Drafts with the decision each of them must get. Running them shows which rules they reach.")
    wanted = st.slider("How many to run", 1, len(cases), min(20, len(cases)), key=f"count-{name}") if cases[1:] else 1
    if st.button("Run the cases", icon=":material/play_arrow:", key="rehearse"):
        st.session_state["rehearsed"] = (name, *_run(service, name, int(wanted)))
    outcome = st.session_state.get("rehearsed")
    if outcome and outcome[0] == name:
        _outcome(*outcome[1:])
    with st.expander(f"All {len(cases)} cases", icon=":material/list:"):
        rows = [
            [case["id"], case["note"], " or ".join(_named(one) for one in case["decisions"])] for case in cases[:300]
        ]
        st.html(markup.table(["case", "about", "must be"], rows))


def _run(service: Service, name: str, wanted: int) -> tuple[list[dict[str, Any]], dict[str, int]]:
    bar = st.progress(0.0, text="Running …")
    results: list[dict[str, Any]] = []
    covered: Counter[str] = Counter()
    while len(results) < wanted:
        portion = {"offset": len(results), "limit": min(_PORTION, wanted - len(results))}
        done = service.post(f"/v1/packs/{name}/cases", portion)
        results += done["results"]
        covered.update(done["coverage"])
        bar.progress(len(results) / wanted, text=f"{len(results)} of {wanted} run")
    bar.empty()
    return results, dict(covered)


def _outcome(results: list[dict[str, Any]], covered: dict[str, int]) -> None:
    passed = sum(result["passed"] for result in results)
    reached = sum(bool(count) for count in covered.values())
    with st.container(horizontal=True):
        st.metric("As expected", f"{passed} of {len(results)}")
        if covered:
            st.metric("Parts of the pack shown", f"{reached} of {len(covered)}")
    if failed := [result for result in results if not result["passed"]]:
        rows = [[one["id"], _named(one["decision"] or ""), "; ".join(one["problems"])] for one in failed]
        st.html(markup.table(["case", "decision", "not as expected"], rows))
    if covered:
        with st.expander("Which parts the cases show", icon=":material/checklist:"):
            rows = [[f"{'✓' if count else '○'} {part}", count] for part, count in covered.items()]
            st.html(markup.table(["part", "cases"], rows))


def _named(decision: str) -> str:
    sign, title, *_ = words.DECISIONS.get(decision, ("", decision))
    return f"{sign} {title}".strip()
