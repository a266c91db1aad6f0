"""Readers of documents that many ingests of one test process share."""

from __future__ import annotations

from surefoot.ingest.isolation import ReaderPool

KEPT = 2


class KeptReaders(ReaderPool):
    """A few children stay for the next ingest, since each takes half a second to start; they die with their parent."""

    def close(self) -> None:
        with self._guard:
            self._idle, spare = self._idle[:KEPT], self._idle[KEPT:]
        for child in spare:
            child.end()


READERS = KeptReaders()
