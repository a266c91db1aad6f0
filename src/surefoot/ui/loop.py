"""The loop on the page: each round and why it went on, what was searched, what came from the web, what was cut.

One call, `view`, for an answer as for a verdict; the parts are plain functions from the service's JSON to safe HTML.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from surefoot.ui import markup, words

Result = Mapping[str, Any]
"""A verification result as the service sends it, with what an answer or a verdict adds to it."""
FAULTS = frozenset({"deadline_exceeded", "llm_unavailable", "store_unavailable", "check_broken"})


def view(result: Result) -> None:
    """What led to an answer or a verdict, where there is something to tell."""
    metadata = result["metadata"]
    if told := sources(result):
        st.html(told)
    if len(_made(result)) > 1 or result.get("searches"):
        with st.expander("Rounds and searches", icon=":material/autorenew:", expanded=True):
            st.html(f'<div class="sf-loop">{rounds(result)}{searches(result)}</div>')
    if changed := metadata.get("revisionsApplied"):
        with st.expander(f"What was changed or cut ({len(changed)})", icon=":material/difference:"):
            st.html(cuts(result))
    if found := metadata.get("issuesDetected"):
        with st.expander(f"What was found in the draft ({len(found)})", icon=":material/report:"):
            st.html(markup.issues(found))


def made(metadata: Mapping[str, Any]) -> None:
    """Every step and every stage of the check, with its time."""
    with st.expander("How it was made", icon=":material/timeline:"):
        st.html(steps(metadata.get("nodes") or ()))
        times = metadata.get("stageTimes") or {}
        stages = [[words.STAGES.get(stage, stage), f"{time:.1f} ms"] for stage, time in times.items()]
        if stages:
            st.html(markup.table(["stage of the check", "took"], stages))
        st.caption(f"{metadata['processingTime']:.1f} ms in all · confidence {metadata['confidence']:.2f}")


def headline(result: Result) -> str:
    """The decision; "approved" stands only over an answer to all that was asked."""
    if result.get("unanswered") and result["decision"] in ("approved", "revised"):
        return (
            f'<div class="sf-decision sf-supported" role="status" title="{result["decision"]}">'
            "<b>◐ Answered in part</b><div>What is said rests on a source. "
            "What was not answered is named below.</div></div>"
        )
    return markup.decision(result["decision"], result["metadata"].get("fallbackReason"))


def rounds(result: Result) -> str:
    """Each round with its score and why it went on or ended."""
    turns = _made(result)
    rows = [
        [turn["number"], f"{turn['score']:.2f}", *_parts(turn), _outcome(turn, last=turn is turns[-1])]
        for turn in turns
    ]
    heads = ["round", "score", "grounded", "complete", "relevant", "outcome"]
    told = [place for place in range(len(heads)) if any(row[place] != "" for row in rows)]
    shown = markup.table([heads[place] for place in told], [[row[place] for place in told] for row in rows])
    return _section("Rounds", shown, turns)


def searches(result: Result) -> str:
    """What was looked for outside, where, and what came of it."""
    items = []
    for search in result.get("searches") or ():
        where = "the curated sources" if search["where"] == "curated" else search["where"]
        came = f"{len(search['pages'])} page(s) read" if search["pages"] else "no page read"
        problem = f"; {search['problem']}" if search["problem"] else ""
        items.append(f"for round {search['round']}, {where}: “{search['query']}” — {came}{problem}")
    return _section("Searched", _list([html.escape(item) for item in items]), items)


def sources(result: Result) -> str:
    """A verdict's references, or an answer's sources from the web: marked, with address and the day of fetching."""
    references = result.get("references") or ()
    found = [_reference(one) for one in references]
    found += [
        _web(f"S{number}", str(one["metadata"].get("title") or ""), one["metadata"])
        for number, one in enumerate(result.get("passages") or (), 1)
        if (one.get("metadata") or {}).get("external") is True
    ]
    told = _section("References" if references else "From the web", _list(found), found)
    return told and f'<div class="sf-loop">{told}</div>'


def cuts(result: Result) -> str:
    """What the gate took out of the draft or put in its place, and why."""
    metadata = result["metadata"]
    issues = metadata.get("issuesDetected") or []
    found = [
        {**one, "before": one["before"].strip(), "after": one["after"].strip(), "reason": _why(one, issues)}
        for one in metadata.get("revisionsApplied") or ()
    ]
    return markup.changes(found) if found else ""


def steps(nodes: Sequence[Mapping[str, Any]]) -> str:
    """Every step with its round, time, score and reason."""
    rows = [
        [
            _step(node),
            html.escape(str(node["round"])),
            f"{node['ms']:.1f} ms",
            "" if node["score"] is None else f"{node['score']:.2f}",
            html.escape(_said(node["reason"] or "")),
        ]
        for node in nodes
    ]
    return markup.table_of(["step", "round", "took", "score", "reason"], rows)


def _step(node: Mapping[str, Any]) -> str:
    """In plain words, with its own name on hover."""
    name = str(node["node"])
    said = f"{'✕' if node['reason'] in FAULTS else '✓'} {words.DONE.get(name, name)}"
    return f'<span title="{html.escape(name, quote=True)}">{html.escape(said)}</span>'


def _made(result: Result) -> list[Mapping[str, Any]]:
    return list(result.get("rounds") or _rounds_of(result))


def _rounds_of(result: Result) -> list[dict[str, Any]]:
    """A verdict's rounds, from its steps: written and validated, at most twice."""
    nodes = result["metadata"].get("nodes") or ()
    rejected = [node for node in nodes if node["node"] in ("generate", "validate") and node["reason"]]
    passed = [node for node in nodes if node["node"] == "validate" and not node["reason"]]
    turns = sorted([*rejected, *passed], key=lambda node: node["round"])
    return [
        {
            "number": node["round"],
            "score": node["score"] or 0.0,
            "accepted": not node["reason"],
            "reasons": [node["reason"]] if node["reason"] else [],
        }
        for node in turns
    ]


