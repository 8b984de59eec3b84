"""The warm memories of a server: one for each project that was asked about (HK-16).

A memory of one project never answers for another: which one is asked is decided by the folder that the client works
in, as ``Memory.open`` decides it.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrubjay.errors import BadInput, Unavailable
from scrubjay.interfaces.mcp.keeper import Keeper
from scrubjay.types import Hit, Layer
from scrubjay.vaults.identity import project_root

if TYPE_CHECKING:
    from scrubjay.memory import Memory

MOST = 3
"""Projects whose memories are kept open, each with its model."""
MOST_HITS = 20
MOST_PROMPT = 4_000
"""Characters of a prompt that are compared; a model reads no more of it."""
LIKELY = 0.08
"""Least probability of what is said to an agent that did not ask (F73, F84). In a store of five memories what answers
has 0.12 to 0.53 by meaning and 0.05 to 0.13 by words alone; what does not and is not abstained from had 0.05."""
LAYERS: frozenset[Layer] = frozenset({"facts", "notes", "episodes"})
_PATIENCE = 5.0  # seconds that a request waits for the one before it


class Memories:
    """Opens a memory when a project is first asked about. For use from any thread."""

    def __init__(self, opening: Callable[[str], Memory]) -> None:
        self._opening = opening
        self._keepers: OrderedDict[str, Keeper] = OrderedDict()
        self._busy = threading.Lock()

    def warm(self, cwd: str) -> None:
        """Opens the memory of ``cwd`` and loads its models, in the background."""
        self._keeper(cwd)

    def recall(self, prompt: str, *, cwd: str, limit: int, without: Collection[str]) -> dict[str, Any]:
        """Ids and lines of what bears on ``prompt``. Raises ``ScrubjayError``."""
        if not prompt.strip():
            return {"ids": [], "lines": []}
        if not self._busy.acquire(timeout=_PATIENCE):
            raise Unavailable("The server is busy.")
        try:
            keeper = self._keeper(cwd)
            limit = max(1, min(limit, MOST_HITS))
            found = keeper.memory().search(
                prompt[:MOST_PROMPT], limit=limit + len(without), layers=LAYERS, abstain=True
            )
            likely = (hit for hit in found.hits if hit.score >= LIKELY and hit.record.trust != "low")
            hits = [hit for hit in likely if hit.id not in without][:limit]
            return {"ids": [hit.id for hit in hits], "lines": [line(hit) for hit in hits]}
        finally:
            self._busy.release()

    def close(self) -> None:
        """Closes every memory."""
        while self._keepers:
            self._keepers.popitem()[1].close()

    def _keeper(self, cwd: str) -> Keeper:
        if not os.path.isabs(cwd) or "\x00" in cwd:
            raise BadInput("The folder must be an absolute path.")
        key = str(project_root(Path(cwd)) or "")
        keeper = self._keepers.get(key)
        if keeper is None:
            keeper = self._keepers[key] = Keeper(lambda: self._opening(cwd))
            keeper.start()
        self._keepers.move_to_end(key)
        while len(self._keepers) > MOST:
            self._keepers.popitem(last=False)[1].close()
        return keeper


def line(hit: Hit) -> str:
    """``hit`` as a hook shows what it found by itself."""
    from scrubjay.interfaces.hook import showing

    record = hit.record
    kind = record.category if record.layer == "facts" else record.title
    moment = record.valid.start or record.recorded.start or record.at
    until = f" until {record.valid.end:%Y-%m-%d}" if record.valid.end else ""
    dated = f"{moment:%Y-%m-%d}{until}" if moment else ""
    place = f"{record.scope or 'memory'}: {showing.one_line(record.path, 160)}:{record.line}"
    source = ", ".join(part for part in (place, dated, showing.one_line(hit.note, 80)) if part)
    lead = f"{showing.one_line(kind, 80)}: " if kind else ""
    return f"- {lead}{showing.one_line(showing.said(record.text, record.title), showing.MOST)} [{source}]"
