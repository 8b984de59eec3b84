"""Which fact a person means: its id, or the name of its file."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrubjay.memory import Memory


def fact_id(memory: Memory, name: str) -> str:
    """The id of the fact called ``name``; ``name`` itself where it is an id or names no file of a fact."""
    from scrubjay.errors import NotFound
    from scrubjay.ids import is_id

    if is_id(name):
        return name
    try:
        path = memory.show(name)[0].path
    except NotFound:
        return name
    known = memory.facts(include_superseded=True)
    return next((fact.id for fact in known if fact.path == path), name)
