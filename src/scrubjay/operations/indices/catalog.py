"""``memory-index.json``: every memory as a row (SM-34). What it says is derived, but for counters of retrievals.

A row stands on a line of its own. So a file in which git kept the lines of both sides, or left its marks, is no valid
JSON and still gives every counter (F49, F106).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from scrubjay.operations.indices.entries import (
    ACTIVE,
    TOMBSTONED,
    IndexEntry,
    day,
    line,
    number,
    with_counters,
    words,
)

PATH = "memory-index.json"
VERSION = "1.0.0"

_MOST_CHARACTERS = 64 * 1024 * 1024
_TEXTS = ("id", "path", "title", "summary", "topic", "category", "status", "hash")
# Lines of ours that are no rows: they may stand twice after a merge, and say nothing that the rows do not.
_FRAME = re.compile(
    r'\s*(?:[{}\[\]],?|\],?|"(?:version|generated_at|entry_count|total_tokens)": [^{}]*,|"entries": \[\]?|)\s*'
)


@dataclass(frozen=True, slots=True)
class Catalog:
    """What a ``memory-index.json`` says. ``whole`` is false where something in it could not be read; ``foreign`` is
    whether it is another program's file, which has this name and another structure."""

    entries: tuple[IndexEntry, ...] = ()
    whole: bool = True
    foreign: bool = False

    @property
    def by_id(self) -> dict[str, IndexEntry]:
        """The entries by id; of several with one id the higher counters."""
        merged: dict[str, IndexEntry] = {}
        for entry in self.entries:
            merged[entry.id] = with_counters(entry, merged.get(entry.id))
        return merged


def load(text: str) -> Catalog:
    """Reads either generation of the format: ``version`` a string or a number, ``entries`` a list or a mapping, dates
    or times. Of a torn file, or one that git merged line by line, the rows that are whole."""
    if len(text) > _MOST_CHARACTERS:
        return Catalog(whole=False)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return _catalog(_salvaged(text), whole=all(map(_expected, text.split("\n"))))
    found = value.get("entries") if isinstance(value, Mapping) else None
    listed = list(found.values()) if isinstance(found, Mapping) else found
    if not isinstance(listed, list):
        return Catalog(whole=False, foreign=bool(value))
    rows = [row for row in listed if isinstance(row, Mapping)]
    return _catalog(rows, whole=len(rows) == len(listed))


def dump(entries: Iterable[IndexEntry], *, prefix: str = "") -> str:
    """The file; ``prefix`` leads from the project's root to the vault.

    ``generated_at`` is the day of the newest change, so that the same memories give the same bytes everywhere.
    """
    rows = [_row(entry, prefix) for entry in entries]
    head = {
        "version": VERSION,
        "generated_at": max((row["modified"] or row["created"] for row in rows), default=""),
        "entry_count": len(rows),
        "total_tokens": sum(row["token_count"] for row in rows if row["status"] != TOMBSTONED),
    }
    fields = "".join(f"  {json.dumps(name)}: {json.dumps(value)},\n" for name, value in head.items())
    lines = ",\n".join(f"    {json.dumps(row, ensure_ascii=False)}" for row in rows)
    listed = f"[\n{lines}\n  ]" if rows else "[]"
    return f'{{\n{fields}  "entries": {listed}\n}}\n'


def _catalog(rows: Iterable[Mapping[str, Any]], *, whole: bool) -> Catalog:
    return Catalog(tuple(entry for row in rows if (entry := _entry(row)).id), whole=whole)


def _row(entry: IndexEntry, prefix: str) -> dict[str, Any]:
    """The fields of the format, ``tags`` for readers who want more than the first, and what the row was read from."""
    row: dict[str, Any] = {
        "id": entry.id,
        "path": prefix + entry.path,
        "title": entry.title,
        "summary": entry.summary,
        "topic": entry.topic,
        "category": entry.category,
        "tags": list(entry.tags),
        "keywords": list(entry.keywords),
        "token_count": entry.token_count,
        "created": entry.created,
        "modified": entry.modified,
        "last_retrieved": entry.last_retrieved,
        "retrieval_count": entry.retrieval_count,
        "status": entry.status,
    }
    if not entry.active:
        row |= {"tombstoned_at": entry.tombstoned_at, "tombstone_reason": entry.tombstone_reason}
    return row | {"hash": entry.hash}


def _entry(row: Mapping[str, Any]) -> IndexEntry:
    texts = {name: line(str(row.get(name) or "")) for name in _TEXTS}
    return IndexEntry(
        **{**texts, "status": texts["status"] or ACTIVE},
        tags=_words(row.get("tags")),
        keywords=_words(row.get("keywords")),
        token_count=number(row.get("token_count")),
        created=day(row.get("created")),
        modified=day(row.get("modified")),
        last_retrieved=day(row.get("last_retrieved")) or None,
        retrieval_count=number(row.get("retrieval_count")),
        tombstoned_at=day(row.get("tombstoned_at")) or None,
        tombstone_reason=line(str(row.get("tombstone_reason") or "")) or None,
    )


def _words(value: object) -> tuple[str, ...]:
    return words(map(str, value)) if isinstance(value, list) else ()


def _salvaged(text: str) -> Iterator[Mapping[str, Any]]:
    for each in text.split("\n"):
        row = _row_of(each)
        if row is not None:
            yield row


def _row_of(text: str) -> Mapping[str, Any] | None:
    bare = text.strip().removesuffix(",")
    if not (bare.startswith("{") and bare.endswith("}")):
        return None
    try:
        row = json.loads(bare)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, Mapping) and row.get("id") else None


def _expected(text: str) -> bool:
    return _FRAME.fullmatch(text) is not None or _row_of(text) is not None
