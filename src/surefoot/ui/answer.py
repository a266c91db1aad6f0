"""An answer as it is shown: decision, sentences with their sources, what was changed, the proof to take home."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from surefoot.ui import loop, markup, words
from surefoot.ui.client import Service


def show(service: Service, asked: Mapping[str, Any], *, key: str) -> None:
    """The whole answer; `key` tells its buttons from those of other answers on the page."""
    result = asked["result"]
    if result.get("resolved"):
        st.caption(f"Understood as: {markup.literal(result['resolved'])}")
    st.html(loop.headline(result))
    if result.get("cached"):
        st.caption("A remembered answer, proven again.")
    st.html(text(asked) + _legend(asked))
    for part in result.get("unanswered", []):
        st.info(f"The documents do not answer this part: {markup.literal(part)}", icon=":material/help:")
    loop.view(result)
    _actions(service, result, key)
    loop.made(result["metadata"])


def text(asked: Mapping[str, Any]) -> str:
    """The sentences in their colours; a refusal as it is, for it claims nothing."""
    result = asked["result"]
    if result.get("decision") == "rejected":
        return f'<p class="sf-refusal">{html.escape(str(result.get("finalAnswer", "")))}</p>'
    return "".join(sentence(one, result) for one in asked["sentences"])


def sentence(one: Mapping[str, Any], result: Mapping[str, Any]) -> str:
    """One sentence of the stream, with what the certificate says of it."""
    entry = _entry(one, result)
    return markup.claim(one["text"], _rests_on(one, entry), quotes(one["evidence"], result), entry.get("risk"))


def quotes(evidence: Sequence[Mapping[str, Any]], result: Mapping[str, Any]) -> list[markup.Quote]:
    """The places a sentence rests on, each with its passage."""
    certificate = result.get("metadata", {}).get("certificate", {})
    texts = {item["id"]: item["text"] for item in certificate.get("sources", [])}
    found = []
    for one in evidence:
        identity, span = str(one["source"]), one.get("span")
        quote = str(one.get("quote", ""))
        text = texts.get(identity)
        if text is None or not span:
            text, span = quote, (0, len(quote))
        label, file = named(result, identity)
        found.append(
            markup.Quote(label=label, text=text, span=(int(span[0]), int(span[1])), file=file, passage=identity)
        )
    return found


def named(result: Mapping[str, Any], passage: str) -> tuple[str, str]:
    """A passage as its number and document, such as `S2 · Membership`, and its file in the knowledge base."""
    for number, found in enumerate(result.get("passages", []), 1):
        if found["id"] == passage:
            metadata = found.get("metadata") or {}
            title = metadata.get("title") or metadata.get("source") or "source"
            file = str(metadata.get("file") or "")
            return f"S{number} · {title}" + (f" · {file}" if file else ""), file
    return passage, ""


def certificate(metadata: Mapping[str, Any], *, key: str) -> None:
    st.download_button(
        "Download the certificate",
        json.dumps(metadata["certificate"], indent=2, ensure_ascii=False),
        file_name="certificate.json",
        mime="application/json",
        icon=":material/verified:",
        help="A proof of this answer that can be checked without Surefoot.",
        key=f"certificate-{key}",
    )


def _entry(one: Mapping[str, Any], result: Mapping[str, Any]) -> Mapping[str, Any]:
    certificate = result.get("metadata", {}).get("certificate", {})
    entries: Sequence[Mapping[str, Any]] = certificate.get("sentences", [])
    return next((entry for entry in entries if entry["span"] == one["span"]), {})


def _rests_on(one: Mapping[str, Any], entry: Mapping[str, Any]) -> str:
    """While it is streamed there is no certificate yet, only the verdict."""
    said = entry.get("rests_on") or one.get("verdict")
    return str(said) if said in words.RESTS_ON else "nothing"


def _legend(asked: Mapping[str, Any]) -> str:
    """Of the colours that occur in this answer; none where nothing is claimed."""
    shown = (one for one in asked["sentences"] if not markup.is_rule(one["text"]))
    found = {_rests_on(one, _entry(one, asked["result"])) for one in shown}
    return markup.legend(kind for kind in words.RESTS_ON if kind in found) if found - {"nothing"} else ""


def _actions(service: Service, result: Mapping[str, Any], key: str) -> None:
    metadata = result["metadata"]
    with st.container(horizontal=True):
        certificate(metadata, key=key)
        if run := metadata.get("runId"):
            for verdict, label, icon in (("right", "Right", "thumb_up"), ("wrong", "Wrong", "thumb_down")):
                about = f"Keeps a note that this answer was {verdict}."
                if st.button(label, key=f"feedback-{verdict}-{key}", icon=f":material/{icon}:", help=about):
                    service.post(f"/v1/runs/{run}/feedback", {"verdict": verdict})
                    st.caption("Written down. Thank you.")
