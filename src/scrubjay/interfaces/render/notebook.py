"""A coding agent's notebook as lines of text for people, and as values for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from scrubjay.interfaces.render import objects
from scrubjay.interfaces.render.plain import alert, block, count, faint, one_line, strong
from scrubjay.vaults.dialects.claude_memory.host import INDEX_NAME, LINE_MOST
from scrubjay.vaults.dialects.claude_memory.topics import stamp

if TYPE_CHECKING:
    from scrubjay.memory.noting import Notebook
    from scrubjay.operations.notebook.checking import Check
    from scrubjay.operations.notebook.places import Seen
    from scrubjay.operations.notebook.running import Noted
    from scrubjay.operations.notebook.writing import Saved
    from scrubjay.types import Document, Operation
    from scrubjay.vaults.dialects.claude_memory.index import Entry

Object = dict[str, Any]

_SHOWN = 20
_DONE = {"created": "Saved", "updated": "Changed", "removed": "Removed", "known": "Nothing to change in"}


def listed(found: Notebook) -> str:
    """The manifest, as an agent reads it, and where it is from."""
    head = f"{strong(found.scope)}  {one_line(found.path)}"
    size = f"{count(len(found.headers), 'memory').replace('memorys', 'memories')}, {count(found.loaded.lines, 'line')}"
    elsewhere = f"; {found.elsewhere:,} more hold on other branches" if found.elsewhere else ""
    lines = [head, faint(f"{size} in {INDEX_NAME}{elsewhere}"), *map(one_line, found.manifest.splitlines())]
    return "\n".join(lines)


def listed_values(found: Notebook) -> Object:
    """The same with every header."""
    headers = [
        {
            "filename": one.filename,
            "path": str(one.path),
            "mtime_ms": one.mtime_ms,
            "description": one.description,
            "type": one.type,
            "branch": one.branch,
        }
        for one in found.headers
    ]
    index = [_entry(one) for one in found.index.entries]
    return {
        "scope": found.scope,
        "path": found.path,
        "memories": headers,
        "elsewhere": found.elsewhere,
        "index": index,
        "manifest": found.manifest,
    }


def loaded(found: Notebook) -> str:
    """What is loaded when a session starts."""
    return block(found.loaded.text) or f"{INDEX_NAME} is empty, or not there."


def loaded_values(found: Notebook) -> Object:
    """The same with its measure."""
    return {"scope": found.scope, "path": found.path, **asdict(found.loaded)}


def document(found: Document) -> str:
    """A topic file as it is."""
    return block(found.text).rstrip("\n")


def document_values(found: Document) -> Object:
    """The same with its place."""
    return objects.document(found)


def saved(found: Saved) -> str:
    """What was done with one memory."""
    lines = [f"{_DONE[found.action]} {strong(one_line(found.path))}"]
    if found.redacted:
        rules = ", ".join(dict.fromkeys(one.rule for one in found.redacted))
        lines.append(alert(f"Took out {count(len(found.redacted), 'secret')} first: {rules}."))
    if found.hidden:
        lines.append(f"{INDEX_NAME} was full: it no longer lists {', '.join(map(one_line, found.hidden))}.")
    return "\n".join(lines)


def saved_values(found: Saved) -> Object:
    """The same as JSON."""
    topic = found.topic
    return {
        "action": found.action,
        "path": found.path,
        "name": topic.name,
        "description": topic.description,
        "type": topic.type,
        "modified": stamp(topic.modified) if topic.modified else None,
        "operation": found.operation,
        "message": found.message,
        "hidden": list(found.hidden),
        "redacted": [asdict(one) for one in found.redacted],
    }


def check(found: Check, mended: Operation | None = None) -> str:
    """What is wrong with a notebook, a line each, and how to mend it."""
    lines = _some([f"{one_line(path)}: no line for it in {INDEX_NAME}" for path in found.missing])
    lines += _some([f"{INDEX_NAME}:{one.line}: no file {one_line(one.path)}" for one in found.dead])
    lines += _some([f"{INDEX_NAME}:{one.line}: {one_line(one.path)} again" for one in found.twice])
    lines += _some(
        [f"{INDEX_NAME}:{one.line}: {len(one.text)} characters, more than {LINE_MOST}" for one in found.overlong]
    )
    lines += _some([f"{one_line(one.path)}: {one_line(one.message)}" for one in found.problems])
    if found.message:
        lines.append(found.message)
    if found.hidden:
        lines.append(f"{count(len(found.hidden), 'file')} not listed on purpose; a search finds them.")
    if found.undescribed:
        lines.append(faint(f"{count(len(found.undescribed), 'file')} without a description or a type"))
    if found.prose:
        lines.append(faint(f"{count(len(found.prose), 'line')} of {INDEX_NAME} that are no entries"))
    if mended is not None:
        lines.insert(0, strong(f"Mended {INDEX_NAME}; `scrubjay undo` takes it back."))
    if found.missing or found.dead or found.twice:
        lines.append("`scrubjay notebook check --mend` brings the lines in line with the files.")
    return "\n".join(lines) or f"Healthy: {count(found.memories, 'file')}, {count(found.lines, 'line')}."


def check_values(found: Check, mended: Operation | None = None) -> Object:
    """The same as JSON, with everything."""
    return {
        "healthy": found.healthy,
        "mended": mended.id if mended is not None else None,
        "memories": found.memories,
        "lines": found.lines,
        "bytes": found.bytes,
        "message": found.message,
        "missing": list(found.missing),
        "hidden": list(found.hidden),
        "dead": [_entry(one) for one in found.dead],
        "twice": [_entry(one) for one in found.twice],
        "overlong": [_entry(one) for one in found.overlong],
        "prose": list(found.prose),
        "undescribed": list(found.undescribed),
        "problems": [objects.problem(one) for one in found.problems],
    }


def seen(found: Sequence[Seen]) -> str:
    """The notebooks that there are, a line each, for ``status``; empty where there is none."""
    there = [one for one in found if one.there]
    if not there:
        return ""
    lines = [strong("Notebooks of the agent")]
    for one in there:
        state = "on" if one.enabled else "off"
        size = count(one.memories, "memory").replace("memorys", "memories")
        lines.append(f"  {one_line(one.scope):<10} {size}, the agent's own memory is {state}")
        lines.append(faint(f"             {one_line(str(one.path))} ({one_line(one.why)})"))
    return "\n".join(lines)


def seen_values(found: Sequence[Seen]) -> list[Object]:
    """The same as JSON, also those that are not there yet."""
    return [{**asdict(one), "path": str(one.path)} for one in found]


def _some(lines: list[str]) -> list[str]:
    return lines[:_SHOWN] + ([f"and {len(lines) - _SHOWN:,} more"] if len(lines) > _SHOWN else [])


def _entry(one: Entry) -> Object:
    return {"line": one.line, "title": one.title, "path": one.path, "hook": one.hook, "pinned": one.pinned}


def noted(found: Noted) -> str:
    """What sessions left in the notebook."""
    lines = [f"+ {one_line(text)}" for text in found.added] + [f"- {one_line(text)}" for text in found.dropped]
    if not lines:
        return f"Nothing new was noted down. {found.reason}".strip()
    lines.append(f"in {', '.join(map(one_line, found.paths))}; `scrubjay undo {found.operation}` takes it back")
    return "\n".join(lines)


def noted_values(found: Noted) -> dict[str, Any]:
    """The same as JSON."""
    return {
        "added": list(found.added),
        "dropped": list(found.dropped),
        "paths": list(found.paths),
        "operation": found.operation,
        "waiting": found.waiting,
        "reason": found.reason,
    }
