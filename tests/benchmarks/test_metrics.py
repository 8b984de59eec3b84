"""Measures against values worked out by hand."""

from __future__ import annotations

import math

import pytest

from benchmarks.metrics import calibration, means, means_by, measure, percentile, times


def test_measures_of_one_ranking() -> None:
    measured = measure(["a", "x", "b", "y", "z", "w", "c"], {"a", "b", "c", "d"}, cuts=(1, 5, 10))
    assert measured["recall@1"] == 1 / 4
    assert measured["recall@5"] == 2 / 4
    assert measured["recall@10"] == 3 / 4
    assert (measured["hit@1"], measured["all@10"]) == (1, 0)
    assert measured["mrr"] == 1
    gained = 1 + 1 / math.log2(4) + 1 / math.log2(8)
    ideal = 1 + 1 / math.log2(3) + 1 / math.log2(4) + 1 / math.log2(5)
    assert measured["ndcg@10"] == pytest.approx(gained / ideal)


def test_nothing_found() -> None:
    assert set(measure([], {"a"}).values()) == {0.0}


def test_everything_found() -> None:
    measured = measure(["x", "b", "a"], {"a", "b"})
    assert measured["all@5"] == measured["recall@5"] == 1
    assert measured["mrr"] == 0.5


def test_ideal_gain_counts_no_more_than_ten() -> None:
    names = [f"{number}" for number in range(12)]
    assert measure(names, set(names))["ndcg@10"] == pytest.approx(1)


def test_means() -> None:
    rows = [("b", {"mrr": 1.0}), ("a", {"mrr": 0.5}), ("b", {"mrr": 0.0})]
    assert means(row for _, row in rows) == {"n": 3, "mrr": 0.5}
    assert means_by(rows) == {"a": {"n": 1, "mrr": 0.5}, "b": {"n": 2, "mrr": 0.5}}
    assert means([]) == {"n": 0}


def test_calibration() -> None:
    measured = calibration([(0.95, True), (1.0, True), (0.15, False), (0.15, True)])
    assert measured["base_rate"] == 0.75
    assert measured["brier"] == pytest.approx((0.05**2 + 0 + 0.15**2 + 0.85**2) / 4, abs=1e-4)
    assert measured["brier_of_base_rate"] == pytest.approx(0.1875)
    assert measured["ece"] == pytest.approx((2 * 0.025 + 2 * 0.35) / 4, abs=1e-4)
    assert [row["n"] for row in measured["table"]] == [0, 2, 0, 0, 0, 0, 0, 0, 0, 2]
    assert measured["table"][1] == {"from": 0.1, "to": 0.2, "n": 2, "said": 0.15, "true": 0.5}
    assert measured["table"][0]["said"] is None


def test_calibration_of_nothing() -> None:
    assert calibration([]) == {"n": 0}


def test_percentiles_are_values_that_occurred() -> None:
    values = [float(number) for number in range(100, 0, -1)]
    assert percentile(values, 0.5) == 50
    assert percentile(values, 0.95) == 95
    assert percentile([3.0], 0.95) == 3
    assert times([]) == {"p50": 0, "p95": 0}
