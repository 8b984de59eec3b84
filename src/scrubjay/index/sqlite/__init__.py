"""The local index: one SQLite file beside nothing it cannot rebuild (design §2.1, §4).

``SqliteIndex`` implements ``ports.Index``; ``glance`` reads a little of it in a process that has no time. The SQL lies
in ``*.sql`` files, a name and a sentence to each query. Importing this package loads nothing: its names are loaded on
first use, apsw with them, and numpy by the first dense search.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scrubjay.index.sqlite.store import MEMORY, SqliteIndex

__all__ = ["MEMORY", "SqliteIndex"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from scrubjay.index.sqlite import store

        return getattr(store, name)
    raise AttributeError(f"module 'scrubjay.index.sqlite' has no attribute {name!r}")
