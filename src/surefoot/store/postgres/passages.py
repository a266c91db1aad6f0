"""Passages in Postgres: dense vectors and BM25 as sparse vectors, both by pgvector.

The weights of words are those of the embedded engine, and inverse document frequency is taken from counts kept in the
same transaction as the words, by the same formula: equal scores, not merely a similar order.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core.errors import StoreError
from surefoot.core.passages import index_text
from surefoot.core.types import Json, Passage, ScoredPassage, SearchFilter
from surefoot.store.bm25 import MOST_WEIGHT, Bm25Encoder, Sparse
from surefoot.store.nearest import Hit, Proposed, first, scored
from surefoot.store.points import DATE, LABELS, conditions, passage_of, payload_of
from surefoot.store.postgres import binary, dense_index
from surefoot.store.postgres.database import PostgresDatabase

Vectors = NDArray[np.float32]

WRITE_BATCH = 1000
"""Passages of one transaction: each word's count is written once in it, however many of them have the word."""
DIMENSIONS = 1_000_000_000
"""Of a sparse vector, the most pgvector takes; words are numbered in the order they were first met."""
ALL = -1
"""The row of the words' table that counts the passages themselves; a word's hash is never negative."""
WRITING = "passages"
SOME = 1_000
"""Passages to look at first for a search by words; what they score says which common words need not be looked up."""
CLOSE = 1e-3
"""More than single precision does to a sum of weights."""


