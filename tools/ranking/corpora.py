"""Benchmark corpora as the product would see them: texts, lexemes, token states, candidate pools.

Everything that decides what a feature means comes from the package itself (analyser, token words, features, the
packed form of token rows), so that networks are fitted on what they will be shown. Encodings are cached.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrubjay.models.runtime import LocalModel, ModelFiles
from scrubjay.models.tokens import TokenProjection
from scrubjay.models.words import words_at
from scrubjay.operations.recall import features
from scrubjay.operations.recall.features import Floats, Ints, Pool
from scrubjay.text.analyze import date_lexemes, lexemes, query_lexemes

CONTEXT_CHARACTERS = 300
PASSAGE_PREFIX = "passage: "
QUERY_PREFIX = "query: "
EVERYTHING = 600  # corpora up to this size are candidates as a whole
PER_SIGNAL = 100
CONVERSATIONS = frozenset({"locomo", "vehiclemem", "generated", "longmemeval_pool_plus", "longmemeval_evidence_pool"})
TOKEN_LIMIT = {"vehiclemem": 256, "longmemeval_pool_plus": 224}
VEHICLE_TURNS = 350

Row = dict[str, Any]


def load(folder: Path, name: str) -> tuple[list[Row], list[Row]]:
    """Memories (by corpus, in order) and queries of a set."""
    memories, queries = (
        [json.loads(line) for line in (folder / f"{name}.{part}.jsonl").read_text(encoding="utf-8").splitlines()]
        for part in ("memories", "queries")
    )
    queries = [query for query in queries if query["gold_memory_ids"] or query.get("abstain")]
    if name == "vehiclemem":
        memories = _vehicle_sample(memories, queries)
    memories.sort(key=lambda row: row["corpus_id"])
    return memories, queries


def _vehicle_sample(memories: list[Row], queries: list[Row]) -> list[Row]:
    """Some 350 turns of each group chat: those around the evidence and whole other days."""
    rng = random.Random(0)
    kept: list[Row] = []
    for corpus in sorted({row["corpus_id"] for row in memories}):
        turns = [row for row in memories if row["corpus_id"] == corpus]
        gold = {i for query in queries if query["corpus_id"] == corpus for i in query["gold_memory_ids"]}
        at = [place for place, row in enumerate(turns) if row["memory_id"] in gold]
        chosen = {near for place in at for near in range(place - 4, place + 5) if 0 <= near < len(turns)}
        days_of_gold = {turns[place]["session_id"] for place in at}
        others = sorted({row["session_id"] for row in turns} - days_of_gold)
        rng.shuffle(others)
        for day in [*others, *sorted(days_of_gold)]:
            if len(chosen) >= VEHICLE_TURNS:
                break
            chosen |= {place for place, row in enumerate(turns) if row["session_id"] == day}
        kept += [turns[place] for place in sorted(chosen)]
    return kept


def when(row: Row) -> datetime | None:
    return datetime.fromisoformat(row["time"].replace("Z", "+00:00")) if row.get("time") else None


def body(row: Row) -> str:
    return str(row.get("text") or "").strip().lstrip("\ufeff")


def spoken(row: Row, *, dated: bool = True) -> str:
    """The text that is encoded: `[8 May 2023] Speaker: text`."""
    at = when(row) if dated else None
    date = f"[{at.day} {at:%B} {at.year}] " if at else ""
    speaker = f"{row['speaker']}: " if row.get("speaker") else ""
    return date + speaker + body(row)


def follows(memories: Sequence[Row], place: int) -> bool:
    """Whether the memory at `place` continues the session of the one before it."""
    if place == 0:
        return False
    here, before = memories[place], memories[place - 1]
    return (
        here.get("session_id") is not None
        and here["session_id"] == before.get("session_id")
        and here["corpus_id"] == before["corpus_id"]
    )


def passages(name: str, memories: Sequence[Row]) -> list[tuple[str, str]]:
    """For each memory what precedes its own text in the encoder's input, and its own text."""
    found = []
    for place, row in enumerate(memories):
        lead = PASSAGE_PREFIX
        if name in CONVERSATIONS and follows(memories, place):
            before = memories[place - 1]
            speaker = f"{before['speaker']}: " if before.get("speaker") else ""
            lead += f"{speaker}{body(before)[-CONTEXT_CHARACTERS:]} "
        found.append((lead, spoken(row)))
    return found


@dataclass(frozen=True, slots=True)
class States:
    """Token states of many texts, one text after the other."""

    values: NDArray[np.float16]
    """[tokens, 384]"""
    ids: NDArray[np.int32]
    """[tokens]"""
    spans: NDArray[np.int32]
    """[tokens, 2] character ranges in the own text"""
    starts: Ints
    """[texts + 1]"""
    sentences: Floats
    """[texts, 384] sentence vectors"""


