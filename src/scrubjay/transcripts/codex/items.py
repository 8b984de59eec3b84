"""One line of a Codex rollout, whatever its generation, as one kind of item (TR-21, TR-22)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any, Literal

from scrubjay.errors import BadInput
from scrubjay.transcripts.calls import blocks_text, call_text, result_text
from scrubjay.transcripts.fields import first, identifier, mapping, moment, parse, text
from scrubjay.transcripts.lines import Line
from scrubjay.transcripts.reading import Report

Kind = Literal["meta", "context", "message", "call", "result", "typed", "told", "rollback", "compacted"]

_ENVELOPES = frozenset({"session_meta", "turn_context", "response_item", "event_msg", "compacted"})
_QUIET = frozenset({"world_state", "inter_agent_communication_metadata", "reasoning", "ghost_snapshot", "compaction"})
_QUIET_EVENTS = frozenset(
    """
    token_count turn_aborted context_compacted agent_reasoning agent_reasoning_raw_content task_started task_complete
    agent_reasoning_section_break web_search_end mcp_tool_call_end patch_apply_end exec_command_end item_completed
    thread_settings_applied sub_agent_activity image_generation_end thread_goal_updated entered_review_mode
    exited_review_mode thread_name_updated collab_agent_spawn_end collab_waiting_end collab_close_end
    collab_agent_interaction_end guardian_assessment view_image_tool_call dynamic_tool_call_request
    dynamic_tool_call_response error undo_completed turn.completed
    """.split()
)
_ROLES = {"user", "assistant", "system", "developer"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """What a line tells: ``kind`` says which of the other fields count. ``values`` are those of a ``meta`` item."""

    kind: Kind
    start: int
    at: datetime | None = None
    id: str = ""
    role: str = ""
    text: str = ""
    tool: str = ""
    turns: int = 0
    values: dict[str, Any] = field(default_factory=dict)


def read(lines: Iterable[Line], zone: tzinfo, report: Report) -> Iterator[Item]:
    """The items in ``lines``; those of unknown types are counted."""
    for index, line in enumerate(lines):
        value = line.value
        if "record_type" in value:
            continue  # the first generation's separators
        payload = value.get("payload")
        at = moment(value.get("timestamp"), zone)
        kind = value.get("type")
        if isinstance(payload, dict) and text(kind) in _ENVELOPES | _QUIET:
            item = _enveloped(str(kind), payload, line.start, at or moment(payload.get("timestamp"), zone), report)
        elif index == 0 and not isinstance(kind, str) and identifier(value.get("id")):
            item = Item(kind="meta", start=line.start, at=at, values=value)
        else:
            item = _response(value, line.start, at, report)
        if item:
            yield item


def _enveloped(kind: str, payload: dict[str, Any], start: int, at: datetime | None, report: Report) -> Item | None:
    match kind:
        case "session_meta":
            return Item(kind="meta", start=start, at=at, values=payload)
        case "turn_context":
            return Item(kind="context", start=start, at=at, values=payload)
        case "compacted":
            return Item(kind="compacted", start=start, at=at, text=text(payload.get("message")))
        case "event_msg":
            return _event(payload, start, at, report)
        case "response_item":
            return _response(payload, start, at, report)
    return None


def _event(payload: dict[str, Any], start: int, at: datetime | None, report: Report) -> Item | None:
    match payload.get("type"):
        case "user_message":
            return Item(kind="typed", start=start, at=at, text=text(payload.get("message")))
        case "agent_message":
            return Item(kind="told", start=start, at=at, text=text(payload.get("message")))
        case "thread_rolled_back":
            turns = payload.get("num_turns", payload.get("n", 1))
            number = turns if isinstance(turns, int) and not isinstance(turns, bool) else 1
            return Item(kind="rollback", start=start, at=at, turns=max(number, 0))
        case str() as kind if kind in _QUIET_EVENTS or kind.endswith(("_begin", "_delta")):
            return None
        case kind:
            report.unfamiliar(f"event_msg:{kind}" if isinstance(kind, str) else kind)
            return None


def _response(payload: dict[str, Any], start: int, at: datetime | None, report: Report) -> Item | None:
    kind = payload.get("type")
    own, call = identifier(payload.get("id")), identifier(payload.get("call_id"))
    name = first(payload, "name", "tool") or text(mapping(payload.get("function")).get("name"))
    if kind in (None, "message") and text(payload.get("role")) in _ROLES:
        said = blocks_text(payload.get("content"))
        return Item(kind="message", start=start, at=at, id=own, role=str(payload["role"]), text=said)
    if not isinstance(kind, str):
        report.unfamiliar(kind)
        return None
    if kind == "agent_message":
        said = blocks_text(payload.get("content"), "input_text", "output_text", "text")
        return Item(kind="message", start=start, at=at, id=own, role="agent", text=said)
    if kind in _QUIET:
        report.dropped[kind] += 1
        return None
    if kind.endswith("_call"):
        arguments = next(
            (payload[key] for key in ("arguments", "input", "action", "revised_prompt") if key in payload), ""
        )
        name = name or kind.removesuffix("_call")
        return Item(kind="call", start=start, at=at, id=call or own, text=call_text(name, arguments), tool=name)
    if kind.endswith(("_output", "_result")):
        given = next((payload[key] for key in ("output", "result", "tools") if key in payload), "")
        return Item(kind="result", start=start, at=at, id=call or own, text=_output(given), tool=name)
    report.unfamiliar(kind)
    return None


def _output(given: Any) -> str:
    """An output may be JSON in a string: ``{"output": "...", "metadata": {...}}``."""
    if isinstance(given, str) and given.startswith('{"output"'):
        try:
            return result_text(parse(given))
        except BadInput:
            return text(given)
    return result_text(given)
