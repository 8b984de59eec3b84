"""opencode (TR-50): sessions, messages and their parts, in SQLite or as a folder of JSON files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from scrubjay.errors import BadInput
from scrubjay.transcripts import database, fences, fields, lines, places
from scrubjay.transcripts.calls import call_text, is_recall, result_text
from scrubjay.transcripts.database import Database, text_columns
from scrubjay.transcripts.drafts import Draft, Piece, Said
from scrubjay.transcripts.fields import first, flag, identifier, mapping, moment, parse, text
from scrubjay.transcripts.reading import Context, Skipped
from scrubjay.types import Session

SOURCE = "opencode"
_SILENT = frozenset(
    {"reasoning", "file", "step-start", "step-finish", "patch", "snapshot", "agent", "retry", "subtask"}
)
_COLUMNS = ("id", "data", "project_id", "parent_id", "directory", "title", "version", "time_created", "time_updated")


class Store(Protocol):
    """Where sessions are kept: each method gives records as JSON has them, in order."""

    def sessions(self) -> Iterator[dict[str, Any]]: ...
    def messages(self, session: str) -> Iterator[dict[str, Any]]: ...
    def parts(self, message: str) -> Iterator[dict[str, Any]]: ...


def read(path: Path, context: Context, *, follow: bool = False) -> Iterator[Session]:
    """The sessions in ``opencode.db`` or below a storage folder. Raises ``Refused``, ``Unavailable``, ``Corrupt``."""
    if path.is_dir():
        folder = storage(path) or path
        if (database_file := folder.parent / "opencode.db").is_file():
            yield from read(database_file, context)
        yield from _sessions(_Folder(folder, context), context)
        return
    with lines.watched(path, context, follow=follow, beside=("-wal",)) as file:
        if file is not None:
            with database.opened(path, follow=follow) as opened:
                yield from _sessions(_Tables(opened, context), context)


def storage(folder: Path) -> Path | None:
    """The folder with sessions and messages: ``folder`` itself, or one below it where the program puts it."""
    for candidate in (folder, folder / "storage", folder / "opencode" / "storage"):
        below = [candidate / name for name in ("session", "message")]
        if all(one.is_dir() and not one.is_symlink() for one in below):
            return candidate
    return None


def _sessions(store: Store, context: Context) -> Iterator[Session]:
    for record in store.sessions():
        id = identifier(record.get("id"))
        if not id or id in context.seen:
            continue  # moved to the database, a session stays in the old folder as well
        context.seen.add(id)
        if session := _draft(id, record, store, context).session(context.report):
            yield session


def _draft(id: str, record: dict[str, Any], store: Store, context: Context) -> Draft:
    time = mapping(record.get("time"))
    parent = identifier(record.get("parentID"))
    draft = Draft(id=id, source=SOURCE, title=fields.title(record.get("title")))
    draft.meta = {"kind": "subagent" if parent else "main", "parent_id": parent, "cwd": first(record, "directory")}
    draft.meta |= {"project": identifier(record.get("projectID")), "version": first(record, "version")}
    draft.meta["title_source"] = "title" if draft.title else ""
    draft.started = moment(time.get("created"), context.zone)
    draft.ended = moment(time.get("updated"), context.zone)
    for message in store.messages(id):
        draft.said += _message(message, store, draft, context)
    return draft


def _message(message: dict[str, Any], store: Store, draft: Draft, context: Context) -> Iterator[Said]:
    """The texts of a message as one, then its calls and what they gave."""
    id, role = identifier(message.get("id")), message.get("role")
    if not id or role not in ("user", "assistant"):
        context.report.unfamiliar(f"role:{role}" if isinstance(role, str) else None)
        return
    at = moment(mapping(message.get("time")).get("created"), context.zone)
    model = first(message, "modelID") or first(mapping(message.get("model")), "modelID")
    meta: dict[str, Any] = {"model": model} if model and role == "assistant" else {}
    if role == "user":
        meta["is_human"] = draft.meta["kind"] == "main"
    if flag(message, "summary"):
        meta |= {"is_human": False, "derived": "compaction"}
    texts, tools = [], []
    for part in store.parts(id):
        kind = text(part.get("type"))
        if kind == "text":
            texts.append("" if flag(part, "synthetic") or flag(part, "ignored") else text(part.get("text")))
        elif kind == "tool":
            tools.append(part)
        elif kind in _SILENT or kind == "compaction":
            context.report.dropped[kind] += 1
        else:
            context.report.unfamiliar(f"part:{kind}")
    stripped = fences.strip_blocks("\n\n".join(one for one in texts if one.strip()))
    context.report.dropped.update(stripped.removed)
    if stripped.unclosed:
        meta["unclosed"] = sorted(set(stripped.unclosed))
    parent = identifier(message.get("parentID")) or None
    if stripped.text.strip():
        said_by = "system" if "derived" in meta else "user" if role == "user" else "assistant"
        yield Said([Piece(id, stripped.text)], said_by, at, parent, meta=meta)  # type: ignore[arg-type] # of these three
    for number, part in enumerate(tools):
        yield from _tool(f"{id}#{number}", part, at, id, context)


def _tool(fallback: str, part: dict[str, Any], at: Any, parent: str, context: Context) -> Iterator[Said]:
    state, name = mapping(part.get("state")), first(part, "tool")
    own = identifier(part.get("id")) or fallback
    at = moment(mapping(state.get("time")).get("start"), context.zone) or at
    meta: dict[str, Any] = {"tool": fields.title(name)} if name else {}
    if is_recall(name):
        meta |= {"visible": False, "reason": "recall"}
    piece = Piece(f"{own}#call", call_text(name, state.get("input")))
    yield Said([piece], "tool", at, parent, meta=meta | {"part": "call"})
    stripped = fences.strip_blocks(result_text(state.get("output")) or text(state.get("error")))
    context.report.dropped.update(stripped.removed)
    if stripped.text.strip():
        if state.get("status") == "error":
            meta = meta | {"is_error": True}
        yield Said([Piece(f"{own}#result", stripped.text)], "tool", at, parent, meta=meta | {"part": "result"})


class _Tables:
    """The database: what is queried stands in columns, the rest as JSON in ``data``."""

    def __init__(self, opened: Database, context: Context) -> None:
        self._opened = opened
        self._context = context

    def sessions(self) -> Iterator[dict[str, Any]]:
        for row in self._rows("session", "", ()):
            record = self._data(row)
            names = {"project_id": "projectID", "parent_id": "parentID"}
            record |= {names.get(key, key): row[key] for key in _COLUMNS[2:7] if row[key] is not None}
            stamps = {"created": row["time_created"], "updated": row["time_updated"]}
            record["time"] = mapping(record.get("time")) | {key: at for key, at in stamps.items() if at is not None}
            yield record

    def messages(self, session: str) -> Iterator[dict[str, Any]]:
        for row in self._rows("message", "session_id", (session,)):
            record = self._data(row)
            if row["time_created"] is not None:
                record.setdefault("time", {"created": row["time_created"]})
            yield record

    def parts(self, message: str) -> Iterator[dict[str, Any]]:
        for row in self._rows("part", "message_id", (message,)):
            yield self._data(row)

    def _rows(self, table: str, key: str, values: tuple[str, ...]) -> list[dict[str, Any]]:
        there = self._opened.columns(table)
        if "id" not in there or (key and key not in there):
            return []
        query = f"SELECT {text_columns(_COLUMNS, there)} FROM {table}"  # noqa: S608 - names of our own
        if key:
            query += f" WHERE {key} = ?"
        order = ["time_created"] if "time_created" in there else []
        query += f" ORDER BY {', '.join([*order, 'id'])}"
        return [dict(zip(_COLUMNS, row, strict=True)) for row in self._opened.rows(query, *values)]

    def _data(self, row: Mapping[str, Any]) -> dict[str, Any]:
        record: dict[str, Any] = {}
        if isinstance(row["data"], str):
            try:
                record = mapping(parse(row["data"]))
            except BadInput as error:
                self._context.report.problem(str(row["id"])[:80], error.message)
        return {**record, "id": row["id"]}


class _Folder:
    """The older store: a JSON file for each session, message and part."""

    def __init__(self, root: Path, context: Context) -> None:
        self._root = root
        self._context = context
        self._unsorted: dict[str, list[dict[str, Any]]] | None = None

    def sessions(self) -> Iterator[dict[str, Any]]:
        walk = places.Walk(self._root / "session", (".json",))
        yield from (record for place in walk if (record := self._read(place)))
        if walk.capped:
            self._context.report.skipped.append(Skipped(str(self._root), f"more than {walk.most} sessions"))

    def messages(self, session: str) -> Iterator[dict[str, Any]]:
        found = self._below("message", session)
        yield from sorted(found, key=lambda one: (self._created(one), identifier(one.get("id"))))

    def parts(self, message: str) -> Iterator[dict[str, Any]]:
        yield from self._below("part", message)
        yield from self._loose().get(message, [])

    def _loose(self) -> dict[str, list[dict[str, Any]]]:
        """The parts that lie in no folder of their message, by the message they name."""
        if self._unsorted is None:
            self._unsorted = {}
            for place in places.Walk(self._root / "part", (".json",), deep=False):
                record = self._read(place)
                self._unsorted.setdefault(identifier(record.get("messageID")), []).append(record)
        return self._unsorted

    def _created(self, message: dict[str, Any]) -> float:
        at = moment(mapping(message.get("time")).get("created"), self._context.zone)
        return at.timestamp() if at else 0.0

    def _below(self, kind: str, name: str) -> Iterator[dict[str, Any]]:
        if name in (".", "..") or os.sep in name or "/" in name or "\0" in name:
            return
        folder = self._root / kind / name
        if folder.is_dir() and not folder.is_symlink():
            yield from (record for place in places.Walk(folder, (".json",)) if (record := self._read(place)))

    def _read(self, place: places.Place) -> dict[str, Any]:
        self._context.report.files += 1
        try:
            return mapping(parse(places.small(place.path, database.MAX_VALUE)))
        except BadInput as error:
            self._context.report.problem(place.path.name, error.message)
            return {}
