"""What a record looks like: the keys and types by which each format is told."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from scrubjay.transcripts.claude_code import records
from scrubjay.transcripts.fields import identifier, mapping
from scrubjay.transcripts.formats import (
    CHATGPT,
    CLAUDE_AI,
    CLAUDE_CODE,
    CLAUDE_WEB,
    CODEX,
    CURSOR_AGENT,
    GEMINI,
    GEMINI_DOCUMENT,
    JSONL,
    Format,
)
from scrubjay.transcripts.jsonl import is_message

_CODEX_TYPES = frozenset({"session_meta", "turn_context", "response_item", "event_msg", "compacted"})
_CODEX_ITEMS = frozenset({"message", "function_call", "function_call_output", "reasoning", "local_shell_call"})
# Keys that tell a document whose beginning is all that was read; the order matters.
KEYS = (
    (re.compile(rb'"chat_messages"\s*:'), CLAUDE_AI),
    (re.compile(rb'"mapping"\s*:\s*\{'), CHATGPT),
    (re.compile(rb'"loglines"\s*:\s*\['), CLAUDE_WEB),
    (re.compile(rb'"projectHash"\s*:'), GEMINI_DOCUMENT),
)
LINE_KEYS = (
    (re.compile(rb'"type"\s*:\s*"(?:session_meta|response_item|event_msg|turn_context)"'), CODEX),
    (re.compile(rb'"(?:parentUuid|leafUuid)"\s*:'), CLAUDE_CODE),
    (re.compile(rb'"projectHash"\s*:'), GEMINI),
)


def of_document(record: dict[str, Any], path: Path) -> Format | None:
    """The format of a document, or of an item of one."""
    if isinstance(record.get("chat_messages"), list) or isinstance(record.get("conversations_memory"), str):
        return CLAUDE_AI
    if isinstance(record.get("mapping"), dict):
        return CHATGPT
    if isinstance(record.get("loglines"), list):
        return CLAUDE_WEB
    if isinstance(record.get("messages"), list) and (record.get("projectHash") or path.name.startswith("session-")):
        return GEMINI_DOCUMENT if identifier(record.get("sessionId")) else None
    return None


def of_line(record: dict[str, Any]) -> Format | None:
    """The format whose record this is."""
    kind, message = record.get("type"), record.get("message")
    kind = kind if isinstance(kind, str) else None
    if isinstance(record.get("messages") or record.get("loglines") or record.get("mapping"), list | dict):
        return None  # a whole document that stands on one line
    if _is_codex(record, kind):
        return CODEX
    if "$set" in record or "$rewindTo" in record or ("sessionId" in record and "projectHash" in record):
        return GEMINI
    if kind in ("gemini", "model", "user") and "id" in record and "content" in record and not isinstance(message, dict):
        return GEMINI
    if kind is None and record.get("role") in ("user", "assistant") and isinstance(message, dict):
        return CURSOR_AGENT
    return CLAUDE_CODE if _is_claude_code(record, kind, message) else None


def _is_codex(record: dict[str, Any], kind: Any) -> bool:
    if kind in _CODEX_TYPES and isinstance(record.get("payload"), dict):
        return True
    if record.get("record_type") == "state":
        return True
    if kind is None and identifier(record.get("id")) and "timestamp" in record:
        return "instructions" in record or "git" in record
    parts = record.get("content") if kind == "message" else None
    if isinstance(parts, list):
        return any(mapping(part).get("type") in ("input_text", "output_text") for part in parts)
    return kind in _CODEX_ITEMS and "call_id" in record


def _is_claude_code(record: dict[str, Any], kind: Any, message: Any) -> bool:
    if kind is None:
        return isinstance(message, dict) and "sessionId" in record
    if not isinstance(kind, str) or kind not in records.KNOWN:
        return False
    return isinstance(message, dict) or "uuid" in record or "leafUuid" in record or "sessionId" in record


def plain(objects: list[dict[str, Any]]) -> Format | None:
    return JSONL if any(is_message(record) for record in objects) else None


def of_beginning(head: bytes, keys: tuple[tuple[re.Pattern[bytes], Format], ...]) -> Format | None:
    return next((found for pattern, found in keys if pattern.search(head)), None)
