"""API keys: stored as sha256 digests, compared in constant time, each with a scope."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from surefoot.core.errors import ConfigError

SCOPES = ("read", "write", "admin")
"""read: ask, verify, judge, look · write: also documents, feedback, reviews · admin: also runs and their texts"""
OPEN = "open"
"""What a route says that anybody who reaches us may call."""
Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])


def needs(scope: str) -> Callable[[Endpoint], Endpoint]:
    """Says of an endpoint which scope it takes to call it. Its route reads this, so that no path has to be parsed."""
    if scope not in (OPEN, *SCOPES):
        raise ValueError(f"{scope!r} is no scope; use one of {OPEN}, {', '.join(SCOPES)}")

    def marked(endpoint: Endpoint) -> Endpoint:
        endpoint.needs = scope  # type: ignore[attr-defined]
        return endpoint

    return marked


@dataclass(frozen=True, kw_only=True, slots=True)
class Key:
    digest: str
    scope: str
    name: str
    """Who is limited and counted; never the key itself."""

    def allows(self, scope: str) -> bool:
        return SCOPES.index(self.scope) >= SCOPES.index(scope)


LOOPBACK = Key(digest="", scope="admin", name="loopback")
"""Who calls when no key is configured: only this machine can."""


class Keyring:
    """True where a key is asked for.

    That stays so when the last key is revoked, and it is so while nobody knows yet which keys replicas share: what has
    no key yet is open to this machine, and what has none left is open to nobody.
    """

    def __init__(self, keys: Sequence[Key], *, more_to_come: bool = False) -> None:
        self._keys = self._own = tuple(keys)
        self._asks = bool(self._keys)
        self._more_to_come = more_to_come

    def __bool__(self) -> bool:
        return self._asks or self._more_to_come

    def share(self, others: Keyring) -> None:
        """Takes the keys that replicas share beside its own; those it took before and that are gone hold no more."""
        self._keys = (*self._own, *others._own)
        self._asks = self._asks or bool(self._keys)
        self._more_to_come = False

    def find(self, presented: str) -> Key | None:
        """Compares with every key, always, so that time tells nothing."""
        digest = hashlib.sha256(presented.encode("utf-8", "surrogatepass")).hexdigest()
        found = None
        for key in self._keys:
            if hmac.compare_digest(key.digest, digest):
                found = key
        return found


def parse_keys(entries: Sequence[str], *, more_to_come: bool = False) -> Keyring:
    """`digest[:scope[:name]]` each, as in the settings."""
    keys = []
    for number, entry in enumerate(entries, 1):
        digest, _, rest = entry.partition(":")
        scope, _, name = rest.partition(":")
        if len(digest) != 64 or not all(char in "0123456789abcdef" for char in digest.lower()):
            raise ConfigError(
                f"api_keys: entry {number} is not a sha256 digest; make one with: surefoot serve --new-key"
            )
        if scope and scope not in SCOPES:
            raise ConfigError(f"api_keys: entry {number} has scope {scope!r}; use one of {', '.join(SCOPES)}")
        keys.append(Key(digest=digest.lower(), scope=scope or "read", name=name or f"key{number}"))
    return Keyring(keys, more_to_come=more_to_come)
