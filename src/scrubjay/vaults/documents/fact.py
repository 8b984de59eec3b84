"""A fact as a document: frontmatter with both clocks, then the statement itself (design §4, 40-Facts)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from scrubjay.errors import BadInput
from scrubjay.temporal import format_time, parse_time
from scrubjay.text import frontmatter
from scrubjay.text.slug import file_slug
from scrubjay.types import Document, Fact, Interval, Source

FOLDER = "40-Facts"
KIND = "fact"


def write(fact: Fact) -> str:
    """The document of ``fact``; ``read`` gives the same fact back."""
    values: dict[str, object] = {
        "id": fact.id,
        "kind": KIND,
        "category": fact.category,
        "confidence": fact.confidence,
        "subject": fact.subject,
        "predicate": fact.predicate,
        "object": fact.object,
        "valid_from": format_time(fact.valid.start),
        "valid_to": format_time(fact.valid.end),
        "recorded": format_time(fact.recorded.start),
        "supersedes": fact.supersedes,
        "tags": list(fact.tags),
        "source": _source_value(fact.source),
    }
    kept = {key: value for key, value in values.items() if value not in (None, "", [])}
    return frontmatter.compose({**kept, **_closing(fact)}, "\n" + fact.text.strip("\n") + "\n")


def close(text: str, fact: Fact) -> str:
    """``text`` with only the lines changed that say how ``fact`` ended."""
    return frontmatter.set_values(text, _closing(fact))


def read(document: Document, *, scope: str = "user") -> Fact:
    """The fact in ``document``. Raises ``BadInput`` naming file and field when it cannot be one."""
    parsed = frontmatter.parse(document.text)
    values = parsed.values
    try:
        return Fact(
            id=_text(values, "id"),
            text=document.text[parsed.body_start :].strip("\n"),
            category=_text(values, "category") or "Fact",
            confidence=_confidence(values),
            subject=_text(values, "subject") or None,
            predicate=_text(values, "predicate") or None,
            object=_text(values, "object") or None,
            valid=Interval(start=_time(values, "valid_from"), end=_time(values, "valid_to")),
            recorded=Interval(start=_time(values, "recorded"), end=_time(values, "closed")),
            supersedes=_text(values, "supersedes") or None,
            superseded_by=_text(values, "superseded_by") or None,
            superseded_from=_time(values, "superseded_from"),
            retracted=_text(values, "retracted").lower() == "true",
            tags=strings(values.get("tags")),
            source=_source(values.get("source")),
            scope=scope,
            path=document.path,
        )
    except (BadInput, ValueError) as error:
        reason = error.message if isinstance(error, BadInput) else str(error)
        raise BadInput(
            f"{document.path}: {reason}", hint="Correct the frontmatter; the file was not changed."
        ) from None


def path_for(fact: Fact) -> str:
    """Where a new fact goes: ``40-Facts/<category>/<slug>.md``."""
    return f"{FOLDER}/{file_slug(fact.category, 'fact')}/{file_slug(fact.text, fact.id.lower())}.md"


def strings(value: object) -> tuple[str, ...]:
    """A frontmatter value as a tuple of strings: a list, a comma string or nothing."""
    if value is None or value == "":
        return ()
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    if isinstance(value, list | tuple):
        return tuple(str(part).strip() for part in value if str(part).strip())
    return (str(value),)


def _closing(fact: Fact) -> dict[str, object]:
    values: dict[str, object] = {}
    if fact.recorded.end is not None:
        values["closed"] = format_time(fact.recorded.end)
    if fact.superseded_by:
        values["superseded_by"] = fact.superseded_by
    if fact.superseded_from is not None:
        values["superseded_from"] = format_time(fact.superseded_from)
    if fact.retracted:
        values["retracted"] = True
    return values


def _source_value(source: Source) -> object:
    value = {"kind": source.kind, "ref": source.ref, "messages": ", ".join(source.message_ids)}
    return {key: part for key, part in value.items() if part}


def _source(value: object) -> Source:
    if isinstance(value, Mapping):
        return Source(
            kind=str(value.get("kind") or "user"),
            ref=str(value.get("ref") or ""),
            message_ids=strings(value.get("messages")),
        )
    return Source(kind=str(value)) if value else Source()


def _text(values: Mapping[str, object], key: str) -> str:
    value = values.get(key)
    return "" if value is None else str(value).strip()


def _confidence(values: Mapping[str, object]) -> float:
    text = _text(values, "confidence")
    try:
        return float(text) if text else 0.9
    except ValueError:
        raise BadInput(f"confidence: {text!r} is not a number.") from None


def _time(values: Mapping[str, object], key: str) -> datetime | None:
    text = _text(values, key)
    if not text:
        return None
    try:
        return parse_time(text)
    except BadInput:
        raise BadInput(f"{key}: {text!r} is not a time.") from None
