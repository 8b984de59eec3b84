"""Small documents to fill a local index with, and programs that do so in other processes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from scrubjay.index.sqlite import SqliteIndex
from scrubjay.ports import Filter, Index, IndexedDocument, IndexedRecord
from scrubjay.types import LAYERS, Record

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)

# What the programs below start with: an index in sys.argv[1] and a function that puts a document.
PRELUDE = """
import sys
from datetime import UTC, datetime
from scrubjay.index.sqlite import SqliteIndex
from scrubjay.ports import Filter, IndexedDocument, IndexedRecord
from scrubjay.types import LAYERS, Record

NOW = datetime(2026, 6, 1, tzinfo=UTC)
ALL = Filter(layers=frozenset(LAYERS), as_of=NOW, known_at=NOW)

def put(index, path, *texts):
    items = [
        IndexedRecord(record=Record(id=f"{path}#{n}", layer="chunks", path=path, text=text), head=[], body=text.split())
        for n, text in enumerate(texts)
    ]
    with index.writing():
        index.put_document(IndexedDocument(path=path, hash="h", size=1, mtime_ns=1), items)
"""


class Filler:
    """Puts documents of plain texts and looks for words."""

    everything = Filter(layers=frozenset(LAYERS), as_of=NOW, known_at=NOW)

    def put(self, index: Index, path: str, *texts: str, **fields: Any) -> None:
        with index.writing():
            self.put_inside(index, path, *texts, **fields)

    def put_inside(self, index: Index, path: str, *texts: str, **fields: Any) -> None:
        items = [
            IndexedRecord(
                record=Record(id=f"{path}#{n}", path=path, text=text, **{"layer": "chunks", **fields}),
                head=[],
                body=text.split(),
                passage=text,
            )
            for n, text in enumerate(texts)
        ]
        index.put_document(IndexedDocument(path=path, hash="h", size=1, mtime_ns=1), items)

    def find(self, index: Index, words: str) -> list[str]:
        keys = index.lexical(words.split(), self.everything, 1000)
        return sorted(record.text for record in index.records(keys).values())


@pytest.fixture
def filler() -> Filler:
    return Filler()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def open_index(folder: Path) -> Iterator[Callable[..., SqliteIndex]]:
    """Opens the index in ``folder``, as often as asked, and closes all of them afterwards."""
    opened: list[SqliteIndex] = []

    def open_(**options: Any) -> SqliteIndex:
        opened.append(SqliteIndex(folder, **options))
        return opened[-1]

    yield open_
    for index in opened:
        index.close()


@pytest.fixture
def start() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts a Python program after ``PRELUDE`` in another process; whatever still runs at the end is killed."""
    running: list[subprocess.Popen[str]] = []

    def start_(program: str, *arguments: object) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", PRELUDE + program, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        running.append(process)
        return process

    yield start_
    for process in running:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture
def in_threads() -> Callable[..., list[Any]]:
    """Calls a function in so many threads at once; returns what each call returned."""

    def run(count: int, call: Callable[[], Any]) -> list[Any]:
        with ThreadPoolExecutor(count) as pool:
            return [future.result() for future in [pool.submit(call) for _ in range(count)]]

    return run
