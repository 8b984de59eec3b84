"""Cursor (TR-40): conversations of the editor in its SQLite file, and its agents' transcripts in JSON Lines."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from scrubjay.errors import BadInput, ScrubjayError
from scrubjay.ids import derived_id
from scrubjay.transcripts import database, fences, fields, lines, places
from scrubjay.transcripts.calls import blocks_text, call_text, is_recall, result_text
from scrubjay.transcripts.database import MAX_VALUE, Database
from scrubjay.transcripts.drafts import Draft, Piece, Said
from scrubjay.transcripts.fields import first, identifier, listing, mapping, moment, parse, text
from scrubjay.transcripts.reading import Context, Skipped
from scrubjay.types import Session

SOURCE = "cursor"
_MOST_WORKSPACES = 1000
_QUERY = re.compile(r"</?user_query>")
_ONE = "SELECT CASE WHEN length(value) <= ? THEN value END FROM cursorDiskKV WHERE key = ?"
_COMPOSERS = "SELECT key FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;' ORDER BY key"


def read(path: Path, context: Context, *, follow: bool = False) -> Iterator[Session]:
    """The conversations in ``state.vscdb``. Raises ``Refused``, ``Unavailable`` or ``Corrupt``."""
    with lines.watched(path, context, follow=follow, beside=("-wal",)) as file:
        if file is None:
            return
        folders = _folders(path.absolute().parent.parent / "workspaceStorage", context)
        with database.opened(path, follow=follow) as opened:
            if not {"key", "value"} <= opened.columns("cursorDiskKV"):
                return
            for (key,) in list(opened.rows(_COMPOSERS)):
                id = str(key).partition(":")[2]
                if session := _draft(id, _value(opened, str(key), context), opened, folders, context).session(
                    context.report
                ):
                    yield session


def _value(opened: Database, key: str, context: Context) -> dict[str, Any]:
    for (value,) in opened.rows(_ONE, MAX_VALUE, key):
        if isinstance(value, str):
            try:
                return mapping(parse(value))
            except BadInput as error:
                context.report.problem(key[:80], error.message)
    return {}


def _draft(id: str, composer: dict[str, Any], opened: Database, folders: dict[str, str], context: Context) -> Draft:
    kind = "subagent" if mapping(composer.get("subagentInfo")) else "main"
    draft = Draft(id=identifier(id) or "composer", source=SOURCE, title=fields.title(composer.get("name")))
    draft.meta = {"kind": kind, "cwd": folders.get(id, ""), "title_source": "name" if draft.title else ""}
    draft.started = moment(composer.get("createdAt"), context.zone)
    parent = None
    for header in listing(composer.get("fullConversationHeadersOnly")) or listing(composer.get("conversation")):
        bubble = mapping(header)
        own = identifier(bubble.get("bubbleId"))
        if "text" not in bubble and own:
            bubble = {**bubble, **_value(opened, f"bubbleId:{id}:{own}", context)}
        for said in _bubble(own, bubble, draft, context):
            said.parent, parent = parent, said.pieces[0].id
            draft.said.append(said)
    return draft


def _bubble(own: str, bubble: dict[str, Any], draft: Draft, context: Context) -> Iterator[Said]:
    at = moment(bubble.get("createdAt"), context.zone)
    stripped = fences.strip_blocks(text(bubble.get("text")))
    context.report.dropped.update(stripped.removed)
    own = own or derived_id(draft.id, str(at), str(bubble.get("type")), stripped.text)
    meta: dict[str, Any] = {"unclosed": sorted(set(stripped.unclosed))} if stripped.unclosed else {}
    if stripped.text.strip():
        if bubble.get("type") == 1:
            yield Said([Piece(own, stripped.text)], "user", at, meta=meta | {"is_human": draft.meta["kind"] == "main"})
        elif bubble.get("type") == 2:
            model = first(mapping(bubble.get("modelInfo")), "modelName")
            yield Said([Piece(own, stripped.text)], "assistant", at, meta=meta | ({"model": model} if model else {}))
        else:
            kind = bubble.get("type")
            context.report.unfamiliar(f"bubble:{kind}" if isinstance(kind, int | str) else None)
    if bubble.get("thinking"):
        context.report.dropped["thinking"] += 1
    yield from _tool(own, mapping(bubble.get("toolFormerData")), at, context)


def _tool(own: str, used: dict[str, Any], at: Any, context: Context) -> Iterator[Said]:
    name = first(used, "name")
    if not name:
        return
    meta: dict[str, Any] = {"tool": fields.title(name)}
    if is_recall(name):
        meta |= {"visible": False, "reason": "recall"}
    arguments = used.get("rawArgs") or used.get("params")
    piece = Piece(f"{own}#call", call_text(name, arguments))
    yield Said([piece], "tool", at, meta=meta | {"part": "call"})
    stripped = fences.strip_blocks(result_text(used.get("result")))
    context.report.dropped.update(stripped.removed)
    if stripped.text.strip():
        if used.get("status") == "error":
            meta = meta | {"is_error": True}
        yield Said([Piece(f"{own}#result", stripped.text)], "tool", at, meta=meta | {"part": "result"})


def _folders(storage: Path, context: Context) -> dict[str, str]:
    """The folder each conversation was held in, from the workspaces beside the global file."""
    found: dict[str, str] = {}
    try:
        workspaces = sorted(entry.path for entry in os.scandir(storage) if entry.is_dir(follow_symlinks=False))
    except OSError:
        return found
    for workspace in workspaces[:_MOST_WORKSPACES]:
        where = Path(workspace)
        folder = _folder(where / "workspace.json")
        if not folder or not (where / "state.vscdb").is_file():
            continue
        try:
            with database.opened(where / "state.vscdb") as opened:
                found.update((id, folder) for id in _composers(opened))
        except ScrubjayError as error:
            context.report.skipped.append(Skipped(str(where / "state.vscdb"), error.message))
    return found


def _folder(path: Path) -> str:
    try:
        kept = mapping(parse(places.small(path)))
        place = urlsplit(first(kept, "folder", "workspace"))
    except (BadInput, ValueError):
        return ""
    return unquote(place.path) if place.scheme in ("", "file") else ""


def _composers(opened: Database) -> Iterator[str]:
    if {"key", "value"} <= opened.columns("ItemTable"):
        for (value,) in opened.rows("SELECT value FROM ItemTable WHERE key = 'composer.composerData'"):
            try:
                kept = mapping(parse(value)) if isinstance(value, str) else {}
            except BadInput:
                continue
            for composer in listing(kept.get("allComposers")):
                if id := identifier(mapping(composer).get("composerId")):
                    yield id


def read_agent(path: Path, context: Context, *, follow: bool = False) -> Iterator[Session]:
    """The session in an agent's transcript, as far as it is new. Raises ``Refused`` or ``Unavailable``."""

    def parsed(given: lines.Lines) -> lines.Parsed:
        draft = _agent(path)
        for line in given:
            for said in _spoken(line, draft, context):
                draft.said.append(said)
        if not given.since:
            prompt = next((said.pieces[0].text for said in draft.said if said.role == "user"), "")
            draft.title = fields.title(prompt)
            draft.meta["title_source"] = "prompt" if draft.title else ""
        return lines.Parsed([draft])

    yield from lines.sessions(path, context, parsed, follow=follow)


