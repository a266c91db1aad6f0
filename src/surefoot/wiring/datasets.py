"""What a dataset build works with."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.core.errors import ConfigError, InputError
from surefoot.core.hashing import content_hash
from surefoot.core.ports import LanguageModel
from surefoot.core.types import Document
from surefoot.llm.structured import Structured
from surefoot.llm.table import Connection, open_model
from surefoot.llm.wrappers import Retrying
from surefoot.settings import Settings
from surefoot.wiring.house import Surefoot
from surefoot.wiring.texts import read_corpus

if TYPE_CHECKING:
    from surefoot.dataset.workshop import Seat, Workshop


async def dataset_workshop(house: Surefoot, specs: Mapping[str, str], corpus: Path | None = None) -> Workshop:
    """What a dataset build works with. The house's knowledge base is made to hold the corpus and nothing else."""
    from surefoot.dataset.workshop import Workshop  # late: only a build needs what it loads

    documents: list[Document] = []
    if corpus is not None:
        if not corpus.is_dir():
            raise InputError(f"corpus {str(corpus)!r} is not a folder; give the folder of the documents")
        await house.ingest([corpus])
        documents = await asyncio.to_thread(read_corpus, corpus)
    pack = house.pack()
    checks = [f"{check.name}:{check.version}" for check in (*house.rules, *house.grounding)]
    return Workshop(
        folder=corpus.resolve().name if corpus is not None else "",
        documents=tuple(documents),
        retriever=house.retriever,
        verifier=house.gate,
        writer=house.safe_writer,
        seats={role: _seat(house, spec) for role, spec in specs.items() if spec != "extractive"},
        structured=lambda model: Structured(model=model),
        version=content_hash([version("surefoot"), pack.hash, checks, house.embedder.identity])[:16],
        pack=pack.name,
        prompts=pack.prompts,
    )


def dataset_specs(settings: Settings, given: Mapping[str, str]) -> dict[str, str]:
    """Each dataset role's model: the one given, else the settings', else the answer model. `*` is every other role."""
    answer = given.get("answer") or given.get("*") or settings.llm
    named = {
        "question": settings.llm_question,
        "critic": (settings.llm_critic or "").split(",")[0],
        "finalizer": settings.llm_finalizer,
    }
    chosen = {role: given.get(role) or given.get("*") or spec or answer for role, spec in named.items()}
    return {"answer": answer, **chosen}


def open_retrying(spec: str, connection: Connection) -> LanguageModel:
    """A model that survives a lost connection. At the module's level, so that it can be sent to a worker."""
    model = open_model(spec, connection)
    if model is None:
        raise ConfigError(f"{spec!r} is no language model; give provider:name")
    return Retrying(model=model)


def _seat(house: Surefoot, spec: str) -> Seat:
    """A dataset role's model. Opened once here, so that a mistake shows before anything is paid for."""
    from surefoot.dataset.workshop import Seat

    house.model(spec)
    provider = f"{spec.partition(':')[0]}@{spec.partition('@')[2] or house.settings.llm_base_url or ''}"
    return Seat(spec=spec, provider=provider, open=partial(open_retrying, spec, house.connection))
