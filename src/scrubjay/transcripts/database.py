"""SQLite files of other programs, read from a copy: theirs is never locked, changed or trusted."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from scrubjay.errors import Corrupt, Refused, Unavailable
from scrubjay.transcripts.places import open_file

MAGIC = b"SQLite format 3\x00"
MAX_VALUE = 32 * 1024 * 1024  # bytes; a larger value reads as nothing


class Database:
    """A copy that is open to be read. Values are text, decoded whatever they are, numbers, or ``None``."""

    def __init__(self, connection: sqlite3.Connection, name: str) -> None:
        self._connection = connection
        self._name = name

    def columns(self, table: str) -> frozenset[str]:
        """The columns of a table; none where it is missing, or is something other than a plain table."""
        kind = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ? AND sql NOT LIKE 'CREATE VIRTUAL%'"
        if not list(self.rows(kind, table)):
            return frozenset()
        return frozenset(str(row[0]) for row in self.rows("SELECT name FROM pragma_table_info(?)", table))

    def rows(self, query: str, *values: str | int) -> Iterator[tuple[str | int | float | None, ...]]:
        """The rows of a query. Raises ``Corrupt`` where the file is damaged."""
        try:
            for row in self._connection.execute(query, values):
                yield tuple(one if one is None or isinstance(one, str | int | float) else _decoded(one) for one in row)
        except (sqlite3.Error, OverflowError) as error:
            raise Corrupt(f"{self._name} is damaged: {error}.", hint="Let its program repair it.") from None


@contextmanager
def opened(path: Path, *, follow: bool = False) -> Iterator[Database]:
    """A copy of the database at ``path`` with what its log holds.

    Raises ``Refused`` and ``Unavailable`` as ``open_file`` does, ``Corrupt`` for what is no database.
    """
    with tempfile.TemporaryDirectory(prefix="scrubjay-") as folder:
        copy = Path(folder) / "copy.db"
        _copy(path, copy, follow=follow)
        for suffix in ("-wal", "-shm"):
            try:
                _copy(path.with_name(path.name + suffix), copy.with_name(copy.name + suffix), follow=False)
            except (Refused, Unavailable):
                continue
        try:
            connection = sqlite3.connect(f"{copy.as_uri()}?mode=ro", uri=True)
        except sqlite3.Error as error:
            raise Corrupt(f"{path.name} cannot be opened: {error}.", hint="Let its program repair it.") from None
        with closing(connection):
            connection.text_factory = _decoded
            connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
            try:
                for pragma in ("query_only = ON", "trusted_schema = OFF"):
                    connection.execute(f"PRAGMA {pragma}")
            except sqlite3.Error as error:
                raise Corrupt(f"{path.name} is no database: {error}.", hint="Check what it is.") from None
            yield Database(connection, path.name)


def text_columns(wanted: Sequence[str], there: frozenset[str]) -> str:
    """A list of columns for a SELECT: those not ``there`` read as NULL, and so do values that are too large."""
    parts = []
    for name in wanted:
        column = '"' + name + '"'
        parts.append(f"CASE WHEN length({column}) <= {MAX_VALUE} THEN {column} END" if name in there else "NULL")
    return ", ".join(parts)


def _copy(source: Path, target: Path, *, follow: bool) -> None:
    with open_file(source, follow=follow) as reading, target.open("wb") as writing:
        try:
            shutil.copyfileobj(reading, writing, 1 << 20)
        except OSError as error:
            raise Unavailable(f"{source.name} cannot be copied: {error.strerror}.", hint="Free some disk.") from None


def _decoded(value: bytes) -> str:
    return value.decode("utf-8", "replace")
