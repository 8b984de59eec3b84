"""What a session was told already, so that it is not told again with every prompt (CC-S3)."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable

from scrubjay.interfaces.hook import record

MOST = 400
FOLDER = "shown"


def told(home: str, session: str) -> frozenset[str]:
    """The ids that ``session`` was told."""
    try:
        with open(_path(home, session), encoding="utf-8") as stream:
            ids = json.loads(stream.read(64_000))
    except (OSError, ValueError, RecursionError):
        return frozenset()
    return frozenset(id for id in ids if isinstance(id, str)) if isinstance(ids, list) else frozenset()


def tell(home: str, session: str, before: Iterable[str], ids: Iterable[str]) -> None:
    """Notes ``ids`` beside those of ``before``."""
    if session:
        kept = [*before, *ids][-MOST:]
        record.replace(_path(home, session), json.dumps(kept).encode())


def forget(home: str, session: str) -> None:
    """Begins anew: the context that held what was told is gone."""
    try:
        os.unlink(_path(home, session))
    except OSError:
        return


def _path(home: str, session: str) -> str:
    name = hashlib.sha256(session.encode("utf-8", "replace")).hexdigest()[:24]
    return os.path.join(record.folder(home), FOLDER, f"{name}.json")
