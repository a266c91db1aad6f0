"""Opens the models before the first deadline that may need them runs: a draft of quotes alone needs none."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from surefoot.core.text import sentences, squash, without_markers
from surefoot.core.types import VerifyInput

LONGEST, LARGEST = 4_000, 200_000
"""Characters of a draft and of its sources that are looked through for quotes: it must cost next to nothing."""


class Opening:
    """What one gate opens, once."""

    def __init__(self, models: Callable[[], None]) -> None:
        self._models = models
        self._done = False

    async def before(self, request: VerifyInput) -> None:
        """Opening takes half a second: in time that no draft has to answer for."""
        if not self._done and not quotes_alone(request):
            await asyncio.to_thread(self._models)
            self._done = True


def quotes_alone(request: VerifyInput) -> bool:
    """Whether each sentence of the draft stands in a source word by word, or is a bare Yes or No, which code works out.

    A guess that nothing rests on: a model that is needed all the same is opened when it is asked.
    """
    if len(request.draft_answer) > LONGEST or sum(len(passage.text) for passage in request.chunks) > LARGEST:
        return False
    held = [squash(passage.text) for passage in request.chunks]
    said = [squash(without_markers(one.text)) for one in sentences(request.draft_answer)]
    return all(one.rstrip(".") in _VERDICTS or any(one in source for source in held) for one in said)


_VERDICTS = frozenset(("yes", "no"))