def _agent(path: Path) -> Draft:
    """The session that the path names; a sub-agent's stands in a folder of its own below its parent's."""
    folder = path.absolute().parent
    if folder.name != "subagents":
        return Draft(id=path.stem, source=SOURCE, meta={"kind": "main"})
    return Draft(id=path.stem, source=SOURCE, meta={"kind": "subagent", "parent_id": folder.parent.name})


def _spoken(line: lines.Line, draft: Draft, context: Context) -> Iterator[Said]:
    """A line says no id and no time: what it says and where it stands tell it from others."""
    record = line.value
    message, role = mapping(record.get("message")), record.get("role")
    if role not in ("user", "assistant"):
        if record.get("type") != "turn_ended":
            context.report.unfamiliar(record.get("type"))
        return
    content = message.get("content")
    stripped = fences.strip_blocks(_QUERY.sub("", blocks_text(content, "text")))
    context.report.dropped.update(stripped.removed)
    own = derived_id(draft.id, str(line.start), str(role))
    meta: dict[str, Any] = {"unclosed": sorted(set(stripped.unclosed))} if stripped.unclosed else {}
    at = moment(record.get("timestamp"), context.zone)
    if stripped.text.strip():
        if role == "user":
            meta["is_human"] = draft.meta["kind"] == "main"
        piece = Piece(own, stripped.text, line.start)
        yield Said([piece], "user" if role == "user" else "assistant", at, meta=meta)
    for number, one in enumerate(listing(content)):
        block = mapping(one)
        kind, name = block.get("type"), first(block, "name")
        if kind in ("tool_use", "tool_call"):
            words, about = call_text(name, block.get("input")), {"part": "call"}
        elif kind in ("tool_result", "tool-result"):
            words, about = fences.strip_blocks(result_text(block.get("content"))).text, {"part": "result"}
        else:
            if kind not in ("text", "thinking", "image"):
                context.report.unfamiliar(f"block:{kind}" if isinstance(kind, str) else None)
            continue
        about |= {"tool": fields.title(name)} if name else {}
        hidden: dict[str, Any] = {"visible": False, "reason": "recall"} if is_recall(name) else {}
        id = identifier(block.get("id")) or f"{own}#{number}"
        yield Said([Piece(id, words, line.start)], "tool", at, meta=about | hidden)