def encode(
    model: LocalModel, texts: Sequence[tuple[str, str]], cache: Path, limit: int = 384, batch: int = 8
) -> States:
    """Encode (lead, own text) pairs, keeping the states of the own tokens; read from `cache` when there."""
    if not cache.with_name(f"{cache.name}.npz").exists():
        _encode(model, texts, cache, limit, batch)
    with np.load(cache.with_name(f"{cache.name}.npz")) as held:
        ids, spans, starts, sentences = (held[key] for key in ("ids", "spans", "starts", "sentences"))
    return States(np.load(cache.with_name(f"{cache.name}.npy"), mmap_mode="r"), ids, spans, starts, sentences)


def _encode(model: LocalModel, texts: Sequence[tuple[str, str]], cache: Path, limit: int, batch: int) -> None:
    rows: list[list[int]] = []
    own: list[list[int]] = []
    spans: list[tuple[int, int]] = []
    for lead, text in texts:
        encoding = model.encode(lead + text)
        ids = encoding.ids if len(encoding.ids) <= limit else [*encoding.ids[: limit - 1], encoding.ids[-1]]
        places = [p for p in range(1, len(ids) - 1) if encoding.offsets[p][1] > len(lead)]
        rows.append(ids)
        own.append(places)
        spans += [(max(0, encoding.offsets[p][0] - len(lead)), encoding.offsets[p][1] - len(lead)) for p in places]
    starts = np.concatenate([[0], np.cumsum([len(places) for places in own])]).astype(np.int64)
    values = np.lib.format.open_memmap(cache.with_name(f"{cache.name}.npy"), "w+", np.float16, (int(starts[-1]), 384))
    sentences = np.zeros((len(texts), 384), np.float32)
    order = sorted(range(len(texts)), key=lambda i: len(rows[i]))
    for first in range(0, len(order), batch):
        chosen = order[first : first + batch]
        outputs = model.run([rows[i] for i in chosen])
        for line, i in enumerate(chosen):
            values[starts[i] : starts[i + 1]] = outputs["token_states"][line, own[i]]
            mean = outputs["last_hidden_state"][line, : len(rows[i])].mean(axis=0)
            sentences[i] = mean / np.linalg.norm(mean)
    values.flush()
    kept = np.concatenate([np.asarray(rows[i], np.int32)[own[i]] for i in range(len(texts))])
    np.savez(
        cache.with_name(f"{cache.name}.npz"),
        ids=kept,
        spans=np.asarray(spans, np.int32).reshape(-1, 2),
        starts=starts,
        sentences=sentences,
    )


def open_model(folder: Path) -> LocalModel:
    return LocalModel(
        ModelFiles(model=folder / "multilingual-e5-small-en-ru-zh.onnx", tokenizer=folder / "tokenizer.json")
    )


class BenchmarkSet:
    """A set with its states; `project` must be called before pools can be made."""

    def __init__(self, name: str, data: Path, cache: Path, model: LocalModel) -> None:
        self.name = name
        self.memories, self.queries = load(data, name)
        limit = TOKEN_LIMIT.get(name, 384)
        self.states = encode(model, passages(name, self.memories), cache / f"{name}.d", limit)
        asked = [(QUERY_PREFIX, query["query"]) for query in self.queries]
        self.query_states = encode(model, asked, cache / f"{name}.q", 256)
        self.linked = np.array([follows(self.memories, place) for place in range(len(self.memories))])
        self.ranges = self._ranges()
        places = {(row["corpus_id"], row["memory_id"]): place for place, row in enumerate(self.memories)}
        self.gold = [
            sorted({places[q["corpus_id"], i] for i in q["gold_memory_ids"] if (q["corpus_id"], i) in places})
            for q in self.queries
        ]
        self.corpus_of = [q["corpus_id"] for q in self.queries]
        self.rows: NDArray[np.float16] = np.zeros((0, 0), np.float16)
        self.row_starts: Ints = np.zeros(1, np.int64)

    def _ranges(self) -> dict[str, tuple[int, int]]:
        found: dict[str, tuple[int, int]] = {}
        for place, row in enumerate(self.memories):
            first, _ = found.get(row["corpus_id"], (place, 0))
            found[row["corpus_id"]] = (first, place + 1)
        return found

    @cached_property
    def counted(self) -> list[tuple[Counter[str], Counter[str]]]:
        """Lexemes of each memory with its date and speaker (own), and without the date (text)."""
        found = []
        for row in self.memories:
            text = Counter(lexemes(body(row)) + lexemes(row.get("speaker") or ""))
            at = when(row)
            found.append((text + Counter(date_lexemes(at)) if at else text, text))
        return found

    def project(self, projection: TokenProjection) -> None:
        """Make token rows as the index would hand them back: packed and unpacked."""
        blobs = []
        for place in range(len(self.memories)):
            span = slice(self.states.starts[place], self.states.starts[place + 1])
            values, ids = self.states.values[span].astype(np.float32), self.states.ids[span].astype(np.int64)
            rows, _ = projection.memory(values, ids)
            blobs.append(projection.pack(rows))
        rows, self.row_starts = projection.unpack_many(blobs)
        self.rows = rows.astype(np.float16)


@dataclass(frozen=True, slots=True)
class Question:
    """A query prepared for any corpus."""

    text: str
    lexemes: tuple[str, ...]
    vectors: Floats
    words: tuple[str, ...]
    """[k] the word of each query token"""
    sentence: Floats


