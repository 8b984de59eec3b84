"""Fit what decides about questions none of whose words a memory holds, and write the background it compares with.

    python tools/ranking/meaning.py --data ../shared/data/bench --generated OUT --cache CACHE --write

Questions of the fitted sets are asked of a few neighbouring memories, with their evidence or of another dialogue; those
of whose words nothing is known are kept: other languages, paraphrases, other subjects. The head's word on them is weak,
since most of what it looks at is words. Two numbers are added: how far the best candidate stands out from what the
question's tokens find in sentences about anything, and the cosine. Comes after fit.py, whose cache it uses.
"""

from __future__ import annotations

import argparse
import json
import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from corpora import BenchmarkSet, Index, Question, open_model, question
from fit import FITTED, MODELS, RECALL

from scrubjay.models.packaged import PackagedEmbedder
from scrubjay.models.tokens import BACKGROUND, TokenProjection
from scrubjay.operations.recall import features, fusion
from scrubjay.operations.recall.features import Floats

NAMES = ("stand_out", "cosine")
SIZES = (1, 2, 3, 4, 5, 6, 8, 12, 20)
QUESTIONS, DRAWS = 700, 2
THRESHOLD = 0.73  # refuses 95 % of the foreign questions, and 16 % of the others
DECAY = 0.1


@dataclass(frozen=True, slots=True)
class Asked:
    """One question of one small memory: the head's logit and the best of `NAMES`, and whether it holds the evidence."""

    group: str
    own: bool
    inputs: tuple[float, ...]


def write_background() -> None:
    """Token rows of the background sentences, packed."""
    texts = Path(__file__).with_name("background.txt").read_text(encoding="utf-8").splitlines()
    blobs = PackagedEmbedder().passages(texts).tokens or []
    row_bytes = TokenProjection.load().row_bytes
    starts = np.cumsum([0, *(len(blob) // row_bytes for blob in blobs)])
    rows = np.frombuffer(b"".join(blobs), np.uint8).reshape(-1, row_bytes)
    np.savez(MODELS / Path(BACKGROUND).name, rows=rows, starts=starts.astype(np.int32))


def inputs_of(asked: Question, index: Index, projection: TokenProjection, judge: fusion.Fusion) -> tuple[float, ...]:
    """What is known of a question that shares no word with the memories; nothing where it does."""
    if any(index.frequencies[lexeme] for lexeme in asked.lexemes) or not len(asked.vectors):
        return ()
    _, pool = index.pool(asked)
    values = features.compute(replace(pool, usual=projection.usual(asked.vectors)))
    answerable = min(max(replace(judge, meaning=None).judge(values).answerable, 1e-6), 1 - 1e-6)
    return (math.log(answerable / (1 - answerable)), *(float(values[name].max()) for name in NAMES))


def ask(
    source: BenchmarkSet, sets: Sequence[BenchmarkSet], projection: TokenProjection, judge: fusion.Fusion
) -> Iterator[Asked]:
    """Questions of a set, each of small memories with its evidence and of other dialogues."""
    rng = random.Random(0)
    usable = [number for number, gold in enumerate(source.gold) if gold]
    rng.shuffle(usable)
    for number in usable[:QUESTIONS]:
        asked, own = question(source, number, projection), source.corpus_of[number]
        for _ in range(DRAWS):
            size, (first, last) = rng.choice(SIZES), source.ranges[own]
            start = max(first, min(rng.choice(source.gold[number]) - rng.randrange(size), last - size))
            if found := inputs_of(asked, Index(source, range(start, min(last, start + size))), projection, judge):
                yield Asked(source.name, True, found)
            other = rng.choice(sets)
            strangers = [name for name in other.ranges if not (other is source and name == own)]
            if not strangers:
                continue
            first, last = other.ranges[rng.choice(strangers)]
            start = rng.randrange(first, max(first + 1, last - size))
            if found := inputs_of(asked, Index(other, range(start, min(last, start + size))), projection, judge):
                yield Asked(f"{source.name}, {other.name}", False, found)


def fit(asked: Sequence[Asked]) -> Floats:
    """Weights of the inputs, and the offset: logistic regression by Newton's method.

    Groups count with the square root of their size, both kinds of question as much as each other.
    """
    own = np.array([one.own for one in asked], np.float64)
    sizes = Counter((one.group, one.own) for one in asked)
    shares = np.array([1 / math.sqrt(sizes[one.group, one.own]) for one in asked])
    for kind in (0, 1):
        shares[own == kind] *= len(own) / 2 / shares[own == kind].sum()
    rows = np.array([(*one.inputs, 1.0) for one in asked])
    weights = np.zeros(rows.shape[1])
    penalty = np.diag([DECAY] * (len(weights) - 1) + [0.0])
    for _ in range(50):
        chances = 1 / (1 + np.exp(-rows @ weights))
        gradient = rows.T @ (shares * (chances - own)) + penalty @ weights
        curvature = (rows.T * (shares * chances * (1 - chances))) @ rows + penalty
        weights -= np.linalg.solve(curvature, gradient)
    return np.asarray(weights, np.float32)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of the benchmark sets")
    parser.add_argument("--generated", type=Path, required=True, help="folder that generate.py wrote to")
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--write", action="store_true", help="replace the weights in the package")
    arguments = parser.parse_args()
    if arguments.write:
        write_background()
    projection, judge, model = TokenProjection.load(), fusion.load("interaction"), open_model(MODELS)
    folders = {"generated": arguments.generated}
    sets = [BenchmarkSet(name, folders.get(name, arguments.data), arguments.cache, model) for name in FITTED]
    for one in sets:
        one.project(projection)
    asked = [one for source in sets for one in ask(source, sets, projection, judge)]
    weights = fit(asked)
    chances = 1 / (1 + np.exp(-(np.array([(*one.inputs, 1.0) for one in asked]) @ weights)))
    own = np.array([one.own for one in asked])
    print(Counter((one.group, one.own) for one in asked))
    print("kept", (chances[own] >= THRESHOLD).mean(), "refused", (chances[~own] < THRESHOLD).mean())
    *slopes, offset = np.round(weights.astype(float), 4).tolist()
    meaning = {"names": NAMES, "weights": slopes, "offset": offset, "threshold": THRESHOLD}
    print(meaning)
    if arguments.write:
        path = RECALL / "fusion.json"
        shipped = json.loads(path.read_text(encoding="utf-8"))
        shipped["interaction"]["meaning"] = meaning
        path.write_text(json.dumps(shipped, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
