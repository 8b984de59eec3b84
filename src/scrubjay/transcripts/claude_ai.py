"""Claude.ai exports (TR-70, TR-71): conversations, and the memories the service keeps, as candidates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from scrubjay.ids import derived_id
from scrubjay.transcripts import exports, fences, fields
from scrubjay.transcripts.calls import call_text, is_recall, result_text
from scrubjay.transcripts.drafts import Draft, Piece, Said
from scrubjay.transcripts.fields import first, flag, identifier, listing, mapping, moment, text
from scrubjay.transcripts.reading import Context
from scrubjay.types import Session

SOURCE = "claude.ai"
MEMORIES = "claude.ai export"
_ARTIFACT = re.compile(r"</?antArtifact\b[^<>]{0,2000}>", re.IGNORECASE)
_SILENT = frozenset({"thinking", "redacted_thinking", "token_budget", "flag", "image", "voice_note"})
_PARAGRAPHS = re.compile(r"\n\s*\n")
_HEADING = re.compile(r"(?:#{1,6}\s+(.+)|\*\*([^*]+)\*\*:?)\s*")


def read(path: Path, context: Context, *, follow: bool = False) -> Iterator[Session]:
    """The conversations in an export, then its memories. Raises ``Refused``, ``Unavailable`` or ``Corrupt``."""
    projects = _projects(exports.beside(path, "projects.json", context, follow=follow))
    before = context.report.unchanged
    if path.name != "memories.json":
        for name, conversation in exports.conversations(path, context, follow=follow):
            id = identifier(conversation.get("uuid"))
            if not id or not isinstance(conversation.get("chat_messages"), list):
                context.report.problem(name, "holds an item that is no conversation")
                continue
            if session := _draft(conversation, id, projects, context).session(context.report):
                yield session
    if context.report.unchanged > before:
        return
    for memory in listing(exports.beside(path, "memories.json", context, follow=follow)):
        if session := _memories(mapping(memory), projects).session(context.report):
            yield session


def _projects(kept: Any) -> dict[str, str]:
    return {identifier(mapping(one).get("uuid")): fields.title(mapping(one).get("name")) for one in listing(kept)}


def _draft(conversation: dict[str, Any], id: str, projects: dict[str, str], context: Context) -> Draft:
    project = identifier(conversation.get("project_uuid"))
    title = fields.title(first(conversation, "name", "title"))
    meta: dict[str, Any] = {"kind": "main", "title_source": "name" if title else "", "project_id": project}
    meta |= {"project": projects.get(project, ""), "model": first(conversation, "model")}
    draft = Draft(id=id, source=SOURCE, title=title, meta=meta)
    draft.started = moment(conversation.get("created_at"), context.zone)
    draft.ended = moment(conversation.get("updated_at"), context.zone)
    messages = [mapping(one) for one in conversation["chat_messages"]]
    parent = None
    for message in path_of(messages, conversation.get("current_leaf_message_uuid")):
        for said in _messages(message, id, context):
            said.parent, parent = parent, said.pieces[0].id
            draft.said.append(said)
    if summary := text(conversation.get("summary")):
        meta_of_it = {"is_human": False, "derived": "summary"}
        draft.said.append(Said([Piece(f"{id}#summary", summary)], "system", draft.ended, meta=meta_of_it))
    return draft


def path_of(messages: Sequence[dict[str, Any]], leaf: Any) -> list[dict[str, Any]]:
    """The messages from the first to ``leaf`` by their parents; in the order they stand where none are named."""
    by_id = {id: message for message in messages if (id := identifier(message.get("uuid")))}
    linked = any(identifier(message.get("parent_message_uuid")) in by_id for message in messages)
    if not linked:
        return list(messages)
    id = identifier(leaf)
    if id not in by_id:
        id = identifier(messages[-1].get("uuid"))
    path: list[dict[str, Any]] = []
    seen: set[str] = set()
    while id in by_id and id not in seen:
        seen.add(id)
        path.append(by_id[id])
        id = identifier(by_id[id].get("parent_message_uuid"))
    return path[::-1]


def _messages(message: dict[str, Any], session: str, context: Context) -> Iterator[Said]:
    """What was said, with the text of what was attached; then calls and what they gave."""
    at = moment(message.get("created_at"), context.zone)
    human = message.get("sender") in ("human", "user")
    blocks = [mapping(block) for block in listing(message.get("content"))]
    spoken = [text(block.get("text")) for block in blocks if block.get("type") == "text"]
    said = "\n\n".join(part for part in spoken if part.strip()) or text(message.get("text"))
    stripped = fences.strip_blocks(_ARTIFACT.sub("", said))
    context.report.dropped.update(stripped.removed)
    id = identifier(message.get("uuid")) or derived_id(session, str(at), said)
    meta: dict[str, Any] = {"unclosed": sorted(set(stripped.unclosed))} if stripped.unclosed else {}
    if flag(message, "truncated"):
        meta["truncated"] = True
    if stripped.text.strip():
        role, more = ("user", {"is_human": True}) if human else ("assistant", {})
        yield Said([Piece(id, stripped.text)], "user" if role == "user" else "assistant", at, meta=meta | more)
    for number, one in enumerate(listing(message.get("attachments"))):
        file = mapping(one)
        if extracted := text(file.get("extracted_content")):
            about = {"part": "attachment", "file": fields.title(file.get("file_name"))}
            yield Said([Piece(f"{id}#file{number}", extracted)], "tool", at, meta=about)
    for number, block in enumerate(blocks):
        yield from _tool(block, f"{id}#{number}", message, context)


def _tool(block: dict[str, Any], id: str, message: dict[str, Any], context: Context) -> Iterator[Said]:
    kind, name = block.get("type"), text(block.get("name"))
    if kind == "text" or (isinstance(kind, str) and kind in _SILENT):
        context.report.dropped[str(kind)] += kind != "text"
        return
    if kind == "tool_use":
        words, part = call_text(name, block.get("input")), "call"
    elif kind == "tool_result":
        words, part = result_text(block.get("content")), "result"
    else:
        context.report.unfamiliar(f"block:{kind}" if isinstance(kind, str) else kind)
        return
    meta: dict[str, Any] = {"part": part, "tool": fields.title(name)}
    if flag(block, "is_error"):
        meta["is_error"] = True
    if is_recall(name):
        meta |= {"visible": False, "reason": "recall"}
    stripped = fences.strip_blocks(words)
    context.report.dropped.update(stripped.removed)
    if stripped.text.strip():
        at = moment(block.get("start_timestamp") or message.get("created_at"), context.zone)
        yield Said([Piece(id, stripped.text)], "tool", at, meta=meta)


def _memories(memory: dict[str, Any], projects: dict[str, str]) -> Draft:
    """What the service remembers, a candidate for each paragraph under its heading (TR-71)."""
    account = identifier(memory.get("account_uuid"))
    draft = Draft(id=f"memories-{account}" if account else "memories", source=SOURCE, title="Saved memories")
    draft.meta = {"kind": "memories", "title_source": MEMORIES}
    parts = [("context", "", text(memory.get("conversations_memory")))]
    for id, kept in mapping(memory.get("project_memories")).items():
        parts.append(("project", projects.get(id, "") or identifier(id), text(kept)))
    for kind, project, kept in parts:
        for heading, words in paragraphs(kept):
            meta = {"is_human": False, "candidate": kind, "source": MEMORIES, "project": project, "heading": heading}
            piece = Piece(derived_id(draft.id, kind, project, heading, words), words)
            draft.said.append(Said([piece], "system", meta={key: value for key, value in meta.items() if value != ""}))
    return draft


def paragraphs(kept: str) -> Iterator[tuple[str, str]]:
    """The paragraphs of ``kept``, each with the heading it stands under."""
    heading = ""
    for paragraph in _PARAGRAPHS.split(kept):
        rest = paragraph.strip()
        begin, _, after = rest.partition("\n")
        if found := _HEADING.fullmatch(begin.strip()):
            heading, rest = fields.title(found[1] or found[2]), after.strip()
        if rest:
            yield heading, rest
