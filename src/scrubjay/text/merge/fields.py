"""Three versions of a frontmatter brought together, field by field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scrubjay.errors import BadInput
from scrubjay.text import frontmatter
from scrubjay.text.frontmatter import Frontmatter

LATEST = frozenset({"modified", "updated", "last_updated", "last_modified", "last_retrieved"})
"""Fields of which the later value holds."""

HIGHEST = frozenset({"retrieval_count"})
"""Counters, of which the higher value holds."""

Values = Mapping[str, object]


class _Missing:
    """The type of ``MISSING``."""


MISSING = _Missing()


class _ContradictionError(BadInput):
    """Both sides gave a field different values."""


def merged_block(base: Frontmatter, first: Frontmatter, second: Frontmatter) -> str | None:
    """The block with the fields that each side set; ``None`` when they set one to different values.

    The block is that of the side of which the least has to be changed, byte for byte in all else.
    """
    if first.block in (second.block, base.block):
        return second.block
    if second.block == base.block:
        return first.block
    before, one, other = map(_flat, (base.values, first.values, second.values))
    try:
        wanted = {
            name: _field(name, before, one, other) for name in [*one, *(name for name in other if name not in one)]
        }
    except _ContradictionError:
        return None
    sides = ((first, one), (second, other))
    changes, block = min(((_changes(wanted, values), side.block) for side, values in sides), key=lambda c: len(c[0]))
    try:
        return frontmatter.set_values(block, changes, create=True)
    except BadInput:
        return None


def _flat(values: Values) -> dict[str, object]:
    """``values`` with the fields of a block as ``block.field``."""
    flat: dict[str, object] = {}
    for name, value in values.items():
        if isinstance(value, Mapping) and value and not any("." in str(inner) for inner in value):
            flat.update({f"{name}.{inner}": each for inner, each in value.items()})
        else:
            flat[name] = value
    return flat


def _changes(wanted: Values, values: Values) -> dict[str, object]:
    """What has to be set or removed in ``values`` to have ``wanted``."""
    return {
        name: frontmatter.REMOVE if value is MISSING else value
        for name, value in wanted.items()
        if not _same(value, values.get(name, MISSING))
    }


def _field(name: str, before: Values, one: Values, other: Values) -> object:
    old, mine, yours = (values.get(name, MISSING) for values in (before, one, other))
    if _same(mine, yours) or _same(mine, old):
        return yours
    if _same(yours, old):
        return mine
    if mine is MISSING or yours is MISSING:
        return yours if mine is MISSING else mine
    own = name.rpartition(".")[2]
    if own in LATEST:
        return max(mine, yours, key=lambda value: "" if value is None else str(value))
    if own in HIGHEST and isinstance(mine, int) and isinstance(yours, int):
        return max(mine, yours)
    if isinstance(mine, list) and isinstance(yours, list):
        return _merged_list(old if isinstance(old, list) else [], mine, yours)
    raise _ContradictionError(f"{name} has two values.")


def _merged_list(old: Sequence[object], mine: Sequence[object], yours: Sequence[object]) -> list[object]:
    """What either added; what either took out is gone."""
    gone = [item for item in old if item not in mine or item not in yours]
    items = [item for item in [*mine, *yours] if item not in gone]
    once = [item for place, item in enumerate(items) if item not in items[:place]]
    # In the order of a side that has just these, so that merging once more changes nothing.
    return list(next((side for side in (mine, yours) if sorted(map(repr, side)) == sorted(map(repr, once))), once))


def _same(one: object, other: object) -> bool:
    """Equality that tells 1 from true."""
    return type(one) is type(other) and one == other
