"""Answers that begin before they are decided: who may hear the start of one, and what was said."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from surefoot.core.types import Shown

_LOG = logging.getLogger(__name__)


@dataclass
class Aloud:
    """A caller who hears the proven start of an answer, and the memory of what it was."""

    tell: Callable[[Shown], None]
    shown: Shown | None = None

    def __call__(self, shown: Shown) -> None:
        """Remembered first: a listener that fails may have shown it, and what was shown stays."""
        self.shown = shown
        try:
            self.tell(shown)
        except Exception:
            _LOG.warning("a listener failed on the start of an answer")
