"""Surefoot answers questions from a knowledge base and lets nothing out that it cannot prove.

The public menu. Names are imported when they are first used, so that `import surefoot` costs next to nothing.
"""

from __future__ import annotations

import sys
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Coroutine, Mapping
    from typing import Any, TypeVar

    from surefoot.core.errors import SurefootError
    from surefoot.core.types import (
        AskResult,
        Decision,
        Issue,
        Json,
        Passage,
        VerificationResult,
        VerifyInput,
        VerifyOptions,
    )
    from surefoot.packs.schema import Pack
    from surefoot.settings import Settings
    from surefoot.wiring import Surefoot

    T = TypeVar("T")

__version__ = "0.1.0"
__all__ = [
    "AskResult",
    "Decision",
    "Issue",
    "Pack",
    "Passage",
    "Settings",
    "Surefoot",
    "SurefootError",
    "VerificationResult",
    "VerifyInput",
    "VerifyOptions",
    "ask",
    "build",
    "verify",
]

_HOMES = {
    "SurefootError": "surefoot.core.errors",
    "Pack": "surefoot.packs.schema",
    "Settings": "surefoot.settings",
    "Surefoot": "surefoot.wiring",
    "build": "surefoot.wiring",
}


def ask(question: str, *, profile: Mapping[str, Json] | None = None, **settings: Any) -> AskResult:
    """One verified answer, blocking; safe inside a running event loop. `settings` as in `build(kb=…, pack=…)`."""

    async def run() -> AskResult:
        house = _home("build")(**settings)
        try:
            answer: AskResult = await house.ask(question, profile=profile)
            return answer
        finally:
            await house.close()

    return _blocking(run())


def verify(request: VerifyInput, **settings: Any) -> VerificationResult:
    """The gate's verdict on a draft, blocking; safe inside a running event loop."""

    async def run() -> VerificationResult:
        house = _home("build")(**settings)
        try:
            result: VerificationResult = await house.verify(request)
            return result
        finally:
            await house.close()

    return _blocking(run())


def _blocking(work: Coroutine[Any, Any, T]) -> T:
    from surefoot.core.blocking import blocking  # late: asyncio is not needed to import the menu

    return blocking(work)


_verify = verify


class _Room(ModuleType):
    """The `verify` room, which may be called: `surefoot.verify(…)` and `surefoot.verify.gate` are both promised."""

    def __call__(self, request: VerifyInput, **settings: Any) -> VerificationResult:
        return _verify(request, **settings)


class _Menu(ModuleType):
    """Importing anything of the room puts the room in the function's place; it is made callable then."""

    def __setattr__(self, name: str, value: object) -> None:
        if name == "verify" and isinstance(value, ModuleType):
            value.__class__ = _Room
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Menu


def __getattr__(name: str) -> Any:
    if name in __all__:
        return _home(name)
    raise AttributeError(f"module 'surefoot' has no attribute {name!r}")


def _home(name: str) -> Any:
    from importlib import import_module

    return getattr(import_module(_HOMES.get(name, "surefoot.core.types")), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
