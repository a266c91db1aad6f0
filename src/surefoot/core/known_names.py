"""Names of the person a request is about, as its profile gives them: no model, search or cache outside is told them.

A context variable, because they belong to the request, and whoever hides them is many calls away from its profile.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from surefoot.core.redaction import profile_names
from surefoot.core.types import Json

_known: ContextVar[tuple[str, ...]] = ContextVar("known_names", default=())


def known_names() -> tuple[str, ...]:
    return _known.get()


@contextmanager
def names_known(profile: Mapping[str, Json]) -> Iterator[None]:
    token = _known.set((*_known.get(), *profile_names(profile)))
    try:
        yield
    finally:
        _known.reset(token)
