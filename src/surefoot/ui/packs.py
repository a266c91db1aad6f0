"""The Packs view: what each domain asks of an answer."""

from __future__ import annotations

import streamlit as st

from surefoot.ui import markup
from surefoot.ui.client import Service


def view(service: Service) -> None:
    st.header("Packs")
    for pack in service.get("/v1/packs")["packs"]:
        own = " · the service's own" if pack.get("default") else ""
        with st.expander(f"{pack['name']} — {pack['title']}{own}", icon=":material/inventory_2:"):
            whole = service.get(f"/v1/packs/{pack['name']}")
            st.caption(f"version {whole['version']} · {whole['entities']} names known · hash {whole['hash'][:16]}…")
            if whole["rules"]:
                rows = [
                    [r["id"], markup.SEVERITIES.get(r["severity"]), r["action"], r["title"]] for r in whole["rules"]
                ]
                st.html(markup.STYLE + markup.table(["rule", "severity", "action", "what it asks"], rows))
            else:
                st.write("No rules of its own: only the knowledge base counts.")
            for warning in whole["warnings"]:
                st.warning(warning, icon=":material/campaign:")
            if whole["sections"]:
                st.write("Required sections: " + ", ".join(whole["sections"]))
