"""Records of a file as sessions: messages merged, marked with who said them, and whether they count (TR-5 … TR-10)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from scrubjay.ids import derived_id
from scrubjay.transcripts import fences, fields
from scrubjay.transcripts.calls import is_recall
from scrubjay.transcripts.claude_code.chain import abandoned
from scrubjay.transcripts.claude_code.records import Block, Record
from scrubjay.transcripts.drafts import Draft, Piece, Said
from scrubjay.transcripts.reading import Context
from scrubjay.types import Role

SOURCE = "claude-code"
_TITLE_ORDER = ("custom-title", "ai-title", "last-prompt", "summary")


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """What is known of a transcript before it is read: the session it should hold, and of what kind it is."""

    session: str
    kind: str = "main"
    agent: str = ""
    parent: str = ""
    agent_type: str = ""


@dataclass(slots=True)
class _Writing:
    """Drafts that grow record by record."""

    file: File
    context: Context
    dead: frozenset[str]
    drafts: dict[str, Draft] = field(default_factory=dict)
    replies: dict[tuple[str, str], Said] = field(default_factory=dict)
    tools: dict[str, str] = field(default_factory=dict)
    shown: dict[str, str] = field(default_factory=dict)  # the message that stands for a record, or for its parent


def drafts(
    records: Sequence[Record], file: File, context: Context, own: set[Hashable], *, resumed: bool = False
) -> list[Draft]:
    """The sessions in ``records``, which are all of ``file`` or, when ``resumed``, its new end.

    Records that another file had before (a fork, TR-9) are left out; what tells the others is added to ``own``. An
    id alone does not tell a record: two texts are two messages. In one file its first text is the right one.
    """
    uuids: set[str] = set()
    if file.kind == "main" and _all_beside(records):
        kind = "compaction" if any(record.agent.startswith("acompact") for record in records) else "subagent"
        file = File(session=file.session, kind=kind, parent=file.parent)
    dead = abandoned(records) if file.kind == "main" else frozenset()
    writing = _Writing(file, context, dead)
    for record in records:
        if record.uuid:
            key = (record.uuid, hash(record.blocks))
            if record.uuid in uuids or key in context.seen:
                context.report.dropped["repeated"] += 1
                continue
            uuids.add(record.uuid)
            own.add(key)
        draft = _draft(writing, record)
        _describe(draft, record)
        _add(writing, draft, record)
    for draft in writing.drafts.values():
        draft.title, draft.meta["title_source"] = _title(draft, records, file, resumed=resumed)
    return list(writing.drafts.values())


def _all_beside(records: Sequence[Record]) -> bool:
    spoken = [record for record in records if record.type in ("user", "assistant")]
    return bool(spoken) and all(record.sidechain and record.agent for record in spoken)


def _draft(writing: _Writing, record: Record) -> Draft:
    id, parent = _session(writing.file, record)
    draft = writing.drafts.get(id)
    if draft is None:
        meta: dict[str, Any] = {"kind": writing.file.kind, "parent_id": parent, "agent_type": writing.file.agent_type}
        draft = writing.drafts[id] = Draft(id=id, source=SOURCE, meta=meta)
    return draft


def _session(file: File, record: Record) -> tuple[str, str]:
    """The id of the session a record belongs to, and that of its parent.

    A record names its session; in a sub-agent's file it names the one that started the agent.
    """
    if file.kind == "main":
        return record.session or file.session, ""
    agent = f"agent-{record.agent or file.agent or file.session.removeprefix('agent-')}"
    parent = record.session if record.session and not record.session.startswith("agent-") else file.parent
    return (f"{parent}/{agent}" if parent else agent), parent


def _describe(draft: Draft, record: Record) -> None:
    """Takes over what a record says of its session: the first place, the last branch and version."""
    meta = draft.meta
    if record.cwd:
        meta.setdefault("cwd", record.cwd)
    if record.branch:
        meta["git_branch"] = record.branch
    if record.version:
        meta["version"] = record.version
    if record.forked:
        meta.setdefault("forked_from", record.forked)


def _add(writing: _Writing, draft: Draft, record: Record) -> None:
    """Adds what a record says, gave, or called, and remembers which message answers for it."""
    parent = writing.shown.get(record.parent, record.parent) or None
    made: list[str] = []
    texts = [block.text for block in record.blocks if block.kind == "text"]
    if texts and (id := _add_text(writing, draft, record, "\n\n".join(texts), parent)):
        made.append(id)
    for number, block in enumerate(block for block in record.blocks if block.kind != "text"):
        if id := _add_tool(writing, draft, record, block, number, made[-1] if made else parent):
            made.append(id)
    if record.uuid:
        writing.shown[record.uuid] = made[-1] if made else parent or ""


def _add_text(writing: _Writing, draft: Draft, record: Record, text: str, parent: str | None) -> str:
    stripped = fences.strip_blocks(text)
    writing.context.report.dropped.update(stripped.removed)
    if not stripped.text.strip():
        return ""
    id = record.uuid or derived_id(draft.id, record.type, str(record.at), text)
    role, meta = _speaker(writing.file, record, fences.is_of_host(text) or fences.is_of_host(stripped.text))
    if stripped.unclosed:
        meta["unclosed"] = sorted(set(stripped.unclosed))
    if record.uuid in writing.dead:
        meta["branch"] = "dead"
    piece = Piece(id, stripped.text, record.start)
    key = (draft.id, record.response)
    reply = writing.replies.get(key) if record.response and role == "assistant" else None
    if reply and reply.meta == meta:
        reply.pieces.append(piece)  # TR-6: one answer of the model, written down in parts
        return reply.pieces[0].id
    said = Said([piece], role, record.at, parent, meta=meta, undone=record.uuid in writing.dead)
    if record.response and role == "assistant":
        writing.replies[key] = said
    draft.said.append(said)
    return id


def _speaker(file: File, record: Record, host: bool) -> tuple[Role, dict[str, Any]]:
    """Who said it, and what is to be known about that (TR-7, TR-10); ``host`` is what shows that the host did."""
    meta: dict[str, Any] = {}
    if record.model:
        meta["model"] = record.model
    if reason := _hidden(file, record):
        meta |= {"visible": False, "reason": reason}
    if record.compact:
        return "system", meta | {"is_human": False, "derived": "compaction"}
    if record.type == "assistant":
        return "assistant", meta
    if record.meta or host:
        return "system", {"visible": False, "reason": "meta" if record.meta else "host"} | meta | {"is_human": False}
    if record.origin not in ("", "human"):
        return "system", meta | {"is_human": False, "origin": record.origin[:60]}
    return "user", meta | {"is_human": file.kind == "main" and not record.sidechain and not record.team}


def _hidden(file: File, record: Record) -> str:
    if file.kind == "compaction":
        return "compaction"
    if record.team:
        return "team"
    if record.failed:
        return "error"
    if record.meta and not record.results_only:
        return "meta"
    return "sidechain" if record.sidechain and file.kind == "main" else ""


def _add_tool(writing: _Writing, draft: Draft, record: Record, block: Block, number: int, parent: str | None) -> str:
    """A call is known by its own id, a result by its record's, or by that and its number where it is not alone."""
    alone = len(record.blocks) == 1
    own = record.uuid or derived_id(draft.id, record.type, str(record.at), block.text)
    if block.kind == "call":
        id = block.call_id or (own if alone else f"{own}#{number}")
        writing.tools[block.call_id or id] = block.tool
        name, kind = block.tool, "call"
    else:
        id = own if alone else f"{own}#{number}"
        name, kind = block.tool or writing.tools.get(block.call_id, ""), "result"
    stripped = fences.strip_blocks(block.text)
    writing.context.report.dropped.update(stripped.removed)
    if not stripped.text.strip():
        return ""
    meta: dict[str, Any] = {"part": kind}
    if name:
        meta["tool"] = fields.title(name)
    if block.failed:
        meta["is_error"] = True
    if is_recall(name):
        meta |= {"visible": False, "reason": "recall"}
    elif reason := _hidden(writing.file, record):
        meta |= {"visible": False, "reason": reason}
    if record.uuid in writing.dead:
        meta["branch"] = "dead"
    piece = Piece(id, stripped.text, record.start)
    draft.said.append(Said([piece], "tool", record.at, parent, meta=meta, undone=record.uuid in writing.dead))
    return id


def _title(draft: Draft, records: Sequence[Record], file: File, *, resumed: bool) -> tuple[str, str]:
    """The title and where it is from: what a person gave it, else a model, else the words it began with (TR-8)."""
    found: dict[str, str] = {}
    uuids = {record.uuid for record in records}
    summaries = [record for record in records if record.type == "summary" and record.title]
    for record in records:
        if record.type not in _TITLE_ORDER or not record.title or record.session not in ("", draft.id):
            continue
        if record.type != "summary" or record.leaf in uuids or len(summaries) == 1:
            found[record.type] = fields.title(record.title)
    for kind in _TITLE_ORDER:
        if found.get(kind):
            return found[kind], kind
    if resumed:
        return "", ""
    spoken = [said for said in draft.said if said.role == "user" and said.meta.get("visible", True)]
    human = [said for said in spoken if said.meta.get("is_human")] if file.kind == "main" else spoken
    return (fields.title(human[0].pieces[0].text), "prompt") if human else ("", "")
