"""What is measured, as pure functions: rankings against evidence, probabilities against truth, times by percentile."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

CUTS = (5, 10, 20)
_NDCG_CUT = 10
_BINS = 10
_DIGITS = 4


def measure(ranked: Sequence[str], gold: Collection[str], cuts: Sequence[int] = CUTS) -> dict[str, float]:
    """How well ``ranked`` (best first, each name once) finds ``gold`` (not empty).

    ``recall@k`` is the share of the evidence among the first k, ``hit@k`` whether any of it is there, ``all@k``
    whether all is; ``mrr`` one over the place of the first; ``ndcg@10`` with every piece of evidence worth the same.
    """
    places = [place for place, name in enumerate(ranked, 1) if name in gold]
    values: dict[str, float] = {}
    for cut in cuts:
        found = sum(place <= cut for place in places)
        values[f"recall@{cut}"] = found / len(gold)
        values[f"hit@{cut}"] = float(found > 0)
        values[f"all@{cut}"] = float(found == len(gold))
    values["mrr"] = 1 / places[0] if places else 0.0
    values[f"ndcg@{_NDCG_CUT}"] = _ndcg(places, len(gold))
    return values


def means(rows: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each value over ``rows``, and how many they are."""
    listed = list(rows)
    if not listed:
        return {"n": 0}
    return {"n": len(listed), **{name: rounded(sum(row[name] for row in listed) / len(listed)) for name in listed[0]}}


def means_by(rows: Iterable[tuple[str, Mapping[str, float]]]) -> dict[str, dict[str, float]]:
    """``means`` of the rows of each name, in the order of the names."""
    grouped: dict[str, list[Mapping[str, float]]] = defaultdict(list)
    for name, row in rows:
        grouped[name].append(row)
    return {name: means(grouped[name]) for name in sorted(grouped)}


def calibration(judged: Iterable[tuple[float, bool]]) -> dict[str, Any]:
    """Probabilities against what was true: Brier score beside that of always saying the base rate, the expected
    calibration error, and for each tenth of the scale how many there were, what was said and what was true."""
    pairs = [(float(probability), float(true)) for probability, true in judged]
    if not pairs:
        return {"n": 0}
    rate = sum(true for _, true in pairs) / len(pairs)
    bins: list[list[tuple[float, float]]] = [[] for _ in range(_BINS)]
    for pair in pairs:
        bins[min(_BINS - 1, max(0, int(pair[0] * _BINS)))].append(pair)
    table = [_bin(number, members) for number, members in enumerate(bins)]
    error = sum(row["n"] * abs(row["said"] - row["true"]) for row in table if row["n"]) / len(pairs)
    return {
        "n": len(pairs),
        "base_rate": rounded(rate),
        "brier": rounded(sum((said - true) ** 2 for said, true in pairs) / len(pairs)),
        "brier_of_base_rate": rounded(rate * (1 - rate)),
        "ece": rounded(error),
        "table": table,
    }


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which ``share`` of ``values`` lie (nearest rank); 0 without values."""
    if not values:
        return 0.0
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def times(milliseconds: Sequence[float]) -> dict[str, float]:
    """The median and the 95th percentile."""
    return {"p50": rounded(percentile(milliseconds, 0.5)), "p95": rounded(percentile(milliseconds, 0.95))}


def rounded(value: float) -> float:
    """``value`` with as many digits as are worth reading."""
    return round(value, _DIGITS)


def _ndcg(places: Sequence[int], golds: int) -> float:
    gained = sum(1 / math.log2(place + 1) for place in places if place <= _NDCG_CUT)
    ideal = sum(1 / math.log2(place + 1) for place in range(1, min(golds, _NDCG_CUT) + 1))
    return gained / ideal


def _bin(number: int, members: Sequence[tuple[float, float]]) -> dict[str, Any]:
    count = len(members)
    return {
        "from": number / _BINS,
        "to": (number + 1) / _BINS,
        "n": count,
        "said": rounded(sum(said for said, _ in members) / count) if count else None,
        "true": rounded(sum(true for _, true in members) / count) if count else None,
    }
