"""The local index: one SQLite file beside nothing it cannot rebuild (design §2.1, §4).

``SqliteIndex`` implements ``ports.Index``. The SQL lies in ``*.sql`` files, a name and a sentence to each query.
Importing this package loads apsw and nothing heavier; numpy is loaded by the first dense search.
"""

from scrubjay.index.sqlite.store import MEMORY, SqliteIndex

__all__ = ["MEMORY", "SqliteIndex"]
