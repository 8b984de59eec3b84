"""``ports.Filter`` as SQL: the conditions of ``filter.sql`` that a filter needs, and their values."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from scrubjay.index.sqlite.columns import micros, name_key
from scrubjay.index.sqlite.statements import sql
from scrubjay.ports import Filter
from scrubjay.types import LAYERS


@dataclass(frozen=True, slots=True)
class Conditions:
    """``sql`` holds on the table ``records``; ``narrow`` tells that few records may pass."""

    sql: str
    bindings: dict[str, Any]
    narrow: bool


def conditions(where: Filter) -> Conditions:
    """What ``where`` asks for. Equal to ``temporal.visible`` for facts (tested against it)."""
    names = ["recorded", "said"]
    bindings: dict[str, Any] = {"known_at": micros(where.known_at), "as_of": micros(where.as_of)}
    if not where.include_superseded:
        names.append("current")
    if where.layers != frozenset(LAYERS):
        names += ["layers"] if "chunks" in where.layers else ["layers", "not chunks"]
        bindings["layers"] = json.dumps(sorted(where.layers))
    if not where.include_low_trust:
        names.append("trusted")
    tags = sorted({name_key(tag) for tag in where.tags})
    if tags:
        names.append("tagged")
        bindings |= {"tags": json.dumps(tags), "tag_count": len(tags)}
    category = None if where.category is None else name_key(where.category)
    for name, value in (("category", category), ("since", micros(where.since)), ("until", micros(where.until))):
        if value is not None:
            names.append(name)
            bindings[name] = value
    narrow = bool({"layers", "tagged", "category", "since", "until"} & set(names))
    return Conditions("\nAND ".join(f"({sql('filter', name)})" for name in names), bindings, narrow)


def facts_only(where: Filter) -> Filter:
    """The same filter for facts alone."""
    return replace(where, layers=frozenset({"facts"}))
