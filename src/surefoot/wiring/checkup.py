"""What `surefoot doctor` looks at: models, knowledge base, store, disk, Redis, language models; with a remedy each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from surefoot.core.errors import StoreLockedError, SurefootError
from surefoot.core.space import free_bytes, unwritable
from surefoot.encoders import base_weights as base
from surefoot.encoders.files import find_adapter, find_model, is_shipped
from surefoot.encoders.reader_file import laid_out
from surefoot.llm.openai_compatible import OpenAICompatibleModel
from surefoot.llm.table import open_model
from surefoot.store.cache.redis import ping
from surefoot.wiring.holdings import MADE_BY_ANOTHER
from surefoot.wiring.house import Surefoot


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    level: Literal["ok", "absent", "bad"]
    """absent: not there and not needed, though it may be wanted."""
    what: str
    remedy: str = ""


def check_up(house: Surefoot) -> list[Finding]:
    """Everything the settings ask for, looked at without changing anything."""
    return [
        _tried(f"pack {house.settings.pack!r}", house.pack),
        *_models(house),
        _disk(house),
        *_knowledge_base(house),
        *_redis(house),
        *_language_models(house),
    ]


def _models(house: Surefoot) -> Iterator[Finding]:
    settings = house.settings
    size = settings.grounder_size
    wanted = [("embedder", settings.embedder, True)]
    wanted += [("grounder_fast", settings.grounder, True)] if size in ("auto", "thorough", "fast") else []
    if size in ("auto", "thorough", "accurate"):
        wanted.append(("grounder_accurate", settings.grounder, size == "accurate"))
    wanted += [("reranker", settings.reranker, False)] if settings.rerank else []
    for name, given, needed in wanted:
        if given is None and not needed and not is_shipped(name):
            yield Finding(level="absent", what=f"model {name}", remedy="pip install 'surefoot[models]'")
        else:
            yield _tried(f"model {name}{f' {given!r}' if given else ''}", partial(find_model, name, given))
    if size == "thorough":
        yield _tried("model grounder_thorough", partial(find_adapter, "grounder_thorough"))
        yield _tried(f"base weights of grounder_thorough: {base.NAME}", _ready)


def _ready() -> object:
    return laid_out(base.default_place(), find_adapter("grounder_thorough"))


def _disk(house: Surefoot) -> Finding:
    kb = house.settings.kb
    if reason := unwritable(kb):
        return Finding(level="bad", what=f"room for {str(kb)!r}", remedy=f"{reason}; make room, or give permissions")
    return Finding(level="ok", what=f"room for {str(kb)!r}: {free_bytes(kb) / 1e9:.1f} GB free")


def _knowledge_base(house: Surefoot) -> Iterator[Finding]:
    kb, url = str(house.settings.kb), house.settings.store_url
    try:
        filled = house.has_documents
    except SurefootError as error:
        yield Finding(level="bad", what=f"knowledge base {kb!r}", remedy=str(error))
        return
    if not filled:
        yield Finding(level="absent", what=f"knowledge base {kb!r}", remedy=house.nothing_ingested)
        return
    what = f"store {url}" if url else f"knowledge base {kb!r}"
    try:
        count = asyncio.run(_counted(house))
    except StoreLockedError as error:
        yield Finding(level="ok", what=what, remedy=str(error))
    except SurefootError as error:
        yield Finding(level="bad", what=what, remedy=str(error))
    else:
        yield Finding(level="ok", what=f"{what}: {count} passages")
        if old := house.outdated():
            yield Finding(
                level="bad", what=f"{what}: the vectors of {old} documents", remedy=f"they were {MADE_BY_ANOTHER}"
            )


async def _counted(house: Surefoot) -> int:
    """Every passage is read, so that a damaged one is found."""
    try:
        if not house.place.ledger.exists():
            return await house.store.count()
        return await house.check_store(every=True)
    finally:
        await house.close()


def _redis(house: Surefoot) -> Iterator[Finding]:
    url = house.settings.redis_url
    if url is None:
        yield Finding(level="ok", what="caches: a file in the knowledge base (no redis_url)")
    else:
        yield _tried(f"Redis {url.split('@')[-1]}", lambda: asyncio.run(ping(url)))


def _language_models(house: Surefoot) -> Iterator[Finding]:
    settings = house.settings
    roles = {
        "answer": settings.llm,
        "critic": settings.llm_critic,
        "judge": settings.llm_judge,
        "finalizer": settings.llm_finalizer,
        "question": settings.llm_question,
    }
    for role, named in roles.items():
        for spec in (part.strip() for part in (named or "").split(",")):
            if spec:
                yield _tried(f"{role} model {spec}", partial(_reached, house, spec))


def _reached(house: Surefoot, spec: str) -> None:
    """Opens the model and, where it is on a server, asks that server for its list of models; no text is sent."""
    model = open_model(spec, replace(house.connection, record_dir=None))
    if isinstance(model, OpenAICompatibleModel):
        asyncio.run(model.reach())


def _tried(what: str, action: Callable[[], object]) -> Finding:
    try:
        action()
    except SurefootError as error:
        return Finding(level="bad", what=what, remedy=str(error))
    return Finding(level="ok", what=what)
