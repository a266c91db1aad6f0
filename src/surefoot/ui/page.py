"""The page: `streamlit run page.py -- --service URL`. One service, several views, nothing but HTTP between them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial

import streamlit as st

from surefoot.ui import ask, document, documents, judge, markup, metrics, packs, review, runs, verify
from surefoot.ui.client import Refused, Service

VIEWS: tuple[tuple[str, str, str, Callable[[Service], None]], ...] = (
    ("Ask", "ask", ":material/forum:", ask.view),
    ("Verify", "verify", ":material/fact_check:", verify.view),
    ("Judge", "judge", ":material/balance:", judge.view),
    ("Documents", "documents", ":material/description:", documents.view),
    ("Packs", "packs", ":material/inventory_2:", packs.view),
    ("Runs", "runs", ":material/history:", runs.view),
    ("Metrics", "metrics", ":material/monitoring:", metrics.view),
    ("Datasets", "datasets", ":material/dataset:", review.view),
)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--service", default="http://127.0.0.1:8808")
    url = parser.parse_args(arguments).service
    st.set_page_config(
        page_title="Surefoot", page_icon=":material/verified:", layout="wide", initial_sidebar_state="collapsed"
    )
    with st.sidebar:
        st.caption(f"Service: {markup.literal(url)}")
        key = st.text_input("API key", type="password", help="Only where the service asks for one.")
    service = Service(url=url.rstrip("/"), key=key or None)
    st.html(markup.STYLE)
    opened = st.Page(
        partial(_shown, document.view, service), title="Document", url_path="document", visibility="hidden"
    )
    pages = [
        st.Page(partial(_shown, view, service), title=title, url_path=path, icon=icon, default=path == "ask")
        for title, path, icon, view in VIEWS
    ]
    st.navigation([*pages, opened], position="top").run()


def _shown(view: Callable[[Service], None], service: Service) -> None:
    try:
        view(service)
    except Refused as refused:
        st.error(markup.literal(refused), icon=":material/error:")


main(sys.argv[1:])
