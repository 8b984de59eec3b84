"""Fit everything that ranking learned, from data whose licences allow it, and measure it.

    python tools/ranking/generate.py OUT
    python tools/ranking/fit.py --data ../shared/data/bench --generated OUT --unlabelled OUT --cache CACHE --write
    python tools/ranking/fit.py … --evaluate locomo xquad_mixed

Fitted on realmem_extracted (Apache-2.0), vehiclemem (Apache-2.0), longmemeval_pool_plus (MIT) and the generated
dialogues; means also on unlabelled documentation in Russian and Chinese (`vault.*.jsonl`, see `--unlabelled`).
LoCoMo and xquad are only ever measured. The heavy part, encoding, is cached; the rest takes minutes on one core.
Afterwards `meaning.py` fits what decides where no word of a question is known.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from corpora import BenchmarkSet, Index, Question, States, load, open_model, question
from corpora import encode as encode_texts
from training import Contrast, Ranked, fit_head, fit_projection, fit_ranking, group_weights, platt, principal

from scrubjay.models.tokens import TokenProjection
from scrubjay.operations.recall import features, fusion
from scrubjay.operations.recall.features import Floats
from scrubjay.text.analyze import is_stop_word

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
        *LEXICAL,
        "ms",
        "ms_window",
        "ms_prev",
        "ms_next",
        "reverse",
        "gap_ms",
        "rank_ms",
        *CONVERSATION,
    ),
    "dense": (*LEXICAL, "dense", "dense_prev", "dense_next", "gap_dense", "rank_dense", *CONVERSATION),
    "lexical": (*LEXICAL, "cover", *CONVERSATION),
}
_WORDS = (
    "cover",
    "cover_window",
    "rare",
    "bm_own",
    "bm_pair",
    "unseen",
    "named",
    "other_named",
    "same_script",
    "absent_name",
)
HEADS: Mapping[fusion.Mode, tuple[str, ...]] = {
    "interaction": ("ms", "ms_low", "ms_min", "ms_window", "reverse", *_WORDS),
    "dense": _WORDS,
    "lexical": _WORDS,
}
NAMES = tuple(dict.fromkeys(name for names in (*NETWORKS.values(), *HEADS.values()) for name in names))
HIDDEN, DECAY = 2, 1.0
KEPT = 0.975  # share of questions that abstaining may not touch, mean over sets; a third of them are tiny stores
TOP, DRAWN = 80, 20
MIXED = 4  # generated dialogues in one store: two in English, one in Russian, one in Chinese
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
        if source.name == "generated" and number % 4 < 2:
            yield from _mixed(source, number, asked)
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
                start = rng.randrange(
                    stranger.places.start, max(stranger.places.start + 1, stranger.places.stop - size)
                )
                small = Index(stranger.source, range(start, min(stranger.places.stop, start + size)))
                yield ranked(f"{source.name}_mini", number, asked, small, (), whole=False)


def _mixed(source: BenchmarkSet, number: int, asked: Question) -> Iterator[Ranked]:
    """Lists over several corpora at once, which differ in language: with the question's own, and without."""
    names = list(source.ranges)
    own = names.index(source.corpus_of[number])
    first = min(own, len(names) - MIXED)
    away = (first + MIXED) % (len(names) - MIXED)
    for start, gold in ((first, source.gold[number]), (away, [])):
        if not gold and start <= own < start + MIXED:
            continue
        index = Index(source, range(source.ranges[names[start]][0], source.ranges[names[start + MIXED - 1]][1]))
        yield ranked(f"{source.name}_mixed", number, asked, index, gold, whole=False)


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


def vocabulary(folder: Path) -> tuple[list[str], np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    """The tokenizer's pieces, and which of them are stop words."""
    model = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))["model"]
    pieces = [piece for piece, _ in model["vocab"]]
    stop = np.array([is_stop_word(piece.replace("\u2581", "").casefold()) for piece in pieces], np.bool_)
    return pieces, stop


def _normalised(rows: Floats) -> Floats:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-9), np.float32)


