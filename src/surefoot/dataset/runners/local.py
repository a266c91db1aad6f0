"""The plain runner: models are called from this process."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from surefoot.core.ports import LanguageModel

ModelFactory = Callable[[], LanguageModel]
"""Opens a model. It may be called in another process, so it must travel: a partial of a module's function."""


class LocalRunner:
    def open(self, factories: Mapping[str, ModelFactory]) -> dict[str, LanguageModel]:
        return {role: factory() for role, factory in factories.items()}

    def close(self) -> None: ...
