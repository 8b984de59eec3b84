"""The overviews of a vault, made from its files: ``index.md``, list of memories, ``memory-index.json`` (SM-31 … SM-35).

They are derived and never merged by hand: what they say is read from the memories, so that two branches that each add
one need no conflict work (F106). Only counters of retrievals live in the JSON first; ``flush`` moves them into the
files. A vault without the layout of SM-1 gets no overview.
"""

from __future__ import annotations

from scrubjay.operations.indices.counters import bump, flush
from scrubjay.operations.indices.entries import IndexEntry
from scrubjay.operations.indices.memories import entries
from scrubjay.operations.indices.regenerate import regenerate
from scrubjay.operations.indices.state import carry, changed, concern, fresh, old

__all__ = ["IndexEntry", "bump", "carry", "changed", "concern", "entries", "flush", "fresh", "old", "regenerate"]
