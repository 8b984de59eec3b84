"""Lexical candidates and the rows that ranking reads (F76 to F80).

Words choose candidates; the fusion above ranks them again. So the cost is what matters here: lexemes that nearly
everything holds bring no candidates while rarer ones exist, and long queries are counted before they are weighed.
"""

from __future__ import annotations

import heapq
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import apsw

from scrubjay.index.sqlite.columns import decode, name_key
from scrubjay.index.sqlite.database import Database
from scrubjay.index.sqlite.filters import Conditions, conditions, facts_only
from scrubjay.index.sqlite.statements import sql
from scrubjay.index.sqlite.weighing import affordable, bm25, clean, folded, quoted, rarity, searchable
from scrubjay.ports import Filter, Row, Statistics
from scrubjay.types import Record

# FTS5 weighs a match in about (8 + lexemes) / 8 µs; beyond this it is cheaper to count first and weigh the best.
_WEIGHABLE = 60_000
_FEW_LEXEMES = 3
# Filters that let fewer through than this are answered from what they let through (F79).
NARROW = 1_024


def keys_array(keys: Iterable[int]) -> Any:
    """``keys`` as SQLite reads them from memory; no key is 0, which stands for none at all."""
    return apsw.carray(array("q", keys) or array("q", [0]))


def statistics(db: Database, lexemes: Iterable[str]) -> Statistics:
    """The numbers behind BM25. ``average_length`` counts the lexemes of head and body."""
    records, total = db.one(sql("search", "totals")) or (0, 0)
    asked = {lexeme: folded(lexeme) for lexeme in lexemes}
    terms = apsw.carray(tuple(set(asked.values())) or ("",))
    found = dict(db.all(sql("search", "frequencies"), {"terms": terms}))
    frequencies = {lexeme: found.get(term, 0) for lexeme, term in asked.items()}
    return Statistics(records=records, frequencies=frequencies, average_length=total / records if records else 0.0)


def lexical(
    db: Database, lexemes: Sequence[str], where: Filter, limit: int, numbers: Statistics | None = None
) -> Sequence[int]:
    """Keys of the best records holding any of ``lexemes``, best first; ``numbers`` are their statistics."""
    wanted = [lexeme for lexeme in lexemes if searchable(lexeme)]
    numbers = numbers or statistics(db, wanted)
    known = {lexeme: count for lexeme in wanted if (count := numbers.frequencies.get(lexeme))}
    if not known or limit < 1:
        return []
    weights = {folded(lexeme): rarity(count, numbers.records) for lexeme, count in known.items()}
    asked = conditions(where)
    few = passing_few(db, asked)
    if few is not None:
        return _weigh(db, few, weights, numbers.average_length)[:limit]
    rarest = affordable(known)
    postings = sum(known[lexeme] for lexeme in rarest)
    if len(rarest) <= _FEW_LEXEMES or postings * (8 + len(rarest)) <= _WEIGHABLE:
        ranked = _by_rank(db, rarest)
    else:
        counted = _by_coverage(db, {lexeme: weights[folded(lexeme)] for lexeme in rarest})
        best = surviving(db, counted, asked, 4 * limit)
        return _weigh(db, best, weights, numbers.average_length)[:limit]
    return surviving(db, ranked, asked, limit)


def everything(db: Database, where: Filter, limit: int) -> Sequence[int] | None:
    """All keys that pass, or ``None`` if they are more than ``limit``."""
    return _everything(db, conditions(where), limit)


def passing_few(db: Database, asked: Conditions) -> Sequence[int] | None:
    """All keys that pass a narrow filter, if they are few."""
    return _everything(db, asked, NARROW) if asked.narrow else None


def surviving(db: Database, ranked: Sequence[int], asked: Conditions, wanted: int) -> list[int]:
    """The first ``wanted`` of ``ranked`` that pass; looks further and further down until there are enough (F79)."""
    query = sql("search", "passing").format(conditions=asked.sql)
    found: list[int] = []
    start, size = 0, max(2 * wanted, 64)
    while start < len(ranked) and len(found) < wanted:
        window = keys_array(ranked[start : start + size])
        found += [key for (key,) in db.all(query, {**asked.bindings, "keys": window})]
        start, size = start + size, size * 4
    return found[:wanted]


