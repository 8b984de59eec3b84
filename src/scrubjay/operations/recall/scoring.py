"""From a pool to probabilities: the network for the signals at hand, candidate by candidate.

A candidate without vectors (still waiting for them, or tool output that never gets any) is judged by its words; both
networks are calibrated, so that their probabilities compare.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scrubjay.operations.recall import features, fusion
from scrubjay.operations.recall.features import Floats, Pool

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Judged:
    """Probabilities [n] of the candidates, which of them no signal speaks for [n], whether the pool answers at all,
    and which signals spoke beside the words."""

    probabilities: Floats
    silent: Bools
    answerable: bool
    signals: tuple[str, ...]


def judge(pool: Pool) -> Judged:
    """Judges every candidate of ``pool`` by the richest signals it has."""
    values = features.compute(pool)
    mode = _mode(pool)
    verdict = fusion.load(mode).judge(values)
    wordless = np.asarray(values["cover_window"] <= 0)
    if mode == "lexical":
        return Judged(verdict.probabilities, wordless, not verdict.abstain, ())
    blind = _without_vectors(pool, mode)
    if not blind.any():
        return Judged(verdict.probabilities, blind, not verdict.abstain, (mode,))
    by_words = fusion.load("lexical").judge(values)
    probabilities = np.where(blind, by_words.probabilities, verdict.probabilities).astype(np.float32)
    if blind.all():
        return Judged(probabilities, wordless, not by_words.abstain, ())
    return Judged(probabilities, blind & wordless, not (verdict.abstain and by_words.abstain), (mode,))


def _mode(pool: Pool) -> fusion.Mode:
    if pool.similarities is not None and len(pool.similarities):
        return "interaction"
    return "dense" if pool.cosines is not None and pool.cosines.any() else "lexical"


def _without_vectors(pool: Pool, mode: fusion.Mode) -> Bools:
    if mode == "interaction" and pool.token_starts is not None:
        return np.asarray(np.diff(pool.token_starts)[: pool.count] == 0)
    assert pool.cosines is not None
    return np.asarray(pool.cosines[: pool.count] == 0)
