"""Readers of documents that many ingests of one test process share."""

from __future__ import annotations

from surefoot.ingest.isolation import ReaderPool


class KeptReaders(ReaderPool):
    """Its children stay for the next ingest, since each takes half a second to start; they die with their parent."""

    def close(self) -> None: ...


READERS = KeptReaders()
