"""The composition root: the one room that knows every adapter.

`house` builds the objects from settings; `datasets`, `stores` and `texts` are what the command line does with a house.
"""

from surefoot.wiring.clocks import FixedDate, SystemClock
from surefoot.wiring.datasets import dataset_specs, dataset_workshop, open_retrying
from surefoot.wiring.house import Surefoot, build, build_service
from surefoot.wiring.stores import compare_stores, copy_knowledge_base, restore_snapshot, save_snapshot
from surefoot.wiring.texts import builtin_documents, recheck_file, recheck_script

__all__ = [
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
    "recheck_file",
    "recheck_script",
    "restore_snapshot",
    "save_snapshot",
]
