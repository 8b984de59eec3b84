"""From features to calibrated probabilities: small networks, one a mode, and their answerability heads.

A network is the mean of a few members, each linear plus a handful of tanh units over standardised features.
Its logit becomes a probability by Platt scaling. Whether the pool answers the query at all is asked of a
second network over the pool: the largest value of each feature, its mean over the best candidates, and the
best logits.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from operator import mul
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from scrubjay.operations.recall import features

Floats = NDArray[np.float32]
Mode = Literal["interaction", "dense", "lexical"]

WEIGHTS = "weights/fusion.json"
_CLIP = 4.0  # standardised features beyond this are of no more use
_BEST = 3  # candidates whose mean the answerability head sees
_SEEN = 30  # candidates whose maxima the answerability head sees


@dataclass(frozen=True, slots=True)
class Network:
    """Mean of members `x·linear + bias + tanh(x·hidden + hidden_bias)·out`."""

    mean: Floats
    scale: Floats
    linear: Floats
    """[members, f]"""
    bias: Floats
    """[members]"""
    hidden: Floats
    """[members, h, f]"""
    hidden_bias: Floats
    """[members, h]"""
    out: Floats
    """[members, h]"""

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> Self:
        return cls(**{name: np.asarray(data[name], np.float32) for name in cls.__slots__})

    def __call__(self, rows: Floats) -> Floats:
        """Logits [n] of rows [n, f]."""
        x = np.clip((rows - self.mean) / self.scale, -_CLIP, _CLIP)
        linear = x @ self.linear.T + self.bias
        units = np.tanh(x @ self.hidden.reshape(-1, x.shape[1]).T + self.hidden_bias.reshape(-1))
        return np.asarray((linear.sum(axis=1) + units @ self.out.reshape(-1)) / len(self.bias), np.float32)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is thought of a pool: of each candidate, and of the pool as a whole."""

    logits: Floats
    """[n] order candidates by these (or by the probabilities, which rise with them)."""
    probabilities: Floats
    """[n] chance that a candidate is evidence for the query, 0..1."""
    answerable: float
    """Chance that anything in the pool is about what was asked, 0..1."""
    abstain: bool
    """Whether `answerable` is too low to show anything."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """Whether a pool answers a query none of whose words the index holds: a paraphrase, a question in another language,
    or one about something that was never mentioned. A line through the head's logit and the best of ``names``."""

    names: tuple[str, ...]
    weights: tuple[float, ...]
    """For the head's logit and each of `names`."""
    offset: float
    threshold: float

    def answerable(self, logit: float, values: Mapping[str, Floats]) -> float:
        """Chance that anything in the pool is about what was asked, 0..1."""
        inputs = (logit, *(float(values[name].max()) for name in self.names))
        return float(_sigmoid(sum(map(mul, self.weights, inputs)) + self.offset))


@dataclass(frozen=True, slots=True)
class Fusion:
    """One mode's networks with the names of the features they read."""

    names: tuple[str, ...]
    network: Network
    platt: tuple[float, float]
    head_names: tuple[str, ...]
    head: Network
    head_platt: tuple[float, float]
    threshold: float
    meaning: Meaning | None = None

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> Self:
        slope, offset = data["platt"]
        head_slope, head_offset = data["head_platt"]
        return cls(
            names=tuple(data["names"]),
            network=Network.parse(data["network"]),
            platt=(float(slope), float(offset)),
            head_names=tuple(data["head_names"]),
            head=Network.parse(data["head"]),
            head_platt=(float(head_slope), float(head_offset)),
            threshold=float(data["threshold"]),
            meaning=Meaning(**data["meaning"]) if "meaning" in data else None,
        )

    def judge(self, values: Mapping[str, Floats]) -> Verdict:
        """Score the candidates whose features are `values` (as `features.compute` returns them)."""
        logits = self.network(features.matrix(values, self.names))
        if not len(logits):
            return Verdict(logits, logits, 0.0, True)
        head = float(self.head(head_input(values, logits, self.head_names)[None])[0])
        logit, threshold = head * self.head_platt[0] + self.head_platt[1], self.threshold
        answerable = float(_sigmoid(logit))
        if self.meaning is not None and values.keys() >= set(self.meaning.names):
            answerable, threshold = self.meaning.answerable(logit, values), self.meaning.threshold
        probabilities = _sigmoid(logits * self.platt[0] + self.platt[1])
        return Verdict(logits, probabilities, answerable, answerable < threshold)


def head_input(values: Mapping[str, Floats], logits: Floats, names: Sequence[str]) -> Floats:
    """What the answerability head reads: [2 * len(names) + 2], from the best candidates by logit."""
    order = np.argsort(-logits, kind="stable")
    rows = features.matrix(values, names)
    best = order[:_BEST]
    return np.concatenate(
        [
            rows[order[:_SEEN]].max(axis=0),
            rows[best].mean(axis=0),
            [logits[order[0]], logits[best].mean()],
        ]
    ).astype(np.float32)


@cache
def load(mode: Mode) -> Fusion:
    """The shipped networks of a mode."""
    text = files("scrubjay.operations.recall").joinpath(WEIGHTS).read_text(encoding="utf-8")
    return Fusion.parse(json.loads(text)[mode])


def _sigmoid(values: Floats | float) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(values, -30, 30))), np.float32)
