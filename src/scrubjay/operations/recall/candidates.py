"""Candidates: what a store offers for a question, by words and by meaning, after every filter (design §5, F79)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import chain

from scrubjay.operations.store import Store
from scrubjay.ports import EncodedQuery, Filter, Row, Statistics
from scrubjay.text.analyze import date_lexemes, query_lexemes
from scrubjay.text.dates import TimeExpression, time_expressions
from scrubjay.types import Interval, Query

# Up to this many records everything is a candidate; above, the best of each signal and their neighbours.
SMALL = 600
DAY = 2  # which of a moment's date lexemes is its day


@dataclass(frozen=True, slots=True)
class Asked:
    """A query analysed once: the lexemes of its words, for each time expression the date lexemes that fit it, and
    the first stretch of time among them that is over."""

    words: tuple[str, ...]
    times: tuple[tuple[str, ...], ...]
    past: Interval | None = None

    @property
    def lexemes(self) -> tuple[str, ...]:
        """Everything to look for, each once."""
        return tuple(dict.fromkeys((*self.words, *chain.from_iterable(self.times))))

    @property
    def terms(self) -> tuple[tuple[str, ...], ...]:
        """What is asked for, term by term: a word, or a time that any of its lexemes meets."""
        return (*((word,) for word in self.words), *self.times)


@dataclass(frozen=True, slots=True)
class Gathered:
    """What one store offers: candidate rows, context rows, and the numbers behind BM25.

    ``lexical`` and ``dense`` are candidate keys in the order of that signal alone.
    """

    store: Store
    rows: Sequence[Row]
    context: Sequence[Row]
    statistics: Statistics
    lexical: Sequence[int]
    dense: Sequence[int]


def analyse(query: Query, *, now: datetime, zone: tzinfo) -> Asked:
    """The lexemes of ``query``, with its time expressions as the date lexemes of records said then."""
    found = time_expressions(query.text, now, zone)
    return Asked(
        words=tuple(query_lexemes(query.text)),
        times=tuple(dict.fromkeys(filter(None, map(_days, found)))),
        past=next((Interval(start=each.start, end=each.end) for each in found if each.end <= now), None),
    )


def _days(found: TimeExpression) -> tuple[str, ...]:
    """The lexemes of a time expression. Records carry days in UTC, and a day of the user may touch two of them."""
    own = list(found.lexemes)
    if found.end - found.start <= timedelta(days=7):
        own += [date_lexemes(moment.astimezone(UTC))[DAY] for moment in (found.start, found.end - timedelta(seconds=1))]
    return tuple(dict.fromkeys(own))


def gather(
    store: Store, asked: Asked, encoded: EncodedQuery | None, model: str, where: Filter, per_signal: int
) -> Gathered:
    """Rows of ``store`` that may answer, with their neighbours in the same thread.

    In a store that is not small the neighbours are candidates too: the answer often stands next to the words of the
    question.
    """
    index = store.index
    statistics = index.statistics(asked.lexemes)
    lexical = index.lexical(asked.lexemes, where, per_signal, statistics) if asked.lexemes else ()
    dense = index.dense(encoded.vector, model, where, per_signal) if encoded is not None else ()
    everything = index.everything(where, SMALL)
    keys = everything if everything is not None else list(dict.fromkeys((*lexical, *dense)))
    rows = index.rows(keys, model)
    beside = index.neighbours(rows, model)
    admitted = index.passing([row.key for row in beside], where) if everything is None else set()
    return Gathered(
        store,
        rows=[*rows, *(row for row in beside if row.key in admitted)],
        context=[row for row in beside if row.key not in admitted],
        statistics=statistics,
        lexical=lexical,
        dense=dense,
    )
