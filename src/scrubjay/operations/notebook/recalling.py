"""The default selector: the product's own recall over the descriptions and bodies of a notebook (CC-S3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from scrubjay.operations.recall.packing import FAINT
from scrubjay.ports import Listed
from scrubjay.types import Hit

DEPTH = 400
"""Pieces that are looked at: a memory of many sections has many."""

Search = Callable[[str, int], Sequence[Hit]]


class RecallSelector:
    """Ranks memories by the best of their pieces.

    ``search`` gives the best pieces for a question, at most so many; ``folders`` maps a scope to the folder in which
    its files lie within the notebook, whose own is the empty one.
    """

    def __init__(self, search: Search, folders: Mapping[str, str]) -> None:
        self._search = search
        self._folders = folders

    def select(self, query: str, candidates: Sequence[Listed], tools: Sequence[str], limit: int) -> list[str]:  # noqa: ARG002
        wanted = {header.filename for header in candidates}
        best: dict[str, float] = {}
        for hit in self._search(query, DEPTH):
            folder = self._folders.get(hit.record.scope, "")
            name = f"{folder}/{hit.path}" if folder else hit.path
            if name in wanted and hit.record.trust != "low":
                best[name] = max(best.get(name, 0.0), hit.score)
        top = max(best.values(), default=0.0)
        telling = [name for name, score in best.items() if score >= FAINT * top]
        return sorted(telling, key=lambda name: -best[name])[:limit]
