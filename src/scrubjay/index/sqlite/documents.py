"""Documents and their records: put, touch, move, drop (F28, F35, F36, F46; SEC-7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scrubjay.errors import Conflict, NotFound
from scrubjay.index.sqlite.columns import COLUMNS, encode, name_key
from scrubjay.index.sqlite.database import Database
from scrubjay.index.sqlite.statements import sql
from scrubjay.index.sqlite.weighing import clean
from scrubjay.ports import IndexedDocument, IndexedRecord
from scrubjay.types import Problem

# A record keeps its key, and with it its vector, exactly while its id and the hash of its passage stay the same. A key
# therefore names one passage for ever, and a vector that was computed meanwhile cannot land on another (F54).
_IDENTITY = 2
_PASSAGE = COLUMNS.index("passage")
_THREAD = COLUMNS.index("thread")

_Row = list[Any]


def documents(db: Database) -> Mapping[str, IndexedDocument]:
    """Every document by path."""
    return {row[0]: _document(row) for row in db.all(sql("documents", "all"))}


def document(db: Database, path: str) -> IndexedDocument | None:
    """The document at ``path``."""
    return _document_or_none(db.one(sql("documents", "one"), {"path": clean(path)}))


def document_with_id(db: Database, id: str) -> IndexedDocument | None:
    """The document whose own id is ``id``."""
    return _document_or_none(db.one(sql("documents", "named"), {"name": clean(id)}))


def with_hash(db: Database, hash: str) -> Sequence[str]:
    """Paths of documents with these bytes."""
    return [path for (path,) in db.all(sql("documents", "with hash"), {"hash": hash})]


def put(db: Database, document: IndexedDocument, items: Sequence[IndexedRecord], problems: Sequence[Problem]) -> None:
    """Replaces everything known of a document."""
    number = db.value(sql("documents", "save"), _bindings(document))
    db.all(sql("documents", "settle"), {"document": number})
    wanted = _last_of_each_id(db, number, items)
    stored = _stored(db, number)
    kept = {id_ for id_, (_, row) in stored.items() if id_ in wanted and _same_passage(row, wanted[id_][0])}
    _remove(db, [(id_, key) for id_, (key, _) in stored.items() if id_ not in kept], keep=wanted.keys())
    _displace_others(db, [id_ for id_ in wanted if id_ not in stored])
    threads = _threads(db, items)
    spare = bool(db.value(sql("documents", "spare left")))
    for id_, (row, item) in wanted.items():
        row[_THREAD] = threads.get(clean(item.record.thread))
        if id_ in kept:
            _update(db, *stored[id_], row, item)
        else:
            _insert(db, number, row, item, spare=spare)
    _note_problems(db, number, problems)


def touch(db: Database, document: IndexedDocument) -> None:
    """New size and time. Raises ``Conflict`` if the document is gone or its hash is another."""
    if db.value(sql("documents", "touch"), _bindings(document)) is None:
        raise Conflict(f"{document.path} is not indexed with these bytes.", hint="Run `scrubjay sync`.")


def move(db: Database, source: str, target: str) -> None:
    """Renames a path. Raises ``NotFound`` without the one and ``Conflict`` with the other."""
    if source == target:
        return
    if db.value(sql("documents", "number"), {"path": clean(target)}) is not None:
        raise Conflict(f"{target} is indexed already.", hint="Run `scrubjay sync`.")
    if db.value(sql("documents", "move"), {"source": clean(source), "target": clean(target)}) is None:
        raise NotFound(f"{source} is not indexed.", hint="Run `scrubjay sync`.")
    db.all(sql("jobs", "rename"), {"source": clean(source), "target": clean(target)})


def drop(db: Database, path: str) -> None:
    """Forgets all of a path, and the work that waits for it."""
    number = db.value(sql("documents", "number"), {"path": clean(path)})
    if number is None:
        return
    _remove(db, [(id_, key) for id_, (key, _) in _stored(db, number).items()], keep=())
    db.all(sql("documents", "settle"), {"document": number})
    db.all(sql("documents", "forget problems"), {"document": number})
    db.all(sql("documents", "remove"), {"document": number})
    db.all(sql("jobs", "forget"), {"key": clean(path)})


def problems(db: Database) -> Sequence[Problem]:
    """What is wrong with documents."""
    rows = db.all(sql("documents", "problems"))
    return [Problem(path=path, message=message, line=line) for path, message, line in rows]


# --- steps of put ---


def _last_of_each_id(
    db: Database, number: int, items: Sequence[IndexedRecord]
) -> dict[str, tuple[_Row, IndexedRecord]]:
    wanted: dict[str, tuple[_Row, IndexedRecord]] = {}
    for position, item in enumerate(items):
        row = encode(item, position=position)
        if row[0] in wanted:
            db.all(sql("documents", "displace"), {"id": row[0], "document": number})
        wanted[row[0]] = (row, item)
    return wanted


def _stored(db: Database, number: int) -> dict[str, tuple[int, _Row]]:
    query = sql("documents", "stored").format(columns=", ".join(COLUMNS))
    return {row[1]: (row[0], list(row[1:])) for row in db.all(query, {"document": number})}


def _same_passage(stored: Sequence[Any], wanted: Sequence[Any]) -> bool:
    return stored[:_IDENTITY] == wanted[:_IDENTITY] and (stored[_PASSAGE] is None) == (wanted[_PASSAGE] is None)


def _remove(db: Database, gone: Sequence[tuple[str, int]], *, keep: Any) -> None:
    for id_, key in gone:
        db.all(sql("documents", "delete"), {"key": key})
        if id_ not in keep:
            db.all(sql("documents", "bring back"), {"id": id_})
            db.all(sql("documents", "free"), {"id": id_})
            db.all(sql("jobs", "forget"), {"key": id_})


def _displace_others(db: Database, ids: Sequence[str]) -> None:
    for id_ in ids:
        found = db.one(sql("documents", "holder"), {"id": id_})
        if found is not None:
            key, other = found
            db.all(sql("documents", "displace"), {"id": id_, "document": other})
            db.all(sql("documents", "delete"), {"key": key})


def _threads(db: Database, items: Sequence[IndexedRecord]) -> dict[str, int]:
    names = {clean(item.record.thread) for item in items if item.record.thread}
    return {name: db.value(sql("documents", "thread"), {"name": name}) for name in names}


def _insert(db: Database, number: int, row: _Row, item: IndexedRecord, *, spare: bool) -> None:
    columns = ", ".join((*COLUMNS, "document"))
    places = ", ".join("?" * (len(COLUMNS) + 1))
    key = db.value(sql("documents", "insert").format(columns=columns, places=places), (*row, number))
    _tag(db, key, item)
    if spare and item.passage:
        for name in ("claim spare", "claim spare tokens"):
            db.all(sql("documents", name), {"key": key, "hash": row[1]})


def _update(db: Database, key: int, stored: _Row, row: _Row, item: IndexedRecord) -> None:
    if stored == row:
        return
    assignments = ", ".join(f"{column} = ?" for column in COLUMNS[_IDENTITY:])
    db.all(sql("documents", "update").format(assignments=assignments), (*row[_IDENTITY:], key))
    db.all(sql("documents", "untag"), {"key": key})
    _tag(db, key, item)


def _tag(db: Database, key: int, item: IndexedRecord) -> None:
    for tag in {name_key(tag) for tag in item.record.tags}:
        db.all(sql("documents", "tag"), {"key": key, "tag": tag})


def _note_problems(db: Database, number: int, problems: Sequence[Problem]) -> None:
    db.all(sql("documents", "forget problems"), {"document": number})
    for problem in problems:
        told = {"document": number, "line": problem.line, "message": clean(problem.message)}
        db.all(sql("documents", "add problem"), told)


def _bindings(document: IndexedDocument) -> dict[str, Any]:
    return {
        "path": clean(document.path),
        "hash": document.hash,
        "size": document.size,
        "mtime_ns": document.mtime_ns,
        "kind": document.kind,
        "name": clean(document.id),
    }


def _document(row: Sequence[Any]) -> IndexedDocument:
    path, hash_, size, mtime_ns, kind, name = row
    return IndexedDocument(path=path, hash=hash_, size=size, mtime_ns=mtime_ns, kind=kind, id=name)


def _document_or_none(row: Sequence[Any] | None) -> IndexedDocument | None:
    return None if row is None else _document(row)
