"""Tools as agents use them: a call and its result as text that can be read and searched."""

from __future__ import annotations

import json
import re
from typing import Any

from scrubjay.transcripts.fields import listing, mapping, text

_RECALL = re.compile(r"scrubjay|(?:^|__|[./:])search_(?:semantic_)?memory$", re.IGNORECASE)
_TEXTUAL = frozenset({"text", "input_text", "output_text", "inputText", "tool_reference"})
_DEPTH = 20  # of results inside results


def call_text(name: str, arguments: Any) -> str:
    """A call: the tool's name, then a line for each argument."""
    if isinstance(arguments, str):
        arguments = _unpacked(arguments)
    if isinstance(arguments, dict):
        lines = [f"{text(key)}: {_plain(value)}" for key, value in arguments.items()]
    else:
        lines = [_plain(arguments)] if arguments not in (None, "", []) else []
    return "\n".join([name or "tool", *lines])


def result_text(content: Any, depth: int = 0) -> str:
    """What a tool gave back: a string, blocks, or an object that holds either; pictures are left out."""
    if isinstance(content, str):
        return text(content)
    if depth > _DEPTH:
        return ""
    if isinstance(content, list):
        parts = [result_text(part, depth + 1) for part in content]
        return "\n".join(part for part in parts if part)
    record = mapping(content)
    kind = text(record.get("type"))
    if kind.endswith("image") or kind == "encrypted_content":
        return ""
    for key in ("text", "output", "content", "stdout", "result", "functionResponse", "response", "error"):
        if record.get(key) not in (None, "", [], {}):
            found = result_text(record[key], depth + 1)
            return "\n".join(part for part in (found, text(record.get("stderr"))) if part)
    return "" if not record or kind in _TEXTUAL else _plain(record)


def is_recall(name: str) -> bool:
    """Whether the tool called ``name`` answers from our own memory: that must not become new evidence (TR-7)."""
    return _RECALL.search(name) is not None


def blocks_text(content: Any, *kinds: str) -> str:
    """The text of a message's content: a string, or the blocks of these kinds (strings among them too)."""
    if isinstance(content, str):
        return text(content)
    parts = []
    for block in listing(content):
        record = mapping(block)
        if isinstance(block, str):
            parts.append(text(block))
        elif not kinds or record.get("type") in kinds:
            parts.append(text(record.get("text")))
    return "\n".join(part for part in parts if part.strip())


def _unpacked(arguments: str) -> Any:
    """Arguments that are JSON in a string, as some write them."""
    if arguments.lstrip()[:1] != "{":
        return text(arguments)
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return text(arguments)


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return text(value)
    try:
        return text(json.dumps(value, ensure_ascii=False))
    except (ValueError, RecursionError):
        return ""