class PostgresStore:
    """Implements core.ports.PortableStore. Calls run in worker threads; every write is one transaction."""

    def __init__(self, database: PostgresDatabase, *, dimension: int | Callable[[], int] = 384) -> None:
        self._database, self._size = database, dimension
        self._bm25 = Bm25Encoder()
        self._checked = False

    async def upsert(self, passages: Sequence[Passage], vectors: Vectors) -> None:
        if len(passages) != len(vectors):
            raise StoreError(f"{len(passages)} passages came with {len(vectors)} vectors")
        unique = {passage.id: number for number, passage in enumerate(passages)}
        order = list(unique.values())
        for start in range(0, len(order), WRITE_BATCH):
            part = order[start : start + WRITE_BATCH]
            await asyncio.to_thread(self._write, [passages[number] for number in part], vectors[part])

    async def delete(self, ids: Sequence[str]) -> None:
        if ids:
            await asyncio.to_thread(self._delete, list(ids))

    async def get(self, ids: Sequence[str]) -> list[Passage]:
        """The passages that exist, in the order asked for."""
        if not ids:
            return []
        rows = await self._rows("SELECT id, payload FROM passages WHERE id = ANY(?::text[])", [list(ids)])
        found = {row[0]: _passage(row[1]) for row in rows}
        return [found[passage] for passage in ids if passage in found]

    async def dense(self, vector: Vectors, *, limit: int, where: SearchFilter | None = None) -> list[ScoredPassage]:
        asked = np.asarray(vector, dtype=np.float32).ravel()
        found = await asyncio.to_thread(first, lambda wanted: self._near(asked, wanted, where), limit=limit)
        return [
            ScoredPassage(passage=passage, score=score, dense=score, dense_rank=rank)
            for rank, (passage, score) in enumerate(found, start=1)
        ]

    async def lexical(self, text: str, *, limit: int, where: SearchFilter | None = None) -> list[ScoredPassage]:
        rows = await asyncio.to_thread(self._by_words, text, limit, where)
        return [
            ScoredPassage(passage=passage, score=score, lexical=score, lexical_rank=rank)
            for rank, (passage, score) in enumerate(_ranked(rows), start=1)
        ]

    async def count(self) -> int:
        return int((await self._rows("SELECT count(*) FROM passages", []))[0][0])

    async def scan(self, *, batch: int = 1000) -> AsyncIterator[list[Passage]]:
        async for page in self._pages("id, payload", batch):
            yield [_passage(row[1]) for row in page]

    async def export(self, *, batch: int = 500) -> AsyncIterator[tuple[list[Passage], Vectors]]:
        """Every passage with its vector, for copying to another store."""
        async for page in self._pages("id, payload, dense::text", batch):
            vectors = np.asarray([json.loads(row[2]) for row in page], dtype=np.float32)
            yield [_passage(row[1]) for row in page], vectors

    async def optimise(self) -> bool:
        """Makes the dense index once there are passages enough for one; the server tends it from then on."""
        await asyncio.to_thread(self._check)
        return await asyncio.to_thread(dense_index.make, self._database)

    async def finish(self, *, written: int) -> None:
        """Also after a load of nothing: the one before it may have been killed before its index was made."""
        await self.optimise()

    async def identity(self) -> str:
        """Of the schema: made anew, it has another."""
        return str((await self._rows("SELECT value FROM meta WHERE key = 'identity'", []))[0][0])

    async def close(self) -> None:
        await asyncio.to_thread(self._database.close)

    @property
    def _dimension(self) -> int:
        if callable(self._size):
            self._size = self._size()
        return self._size

    async def _rows(self, sql: str, values: Sequence[Any]) -> list[Any]:
        return await asyncio.to_thread(self._read, sql, values)

    def _read(self, sql: str, values: Sequence[Any]) -> list[Any]:
        self._check()
        with self._database.connection() as connection:
            rows: list[Any] = connection.execute(sql.replace("?", "%s"), values).fetchall()
            return rows

    def _check(self) -> None:
        """Refuses a schema filled by another embedder; the first to write says which size it is."""
        if self._checked:
            return
        with self._database.transaction() as db:
            db.execute("INSERT INTO meta VALUES ('dimension', ?) ON CONFLICT DO NOTHING", [str(self._dimension)])
            held = int(db.execute("SELECT value FROM meta WHERE key = 'dimension'").fetchone()[0])
        if held != self._dimension:
            raise StoreError(
                f"the store at {self._database.shown} holds other vectors than this embedder makes "
                f"({held} against {self._dimension}); name another with SUREFOOT_STORE_COLLECTION"
            )
        self._checked = True

    def _write(self, passages: Sequence[Passage], vectors: Vectors) -> None:
        self._check()
        words = [self._bm25.document(index_text(passage)) for passage in passages]
        ids = [passage.id for passage in passages]
        with self._database.transaction(alone=WRITING) as db:
            numbers = _numbered(db, {index for sparse in words for index in sparse.indices})
            weights = [_weights(sparse, numbers) for sparse in words]
            before = _counted(db, ids)
            if before[ALL]:
                db.execute("DELETE FROM passages WHERE id = ANY(?::text[])", [ids])  # and their words with them
            db.copy("passages", binary.table(map(_passage_row, passages, vectors)))
            db.copy("words", binary.table(map(_words_row, ids, weights)))
            after = Counter(term for one in weights for term in one) + Counter({ALL: len(ids)})
            _add(db, after, before)

    def _delete(self, ids: list[str]) -> None:
        self._check()
        with self._database.transaction(alone=WRITING) as db:
            before = _counted(db, ids)
            db.execute("DELETE FROM passages WHERE id = ANY(?::text[])", [ids])
            _add(db, Counter(), before)

    def _near(self, asked: Vectors, limit: int, where: SearchFilter | None) -> list[Hit]:
        size = self._dimension
        must, values = _where(where)
        rows = self._read(
            f"SELECT payload, vector_send(dense) FROM passages WHERE {must} "
            f"ORDER BY dense::vector({size}) <=> ?::vector({size}) LIMIT ?",
            [*values, _dense(asked), limit],
        )
        held = np.stack([_sent(row[1]) for row in rows]) if rows else np.zeros((0, size), np.float32)
        return scored(asked, Proposed(passages=[_passage(row[0]) for row in rows], vectors=held))

    def _by_words(self, text: str, limit: int, where: SearchFilter | None) -> list[Any]:
        asked = self._bm25.query(text)
        if not asked.indices:
            return []
        hashes = [ALL, *asked.indices]
        known = {
            row[0]: row[1:] for row in self._read("SELECT hash, id, passages FROM terms WHERE hash = ANY(?)", [hashes])
        }
        total = known.pop(ALL, (0, 0))[1]
        weights = {
            known[index][0]: value * _rarity(total, known[index][1])
            for index, value in zip(asked.indices, asked.values, strict=True)
            if index in known
        }
        if not weights:
            return []
        rarest = _rarest(dict(known.values()))
        found = self._having(rarest, weights, limit, where)
        least = min(row[1] for row in found) if len(found) == limit else 0.0
        needed = _needed(weights, least)
        return found if needed <= rarest else self._having(needed, weights, limit, where)

    def _having(
        self, terms: Iterable[int], weights: Mapping[int, float], limit: int, where: SearchFilter | None
    ) -> list[Any]:
        """The best of the passages that have one of these words, by the weights of all."""
        must, values = _where(where)
        inside = "" if must == "true" else f"AND id IN (SELECT id FROM passages WHERE {must})"
        return self._read(
            "SELECT p.payload, found.score FROM (SELECT id, -(weights <#> ?::sparsevec) AS score FROM words "
            f"WHERE terms && ?::integer[] {inside} ORDER BY score DESC, id LIMIT ?) "
            "AS found JOIN passages p USING (id)",
            [_sparse(weights), sorted(terms), *values, limit],
        )

    async def _pages(self, columns: str, batch: int) -> AsyncIterator[list[Any]]:
        last = ""
        while rows := await self._rows(
            f"SELECT {columns} FROM passages WHERE id > ? ORDER BY id LIMIT ?", [last, batch]
        ):
            yield rows
            last = rows[-1][0]


def _passage_row(passage: Passage, vector: Any) -> list[bytes | None]:
    payload = payload_of(passage)
    labels: Any = payload.pop(LABELS)
    day = payload.pop(DATE, None)
    return [
        binary.text(passage.id),
        binary.text(json.dumps(payload)),  # escaped: Postgres' text holds neither a zero byte nor half a character
        binary.texts([_storable(label) for label in labels]),
        binary.day(_day(str(day)) if day else None),
        binary.vector(vector),
    ]


