"""Recall, step by step: analyse, gather, score, order, abstain or answer, pack (design §5).

Every step's time and every signal that ran is in the answer; what made it poorer is a warning, never an error (MX-10).
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from functools import lru_cache
from itertools import product

from scrubjay.config import Settings
from scrubjay.errors import BadInput, ScrubjayError
from scrubjay.models.arrays import single_threaded
from scrubjay.operations.recall import ordering, packing, updates
from scrubjay.operations.recall.candidates import Asked, Gathered, analyse, gather
from scrubjay.operations.recall.ordering import Scored
from scrubjay.operations.recall.remarks import OLDER, remark
from scrubjay.operations.store import Store
from scrubjay.ports import Embedder, EncodedQuery, Filter, Reranker, TokenCodec
from scrubjay.temporal import now, standing
from scrubjay.text.tense import Tense, tense
from scrubjay.types import Hit, Layer, Query, Recall, Record, Suppressed

RERANKED = 50
EXTRA = 4  # records read for each hit wanted: decay moves some down, repetitions go
NOTHING = "Nothing in the memory bears on the question."
WORDLESS = "The question holds no words to look for."
EMPTY = "There is nothing in the memory that could answer."


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """What ranks: the models at hand, the settings, the user's time zone."""

    embedder: Embedder | None
    reranker: Reranker | None
    settings: Settings
    zone: tzinfo


@dataclass(slots=True)
class Trace:
    """What happened on the way: milliseconds by step, signals that ran, warnings."""

    took: dict[str, float] = field(default_factory=dict)
    signals: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Adds the time of the block to step ``name``."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.took[name] = self.took.get(name, 0.0) + (time.perf_counter() - started) * 1000


@dataclass(frozen=True, slots=True)
class Ranked:
    """Candidates with probabilities, and the probability that any of them answers."""

    scored: Sequence[Scored]
    answerable: bool


def recall(stores: Sequence[Store], query: Query, ranking: Ranking) -> Recall:
    """The answer to ``query`` from ``stores``; never fails for want of a model."""
    trace = Trace()
    moment = now()
    with trace.step("analyse"):
        asked = analyse(query, now=query.as_of or moment, zone=ranking.zone)
    with single_threaded():
        return _recall(stores, query, asked, ranking, trace, moment)


def _recall(
    stores: Sequence[Store], query: Query, asked: Asked, ranking: Ranking, trace: Trace, moment: datetime
) -> Recall:
    encoded = _encode(query, ranking, trace)
    tense = _tense(query, asked)
    where = _filter(query, moment, past=tense != "present")
    model = ranking.embedder.name if ranking.embedder is not None else ""
    with trace.step("candidates"):
        gathered, encoded = _gather(stores, asked, encoded, model, where, ranking, trace, query.limit)
    trace.warnings += _incomplete(stores)
    if not asked.lexemes:
        return _answer(query, (), trace, (), reason=WORDLESS)
    suppressed = list(_hidden(stores, query, asked, where)) if query.explain else []
    if not any(part.rows for part in gathered):
        return _answer(query, (), trace, suppressed, reason=EMPTY)
    ranked = _rank(query, asked, gathered, encoded, ranking, trace)
    if not ranked.scored or (query.abstain and not ranked.answerable):
        return _answer(query, (), trace, suppressed, reason=NOTHING)
    scored = ranked.scored
    if not query.include_superseded and where.include_superseded:
        scored = updates.known_then(scored, as_of=where.as_of, known_at=where.known_at)
    ordered = ordering.order(scored, now=moment, settings=ranking.settings.decay)
    distinct, repeated = ordering.distinct(ordered)
    if tense != "present" and not (query.category or query.tags or query.since or query.until):
        distinct = updates.with_successors(distinct, stores)
    evidence = ordering.echoes_last(distinct, query.limit)
    chosen = ordering.facts_first(updates.in_order(evidence, query.text, tense, asked.past)[: query.limit])
    overtaken = updates.overtaken(chosen)
    past = where.include_superseded
    notes = [remark(item.record, stores, moment, overtaken=overtaken, past=past) for item in chosen]
    hits = tuple(_hit(item, note) for item, note in zip(chosen, notes, strict=True))
    return _answer(query, hits, trace, [*suppressed, *(repeated if query.explain else [])])


