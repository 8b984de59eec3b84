"""Dense search beyond what is ranked exactly: codes choose, filters widen the choice, caches follow the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from scrubjay.index.sqlite import SqliteIndex
from scrubjay.index.sqlite.database import Database
from scrubjay.index.sqlite.generation import Memory
from scrubjay.index.sqlite.nearest import Nearest
from scrubjay.ports import Filter, IndexedDocument, IndexedRecord, VectorRow
from scrubjay.types import LAYERS, Record

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
EVERYTHING = Filter(layers=frozenset(LAYERS), as_of=NOW, known_at=NOW)
COUNT, DIMENSIONS = 3_000, 100


def put_vectors(index: SqliteIndex, vectors: np.ndarray, path: str, first: int) -> None:
    """One record for each row of ``vectors``, said one minute after the other."""
    items = [
        IndexedRecord(
            record=Record(id=str(n), layer="chunks", path=path, text=f"{n}", at=NOW - timedelta(minutes=COUNT - n)),
            head=[],
            body=[str(n)],
            passage=str(n),
        )
        for n in range(first, first + len(vectors))
    ]
    with index.writing():
        index.put_document(IndexedDocument(path=path, hash="h", size=1, mtime_ns=1), items)
    waiting = index.pending("m", COUNT)
    index.put_vectors(
        "m", [VectorRow(key=row.key, vector=vectors[int(row.passage) - first].tobytes()) for row in waiting]
    )


@pytest.fixture(scope="module")
def vectors() -> np.ndarray:
    """int8 [n, d]: clusters around a common mean, as embeddings are."""
    rng = np.random.default_rng(7)
    centres = rng.normal(size=(30, DIMENSIONS))
    rows = (
        centres[rng.integers(0, 30, COUNT)] + 0.6 * rng.normal(size=(COUNT, DIMENSIONS)) + rng.normal(size=DIMENSIONS)
    )
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return np.rint(rows * 127).astype(np.int8)


@pytest.fixture(scope="module")
def full(vectors: np.ndarray) -> Iterator[SqliteIndex]:
    index = SqliteIndex(":memory:")
    for first in range(0, COUNT, 500):
        put_vectors(index, vectors[first : first + 500], f"{first}.md", first)
    yield index
    index.close()


def exact(vectors: np.ndarray, query: np.ndarray, last: int) -> list[int]:
    scores = vectors[:last].astype(np.float32) @ query
    return [int(place) for place in np.argsort(-scores, kind="stable")]


def found(index: SqliteIndex, query: np.ndarray, where: Filter, limit: int) -> list[int]:
    keys = index.dense(query, "m", where, limit)
    records = index.records(keys)
    return [int(records[key].id) for key in keys]


def test_codes_choose_well(full: SqliteIndex, vectors: np.ndarray) -> None:
    agreed = []
    for number in range(0, COUNT, 300):
        query = (vectors[number] / 127).astype(np.float32)
        near = found(full, query, EVERYTHING, 20)
        assert near[0] == number
        agreed.append(len(set(near) & set(exact(vectors, query, COUNT)[:20])))
    assert np.mean(agreed) > 18


@pytest.mark.parametrize("visible", [15, 200, 2_900])
def test_a_filter_that_hides_most_is_looked_through_to_the_end(
    full: SqliteIndex, vectors: np.ndarray, visible: int
) -> None:
    """F79: nothing is lost to a candidate limit, however few pass."""
    where = replace(EVERYTHING, as_of=NOW - timedelta(minutes=COUNT - visible + 1))
    query = (vectors[COUNT - 1] / 127).astype(np.float32)
    near = found(full, query, where, 20)
    assert len(near) == min(20, visible)
    assert max(near) < visible
    assert near[0] == exact(vectors, query, visible)[0]


def test_the_cache_grows_with_the_table(vectors: np.ndarray) -> None:
    """F34: at first from a mean of few, later from more; dropped records leave it, too."""
    index = SqliteIndex(":memory:")
    for first in range(0, 2_000, 500):
        put_vectors(index, vectors[first : first + 500], f"{first}.md", first)
        query = (vectors[first + 1] / 127).astype(np.float32)
        assert found(index, query, EVERYTHING, 5)[0] == first + 1
    with index.writing():
        for first in range(0, 1_500, 500):
            index.drop_document(f"{first}.md")
    assert min(found(index, query, EVERYTHING, 400)) >= 1_500
    index.close()


def test_an_empty_database_has_nothing_near() -> None:
    db = Database(Memory(), fingerprint="", busy_seconds=1)
    assert list(Nearest(db).search(np.ones(4, np.float32), "m", EVERYTHING, 3)) == []
    db.close()


def test_two_threads_share_one_cache(
    full: SqliteIndex, vectors: np.ndarray, in_threads: Callable[..., list[Any]]
) -> None:
    query = (vectors[42] / 127).astype(np.float32)
    assert in_threads(4, lambda: full.dense(query, "m", EVERYTHING, 1)) == [full.dense(query, "m", EVERYTHING, 1)] * 4
