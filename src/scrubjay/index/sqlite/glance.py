"""A few rows of an index for a process that has no time: a hook of an agent's host (HK-16, design §8).

It opens the live database to read, waits for nobody, and loads apsw and nothing else of the index. What it cannot read
it raises as ``Unavailable``; nothing is ever mended or made here.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import apsw

from scrubjay.errors import Unavailable
from scrubjay.index.sqlite.statements import sql
from scrubjay.index.sqlite.weighing import affordable, folded, quoted, rarity, searchable

_LIVE = re.compile(r"index-\d{1,9}\.db")
_BUSY_MILLISECONDS = 20
# Rows by rank that are looked at before those that do not hold, or were only said, are left out.
_LOOKED_AT = 400


class Glimpse(NamedTuple):
    """One record as far as a hook shows it. Times are microseconds since 1970 UTC; ``path`` is the document's, with
    the ``size`` and ``mtime_ns`` it was indexed with; ``head`` and ``body`` are its lexemes."""

    id: str
    layer: str
    category: str
    title: str
    text: str
    since: int | None
    until: int | None
    line: int
    path: str
    size: int
    mtime_ns: int
    head: str
    body: str


class Counts(NamedTuple):
    """How many records and lexemes an index holds, and how many records hold each lexeme that was asked about."""

    records: int
    lexemes: int
    frequencies: Mapping[str, int]


class Glance:
    """The live index in ``folder``, open for reading. Raises ``Unavailable`` where there is none."""

    def __init__(self, folder: str) -> None:
        try:
            with open(os.path.join(folder, "current"), encoding="utf-8") as stream:
                name = stream.read(64).strip()
            if not _LIVE.fullmatch(name):
                raise Unavailable(f"There is no index in {folder}.", hint="Run `scrubjay sync`.")
            flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_NOFOLLOW
            self._connection = apsw.Connection(os.path.join(os.path.realpath(folder), name), flags=flags)
            self._connection.set_busy_timeout(_BUSY_MILLISECONDS)
            self._connection.execute("PRAGMA trusted_schema = 0; PRAGMA query_only = 1; PRAGMA cell_size_check = 1")
        except (OSError, ValueError, apsw.Error) as error:
            raise Unavailable(f"The index in {folder} cannot be read: {error}.") from error

    def close(self) -> None:
        """Lets go of the database. Closing twice is harmless."""
        self._connection.close()

    def facts(self, categories: Iterable[str], limit: int) -> list[Glimpse]:
        """Facts of ``categories`` (case folded) that hold now, the newest first."""
        return self._glimpses("facts", {"categories": json.dumps(list(categories)), "limit": limit})

    def notes(self, limit: int) -> list[Glimpse]:
        """Notes by their first section, the newest first."""
        return self._glimpses("notes", {"limit": limit})

    def counts(self, lexemes: Sequence[str]) -> Counts:
        """The numbers behind BM25."""
        asked = {lexeme: folded(lexeme) for lexeme in lexemes if searchable(lexeme)}
        records, total = next(iter(self._all(sql("glance", "totals"), {})), (0, 0))
        found = dict(self._all(sql("glance", "frequencies"), {"terms": json.dumps(list(set(asked.values())))}))
        return Counts(records, total, {lexeme: found.get(term, 0) for lexeme, term in asked.items()})

    def matching(self, counts: Counts, limit: int) -> list[Glimpse]:
        """What holds any of the lexemes of ``counts``, best first; a lexeme that nearly everything holds brings no
        candidates while rarer ones exist."""
        rarest = affordable({lexeme: count for lexeme, count in counts.frequencies.items() if count})
        if not rarest or limit < 1:
            return []
        match = " OR ".join(map(quoted, rarest))
        return self._glimpses("matching", {"match": match, "most": _LOOKED_AT, "limit": limit})

    def _glimpses(self, name: str, bindings: Mapping[str, Any]) -> list[Glimpse]:
        conditions = " AND ".join(f"({sql('filter', part)})" for part in ("recorded", "said", "current", "trusted"))
        now = time.time_ns() // 1_000
        query = sql("glance", name).format(conditions=conditions)
        return [Glimpse._make(row) for row in self._all(query, {"as_of": now, "known_at": now, **bindings})]

    def _all(self, query: str, bindings: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(query, bindings).fetchall()
        except apsw.Error as error:
            raise Unavailable(f"The index cannot be read: {error}.") from error


def weights(counts: Iterable[Counts]) -> dict[str, float]:
    """How much each lexeme says, over several indexes taken together."""
    counted = list(counts)
    total = sum(one.records for one in counted)
    names = {lexeme: None for one in counted for lexeme in one.frequencies}
    held = {name: sum(one.frequencies.get(name, 0) for one in counted) for name in names}
    return {name: rarity(min(count, total), total) for name, count in held.items()}
