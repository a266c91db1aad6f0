"""The Ask view: a conversation with the documents. Every sentence of an answer shows what it rests on."""

from __future__ import annotations

import json
from typing import Any

import streamlit as st

from surefoot.ui import answer, documents, loop, markup, words
from surefoot.ui.client import Refused, Service

_TURNS = 10
"""Earlier turns a question is sent with."""
_OWN = "(the service's own)"


def view(service: Service) -> None:
    turns: list[dict[str, Any]] = st.session_state.setdefault("turns", [])
    st.header("Ask your documents", anchor=False)
    if not turns:
        st.html(
            '<p class="sf-lead">Surefoot answers from your documents. Every sentence shows the source it rests on. '
            "What no source supports is not said.</p>"
        )
    asked = _question_box()
    stock = documents.ready(service)
    if not turns:
        asked = _first_steps(service, stock) or asked
    talk = st.container()
    with talk:
        for number, turn in enumerate(turns):
            _turn(service, turn, number, open_=number == len(turns) - 1)
    if turns:
        _after(service)
    if asked:
        with talk:
            _ask(service, asked)


def _question_box() -> str | None:
    said = st.chat_input("Your question", key="question", max_chars=2000)
    return str(said).strip() if said else None


def _first_steps(service: Service, stock: int) -> str | None:
    """What a person can do who sees the page for the first time; the example they chose."""
    chosen = None
    if stock:
        examples = service.get("/v1/questions")["questions"]
        if examples:
            st.caption("Type a question below, or begin with one of these:")
            with st.container(horizontal=True):
                for number, question in enumerate(examples):
                    if st.button(markup.literal(question), key=f"example-{number}", icon=":material/help:"):
                        chosen = str(question)
    else:
        st.caption("Add a document first; then ask about it below. It stays on this service.")
    documents.add(service, open_=True)
    _options(service)
    return chosen


def _after(service: Service) -> None:
    with st.container(horizontal=True):
        if st.button("Begin anew", icon=":material/restart_alt:"):
            st.session_state["turns"] = []
            st.rerun()
    documents.add(service, open_=False)
    _options(service)


def _options(service: Service) -> None:
    with st.expander("Options", icon=":material/tune:"):
        packs = [pack["name"] for pack in service.get("/v1/packs")["packs"]]
        st.selectbox("Pack", [_OWN, *packs], key="ask_pack", help="The rules an answer must keep.")
        st.text_input(
            "About the person who asks (JSON)", key="ask_profile", help='Such as {"age": 30}. Not needed for most.'
        )


def _ask(service: Service, question: str) -> None:
    turns = st.session_state["turns"]
    body: dict[str, Any] = {"question": question}
    body["history"] = [{"question": one["question"], "answer": one["answer"]} for one in turns[-_TURNS:]]
    if (pack := st.session_state.get("ask_pack", _OWN)) != _OWN:
        body["pack"] = pack
    if profile := str(st.session_state.get("ask_profile", "")).strip():
        body["profile"] = _profile(profile)
    st.chat_message("user", avatar=":material/person:").text(question)
    with st.chat_message("assistant", avatar=":material/verified:"):
        asked = _stream(service, body)
    text = asked["result"].get("finalAnswer", "")
    st.session_state["turns"] = [*turns, {"question": question, "answer": text, "asked": asked}]
    st.rerun()


def _turn(service: Service, turn: dict[str, Any], number: int, *, open_: bool) -> None:
    st.chat_message("user", avatar=":material/person:").text(turn["question"])
    with st.chat_message("assistant", avatar=":material/verified:"):
        if open_:
            answer.show(service, turn["asked"], key=str(number))
        else:
            st.html(loop.headline(turn["asked"]["result"]) + answer.text(turn["asked"]))


def _profile(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise Refused('What is known of the person must be a JSON object such as {"age": 30}.')
    return value


def _stream(service: Service, body: dict[str, Any]) -> dict[str, Any]:
    """Shows steps and sentences while they come; gives back everything for the lasting view."""
    sentences, decision = [], {}
    with st.status("Working …", expanded=True) as status:
        for name, data in service.ask(body):
            if name == "step":
                status.update(label=f"{words.STEPS.get(data['node'], 'Working')} …")
            elif name == "sentence":
                sentences.append(data)
                st.html(answer.sentence(data, {}))
            else:
                decision = data
    return {"sentences": sentences, "result": decision}
