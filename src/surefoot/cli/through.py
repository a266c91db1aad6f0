"""A question asked by way of the service that holds the knowledge base."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from surefoot.core.errors import StoreLockedError
from surefoot.server.notice import service_of

SECONDS = 120


def ask_through(kb: Path, question: Mapping[str, Any], held: StoreLockedError) -> dict[str, Any]:
    """The service's reply on the wire. Where none answers, or it will not: the error that the store is held."""
    url = service_of(kb, held.pid)
    if url is None:
        raise held
    import httpx2

    from surefoot.wiring.texts import recheck_result

    try:
        # The note names this machine, and a proxy has no business between two processes of it.
        with httpx2.Client(trust_env=False, timeout=SECONDS) as client:
            reply = client.post(f"{url}/v1/ask", json=dict(question))
            said: Any = reply.json()
    except (httpx2.HTTPError, ValueError):
        raise held from None
    if reply.status_code != 200:
        raise StoreLockedError(f"the service at {url} holds the knowledge base and answered: {_words(said)}")
    if wrong := recheck_result(said):
        raise StoreLockedError(f"the service at {url} gave an answer whose certificate does not hold: {wrong[0]}")
    found: dict[str, Any] = said
    return found


def _words(said: Any) -> str:
    try:
        return f"{said['error']['message']}; {said['error']['remedy']}"
    except (KeyError, TypeError):
        return "no"