def _answer(
    query: Query, hits: tuple[Hit, ...], trace: Trace, suppressed: Sequence[Suppressed], *, reason: str = ""
) -> Recall:
    with trace.step("pack"):
        text, tokens = packing.pack(hits, query.budget)
    return Recall(
        query=query,
        hits=hits,
        abstained=not hits,
        reason=reason,
        text=text,
        tokens=tokens,
        took={name: round(spent, 3) for name, spent in trace.took.items()},
        signals=tuple(trace.signals),
        warnings=tuple(trace.warnings),
        suppressed=tuple(suppressed),
    )


def _encode(query: Query, ranking: Ranking, trace: Trace) -> EncodedQuery | None:
    if ranking.embedder is None:
        return None
    try:
        with trace.step("encode"):
            return ranking.embedder.query(query.text)
    except ScrubjayError as error:
        trace.warnings.append(f"Searched by words only: {error.message}")
        return None


def _gather(
    stores: Sequence[Store],
    asked: Asked,
    encoded: EncodedQuery | None,
    model: str,
    where: Filter,
    ranking: Ranking,
    trace: Trace,
    wanted: int,
) -> tuple[list[Gathered], EncodedQuery | None]:
    """What each store offers, and the query as it was compared: by words only when its vector fits no index (F43)."""
    limit = max(ranking.settings.recall.candidates, wanted)
    try:
        return [gather(store, asked, encoded, model, where, limit) for store in stores], encoded
    except BadInput as error:
        if encoded is None:
            raise
        trace.warnings.append(f"Searched by words only: {error.message}")
        return [gather(store, asked, None, model, where, limit) for store in stores], None


def _incomplete(stores: Sequence[Store]) -> list[str]:
    """Stores whose index is new, or was lost and made anew, and holds only a part of the vault yet (F13)."""
    return [
        f"The index of scope {store.scope} does not hold all of its vault yet: run `scrubjay sync`."
        for store in stores
        if not store.index.complete
    ]


def _tense(query: Query, asked: Asked) -> Tense:
    """What the question asks about time; asked as of a moment, or of facts as believed then, it is about the present
    of that moment. A time in the past asks for what held then."""
    if query.as_of or query.known_at or "facts" not in query.layers:
        return "present"
    found = tense(query.text)
    return "change" if found == "present" and asked.past is not None else found


def _filter(query: Query, moment: datetime, *, past: bool) -> Filter:
    return Filter(
        layers=query.layers,
        as_of=query.as_of or moment,
        known_at=query.known_at or moment,
        tags=query.tags,
        category=query.category,
        since=query.since,
        until=query.until,
        include_superseded=query.include_superseded or past,
    )


def _rank(
    query: Query,
    asked: Asked,
    gathered: Sequence[Gathered],
    encoded: EncodedQuery | None,
    ranking: Ranking,
    trace: Trace,
) -> Ranked:
    """Probabilities for the best candidates of all stores."""
    import numpy as np

    from scrubjay.operations.recall.evidence import pool_of
    from scrubjay.operations.recall.scoring import judge

    late = encoded is not None and encoded.tokens is not None and ranking.settings.models.reranker != "none"
    codec = _codec() if late else None
    with trace.step("score"):
        pool = pool_of(query.text, asked, gathered, encoded, codec)
        verdict = judge(pool)
    trace.signals += ["lexical", *verdict.signals]
    trace.warnings += _coverage_warnings(gathered, ranking.embedder, encoded)
    order = np.argsort(-verdict.probabilities, kind="stable")
    wanted = max(query.limit * EXTRA, RERANKED if ranking.reranker is not None else 0)
    best = order[~verdict.silent[order]][:wanted]
    with trace.step("fetch"):
        records = _records(gathered, best.tolist())
    ranks = _ranks_of(gathered)
    scored = [
        Scored(records[place], float(verdict.probabilities[place]), ranks.get(place, {}))
        for place in best.tolist()
        if place in records
    ]
    if ranking.reranker is None:
        return Ranked(scored, verdict.answerable)
    return _rerank(query, scored, ranking, trace, verdict.answerable)