def _parts(turn: Mapping[str, Any]) -> list[str]:
    return [f"{turn[name]:.2f}" if name in turn else "" for name in ("groundedness", "completeness", "relevance")]


def _outcome(turn: Mapping[str, Any], *, last: bool) -> str:
    if turn["accepted"]:
        return "✓ accepted"
    why = "; ".join(_said(reason) for reason in turn["reasons"]) or "not accepted"
    return f"✕ ended here: {why}" if last else f"→ went on: {why}"


def _said(reason: str) -> str:
    """A reason in words; `unanswered: …` names its part of the question."""
    code, colon, rest = reason.partition(": ")
    if code == "unanswered" and colon:
        return f"not answered: {rest}"
    return ", ".join(words.REASONS.get(part, part) for part in reason.split(", "))


def _reference(one: Mapping[str, Any]) -> str:
    """Its title; a click opens what it says."""
    label, title = f"[{one['number']}]", str(one["title"])
    address = str(one.get("url") or "")
    if one.get("external"):
        head = _web(label, title, {"source": address, "retrieved": one.get("retrieved")})
        more = ""
    else:
        head = f"{html.escape(label)} {html.escape(title)}"
        more = f'<div class="sf-why">{html.escape(one.get("note") or "")} {_link(address)}</div>'
    return f"<details><summary>{head}</summary>{markup.passage(str(one.get('snippet') or ''), None)}{more}</details>"


def _link(address: str) -> str:
    shown = html.escape(address)
    if not address.startswith(("http://", "https://")):
        return shown
    return f'<a href="{html.escape(address, quote=True)}" target="_blank" rel="noopener noreferrer">{shown}</a>'


def _web(label: str, title: str, metadata: Mapping[str, Any]) -> str:
    fetched = f", fetched on {metadata['retrieved']}" if metadata.get("retrieved") else ""
    link = _link(str(metadata.get("source") or ""))
    mark = '<span class="sf-web">⇱ from the web</span>'
    return f"{html.escape(label)} {mark} {html.escape(title)} {link}{html.escape(fetched)}"


def _why(revision: Mapping[str, Any], issues: Sequence[Mapping[str, Any]]) -> str:
    """The finding that led to the change, in its own words; else its code in plain ones."""
    before = _plain(revision["before"])
    for issue in issues:
        place = _plain(issue["location"])
        if issue["code"] == revision["code"] and place and (place in before or before in place):
            return str(issue["problem"])
    return words.of_code(revision["code"])


def _plain(text: str) -> str:
    return " ".join(str(text).split())


def _list(items: Sequence[str]) -> str:
    return "<ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>"


def _section(title: str, body: str, there: Sequence[object]) -> str:
    return f"<h4>{html.escape(title)}</h4>{body}" if there else ""