def fit_tokens(sources: Sequence[BenchmarkSet], unlabelled: Sequence[States], folder: Path) -> TokenProjection:
    """Mean, directions and steps from states of all sources; the mean gives each script the same say."""
    pieces, stop = vocabulary(folder)
    worded = np.array([any(map(str.isalnum, piece)) for piece in pieces], np.bool_)
    script = _scripts(pieces)
    rng = np.random.default_rng(0)
    states, scripts = [], []
    for one in (*unlabelled, *(source.states for source in sources if source.name != "generated")):
        usable = np.flatnonzero(worded[one.ids] & ~stop[one.ids])
        chosen = np.sort(rng.choice(usable, min(20_000, len(usable)), replace=False))
        states.append(one.values[chosen].astype(np.float32))
        scripts.append(script[one.ids[chosen]])
    rows, of_script = _normalised(np.concatenate(states)), np.concatenate(scripts)
    mean = np.stack([rows[of_script == number].mean(axis=0) for number in range(3)]).mean(axis=0)
    centred = _normalised(rows - mean)
    weights = sum((of_script == n) / max(1, int((of_script == n).sum())) for n in range(3)) / 3
    start = principal(centred, np.asarray(weights, np.float32), DIMENSIONS)
    whole = TokenProjection(
        mean, np.eye(rows.shape[1], dtype=np.float32), np.ones(rows.shape[1], np.float32), worded, stop
    )
    contrasts = [one for source in sources for one in _contrasts(source, whole)]
    print("projection:", len(contrasts), "questions", flush=True)
    matrix = fit_projection(contrasts, start).astype(np.float16).astype(np.float32)
    deviation = _normalised(centred[::20] @ matrix).std(axis=0)
    return TokenProjection(mean, matrix, (STEPS_TO_EDGE * deviation / 7.5).astype(np.float32), worded, stop)


def _contrasts(source: BenchmarkSet, whole: TokenProjection, cap: int = 500) -> Iterator[Contrast]:
    """Questions with near misses by lexical score and unprojected late interaction."""
    rng = random.Random(0)
    starts = [0]
    rows = []
    for place in range(len(source.memories)):
        span = slice(source.states.starts[place], source.states.starts[place + 1])
        ids = source.states.ids[span].astype(np.int64)
        found, _ = whole.memory(source.states.values[span].astype(np.float32), ids)
        rows.append(found.astype(np.float16))
        starts.append(starts[-1] + len(found))
    source.rows, source.row_starts = np.concatenate(rows), np.array(starts, np.int64)
    indexes = {name: Index(source, range(*span)) for name, span in source.ranges.items()}
    usable = [number for number, gold in enumerate(source.gold) if gold]
    for number in usable if len(usable) <= cap else sorted(rng.sample(usable, cap)):
        asked = question(source, number, whole)
        if not len(asked.vectors):
            continue
        gold, (first, last) = source.gold[number], source.ranges[source.corpus_of[number]]
        places, pool = indexes[source.corpus_of[number]].pool(asked)
        values = features.compute(pool)
        lexical = np.zeros(last - first, np.float32)
        lexical[places - first] = (values["bm_own"] + values["bm_pair"] + 0.5 * values["bm_window"]) / 2.5
        order = places[np.argsort(-first_score(values), kind="stable")]
        hard = tuple(int(place) for place in order[:40] if place not in gold)
        assert pool.query_weights is not None
        weights = np.maximum(pool.query_weights, 1e-6)
        yield Contrast(
            source.name,
            asked.vectors,
            weights / weights.sum(),
            tuple(gold),
            hard,
            first,
            last,
            lexical,
            source.rows,
            source.row_starts,
        )


def save(projection: TokenProjection, path: Path) -> None:
    np.savez(
        path,
        mean=projection.mean,
        matrix=projection.matrix.astype(np.float16),
        step=projection.step,
        vocabulary=np.int64(len(projection.worded)),
        worded=np.packbits(projection.worded),
        stop=np.packbits(projection.stop),
    )


# --- networks -----------------------------------------------------------------------------------------------------


def _values(one: Ranked) -> dict[str, Floats]:
    return {name: one.rows[:, column] for column, name in enumerate(NAMES)}


def _logits(network: fusion.Network, names: Sequence[str], lists: Sequence[Ranked]) -> None:
    columns = [NAMES.index(name) for name in names]
    for one in lists:
        one.logits = network(one.rows[:, columns])


