"""ChatGPT exports (TR-60 … TR-63): conversations as trees, of which one path is what was said."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scrubjay.ids import derived_id
from scrubjay.transcripts import exports, fences, fields
from scrubjay.transcripts.calls import is_recall
from scrubjay.transcripts.drafts import Draft, Piece, Said
from scrubjay.transcripts.fields import first, flag, identifier, listing, mapping, moment, text
from scrubjay.transcripts.reading import Context
from scrubjay.types import Role, Session

SOURCE = "chatgpt"
_CITATION = re.compile("【[^【】\n]{0,200}†[^【】\n]{0,200}】|\ue200[^\ue201]{0,2000}\ue201|[\ue000-\uf8ff]")
_SILENT = frozenset({"tether_browsing_display", "thoughts", "reasoning_recap", "system_error", "sonic_webpage"})
_OF_TOOLS = frozenset({"execution_output", "tether_quote"})  # what a tool gave that is worth keeping
_KNOWN = _SILENT | _OF_TOOLS | {"text", "multimodal_text", "code", "user_editable_context"}
_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "tool": "tool", "system": "system"}


def read(path: Path, context: Context, *, follow: bool = False) -> Iterator[Session]:
    """The conversations in an export, one after another. Raises ``Refused``, ``Unavailable`` or ``Corrupt``."""
    for name, conversation in exports.conversations(path, context, follow=follow):
        nodes = mapping(conversation.get("mapping"))
        id = identifier(conversation.get("conversation_id")) or identifier(conversation.get("id"))
        if not nodes or not id:
            context.report.problem(name, "holds an item that is no conversation")
            continue
        if session := _draft(conversation, id, nodes, context).session(context.report):
            yield session


def _draft(conversation: dict[str, Any], id: str, nodes: dict[str, Any], context: Context) -> Draft:
    draft = Draft(id=id, source=SOURCE, title=fields.title(conversation.get("title")), meta={"kind": "main"})
    draft.started = moment(conversation.get("create_time"), context.zone)
    draft.ended = moment(conversation.get("update_time"), context.zone)
    draft.meta["title_source"] = "title" if draft.title else ""
    draft.meta["model"] = first(conversation, "default_model_slug")
    draft.meta["project"] = identifier(conversation.get("gizmo_id"))
    for key in ("is_archived", "is_starred"):
        if flag(conversation, key):
            draft.meta[key] = True
    if flag(conversation, "is_do_not_remember") or conversation.get("memory_scope") in ("none", "disabled"):
        draft.meta["do_not_remember"] = True
    parent: str | None = None
    for node in path_to(conversation.get("current_node"), nodes, context):
        said = _said(mapping(mapping(nodes[node]).get("message")), node, context)
        if said is None:
            continue
        if draft.meta.get("do_not_remember"):
            said.meta["do_not_remember"] = True
        said.parent, parent = parent, said.pieces[0].id
        draft.said.append(said)
    return draft


def path_to(current: Any, nodes: dict[str, Any], context: Context) -> list[str]:
    """The nodes from the root to ``current``; where that is missing, to the newest end (TR-60)."""
    node: Any = current if isinstance(current, str) and current in nodes else _newest_end(nodes, context)
    path: list[str] = []
    seen: set[str] = set()
    while isinstance(node, str) and node in nodes and node not in seen:
        seen.add(node)
        path.append(node)
        node = mapping(nodes[node]).get("parent")
    return path[::-1]


def _newest_end(nodes: dict[str, Any], context: Context) -> str:
    parents = {parent for node in nodes.values() if isinstance(parent := mapping(node).get("parent"), str)}
    ends = [id for id in nodes if id not in parents] or list(nodes)

    def age(id: str) -> tuple[float, int]:
        at = moment(mapping(mapping(nodes[id]).get("message")).get("create_time"), context.zone)
        return (at.timestamp() if at else 0.0, ends.index(id) if len(ends) < 1000 else 0)

    return max(ends, key=age)


def _said(message: dict[str, Any], node: str, context: Context) -> Said | None:
    content = mapping(message.get("content"))
    kind = text(content.get("content_type"))
    if message and kind not in _KNOWN:
        context.report.unfamiliar(f"content:{kind}")
    words = _words(content)
    stripped = fences.strip_blocks(_CITATION.sub("", words))
    if not stripped.text.strip():
        return None
    author, about = mapping(message.get("author")), mapping(message.get("metadata"))
    role = _ROLES.get(text(author.get("role")), "system")
    meta: dict[str, Any] = {"is_human": role == "user"} if role == "user" else {}
    if model := first(about, "model_slug"):
        meta["model"] = model
    if role == "tool" and (name := first(author, "name")):
        meta["tool"] = fields.title(name)
    if candidate := _candidate(message, role, kind, about):
        meta |= {"candidate": candidate, "is_human": False}
    elif reason := _hidden(message, role, kind, about):
        meta |= {"visible": False, "reason": reason}
    if stripped.unclosed:
        meta["unclosed"] = sorted(set(stripped.unclosed))
    id = identifier(message.get("id")) or identifier(node) or derived_id(words)
    return Said([Piece(id, stripped.text)], role, moment(message.get("create_time"), context.zone), meta=meta)


def _candidate(message: dict[str, Any], role: Role, kind: str, about: dict[str, Any]) -> str:
    """What the user had remembered on purpose: saved memories, and instructions for every conversation (TR-62)."""
    if role == "assistant" and message.get("recipient") == "bio":
        return "memory"
    return "instructions" if flag(about, "is_user_system_message") or kind == "user_editable_context" else ""


def _hidden(message: dict[str, Any], role: Role, kind: str, about: dict[str, Any]) -> str:
    """Why a message does not count as said (TR-62); empty if it does."""
    if flag(about, "is_visually_hidden_from_conversation"):
        return "hidden"
    if message.get("weight") == 0 and not isinstance(message.get("weight"), bool):
        return "weight"
    if kind in _SILENT:
        return kind
    if role == "system":
        return "system"
    if role == "assistant" and message.get("recipient") not in (None, "", "all"):
        return "recipient"
    if role == "tool" and (kind not in _OF_TOOLS or is_recall(text(mapping(message.get("author")).get("name")))):
        return "tool"
    return ""


def _words(content: dict[str, Any]) -> str:
    """The text of a message's content, whatever its parts are; pictures and sounds have none."""
    said = [text(part) if isinstance(part, str) else _part(mapping(part)) for part in listing(content.get("parts"))]
    said += [text(content.get(key)) for key in ("text", "result", "user_profile", "user_instructions")]
    said += [text(mapping(thought).get("content")) for thought in listing(content.get("thoughts"))]
    if isinstance(content.get("content"), str):
        said.append(text(content["content"]))
    return "\n\n".join(part for part in said if part.strip())


def _part(part: dict[str, Any]) -> str:
    return first(part, "text", "transcript")
