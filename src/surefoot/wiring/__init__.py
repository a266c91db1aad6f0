"""The composition root: the one room that knows every adapter.

`house` is what callers ask; `equipment` and `foundation` build what it answers with, part by part, from the builders
beside them: `gate`, `answering`, `outside`, `encoders`, `language_models`, `places`, `caches`, `runs`. `datasets`,
`stores` and `texts` are what the command line does with a house.
"""

from typing import TYPE_CHECKING, Any

from surefoot.wiring.blocking import BlockingSurefoot
from surefoot.wiring.clocks import FixedDate, SystemClock
from surefoot.wiring.house import Surefoot, build, build_service

if TYPE_CHECKING:
    from surefoot.wiring.datasets import dataset_specs, dataset_workshop, open_retrying
    from surefoot.wiring.stores import (
        compare_stores,
        copy_knowledge_base,
        rebuild_store,
        restore_snapshot,
        save_snapshot,
    )
    from surefoot.wiring.texts import builtin_documents, recheck_file, recheck_result, recheck_script

__all__ = [
    "BlockingSurefoot",
    "FixedDate",
    "Surefoot",
    "SystemClock",
    "build",
    "build_service",
    "builtin_documents",
    "compare_stores",
    "copy_knowledge_base",
    "dataset_specs",
    "dataset_workshop",
    "open_retrying",
    "rebuild_store",
    "recheck_file",
    "recheck_result",
    "recheck_script",
    "restore_snapshot",
    "save_snapshot",
]

# Imported when first asked for: a question needs none, and together they cost as much time as answering it.
_LATER = {
    "builtin_documents": "texts",
    "recheck_file": "texts",
    "recheck_result": "texts",
    "recheck_script": "texts",
    "dataset_specs": "datasets",
    "dataset_workshop": "datasets",
    "open_retrying": "datasets",
    "compare_stores": "stores",
    "copy_knowledge_base": "stores",
    "rebuild_store": "stores",
    "restore_snapshot": "stores",
    "save_snapshot": "stores",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'surefoot.wiring' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"surefoot.wiring.{_LATER[name]}"), name)