def fit_mode(mode: fusion.Mode, lists: Sequence[Ranked]) -> dict[str, object]:
    """Networks, scaling, head and threshold of a mode; everything but the networks from logits out of fold."""
    names, head_names = NETWORKS[mode], HEADS[mode]
    columns = [NAMES.index(name) for name in names]
    groups = group_weights(lists)
    folds = [[one for one in lists if one.question % 2 == fold] for fold in (0, 1)]
    for fold in (0, 1):
        data = fit_ranking(folds[1 - fold], columns, groups, hidden=HIDDEN, decay=DECAY)
        _logits(fusion.Network.parse(data), names, folds[fold])
    asked = [one for one in lists if one.golds or not one.own]

    def inputs(chosen: Sequence[Ranked]) -> Floats:
        return np.stack([fusion.head_input(_values(one), one.logits, head_names) for one in chosen])

    def head_of(chosen: Sequence[Ranked]) -> dict[str, object]:
        share = np.array([groups[one.group] for one in chosen], np.float32)
        return fit_head(inputs(chosen), np.array([one.own for one in chosen], np.bool_), share)

    scores = np.zeros(len(asked), np.float32)
    for fold in (0, 1):
        head = fusion.Network.parse(head_of([one for one in asked if one.question % 2 != fold]))
        here = [place for place, one in enumerate(asked) if one.question % 2 == fold]
        scores[here] = head(inputs([asked[place] for place in here]))
    slope, offset = platt(*_shown(lists, groups))
    own = np.array([one.own for one in asked])
    head_slope, head_offset = platt(scores, own.astype(np.float32), np.ones(len(asked), np.float32))
    threshold = 1 / (1 + np.exp(-(head_slope * _threshold(asked, scores) + head_offset)))
    head_data = head_of(asked)
    return {
        "names": names,
        "network": fit_ranking(lists, columns, groups, hidden=HIDDEN, decay=DECAY),
        "platt": [slope, offset],
        "head_names": head_names,
        "head": head_data,
        "head_platt": [head_slope, head_offset],
        "threshold": round(float(threshold), 5),
    }


def _shown(lists: Sequence[Ranked], groups: Mapping[str, float], depth: int = 20) -> tuple[Floats, Floats, Floats]:
    """Logits, labels and weights of the candidates a reader may see."""
    logits, labels, weights = [], [], []
    for one in lists:
        if not one.golds:
            continue
        best = np.argsort(-one.logits, kind="stable")[:depth]
        logits.append(one.logits[best])
        labels.append(one.labels[best])
        weights.append(np.full(len(best), groups[one.group], np.float32))
    return np.concatenate(logits), np.concatenate(labels), np.concatenate(weights)


def _answered(one: Ranked, depth: int = 10) -> bool:
    return bool((one.labels[np.argsort(-one.logits, kind="stable")[:depth]] > 0).any())


def _threshold(asked: Sequence[Ranked], scores: Floats) -> float:
    """The highest threshold at which the sets, on average, lose no more than `1 - KEPT` of their answers."""
    found: dict[str, list[tuple[float, bool]]] = {}
    for one, score in zip(asked, scores.tolist(), strict=True):
        if one.golds:
            found.setdefault(one.group, []).append((score, _answered(one)))

    def lost(threshold: float) -> float:
        shares = [np.mean([hit and score < threshold for score, hit in members]) for members in found.values()]
        return float(np.mean(shares))

    return max((t for t in np.linspace(-5, 4, 181) if lost(t) <= 1 - KEPT), default=-5.0)


# --- measuring ----------------------------------------------------------------------------------------------------


def measure(mode: fusion.Mode, judge: fusion.Fusion, lists: Sequence[Ranked]) -> Iterator[str]:
    """Lines of figures for each group of lists: ranking, abstention, calibration."""
    _logits(judge.network, judge.names, lists)
    for group in sorted({one.group for one in lists}):
        here = [one for one in lists if one.group == group]
        told = [one for one in here if one.golds]
        heads = {id(one): judge.judge(_values(one)) for one in here}
        answered = [(_answered(one), not heads[id(one)].abstain) for one in told]
        refused = [heads[id(one)].abstain for one in here if not one.own]
        hits = np.mean([hit for hit, _ in answered])
        kept = np.mean([hit and shown for hit, shown in answered])
        probabilities = np.concatenate([heads[id(one)].probabilities for one in told])
        labels = np.concatenate([one.labels for one in told])
        yield (
            f"{mode:11s} {group:28s} n={len(told):4d} {_figures(told)} | hit@10 {hits:.3f} -> {kept:.3f}, foreign "
            f"refused {np.mean(refused) if refused else float('nan'):.3f} | Brier "
            f"{np.mean((probabilities - labels) ** 2):.4f} (base {labels.mean() * (1 - labels.mean()):.4f}) "
            f"top 5: {_top(told, heads)}"
        )