def question(source: BenchmarkSet, number: int, projection: TokenProjection) -> Question:
    text = source.queries[number]["query"]
    states = source.query_states
    span = slice(states.starts[number], states.starts[number + 1])
    words = words_at(text, [(int(first), int(last)) for first, last in states.spans[span]])
    worded = np.flatnonzero(np.array([bool(word) for word in words], np.bool_))
    values, ids = states.values[span].astype(np.float32)[worded], states.ids[span][worded].astype(np.int64)
    vectors, kept = projection.query(values, ids)
    told = tuple(words[worded[place]] for place in np.flatnonzero(kept))
    return Question(text, tuple(query_lexemes(text)), vectors, told, states.sentences[number])


class Index:
    """What an index would know of some memories of a set."""

    def __init__(self, source: BenchmarkSet, places: range) -> None:
        self.source, self.places = source, places
        self.counted = [source.counted[place] for place in places]
        self.own_lengths = np.array([own.total() for own, _ in self.counted], np.float32)
        self.text_lengths = np.array([text.total() for _, text in self.counted], np.float32)
        self.frequencies = Counter(lexeme for own, _ in self.counted for lexeme in own)
        count = len(places)
        linked = source.linked[places.start : places.stop].copy()
        linked[:1] = False
        self.previous = np.where(linked, np.arange(count) - 1, -1)
        self.following = np.append(np.where(linked[1:], np.arange(1, count), -1), -1) if count else self.previous
        shares = float(linked.mean()) if count else 0.0
        text = float(self.text_lengths.mean()) if count else 1.0
        self.averages = (float(self.own_lengths.mean()) if count else 1.0, text * (1 + shares), text * (1 + 2 * shares))

    def pool(self, asked: Question) -> tuple[Ints, Pool]:
        """The candidates (places within the set) and their pool, gathered as the product gathers them."""
        count = len(self.places)
        frequencies = np.array([self.frequencies[lexeme] for lexeme in asked.lexemes], np.float32)
        weights = features.idf(frequencies, count)
        own, text = (
            np.array([[counter.get(lexeme, 0) for lexeme in asked.lexemes] for counter in counters], np.float32)
            for counters in zip(*self.counted, strict=True)
        )
        cosines = self.source.states.sentences[self.places.start : self.places.stop] @ asked.sentence
        candidates = self._candidates(own, weights, cosines)
        beside = {int(place) for i in candidates for place in (self.previous[i], self.following[i]) if place >= 0}
        rows = np.array([*candidates, *sorted(beside - set(candidates))], np.int64)
        row_of = np.full(count + 1, -1, np.int64)
        row_of[rows] = np.arange(len(rows))
        starts = self.source.row_starts
        spans = [slice(starts[self.places.start + row], starts[self.places.start + row + 1]) for row in rows]
        token_starts = np.concatenate([[0], np.cumsum([span.stop - span.start for span in spans])]).astype(np.int64)
        memories = [self.source.memories[self.places.start + row] for row in rows]
        chosen = rows[: len(candidates)]
        return chosen + self.places.start, Pool(
            query=asked.text,
            count=len(candidates),
            texts=[body(row) for row in memories],
            speakers=[row.get("speaker") or "" for row in memories],
            previous=row_of[self.previous[chosen]],
            following=row_of[self.following[chosen]],
            own_counts=own[rows],
            text_counts=text[rows],
            own_lengths=self.own_lengths[rows],
            text_lengths=self.text_lengths[rows],
            averages=self.averages,
            frequencies=frequencies,
            documents=count,
            query_weights=_token_weights(asked, weights, count),
            similarities=asked.vectors
            @ np.concatenate([self.source.rows[span] for span in spans]).astype(np.float32).T,
            token_starts=token_starts,
            cosines=cosines[rows],
        )

    def _candidates(self, own: Floats, weights: Floats, cosines: Floats) -> list[int]:
        count = len(self.places)
        if count <= EVERYTHING:
            return list(range(count))
        lengths = features.BM25_K1 * (1 - features.BM25_B + features.BM25_B * self.own_lengths / self.averages[0])
        scores = (own / (own + lengths[:, None])) @ weights
        best = [int(i) for i in np.argsort(-scores, kind="stable")[:PER_SIGNAL] if scores[i] > 0]
        best += np.argsort(-cosines, kind="stable")[:PER_SIGNAL].tolist()
        near = [int(place) for i in best for place in (self.previous[i], self.following[i]) if place >= 0]
        return list(dict.fromkeys([*best, *near]))


def _token_weights(asked: Question, weights: Floats, documents: int) -> Floats:
    """As the product weighs query tokens: the mean idf of their word's lexemes, little for a stop word."""
    known = dict(zip(asked.lexemes, weights.tolist(), strict=True))
    little = features.STOP_SHARE * float(features.idf(np.zeros(1, np.float32), documents)[0])
    found = []
    for word in asked.words:
        idfs = [known[lexeme] for lexeme in lexemes(word) if lexeme in known]
        found.append(sum(idfs) / len(idfs) if idfs else little)
    return np.array(found, np.float32)
