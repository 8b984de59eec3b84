"""Fit everything that ranking learned, from data whose licences allow it, and measure it.

    python tools/ranking/generate.py OUT
    python tools/ranking/fit.py --data ../shared/data/bench --generated OUT --unlabelled OUT --cache CACHE --write
    python tools/ranking/fit.py … --evaluate locomo xquad_mixed

Fitted on realmem_extracted (Apache-2.0), vehiclemem (Apache-2.0), longmemeval_pool_plus (MIT) and the generated
dialogues; means also on unlabelled documentation in Russian and Chinese (`vault.*.jsonl`, see `--unlabelled`).
LoCoMo and xquad are only ever measured. The heavy part, encoding, is cached; the rest takes minutes on one core.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from corpora import BenchmarkSet, Index, Question, load, open_model, question
from corpora import encode as encode_texts
from training import Contrast, Ranked, fit_head, fit_projection, fit_ranking, group_weights, platt, principal

from scrubjay.models.tokens import TokenProjection
from scrubjay.operations.recall import features, fusion
from scrubjay.operations.recall.features import Floats

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT / "src/scrubjay/models/weights"
RECALL = ROOT / "src/scrubjay/operations/recall/weights"

FITTED = ("generated", "vehiclemem", "realmem_extracted", "longmemeval_pool_plus")
DIMENSIONS = 128
STEPS_TO_EDGE = 2.7  # standard deviations of a dimension that the sixteen steps span to each side

LEXICAL = ("bm_own", "bm_pair", "bm_window", "rare", "cover_window", "gap_bm", "rank_bm")
CONVERSATION = ("asks", "answers", "named", "other_named", "same_script")
NETWORKS: Mapping[fusion.Mode, tuple[str, ...]] = {
    "interaction": (
        *LEXICAL, "ms", "ms_window", "ms_prev", "ms_next", "reverse", "gap_ms", "rank_ms", *CONVERSATION,
    ),
    "dense": (*LEXICAL, "dense", "dense_prev", "dense_next", "gap_dense", "rank_dense", *CONVERSATION),
    "lexical": (*LEXICAL, "cover", *CONVERSATION),
}
_WORDS = ("cover", "cover_window", "rare", "bm_own", "bm_pair", "unseen", "named", "other_named", "same_script")
HEADS: Mapping[fusion.Mode, tuple[str, ...]] = {
    "interaction": ("ms", "ms_low", "ms_min", "ms_window", "reverse", *_WORDS),
    "dense": _WORDS,
    "lexical": _WORDS,
}
NAMES = tuple(dict.fromkeys(name for names in (*NETWORKS.values(), *HEADS.values()) for name in names))
HIDDEN, DECAY = 2, 1.0
KEPT = 0.985  # share of questions with evidence in the first ten that abstaining may not touch
TOP, DRAWN = 80, 20
SMALL_STORES = (3, 4, 5, 6, 8, 12, 20, 40)


def first_score(values: Mapping[str, Floats]) -> Floats:
    """What puts candidates in order before anything is learned."""
    late = values["ms"] + 0.2 * values["ms_prev"] + 0.1 * values["ms_next"]
    return np.asarray(late + 0.4 * (values["bm_own"] + values["bm_pair"] + 0.5 * values["bm_window"]), np.float32)


def ranked(group: str, number: int, asked: Question, index: Index, gold: Sequence[int], *, whole: bool) -> Ranked:
    """One list. `whole` keeps every candidate; otherwise the best, all evidence, and a few of the rest."""
    places, pool = index.pool(asked)
    values = features.compute(pool)
    rows = features.matrix({name: values.get(name, np.zeros(pool.count, np.float32)) for name in NAMES}, NAMES)
    labels = np.isin(places, list(gold)).astype(np.float32)
    order = np.argsort(-first_score(values), kind="stable")
    weights = np.ones(len(order), np.float32)
    if not whole and len(order) > TOP + DRAWN:
        tail = np.array([place for place in order[TOP:] if not labels[place]])
        drawn = np.random.default_rng(number).choice(tail, min(DRAWN, len(tail)), replace=False)
        evidence = [place for place in order[TOP:] if labels[place]]
        order = np.concatenate([order[:TOP], evidence, drawn]).astype(np.int64)
        weights = np.ones(len(order), np.float32)
        weights[len(order) - len(drawn) :] = len(tail) / len(drawn)
    return Ranked(group, number, bool(gold), rows[order], labels[order], weights, len(gold))


def lists_of(
    source: BenchmarkSet, others: Sequence[BenchmarkSet], projection: TokenProjection, *, cap: int, whole: bool
) -> Iterator[Ranked]:
    """Lists of every question: its own corpus, a foreign one, and small stores of either kind.

    The one place where lists are made; to fit on the product's own search, replace `Index.pool`.
    """
    rng = random.Random(0)
    usable = [number for number, gold in enumerate(source.gold) if gold]
    if len(usable) > cap:
        usable = sorted(rng.sample(usable, cap))
    indexes = {name: Index(source, range(*span)) for name, span in source.ranges.items()}
    foreign = [(other, range(*span)) for other in others for span in other.ranges.values() if other is not source]
    foreign_indexes: dict[int, Index] = {}
    for number in usable:
        asked = question(source, number, projection)
        gold, own = source.gold[number], source.corpus_of[number]
        yield ranked(source.name, number, asked, indexes[own], gold, whole=whole)
        elsewhere = [index for name, index in indexes.items() if name != own]
        if not elsewhere and foreign:
            place = rng.randrange(len(foreign))
            if place not in foreign_indexes:
                foreign_indexes[place] = Index(*foreign[place])
            elsewhere = [foreign_indexes[place]]
        if elsewhere:
            yield ranked(source.name, number, asked, rng.choice(elsewhere), (), whole=False)
        if rng.random() < 0.5:
            size, (first, last) = rng.choice(SMALL_STORES), source.ranges[own]
            start = max(first, min(rng.choice(gold) - rng.randrange(size), last - size))
            small = Index(source, range(start, min(last, start + size)))
            kept = [place for place in gold if place in small.places]
            yield ranked(f"{source.name}_mini", number, asked, small, kept, whole=False)
            if elsewhere:
                stranger = rng.choice(elsewhere)
                start = rng.randrange(stranger.places.start, max(stranger.places.start + 1, stranger.places.stop - size))
                small = Index(stranger.source, range(start, min(stranger.places.stop, start + size)))
                yield ranked(f"{source.name}_mini", number, asked, small, (), whole=False)


# --- projection ---------------------------------------------------------------------------------------------------


def _scripts(pieces: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.int8]]:
    """0 Latin, 1 Cyrillic, 2 Han or kana, 3 neither, for each piece of the vocabulary."""

    def script(piece: str) -> int:
        for letter in piece:
            code = ord(letter)
            if 0x400 <= code < 0x530:
                return 1
            if 0x3400 <= code <= 0x9FFF or 0x3040 <= code < 0x3100:
                return 2
            if letter.isalpha():
                return 0
        return 3

    return np.array([script(piece) for piece in pieces], np.int8)


def _sample(sources: Sequence[tuple[Floats, np.ndarray[tuple[int], np.dtype[np.int32]]]], usable: Floats) -> object:
    raise NotImplementedError
