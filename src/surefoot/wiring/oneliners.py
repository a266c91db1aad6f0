"""What `surefoot.verify` and `surefoot.ask` do: models are loaded once, nothing is written that was not asked for."""

from __future__ import annotations

import threading
from collections.abc import Mapping

from surefoot.core.blocking import blocking
from surefoot.core.errors import InputError
from surefoot.core.types import AskResult, Json, VerificationResult, VerifyInput
from surefoot.settings import SettingChanges, changed, load
from surefoot.wiring.house import Surefoot

_MOST_KEPT = 4
_KEPT: list[Surefoot] = []
_LOCK = threading.Lock()


def verify_once(request: VerifyInput, changes: SettingChanges) -> VerificationResult:
    """The verdict; with `kb` among the changes the run is written down there, else nothing is written."""
    if changes.get("kb") is None:
        return blocking(_kept(changes).verify(request))

    async def run() -> VerificationResult:
        async with Surefoot(**changes) as house:
            return await house.verify(request)

    return blocking(run())


def ask_once(question: str, profile: Mapping[str, Json] | None, changes: SettingChanges) -> AskResult:
    """One answer from a knowledge base that is there; a mistyped one is an error and is not made."""

    async def run() -> AskResult:
        async with Surefoot(**changes) as house:
            if not house.has_documents:
                raise InputError(house.nothing_ingested)
            return await house.ask(question, profile=profile)

    return blocking(run())


def _kept(changes: SettingChanges) -> Surefoot:
    """A house for these settings that outlives the call."""
    settings = changed(load(), {**changes, "cache": False})
    with _LOCK:
        for house in _KEPT:
            if house.settings == settings:
                return house
        _KEPT.append(Surefoot(settings, keeps_runs=False))
        del _KEPT[:-_MOST_KEPT]
        return _KEPT[-1]
