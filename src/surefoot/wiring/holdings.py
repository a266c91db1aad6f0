"""What a knowledge base holds: whether there is anything to answer from, and whether all of it is still there."""

from __future__ import annotations

import shlex

from surefoot.core.errors import StoreError
from surefoot.core.ports import PortableStore
from surefoot.ingest.manifest import Manifest
from surefoot.settings import Settings
from surefoot.store.place import Place

MADE_BY_ANOTHER = "made by another embedder and are found less well; ingest them again"


def has_documents(place: Place) -> bool:
    """Makes nothing; a server's own list of documents is not read."""
    if place.url is not None:
        return True
    if not place.ledger.exists():
        return False
    ledger = Manifest(place.ledger)
    try:
        return bool(ledger.listed())
    finally:
        ledger.close()


def nothing_ingested(settings: Settings, place: Place) -> str:
    """What to say where there are none."""
    kb = str(settings.kb)
    own = "" if kb == ".surefoot" else f" --kb {shlex.quote(kb)}"
    found = "is empty" if place.ledger.exists() else "does not exist"
    return f"the knowledge base {kb!r} {found}; fill it, run: surefoot ingest FOLDER{own}"


async def count_passages(store: PortableStore, *, listed: int, where: str, every: bool) -> int:
    """How many passages the store holds; a StoreError where it has lost some of those listed. `every`: reads each."""
    held = 0
    if every:
        async for page in store.scan():
            held += len(page)
    else:
        held = await store.count()
    if held < listed:
        raise StoreError(
            f"the store {where!r} holds {held} passages and its ledger lists {listed}; "
            "restore a snapshot, or run: surefoot store rebuild"
        )
    return held
