"""Portable AI Memory 1.0 (spec §8.8, TR-80…TR-85): the neutral format between memory programs."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scrubjay.errors import BadInput
from scrubjay.ids import derived_id, is_id
from scrubjay.operations import native_types
from scrubjay.operations.facts import content_hash
from scrubjay.temporal import format_time, now, parse_time
from scrubjay.types import Fact, Interval, Note, Source

SCHEMA = "portable-ai-memory"
SCHEMA_VERSION = "1.0"
MAX_BYTES = 256 * 1024 * 1024

_TYPES = {
    "preference": "preference",
    "identity": "identity",
    "infrastructure": "environment",
    "config": "environment",
    "technique": "skill",
    "workflow": "skill",
    "pattern": "skill",
    "process": "instruction",
    "feedback": "instruction",
    "decision": "project",
    "project": "project",
    "todo": "goal",
    "reference": "context",
}
_CATEGORIES = {"preference": "Preference", "identity": "Identity", "environment": "Infrastructure", "goal": "TODO"}
_NOT_A_TAG = re.compile(r"[^a-z0-9_-]+")


def from_fact(fact: Fact) -> dict[str, Any]:
    """The memory object of a fact; the native category stays in ``metadata``."""
    status = "retracted" if fact.retracted else "active" if fact.current else "superseded"
    temporal = {
        "created_at": format_time(fact.recorded.start) or format_time(now()),
        "valid_from": format_time(fact.valid.start),
        "valid_until": format_time(fact.valid.end) or format_time(fact.superseded_from),
        "superseded_by": fact.superseded_by,
    }
    memory = _memory(fact.id, fact.text, fact.category, status, fact.tags)
    memory["temporal"] = {key: value for key, value in temporal.items() if value}
    memory["confidence"] = {"initial": fact.confidence, "current": fact.confidence, "decay_model": "none"}
    triple = {"subject": fact.subject, "predicate": fact.predicate, "object": fact.object}
    memory["metadata"].update({key: value for key, value in triple.items() if value})
    return memory


def from_note(note: Note) -> dict[str, Any]:
    """The memory object of a note."""
    memory = _memory(note.id, f"{note.title}\n\n{note.body.strip()}", note.native_type, "active", note.tags)
    memory["temporal"] = {"created_at": _moment(note.created), "updated_at": _moment(note.modified or note.created)}
    memory["metadata"]["topic"] = note.topic
    return memory


def to_fact(memory: Mapping[str, Any]) -> Fact:
    """The fact that a memory object stands for. Raises ``BadInput`` naming the field."""
    content = memory.get("content")
    if not isinstance(content, str) or not content.strip():
        raise BadInput("content is missing or empty")
    temporal = _mapping(memory.get("temporal"))
    metadata = _mapping(memory.get("metadata"))
    kind = str(memory.get("type") or "fact")
    closed = memory.get("status") in ("superseded", "retracted", "deprecated", "archived")
    given = str(memory.get("id") or "")
    until = _time(temporal, "valid_until")
    moment = _time(temporal, "updated_at") or _time(temporal, "created_at") or now()
    return Fact(
        id=given if is_id(given) else derived_id("pam", given or content),
        text=content,
        category=str(metadata.get("native_type") or _CATEGORIES.get(kind) or memory.get("custom_type") or kind.title()),
        confidence=_confidence(memory.get("confidence")),
        subject=_optional(metadata, "subject"),
        predicate=_optional(metadata, "predicate"),
        object=_optional(metadata, "object"),
        valid=Interval(start=_time(temporal, "valid_from"), end=until),
        recorded=Interval(start=_time(temporal, "created_at") or now(), end=moment if closed else None),
        retracted=memory.get("status") == "retracted",
        superseded_from=until if closed else None,
        superseded_by=_optional(temporal, "superseded_by"),
        tags=tuple(str(tag) for tag in memory.get("tags") or ()),
        source=Source(kind="import", ref=str(_mapping(memory.get("provenance")).get("platform") or "pam")),
    )


def dumps(memories: Sequence[Mapping[str, Any]], *, owner: str = "local") -> str:
    """The whole file, with its integrity block: SHA-256 over the RFC 8785 form of the memories sorted by id."""
    import rfc8785

    ordered = sorted(memories, key=lambda memory: str(memory["id"]))
    checksum = hashlib.sha256(rfc8785.dumps([dict(memory) for memory in ordered])).hexdigest()
    document = {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "owner": {"id": owner},
        "export_type": "full",
        "memories": ordered,
        "relations": _relations(ordered),
        "conversations_index": [],
        "integrity": {
            "canonicalization": "RFC8785",
            "checksum": f"sha256:{checksum}",
            "total_memories": len(ordered),
        },
    }
    return json.dumps(document, ensure_ascii=False, indent=2)


def loads(path: Path) -> list[dict[str, Any]]:
    """The memory objects of a PAM file. Raises ``BadInput`` naming what is wrong, also for a wrong checksum."""
    import rfc8785

    if path.stat().st_size > MAX_BYTES:
        raise BadInput(f"{path.name} is larger than 256 MB.")
    try:
        document = json.loads(path.read_text(encoding="utf-8-sig", errors="replace"))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path.name} is neither a bundle nor JSON: {error}.") from None
    if (
        not isinstance(document, dict)
        or document.get("schema") != SCHEMA
        or not isinstance(document.get("memories"), list)
    ):
        raise BadInput(f"{path.name} is not a Portable AI Memory file.", hint='It needs "schema" and "memories".')
    memories = [memory for memory in document["memories"] if isinstance(memory, dict)]
    expected = str(_mapping(document.get("integrity")).get("checksum") or "")
    if expected:
        ordered = sorted(memories, key=lambda memory: str(memory.get("id")))
        found = hashlib.sha256(rfc8785.dumps(ordered)).hexdigest()
        if expected.removeprefix("sha256:") != found:
            raise BadInput(f"{path.name}: integrity.checksum does not match its memories.", hint="Export it again.")
    return memories


def _memory(id: str, content: str, category: str, status: str, tags: Sequence[str]) -> dict[str, Any]:
    kind = _TYPES.get(category.casefold(), "fact")
    cleaned = (_NOT_A_TAG.sub("-", tag.casefold()).strip("-_") for tag in tags)
    return {
        "id": id,
        "type": kind,
        "content": content,
        "content_hash": content_hash(content),
        "status": status,
        "tags": [tag for tag in dict.fromkeys(cleaned) if tag],
        "provenance": {"platform": "scrubjay", "extraction_method": "manual"},
        "metadata": {"native_type": category, **native_types.counterparts(category)},
    }


def _relations(memories: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    ids = {memory["id"] for memory in memories}
    return [
        {"from": str(successor), "to": str(memory["id"]), "type": "supersedes"}
        for memory in memories
        if (successor := _mapping(memory.get("temporal")).get("superseded_by")) in ids
    ]


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _optional(values: Mapping[str, Any], key: str) -> str | None:
    return str(values[key]) if values.get(key) else None


def _time(values: Mapping[str, Any], key: str) -> Any:
    return parse_time(str(values[key])) if values.get(key) else None


def _moment(text: str) -> str:
    try:
        return format_time(parse_time(text))
    except BadInput:
        return format_time(now())


def _confidence(value: object) -> float:
    number = (
        _mapping(value).get("current", _mapping(value).get("initial", 0.9)) if not isinstance(value, float) else value
    )
    return min(1.0, max(0.0, float(number))) if isinstance(number, int | float) else 0.9
