"""Made-up secrets for tests, and whether one is anywhere on the disk; none is written down in a file of the tests."""

from __future__ import annotations

import random
import string
from pathlib import Path

_RANDOM = random.Random(23)
_WORD = string.ascii_letters + string.digits


def github_pat() -> str:
    return "ghp" + "_" + "".join(_RANDOM.choices(_WORD, k=36))


def password() -> str:
    return "q7" + "".join(_RANDOM.choices(_WORD, k=14))


def places_of(secret: str, *roots: Path) -> list[str]:
    """The files below ``roots``, indexes and trash included, that hold any long part of ``secret`` in any letter
    case, in their name or bytes."""
    parts = {secret[start : start + 12].lower().encode() for start in range(0, len(secret) - 11, 4)}
    found = []
    for root in roots:
        for path in root.rglob("*"):
            hay = path.name.lower().encode() + (path.read_bytes().lower() if path.is_file() else b"")
            if any(part in hay for part in parts):
                found.append(str(path))
    return found
