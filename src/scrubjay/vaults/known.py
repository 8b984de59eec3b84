"""The id of a project that is known already, looked up without git and without writing: for hooks (HK-16, F101).

The same answer as ``projects.Projects.identify`` gives, or none. A path that now holds another repository than before
has none until the whole memory has been opened there: one project never sees what was kept for another.
"""

from __future__ import annotations

import json
import os
import unicodedata
from pathlib import Path

from scrubjay.vaults.identity import birthmark

TABLE = "aliases.json"
_MOST_BYTES = 8_000_000


def known_project(home: str, root: Path) -> str | None:
    """The id of the project at ``root`` (from ``identity.project_root``) in the table of ``home``, or ``None``."""
    table = _table(os.path.join(home, "projects", TABLE))
    mark = birthmark(root)
    alias = f"git:{mark}" if mark else f"path:{unicodedata.normalize('NFC', os.path.realpath(root))}"
    found = table.get(alias)
    return found if isinstance(found, str) and _is_name(found) else None


def _table(path: str) -> dict[str, object]:
    try:
        with open(path, "rb") as stream:
            table = json.loads(stream.read(_MOST_BYTES).decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return {}
    return table if isinstance(table, dict) else {}


def _is_name(id: str) -> bool:
    """Whether ``id`` is one plain folder name, as ``project_id`` gives it."""
    return 0 < len(id) <= 100 and id.isascii() and id.replace("-", "").isalnum()
