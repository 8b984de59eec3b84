"""What is known of each candidate of one query, as numbers for the ranking network.

Pure functions over plain inputs: no index, no model. A `Pool` describes `n` candidates and, after them, the
neighbours (previous and next message of the same session) that are not candidates themselves; the result has
one row a candidate. Every feature is either absolute (0..1 or a cosine) or relative to the pool, so that it
means the same in a store of five memories and in one of a hundred thousand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

BM25_K1 = 1.2
BM25_B = 0.75
STOP_SHARE = 0.2  # weight of a query token of a stop word, as a share of the idf of an unseen word
_LEAST_SPREAD = 0.005  # of cosines, so that five equal memories are not far apart
_SCRIPT_SAMPLE = 100  # characters
_HAN_DENSITY = 3  # a Han character says as much as some three letters
_LOW_SHARE = 3  # the worst third of the query's tokens
_FIELD_WEIGHTS = (1.0, 1.0, 0.5)  # own, pair, window in the summed lexical score

_WORD = re.compile(r"[^\W_]+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")
_CYRILLIC = re.compile(r"[а-яё]")
_NOT_LATIN = re.compile(f"{_CJK.pattern[:-1]}а-яёА-ЯЁ]")
_SENTENCE_ENDS = frozenset('.!?:…\n"“«')
_CALENDAR = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december
    """.split()
)
_ROLES = frozenset({"user", "assistant", "system", "tool", "human", "ai"})


@dataclass(frozen=True, slots=True)
class Pool:
    """Everything the features need: rows 0..n-1 are candidates, rows n..r-1 their other neighbours.

    Fields are counted three times: *own* is a memory's text with its date and speaker, *text* the same
    without the date. *Pair* (previous + own) and *window* (previous + own + next) are summed from text.
    """

    query: str
    """The question as asked."""
    count: int
    """n, the number of candidates."""
    texts: Sequence[str]
    """[r] plain texts, without date and speaker."""
    speakers: Sequence[str]
    """[r] who said it; empty where nobody did."""
    previous: Ints
    """[n] row of the previous message of the same session, or -1."""
    following: Ints
    """[n] row of the next message of the same session, or -1."""
    own_counts: Floats
    """[r, t] how often each of the query's lexemes occurs in the own field."""
    text_counts: Floats
    """[r, t] the same in the text field."""
    own_lengths: Floats
    """[r] lexemes in the own field."""
    text_lengths: Floats
    """[r] lexemes in the text field."""
    averages: tuple[float, float, float]
    """Average lengths of own, pair and window over the whole index."""
    frequencies: Floats
    """[t] documents (own field) holding each lexeme."""
    documents: int
    """Documents in the index."""
    query_weights: Floats | None = None
    """[k] weights of the query's tokens: the mean idf of the lexemes of the word a token came from; for a stop word
    `STOP_SHARE` of the idf of an unseen word."""
    similarities: Floats | None = None
    """[k, m] of the query's token vectors with those of all rows, one row after the other."""
    token_starts: Ints | None = None
    """[r + 1] where each row's tokens start; equal neighbours mean a row without vectors."""
    usual: tuple[Floats, Floats] | None = None
    """[k] each: mean and standard deviation of the best that each of the query's tokens finds in sentences about
    anything; only where no word of the query is in the index, so that meaning alone has to tell what is related."""
    cosines: Floats | None = None
    """[r] cosines of the sentence vectors with the query's, for endpoints without token vectors."""


def idf(frequencies: Floats, documents: int) -> Floats:
    """BM25's inverse document frequency, never negative; a frequency of 0 gives the largest."""
    return np.log1p((documents - frequencies + 0.5) / (frequencies + 0.5)).astype(np.float32)


def matrix(values: Mapping[str, Floats], names: Sequence[str]) -> Floats:
    """Stack named features to [n, f] in the order of `names`."""
    return np.stack([values[name] for name in names], axis=1).astype(np.float32)


def compute(pool: Pool) -> dict[str, Floats]:
    """All features the pool has inputs for, each [n]."""
    values = _lexical(pool)
    if pool.similarities is not None and len(pool.similarities):
        values |= _interaction(pool)
        if pool.usual is not None:
            values |= _meaning(pool)
    if pool.cosines is not None:
        values |= _dense(pool)
    values |= _conversation(pool)
    return values


def _beside(values: Floats, rows: Ints) -> Floats:
    """`values` of the rows named, 0 where there is none."""
    return np.where(rows >= 0, values[rows], np.float32(0))


