"""The overviews of a vault, made from its files: ``index.md``, list of memories, ``memory-index.json`` (SM-31 … SM-35).

They are derived and never merged by hand: what they say is read from the notes, so that two branches that each add a
memory need no conflict work (F106). Only counters of retrievals live in the JSON first; ``flush`` moves them into the
files. Vaults without the numbered folders get no overview.
"""

from __future__ import annotations

from scrubjay.operations.indices.entries import IndexEntry
from scrubjay.operations.indices.regenerate import bump, changed, entries, flush, fresh, regenerate

__all__ = ["IndexEntry", "bump", "changed", "entries", "flush", "fresh", "regenerate"]