def passing(db: Database, keys: Iterable[int], where: Filter) -> set[int]:
    """Those of ``keys`` that pass."""
    asked = conditions(where)
    query = sql("search", "passing").format(conditions=asked.sql)
    return {key for (key,) in db.all(query, {**asked.bindings, "keys": keys_array(keys)})}


def rows(db: Database, keys: Sequence[int], model: str | None) -> list[Row]:
    """The rows of ``keys`` in order, with vectors of ``model`` (of any for ``None``); vanished ones are left out."""
    if not keys:
        return []
    return [Row._make(row) for row in db.all(sql("search", "rows"), {"keys": keys_array(keys), "model": model})]


def neighbours(db: Database, around: Sequence[Row], model: str | None) -> list[Row]:
    """The rows just before and after each of ``around`` in its thread that are not among them."""
    beside = {key for row in around for key in (row.previous, row.following) if key is not None}
    return rows(db, sorted(beside - {row.key for row in around}), model)


def records(db: Database, keys: Sequence[int]) -> Mapping[int, Record]:
    """Whole records by key."""
    if not keys:
        return {}
    return {row[0]: decode(row) for row in db.all(sql("search", "described"), {"keys": keys_array(keys)})}


def record(db: Database, id: str) -> Record | None:
    """The record with this id."""
    row = db.one(sql("search", "by id"), {"id": clean(id)})
    return None if row is None else decode(row)


def records_at(db: Database, path: str) -> Sequence[Record]:
    """The records of one document, in order."""
    return [decode(row) for row in db.all(sql("search", "at path"), {"path": clean(path)})]


def facts(db: Database, where: Filter | None) -> Sequence[Record]:
    """Facts, oldest first."""
    asked = Conditions("true", {}, False) if where is None else conditions(facts_only(where))
    return [decode(row) for row in db.all(sql("search", "facts").format(conditions=asked.sql), asked.bindings)]


def facts_about(db: Database, subject: str, where: Filter) -> Sequence[Record]:
    """Facts with that subject, whatever its case, oldest first."""
    asked = conditions(facts_only(where))
    query = sql("search", "facts about").format(conditions=asked.sql)
    return [decode(row) for row in db.all(query, {**asked.bindings, "subject": name_key(subject)})]


def successor(db: Database, id: str) -> str | None:
    """The id of the fact that supersedes ``id``."""
    found = db.value(sql("search", "successor"), {"id": clean(id)})
    return None if found is None else str(found)


# --- ranking by words ---


def _by_rank(db: Database, lexemes: Sequence[str]) -> list[int]:
    match = " OR ".join(map(quoted, lexemes))
    return [key for (key,) in db.all(sql("search", "by rank"), {"match": match})]


def _by_coverage(db: Database, weights: Mapping[str, float]) -> list[int]:
    """Keys by the summed rarity of the lexemes they hold; the newest first among equals."""
    scores: dict[int, float] = {}
    for lexeme, weight in weights.items():
        for (key,) in db.all(sql("search", "holding"), {"match": quoted(lexeme)}):
            scores[key] = scores.get(key, 0.0) + weight
    return [key for _, key in sorted(zip(scores.values(), scores, strict=True), reverse=True)]


def _weigh(db: Database, keys: Sequence[int], weights: Mapping[str, float], average: float) -> list[int]:
    """``keys`` by BM25 over head and body, best first; those that hold none of the lexemes are left out."""
    scored = []
    for key, head, body in db.all(sql("search", "wording"), {"keys": keys_array(keys)}):
        score = bm25(head.split(" "), body.split(" "), weights, average)
        if score > 0:
            scored.append((score, key))
    return [key for _, key in heapq.nlargest(len(scored), scored)]


def _everything(db: Database, asked: Conditions, limit: int) -> Sequence[int] | None:
    query = sql("search", "everything").format(conditions=asked.sql)
    found = [key for (key,) in db.all(query, {**asked.bindings, "limit": limit + 1})]
    return found if len(found) <= limit else None