def _neighbour_sum(counts: Floats, pool: Pool) -> tuple[Floats, Floats]:
    """Pair and window sums of a [r, ...] array, [n, ...] each."""
    shape = (pool.count,) + (1,) * (counts.ndim - 1)
    before = counts[pool.previous] * (pool.previous >= 0).reshape(shape)
    after = counts[pool.following] * (pool.following >= 0).reshape(shape)
    pair = counts[: pool.count] + before
    return pair, pair + after


def _bm25(counts: Floats, lengths: Floats, average: float, weights: Floats) -> Floats:
    """BM25 [n] of counts [n, t], as a share of what is attainable."""
    norm = BM25_K1 * (1 - BM25_B + BM25_B * lengths / max(average, 1e-6))
    gained = counts * (BM25_K1 + 1) / (counts + norm[:, None])
    return (gained @ weights / max(float(weights.sum()) * (BM25_K1 + 1), 1e-6)).astype(np.float32)


def _ranks(values: Floats) -> Floats:
    """log(1 + number of candidates that are strictly better)."""
    ordered = np.sort(-values)
    return np.log1p(np.searchsorted(ordered, -values, side="left")).astype(np.float32)


def _relative(name: str, values: Floats) -> dict[str, Floats]:
    return {f"gap_{name}": values - values.max(initial=0.0), f"rank_{name}": _ranks(values)}


def _lexical(pool: Pool) -> dict[str, Floats]:
    n = pool.count
    weights = idf(pool.frequencies, pool.documents)
    total = max(float(weights.sum()), 1e-6)
    pair, window = _neighbour_sum(pool.text_counts, pool)
    pair_length, window_length = _neighbour_sum(pool.text_lengths, pool)
    own = pool.own_counts[:n]
    scores = (
        _bm25(own, pool.own_lengths[:n], pool.averages[0], weights),
        _bm25(pair, pair_length, pool.averages[1], weights),
        _bm25(window, window_length, pool.averages[2], weights),
    )
    summed = sum((w * s for w, s in zip(_FIELD_WEIGHTS, scores, strict=True)), np.zeros(n, np.float32))
    held = own > 0
    around = np.maximum(own, window) > 0
    rarest = max(float(weights.max(initial=0.0)), 1e-6)
    return {
        "bm_own": scores[0],
        "bm_pair": scores[1],
        "bm_window": scores[2],
        "rare": (held * weights).max(axis=1, initial=0.0) / rarest,
        "cover": held @ weights / total,
        "cover_window": around @ weights / total,
        "unseen": np.full(n, float(weights[pool.frequencies == 0].sum()) / total, np.float32),
        "length": np.log1p(pool.own_lengths[:n]),
        **_relative("bm", summed),
    }