def _figures(lists: Sequence[Ranked]) -> str:
    rows = []
    for one in lists:
        at = np.flatnonzero(one.labels[np.argsort(-one.logits, kind="stable")] > 0)
        rows.append(
            [
                (at < 10).sum() / one.golds,
                (at < 20).sum() / one.golds,
                float((at < 5).any()),
                float((at < 20).any()),
                1 / (at[0] + 1) if len(at) else 0.0,
            ]
        )
    return " ".join(
        f"{k}={v:.3f}" for k, v in zip(("R10", "R20", "H5", "H20", "MRR"), np.mean(rows, axis=0), strict=True)
    )


def _top(lists: Sequence[Ranked], heads: Mapping[int, fusion.Verdict]) -> str:
    """Mean probability and true share of the first five."""
    told, true = [], []
    for one in lists:
        best = np.argsort(-one.logits, kind="stable")[:5]
        told.append(heads[id(one)].probabilities[best])
        true.append(one.labels[best])
    return f"p {np.concatenate(told).mean():.3f}, true {np.concatenate(true).mean():.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of the benchmark sets")
    parser.add_argument("--generated", type=Path, required=True, help="folder that generate.py wrote to")
    parser.add_argument("--unlabelled", type=Path, help="folder with vault.memories.jsonl and vault.queries.jsonl")
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--models", type=Path, default=MODELS, help="folder of the ONNX model and tokenizer")
    parser.add_argument("--evaluate", nargs="*", default=["locomo", "xquad_mixed"])
    parser.add_argument("--cap", type=int, default=600, help="questions of a set, at most")
    parser.add_argument(
        "--keep-projection", action="store_true", help="use the shipped projection, fit the networks only"
    )
    parser.add_argument("--write", action="store_true", help="replace the weights in the package")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    model = open_model(arguments.models)
    arguments.cache.mkdir(parents=True, exist_ok=True)

    def opened(name: str) -> BenchmarkSet:
        folder = arguments.generated if name == "generated" else arguments.data
        return BenchmarkSet(name, folder, arguments.cache, model)

    sources = [opened(name) for name in FITTED]
    if arguments.keep_projection:
        projection = TokenProjection.load()
    else:
        unlabelled = []
        if arguments.unlabelled:
            memories, _ = load(arguments.unlabelled, "vault")
            texts = [("passage: ", str(row["text"])) for row in memories]
            unlabelled = [encode_texts(model, texts, arguments.cache / "vault.d")]
        projection = fit_tokens(sources, unlabelled, arguments.models)
        if arguments.write:
            save(projection, MODELS / "token_projection.npz")
    lists: list[Ranked] = []
    for source in sources:
        source.project(projection)
    for source in sources:
        lists += lists_of(source, [sources[0]], projection, cap=arguments.cap, whole=False)
        print(source.name, len(lists), flush=True)
    fitted = {mode: fit_mode(mode, lists) for mode in NETWORKS}
    if arguments.write:
        RECALL.mkdir(exist_ok=True)
        (RECALL / "fusion.json").write_text(json.dumps(fitted, separators=(",", ":")) + "\n", encoding="utf-8")
    judges = {mode: fusion.Fusion.parse(data) for mode, data in fitted.items()}
    for name in (*arguments.evaluate, *FITTED):
        if name in FITTED:
            tested = [one for one in lists if one.group.split("_mi")[0] == name]
        else:
            held = opened(name)
            held.project(projection)
            tested = list(lists_of(held, [sources[0]], projection, cap=1200, whole=True))
        for mode, judge in judges.items():
            print(*measure(mode, judge, tested), sep="\n", flush=True)


if __name__ == "__main__":
    main()
