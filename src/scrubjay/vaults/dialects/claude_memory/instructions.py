"""What a project's CLAUDE.md says, with what it imports, so that nothing of it is written down twice (HK-14, CC-F4).

It is never written. Imports that lead out of the project are passed over: a clone must not choose what is read (F112).
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from scrubjay.vaults.dialects.claude_memory import host

MOST_BYTES = 4 << 20
MOST_FILES = 50
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_IMPORT = re.compile(r"(?:^|\s)@([\w./~-]+)")
_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


def read(project: Path) -> str:
    """The text of ``CLAUDE.md`` and ``.claude/CLAUDE.md`` in ``project`` and of their imports, without comments."""
    root = Path(os.path.realpath(project))
    seen: set[Path] = set()
    places = (root / host.INSTRUCTIONS, root / host.FOLDER / host.INSTRUCTIONS)
    return "\n".join(part for place in places for part in _texts(place, root, seen, host.IMPORT_DEPTH))


def _texts(file: Path, root: Path, seen: set[Path], depth: int) -> list[str]:
    real = Path(os.path.realpath(file))
    if real in seen or len(seen) >= MOST_FILES or not real.is_relative_to(root):
        return []
    seen.add(real)
    try:
        status = os.lstat(real)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MOST_BYTES:
            return []
        text = _COMMENT.sub("", real.read_bytes().decode("utf-8", "replace"))
    except OSError:
        return []
    found = [text]
    if depth:
        for named in _IMPORT.findall(_CODE.sub("", text)):
            found += _texts(real.parent / named, root, seen, depth - 1)
    return found