def _words_row(passage: str, weights: Mapping[int, float]) -> list[bytes | None]:
    return [binary.text(passage), binary.integers(sorted(weights)), binary.sparse(weights, dimensions=DIMENSIONS)]


def _weights(words: Sparse, numbers: Mapping[int, int]) -> dict[int, float]:
    return {numbers[index]: value for index, value in zip(words.indices, words.values, strict=True)}


def _numbered(db: Any, hashes: Iterable[int]) -> dict[int, int]:
    """Each word's number; new ones are given theirs, which nobody else does meanwhile."""
    wanted = sorted(hashes)
    found = db.execute("SELECT hash, id FROM terms WHERE hash = ANY(?::bigint[])", [_array(wanted)]).fetchall()
    numbers = {int(row[0]): int(row[1]) for row in found}
    fresh = [index for index in wanted if index not in numbers]
    if fresh:
        made = db.execute("INSERT INTO terms (hash) SELECT unnest(?::bigint[]) RETURNING hash, id", [_array(fresh)])
        numbers |= {int(row[0]): int(row[1]) for row in made.fetchall()}
    return numbers


def _counted(db: Any, ids: Sequence[str]) -> Counter[int]:
    """In how many of these passages each word stands now, and how many of them there are."""
    held = db.execute("SELECT terms FROM words WHERE id = ANY(?::text[])", [list(ids)]).fetchall()
    return Counter(term for row in held for term in row[0]) + Counter({ALL: len(held)})


def _add(db: Any, after: Counter[int], before: Counter[int]) -> None:
    """The words' counts follow; the row that counts passages goes by its hash, which is no word's."""
    change = {term: after[term] - before[term] for term in after | before if after[term] != before[term]}
    total = change.pop(ALL, 0)
    db.execute(
        "INSERT INTO terms (hash, passages) VALUES (?, ?) ON CONFLICT (hash) DO UPDATE "
        "SET passages = terms.passages + excluded.passages",
        [ALL, total],
    )
    db.execute(
        "UPDATE terms SET passages = terms.passages + c.change FROM "
        "(SELECT unnest(?::integer[]) AS id, unnest(?::bigint[]) AS change) AS c WHERE terms.id = c.id",
        [_array(change), _array(change.values())],
    )


def _where(where: SearchFilter | None) -> tuple[str, list[Any]]:
    must, values = ["true"], list[Any]()
    for item in conditions(where):
        if "match" in item:
            must.append("labels && ?::text[]")
            values.append([_storable(label) for label in item["match"]["any"]])
        else:
            for bound, sign in (("gte", ">="), ("lte", "<=")):
                if bound in item["range"]:
                    must.append(f"day {sign} ?::date")
                    values.append(item["range"][bound])
    return " AND ".join(must[1:] or must), values


def _ranked(rows: Sequence[Any]) -> list[tuple[Passage, float]]:
    hits = [(_passage(row[0]), float(row[1])) for row in rows]
    return sorted(hits, key=lambda hit: (-hit[1], hit[0].id))


def _passage(payload: str) -> Passage:
    held: dict[str, Json] = json.loads(payload)
    return passage_of(held)


def _rarity(passages: int, having: int) -> float:
    """Inverse document frequency, as the embedded engine has it."""
    return math.log((passages - having + 0.5) / (having + 0.5) + 1)


def _rarest(having: Mapping[int, int]) -> set[int]:
    """The rarest words that stand in some passages together: where the best scores are likely to be."""
    chosen, passages = set[int](), 0
    for term in sorted(having, key=lambda term: having[term]):
        if passages >= SOME:
            break
        chosen.add(term)
        passages += having[term]
    return chosen


def _needed(weights: Mapping[int, float], least: float) -> set[int]:
    """The words of which every passage with a score of `least` or more has one: without them, none gets so far."""
    left = set(weights)
    reached = 0.0
    for term in sorted(weights, key=lambda term: weights[term]):
        reached += weights[term] * MOST_WEIGHT
        if reached >= least - CLOSE:
            break
        left.remove(term)
    return left


def _dense(vector: Any) -> str:
    return f"[{','.join(map(str, vector.tolist()))}]"


def _sent(raw: bytes) -> Vectors:
    """A vector as pgvector sends it: two short numbers, then its values, highest byte first."""
    return np.frombuffer(raw, dtype=">f4", offset=4).astype(np.float32)


def _sparse(weights: Mapping[int, float]) -> str:
    return f"{{{','.join(f'{term}:{weights[term]}' for term in sorted(weights))}}}/{DIMENSIONS}"


def _storable(label: str) -> str:
    return label.replace("\0", " ").encode("utf-8", "replace").decode()


def _array(numbers: Iterable[int]) -> str:
    """Thousands of them: as one text, not each turned into a text of its own."""
    return f"{{{','.join(map(str, numbers))}}}"


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
