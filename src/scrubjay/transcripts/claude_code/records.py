"""One line of Claude Code as a record with types: who said what, and where it hangs in the tree (TR-2, TR-3, TR-4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any, Literal

from scrubjay.transcripts.calls import call_text, result_text
from scrubjay.transcripts.fields import first, flag, identifier, listing, mapping, moment, text
from scrubjay.transcripts.lines import Line
from scrubjay.transcripts.reading import Report

LINKED = frozenset({"user", "assistant", "progress", "system", "attachment"})  # records of the tree (TR-5)
TITLES = {"custom-title": "customTitle", "ai-title": "aiTitle", "last-prompt": "lastPrompt", "summary": "summary"}
KNOWN = (
    LINKED
    | frozenset(TITLES)
    | frozenset(
        """
        agent-name agent-color agent-setting atis-latch bridge-session content-replacement file-history-delta
        file-history-snapshot frame-link init mode permission-mode pr-link queue-operation relocated result started
        tag tool_result tool_use worktree-state attribution-snapshot context-collapse
        """.split()
    )
)
_SILENT_BLOCKS = frozenset({"thinking", "redacted_thinking", "image", "document", "server_tool_use", "fallback"})


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a message: what was said, a call of a tool, or what a tool gave back."""

    kind: Literal["text", "call", "result"]
    text: str
    call_id: str = ""
    tool: str = ""
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A line; what it does not say is empty. ``origin`` is who made it, where the host says so (``human``, …)."""

    start: int
    type: str
    uuid: str = ""
    parent: str = ""
    logical: str = ""
    session: str = ""
    agent: str = ""
    response: str = ""
    at: datetime | None = None
    blocks: tuple[Block, ...] = ()
    model: str = ""
    origin: str = ""
    forked: str = ""
    cwd: str = ""
    branch: str = ""
    version: str = ""
    title: str = ""
    leaf: str = ""
    sidechain: bool = False
    meta: bool = False
    compact: bool = False
    team: bool = False
    failed: bool = False
    boundary: bool = False

    @property
    def results_only(self) -> bool:
        """Whether it holds what tools gave back, and nothing else (TR-4)."""
        return bool(self.blocks) and all(block.kind == "result" for block in self.blocks)


def read(lines: Iterable[Line], zone: tzinfo, report: Report) -> Iterator[Record]:
    """The records in ``lines``; those of unknown types are counted."""
    for line in lines:
        value = line.value
        kind = value.get("type")
        if not isinstance(kind, str):
            # Early versions wrote no type; the role says as much.
            kind = text(mapping(value.get("message")).get("role")) or None
        if kind not in KNOWN:
            report.unfamiliar(kind)
            continue
        yield _record(value, str(kind), line.start, zone, report)


def _record(value: dict[str, Any], kind: str, start: int, zone: tzinfo, report: Report) -> Record:
    message = mapping(value.get("message"))
    kind, blocks, origin = _said(value, kind, message, report)
    return Record(
        start=start,
        type=kind,
        uuid=identifier(value.get("uuid")),
        parent=identifier(value.get("parentUuid")),
        logical=identifier(value.get("logicalParentUuid")),
        session=identifier(value.get("sessionId")),
        agent=identifier(value.get("agentId")),
        response=identifier(message.get("id")),
        at=moment(value.get("timestamp"), zone),
        blocks=blocks,
        model=text(message.get("model")),
        origin=origin,
        forked=identifier(mapping(value.get("forkedFrom")).get("sessionId")),
        cwd=first(value, "cwd"),
        branch=first(value, "gitBranch"),
        version=first(value, "version"),
        title=first(value, TITLES[kind]) if kind in TITLES else "",
        leaf=identifier(value.get("leafUuid")),
        sidechain=flag(value, "isSidechain"),
        meta=flag(value, "isMeta"),
        compact=flag(value, "isCompactSummary") or kind == "summary",
        team=bool(first(value, "teamName")),
        failed=flag(value, "isApiErrorMessage"),
        boundary=value.get("subtype") == "compact_boundary",
    )


def _said(
    value: dict[str, Any], kind: str, message: dict[str, Any], report: Report
) -> tuple[str, tuple[Block, ...], str]:
    """The type of the record, its blocks, and where it came from."""
    origin = text(mapping(value.get("origin")).get("kind"))
    if kind == "attachment":
        attached = mapping(value.get("attachment"))
        if attached.get("type") == "queued_command" and attached.get("commandMode") in (None, "prompt"):
            # What somebody typed while the agent was at work stands nowhere else.
            origin = text(mapping(attached.get("origin")).get("kind"))
            return "user", tuple(_blocks(attached.get("prompt"), report)), origin
        return kind, (), origin
    if kind in ("user", "assistant", "summary"):
        content = message.get("content") if message else value.get("message")
        return kind, tuple(_blocks(content, report)), origin
    if kind == "tool_use":
        name = text(value.get("name"))
        return "assistant", (Block("call", call_text(name, value.get("input")), tool=name),), origin
    if kind == "tool_result":
        return "user", (Block("result", result_text(value.get("output")), tool=text(value.get("name"))),), origin
    return kind, (), origin


def _blocks(content: Any, report: Report) -> Iterator[Block]:
    if isinstance(content, str):
        if content.strip():
            yield Block("text", text(content))
        return
    for part in listing(content):
        block = mapping(part)
        match block.get("type"):
            case "text":
                said = text(block.get("text"))
                if said.strip():
                    yield Block("text", said)
            case "tool_use" | "mcp_tool_use":
                name = text(block.get("name"))
                yield Block("call", call_text(name, block.get("input")), identifier(block.get("id")), name)
            case "tool_result" | "mcp_tool_result":
                given, call = result_text(block.get("content")), identifier(block.get("tool_use_id"))
                yield Block("result", given, call, failed=flag(block, "is_error"))
            case str() as kind if kind in _SILENT_BLOCKS:
                report.dropped[kind] += 1
            case kind:
                report.unfamiliar(f"block:{kind}" if isinstance(kind, str) else kind)