def _rerank(query: Query, scored: Sequence[Scored], ranking: Ranking, trace: Trace, answerable: bool) -> Ranked:
    """A cross-encoder's word over the late interaction's, for the best candidates only."""
    assert ranking.reranker is not None
    head = list(scored[:RERANKED])
    try:
        with trace.step("rerank"):
            scores = ranking.reranker.scores(query.text, [item.record.text for item in head])
    except ScrubjayError as error:
        trace.warnings.append(f"Not reranked: {error.message}")
        return Ranked(scored, answerable)
    trace.signals.append("rerank")
    rescored = [replace(item, score=score) for item, score in zip(head, scores, strict=True)]
    rescored.sort(key=lambda item: -item.score)
    return Ranked(rescored, answerable)


@lru_cache(maxsize=1)
def _codec() -> TokenCodec:
    from scrubjay.models.tokens import TokenProjection

    return TokenProjection.load()


def _records(gathered: Sequence[Gathered], places: Sequence[int]) -> Mapping[int, Record]:
    """The records at ``places`` of the pool, each from its own store."""
    found: dict[int, Record] = {}
    start = 0
    for part in gathered:
        mine = [place for place in places if start <= place < start + len(part.rows)]
        keys = {place: part.rows[place - start].key for place in mine}
        records = part.store.index.records(list(keys.values()))
        found.update({place: records[key] for place, key in keys.items() if key in records})
        start += len(part.rows)
    return found


def _ranks_of(gathered: Sequence[Gathered]) -> dict[int, dict[str, int]]:
    """For each place of the pool, its 1-based rank by each signal alone."""
    ranks: dict[int, dict[str, int]] = {}
    start = 0
    for part in gathered:
        places = {row.key: start + number for number, row in enumerate(part.rows)}
        for name, keys in (("lexical", part.lexical), ("dense", part.dense)):
            for rank, key in enumerate(keys, 1):
                if key in places:
                    ranks.setdefault(places[key], {})[name] = rank
        start += len(part.rows)
    return ranks


def _coverage_warnings(
    gathered: Sequence[Gathered], embedder: Embedder | None, encoded: EncodedQuery | None
) -> list[str]:
    if embedder is None or encoded is None:
        return []
    waiting = sum(part.store.index.pending_count(embedder.name) for part in gathered)
    return [f"{waiting} records wait for a vector and were found by words only."] if waiting else []


def _hit(item: Scored, note: str) -> Hit:
    record = item.record
    return Hit(record=record, score=item.score, citation=packing.citation(record), ranks=item.ranks, note=note)


def _hidden(stores: Sequence[Store], query: Query, asked: Asked, where: Filter) -> Iterator[Suppressed]:
    """Facts that match and do not hold, and older versions of notes, with the reason (F82, F90)."""
    if query.include_superseded or not asked.lexemes:
        return
    layers: tuple[Layer, ...] = ("facts", "notes")
    for store, layer in product(stores, (layer for layer in layers if layer in query.layers)):
        everything = replace(where, include_superseded=True, layers=frozenset({layer}))
        keys = store.index.lexical(asked.lexemes, everything, 30)
        for record in store.index.records(keys).values():
            stands = standing(record, as_of=where.as_of, known_at=where.known_at)
            if stands != "current":
                yield Suppressed(id=record.id, text=record.text, reason=stands if layer == "facts" else OLDER)
