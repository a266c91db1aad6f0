"""Eight threads write and read one embedded store: nothing is lost, nothing raises."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from surefoot.core.types import Passage, SearchFilter
from surefoot.store.edge import EdgeStore
from surefoot.testing.embedding import HashingEmbedder

THREADS = 8


def hammer(folder: Path, more: Callable[[int], bool]) -> None:
    store, embedder = EdgeStore(folder / "store"), HashingEmbedder()
    errors: list[BaseException] = []
    kept: list[set[str]] = [set() for _ in range(THREADS)]

    async def work(thread: int) -> None:
        turn = 0
        while more(turn):
            ids = [f"t{thread}-{turn}-{n}" for n in range(5)]
            texts = [f"Thread {thread} wrote page {turn} part {n} about rent and fees" for n in range(5)]
            passages = [
                Passage(id=i, text=t, metadata={"file": f"{thread}.md"}) for i, t in zip(ids, texts, strict=True)
            ]
            vectors = embedder.embed(texts)
            await store.upsert(passages, vectors)
            kept[thread] |= set(ids)
            found = await store.dense(vectors[0], limit=5, where=SearchFilter(equals={"file": (f"{thread}.md",)}))
            assert found
            assert await store.lexical("rent fees", limit=5)
            await store.delete(ids[:1])
            kept[thread].discard(ids[0])
            assert {p.id for p in await store.get(ids)} == set(ids[1:])
            if turn % 25 == 24 and thread == 0:
                await store.optimise()
            turn += 1

    def run(thread: int) -> None:
        try:
            asyncio.run(work(thread))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []

    async def every() -> set[str]:
        return {passage.id async for page in store.scan() for passage in page}

    expected = set().union(*kept)
    assert asyncio.run(every()) == expected
    asyncio.run(store.close())
    again = EdgeStore(folder / "store")
    assert asyncio.run(again.count()) == len(expected)
    asyncio.run(again.close())


def test_eight_threads_lose_nothing(tmp_path: Path) -> None:
    hammer(tmp_path, lambda turn: turn < 12)


@pytest.mark.faults
def test_eight_threads_lose_nothing_for_a_minute(tmp_path: Path) -> None:
    end = time.monotonic() + 60
    hammer(tmp_path, lambda turn: time.monotonic() < end)
