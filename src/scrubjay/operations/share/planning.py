"""What to do with each document, from what it was when both sides agreed and what it is on either side now.

A deletion wins over what stayed as it was, on every machine, and loses to a change made elsewhere since (F37).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Ids = Mapping[str, str]
"""Documents by path; equal ids are equal bytes."""


@dataclass(slots=True, kw_only=True)
class Plan:
    """Paths by what is to be done. ``take`` and ``give`` hold changes and new documents, ``drop`` and ``withdraw``
    deletions; ``keep`` those of ``take`` and ``give`` that the other side had deleted."""

    take: list[str] = field(default_factory=list)
    give: list[str] = field(default_factory=list)
    drop: list[str] = field(default_factory=list)
    withdraw: list[str] = field(default_factory=list)
    merge: list[str] = field(default_factory=list)
    keep: list[str] = field(default_factory=list)


def plan(base: Ids, ours: Ids, theirs: Ids) -> Plan:
    """The plan for every path that is anywhere, in order."""
    found = Plan()
    for path in sorted({*base, *ours, *theirs}):
        old, mine, yours = base.get(path), ours.get(path), theirs.get(path)
        if mine == yours:
            continue
        if mine == old:
            (found.drop if yours is None else found.take).append(path)
        elif yours == old:
            (found.withdraw if mine is None else found.give).append(path)
        elif mine is None or yours is None:
            (found.take if mine is None else found.give).append(path)
            found.keep.append(path)
        else:
            found.merge.append(path)
    return found
