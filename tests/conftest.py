"""Generated examples may take their time: machines are shared, and no test asserts speed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest
from hypothesis import settings

from support.readers import READERS
from surefoot.ingest import ingestor

settings.register_profile("surefoot", deadline=None)
settings.load_profile("surefoot")


@pytest.fixture(scope="session", autouse=True)
def shared_readers() -> Iterator[None]:
    """Every house of a test process reads documents with the same children."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ingestor, "Ingestor", partial(ingestor.Ingestor, reader=READERS))
        yield