def _interaction(pool: Pool) -> dict[str, Floats]:
    """Late interaction: for each query token its best token in a row, weighted (MaxSim)."""
    assert pool.similarities is not None and pool.token_starts is not None and pool.query_weights is not None
    n = pool.count
    best, reverse = _token_maxima(pool.similarities, pool.token_starts)
    weights = np.maximum(pool.query_weights, 1e-6)
    weights = (weights / weights.sum()).astype(np.float32)
    scores = weights @ best
    around = best[:, :n].copy()
    for rows in (pool.previous, pool.following):
        np.maximum(around, np.where(rows >= 0, best[:, rows], np.float32(-1)), out=around)
    third = max(1, len(weights) // _LOW_SHARE)
    heavy = weights >= np.median(weights)
    own = best[:, :n]
    return {
        "ms": scores[:n],
        "ms_window": weights @ around,
        "ms_prev": _beside(scores, pool.previous),
        "ms_next": _beside(scores, pool.following),
        "ms_low": np.sort(own, axis=0)[:third].mean(axis=0),
        "ms_min": own[heavy].min(axis=0),
        "reverse": reverse[:n],
        **_relative("ms", scores[:n]),
    }


def _token_maxima(similarity: Floats, starts: Ints) -> tuple[Floats, Floats]:
    """Best similarity of each query token in each row [k, r], and the mean best of each row's tokens [r]."""
    rows = len(starts) - 1
    best = np.zeros((len(similarity), rows), np.float32)
    reverse = np.zeros(rows, np.float32)
    sizes = np.diff(starts)
    filled = np.flatnonzero(sizes)
    if len(filled):
        best[:, filled] = np.maximum.reduceat(similarity, starts[filled], axis=1)
        sums = np.add.reduceat(similarity.max(axis=0), starts[filled])
        reverse[filled] = sums / sizes[filled]
    return best, reverse


def _meaning(pool: Pool) -> dict[str, Floats]:
    """How far each candidate stands out from what the query's tokens find anywhere, and its plain cosine."""
    assert pool.similarities is not None and pool.token_starts is not None and pool.usual is not None
    best, _ = _token_maxima(pool.similarities, pool.token_starts)
    mean, deviation = (column[:, None] for column in pool.usual)
    found = {"stand_out": ((best[:, : pool.count] - mean) / np.maximum(deviation, 1e-3)).mean(axis=0)}
    if pool.cosines is not None:
        found["cosine"] = pool.cosines[: pool.count]
    return found


def _dense(pool: Pool) -> dict[str, Floats]:
    """Sentence vectors, relative to the pool: models differ in where their cosines lie and how far they spread."""
    assert pool.cosines is not None
    spread = float(pool.cosines.std()) + _LEAST_SPREAD
    scores = ((pool.cosines - pool.cosines.mean()) / spread).astype(np.float32)
    own = scores[: pool.count]
    return {
        "dense": own,
        "dense_prev": _beside(scores, pool.previous),
        "dense_next": _beside(scores, pool.following),
        **_relative("dense", own),
    }


def _conversation(pool: Pool) -> dict[str, Floats]:
    """Who speaks, who asks, and whether words could match at all."""
    n = pool.count
    asks = np.array([text.rstrip().endswith(("?", "？")) for text in pool.texts], np.float32)
    named, other = _named(pool)
    script = _script(pool.query)
    same_script = np.array([_script(text) == script for text in pool.texts[:n]], np.float32)
    absent = _absent_names(pool) if same_script.sum() * 2 > n else 0.0  # other scripts write names otherwise
    return {
        "asks": asks[:n],
        "answers": _beside(asks, pool.previous),
        "named": named,
        "other_named": other,
        "same_script": same_script,
        "absent_name": np.full(n, absent, np.float32),
    }


def _named(pool: Pool) -> tuple[Floats, Floats]:
    """Whether the query names the candidate's speaker, and whether it names only others."""
    query = pool.query.lower()
    words = set(_WORD.findall(query))
    known = {speaker: _mentions(speaker, query, words) for speaker in set(pool.speakers)}
    named = np.array([known[speaker] for speaker in pool.speakers[: pool.count]], np.float32)
    anybody = any(known.values())
    return named, (1 - named) * np.float32(anybody)


def _absent_names(pool: Pool) -> float:
    """Share of the names in the query (capitals inside a sentence) that stand nowhere in the pool."""
    names = {
        match.group().lower()
        for match in _WORD.finditer(pool.query)
        if match.group()[0].isupper() and len(match.group()) > 2 and _inside_sentence(pool.query, match.start())
    } - _CALENDAR
    if not names:
        return 0.0
    heard = " ".join(["", *set(pool.speakers), *pool.texts]).lower()
    return sum(f" {_stem(name)}" not in heard for name in names) / len(names)


def _inside_sentence(text: str, start: int) -> bool:
    before = text[:start].rstrip(" '‘’")
    return bool(before) and before[-1] not in _SENTENCE_ENDS


def _stem(name: str) -> str:
    """A name without the ending that Russian inflects."""
    return name[:-1] if len(name) > 3 and _CYRILLIC.match(name) else name


def _script(text: str) -> str:
    """The script most of a text's beginning is written in; words of different scripts never match."""
    start = text[:_SCRIPT_SAMPLE]
    if start.isascii() or not _NOT_LATIN.search(start):
        return "latin"
    start = start.lower()
    han, cyrillic = len(_CJK.findall(start)), len(_CYRILLIC.findall(start))
    if max(han * _HAN_DENSITY, cyrillic) * 2 < sum(map(str.isalpha, start)):
        return "latin"
    return "han" if han * _HAN_DENSITY > cyrillic else "cyrillic"


def _mentions(speaker: str, query: str, words: set[str]) -> bool:
    """Whether a part of the speaker's name is in the query; Cyrillic names may be inflected."""
    for part in _WORD.findall(speaker.lower()):
        if part in _ROLES or len(part) < 2:
            continue
        if part in words or (_CJK.search(part) and part in query):
            return True
        stem = _stem(part)
        if stem != part and any(w.startswith(stem) and len(w) <= len(part) + 2 for w in words):
            return True
    return False
