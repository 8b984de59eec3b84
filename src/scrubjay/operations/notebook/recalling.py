"""The default selector: the product's own recall over the descriptions and bodies of a notebook (CC-S3)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from scrubjay.ports import Listed
from scrubjay.types import Hit

DEPTH = 400
"""Pieces that are looked at: a memory of many sections has many."""
TOGETHER = 5
"""Pieces of a memory that count together."""
SOFTNESS = 20
"""How little a place more or less counts where orders are merged (k of reciprocal rank fusion)."""

Search = Callable[[str, int], Sequence[Hit]]


class RecallSelector:
    """Ranks memories by their best piece, by their best pieces together, and by the piece nearest in meaning; the three
    orders are merged, for each finds some that the others miss.

    ``search`` gives the best pieces for a question, at most so many, or none where nothing bears on it; ``folders``
    maps a scope to the folder in which its files lie within the notebook, whose own is the empty one.
    """

    def __init__(self, search: Search, folders: Mapping[str, str]) -> None:
        self._search = search
        self._folders = folders

    def select(self, query: str, candidates: Sequence[Listed], tools: Sequence[str], limit: int) -> list[str]:  # noqa: ARG002
        """The names of the ``limit`` best."""
        pieces: dict[str, list[Hit]] = {}
        wanted = {header.filename for header in candidates}
        for hit in self._search(query, DEPTH):
            folder = self._folders.get(hit.record.scope, "")
            name = f"{folder}/{hit.path}" if folder else hit.path
            if name in wanted and hit.record.trust != "low":
                pieces.setdefault(name, []).append(hit)
        orders = [_ordered({name: of(hits) for name, hits in pieces.items()}) for of in (_best, _any_of, _nearest)]
        merged = _ordered({name: sum(1.0 / (SOFTNESS + order[name]) for order in orders) for name in pieces})
        return list(merged)[:limit]


def _best(hits: Sequence[Hit]) -> float:
    return max(hit.score for hit in hits)


def _any_of(hits: Sequence[Hit]) -> float:
    """The chance that any of the best pieces bears on the question."""
    scores = sorted((hit.score for hit in hits), reverse=True)
    return 1.0 - math.prod(1.0 - score for score in scores[:TOGETHER])


def _nearest(hits: Sequence[Hit]) -> float:
    """Greater, the nearer in meaning; where nothing was compared, nothing is near."""
    return -min(hit.ranks.get("dense", math.inf) for hit in hits)


def _ordered(scores: Mapping[str, float]) -> dict[str, int]:
    """The place of each name, the greatest score first; equal scores share theirs."""
    places: dict[str, int] = {}
    before, place = math.nan, 0
    for number, name in enumerate(sorted(scores, key=lambda name: -scores[name]), 1):
        place = place if scores[name] == before else number
        places[name], before = place, scores[name]
    return places
