"""Fitting: the projection of token states, the ranking networks, the answerability heads, Platt scaling.

Small on purpose. Few hidden units, strong weight decay and few epochs were chosen because they carry over to
sets that were not fitted on; larger networks fit better here and rank worse there.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from scrubjay.operations.recall.features import Floats, Ints

WIDTH = 48  # candidates of a list that are trained on
HARD = 24  # of these, the best by the first score; the rest is drawn
CLIP = 4.0


@dataclass(slots=True)
class Ranked:
    """A list of candidates: features, labels, and for how many candidates each row stands."""

    group: str
    question: int
    own: bool
    """Whether the evidence of the question is in this corpus at all."""
    rows: Floats
    """[n, f] best first by the first score"""
    labels: Floats
    """[n]"""
    weights: Floats
    """[n]"""
    golds: int
    logits: Floats = field(default_factory=lambda: np.zeros(0, np.float32))


def group_weights(lists: Sequence[Ranked]) -> dict[str, float]:
    """Large sets count more than small ones, but only with the square root of their size."""
    sizes = Counter(one.group for one in lists if one.own)
    mean = sum(sizes.values()) / len(sizes)
    return {name: math.sqrt(mean / size) * (0.5 if name.endswith("_mini") else 1) for name, size in sizes.items()}


class Net(nn.Module):
    """Linear plus a few tanh units; `fusion.Network` is its twin in numpy."""

    def __init__(self, features: int, hidden: int) -> None:
        super().__init__()
        self.linear = nn.Linear(features, 1)
        self.hidden = nn.Linear(features, hidden)
        self.out = nn.Linear(hidden, 1, bias=False)
        nn.init.zeros_(self.linear.weight)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        scores: torch.Tensor = self.linear(rows) + self.out(torch.tanh(self.hidden(rows)))
        return scores.squeeze(-1)


def as_json(nets: Sequence[Net], mean: Floats, scale: Floats) -> dict[str, object]:
    """What `fusion.Network.parse` reads."""

    def rounded(tensors: Sequence[torch.Tensor]) -> object:
        return np.round(torch.stack(list(tensors)).detach().numpy().astype(float), 5).tolist()

    return {
        "mean": np.round(mean.astype(float), 5).tolist(),
        "scale": np.round(scale.astype(float), 5).tolist(),
        "linear": rounded([net.linear.weight[0] for net in nets]),
        "bias": rounded([net.linear.bias[0] for net in nets]),
        "hidden": rounded([net.hidden.weight for net in nets]),
        "hidden_bias": rounded([net.hidden.bias for net in nets]),
        "out": rounded([net.out.weight[0] for net in nets]),
    }


def _sampled(lists: Sequence[Ranked], columns: Sequence[int]) -> tuple[torch.Tensor, ...]:
    rng = np.random.default_rng(0)
    rows = np.zeros((len(lists), WIDTH, len(columns)), np.float32)
    labels, weights = np.zeros((2, len(lists), WIDTH), np.float32)
    mask = np.zeros((len(lists), WIDTH), np.bool_)
    for line, one in enumerate(lists):
        gold = np.flatnonzero(one.labels > 0)[:8]
        others = np.flatnonzero(one.labels == 0)
        hard, tail = others[:HARD], others[HARD:]
        room = WIDTH - len(gold) - len(hard)
        drawn = rng.choice(tail, room, replace=False) if len(tail) > room else tail
        chosen = np.concatenate([gold, hard, drawn]).astype(int)
        size = len(chosen)
        rows[line, :size] = one.rows[chosen][:, columns]
        labels[line, :size] = one.labels[chosen]
        weights[line, :size] = one.weights[chosen]
        weights[line, size - len(drawn) : size] *= len(tail) / max(1, len(drawn))
        mask[line, :size] = True
    return torch.tensor(rows), torch.tensor(labels), torch.tensor(weights), torch.tensor(mask)


def fit_ranking(
    lists: Sequence[Ranked],
    columns: Sequence[int],
    groups: Mapping[str, float],
    *,
    hidden: int,
    decay: float,
    epochs: int = 8,
    seeds: int = 3,
) -> dict[str, object]:
    """A ranking network: softmax over each list, and .3 of a cross-entropy that knows about lists without evidence."""
    rows, labels, weights, mask = _sampled(lists, columns)
    flat = rows[mask].numpy()
    mean, scale = flat.mean(axis=0), flat.std(axis=0) + 1e-3
    rows = ((rows - torch.tensor(mean)) / torch.tensor(scale)).clamp(-CLIP, CLIP)
    share = torch.tensor([groups[one.group] for one in lists])
    nets = []
    for seed in range(seeds):
        torch.manual_seed(seed)
        net = Net(len(columns), hidden)
        optimiser = torch.optim.AdamW(net.parameters(), lr=4e-3, weight_decay=decay)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, epochs * math.ceil(len(lists) / 64))
        for _ in range(epochs):
            for batch in torch.split(torch.randperm(len(lists)), 64):
                scores, wanted = net(rows[batch]), labels[batch]
                chances = torch.log_softmax(scores.masked_fill(~mask[batch], -1e9), dim=1)
                golds = wanted.sum(dim=1)
                listwise = -(chances * wanted).sum(dim=1) / golds.clamp_min(1)
                each = functional.binary_cross_entropy_with_logits(scores, wanted, reduction="none")
                pointwise = (each * weights[batch] * mask[batch]).sum(dim=1) / 10
                loss = (share[batch] * (listwise * (golds > 0) + 0.3 * pointwise)).mean()
                optimiser.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                optimiser.step()
                schedule.step()
        nets.append(net)
    return as_json(nets, mean, scale)


def fit_head(
    inputs: Floats, wanted: NDArray[np.bool_], share: Floats, *, hidden: int = 8, epochs: int = 25, seeds: int = 3
) -> dict[str, object]:
    """An answerability head from its inputs [n, f]; both classes weigh the same."""
    mean, scale = inputs.mean(axis=0), inputs.std(axis=0) + 1e-3
    rows = torch.tensor(np.clip((inputs - mean) / scale, -CLIP, CLIP).astype(np.float32))
    weights = share * np.where(wanted, 1.0, share[wanted].sum() / share[~wanted].sum())
    target, importance = torch.tensor(wanted.astype(np.float32)), torch.tensor(weights.astype(np.float32))
    nets = []
    for seed in range(seeds):
        torch.manual_seed(seed)
        net = Net(inputs.shape[1], hidden)
        optimiser = torch.optim.AdamW(net.parameters(), lr=5e-3, weight_decay=0.05)
        for _ in range(epochs):
            for batch in torch.split(torch.randperm(len(rows)), 128):
                each = functional.binary_cross_entropy_with_logits(net(rows[batch]), target[batch], reduction="none")
                loss = (each * importance[batch]).mean()
                optimiser.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                optimiser.step()
        nets.append(net)
    return as_json(nets, mean, scale)


def platt(logits: Floats, wanted: Floats, weights: Floats) -> tuple[float, float]:
    """Slope and offset that make the logits probabilities."""
    line = torch.tensor([1.0, 0.0], dtype=torch.double, requires_grad=True)
    x, y, w = (torch.tensor(values, dtype=torch.double) for values in (logits, wanted, weights))
    optimiser = torch.optim.LBFGS([line], max_iter=60)

    def closure() -> torch.Tensor:
        optimiser.zero_grad()
        each = functional.binary_cross_entropy_with_logits(x * line[0] + line[1], y, reduction="none")
        loss = (each * w).sum() / w.sum()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss

    optimiser.step(closure)  # type: ignore[no-untyped-call]
    slope, offset = line.detach().tolist()
    return round(slope, 5), round(offset, 5)


# --- projection ---------------------------------------------------------------------------------------------------

GOLD_AND_HARD = 16
RANDOM = 8
LONGEST = 100  # rows of a memory that are looked at in fitting


@dataclass(frozen=True, slots=True)
class Contrast:
    """A question with memories that answer it, near misses, and where to draw others from."""

    group: str
    query: Floats
    """[k, s] centred states"""
    weights: Floats
    """[k] summing to 1"""
    gold: tuple[int, ...]
    hard: tuple[int, ...]
    first: int
    last: int
    lexical: Floats
    """[last - first] lexical score as a share of what is attainable"""
    states: NDArray[np.float16]
    """[m, s] centred states of all memories of the set"""
    starts: Ints


def principal(states: Floats, weights: Floats, dimensions: int) -> Floats:
    """[s, d] main directions of centred states [n, s]."""
    covariance = (states * weights[:, None]).T @ states
    _, vectors = np.linalg.eigh(covariance)
    return np.ascontiguousarray(vectors[:, ::-1][:, :dimensions]).astype(np.float32)


def fit_projection(contrasts: Sequence[Contrast], start: Floats, *, epochs: float = 2.5) -> Floats:
    """Turn the directions so that answers come before near misses; held to where they started."""
    torch.manual_seed(0)
    rng = random.Random(0)
    origin = torch.tensor(start)
    matrix = origin.clone().requires_grad_(True)
    scales = torch.tensor([3.0, 1.6], requires_grad=True)
    optimiser = torch.optim.Adam([{"params": [matrix], "lr": 7e-4}, {"params": [scales], "lr": 0.02}])
    steps = int(epochs * len(list(_batches(contrasts, rng))))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1.0, (step + 1) / 30) * (0.5 + 0.5 * math.cos(math.pi * min(1.0, step / steps)))
    )
    done = 0
    while done < steps:
        for batch in _batches(contrasts, rng):
            if done >= steps:
                break
            loss = _contrast_loss(batch, matrix, scales, rng) + 0.02 * ((matrix - origin) ** 2).sum()
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            schedule.step()
            done += 1
    return np.asarray(matrix.detach().numpy(), np.float32)


def _batches(contrasts: Sequence[Contrast], rng: random.Random, size: int = 16) -> Iterator[list[Contrast]]:
    by_group: dict[str, list[Contrast]] = {}
    for one in contrasts:
        by_group.setdefault(one.group, []).append(one)
    batches = []
    for members in by_group.values():
        rng.shuffle(members)
        batches += [members[i : i + size] for i in range(0, len(members), size)]
    rng.shuffle(batches)
    yield from batches


def _contrast_loss(
    batch: Sequence[Contrast], matrix: torch.Tensor, scales: torch.Tensor, rng: random.Random
) -> torch.Tensor:
    segments: list[NDArray[np.float16]] = []
    lexical = []
    each = GOLD_AND_HARD + RANDOM
    for one in batch:
        chosen = [rng.choice(one.gold), *rng.sample(one.hard, min(GOLD_AND_HARD - 1, len(one.hard)))]
        while len(chosen) < each:
            other = rng.randrange(one.first, one.last)
            if other not in one.gold:
                chosen.append(other)
        lexical.append(one.lexical[[place - one.first for place in chosen]])
        for place in chosen:
            start, stop = int(one.starts[place]), int(one.starts[place + 1])
            segments.append(one.states[start : max(start + 1, min(stop, start + LONGEST))])
    longest = max(len(segment) for segment in segments)
    index = np.zeros((len(segments), longest), np.int64)
    mask = np.zeros((len(segments), longest), np.bool_)
    offset = 0
    for line, segment in enumerate(segments):
        index[line, : len(segment)] = np.arange(offset, offset + len(segment))
        mask[line, : len(segment)] = True
        offset += len(segment)
    tokens = max(len(one.weights) for one in batch)
    query = np.zeros((len(batch), tokens, matrix.shape[0]), np.float32)
    weights = np.zeros((len(batch), tokens), np.float32)
    for line, one in enumerate(batch):
        query[line, : len(one.query)] = one.query
        weights[line, : len(one.weights)] = one.weights
    rows = torch.tensor(np.concatenate(segments).astype(np.float32)) @ matrix
    turned = functional.normalize(rows, dim=-1)[torch.tensor(index)].view(len(batch), each, longest, -1)
    asked = functional.normalize(torch.tensor(query) @ matrix, dim=-1)
    similarity = torch.einsum("btd,bnld->btnl", asked, turned)
    similarity = similarity.masked_fill(~torch.tensor(mask).view(len(batch), 1, each, longest), -2.0)
    late = (torch.tensor(weights)[..., None] * similarity.amax(dim=-1)).sum(dim=1)
    scores = late * scales[0].exp() + torch.tensor(np.stack(lexical)) * scales[1].exp()
    return functional.cross_entropy(scores, torch.zeros(len(batch), dtype=torch.long))
