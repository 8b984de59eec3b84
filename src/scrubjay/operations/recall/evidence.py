"""From rows of several stores to one pool: the inputs that ranking needs, counted exactly once (retrieval study §8).

Only imported by a search; numpy is at home here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from scrubjay.operations.recall.candidates import Asked, Gathered
from scrubjay.operations.recall.features import STOP_SHARE, Pool, idf
from scrubjay.ports import EncodedQuery, Row, TokenCodec
from scrubjay.text.analyze import lexemes

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


def pool_of(
    query: str, asked: Asked, gathered: Sequence[Gathered], encoded: EncodedQuery | None, codec: TokenCodec | None
) -> Pool:
    """One pool over everything gathered: candidates of every store first, then their neighbours."""
    candidates = list(chain.from_iterable(part.rows for part in gathered))
    rows = [*candidates, *chain.from_iterable(part.context for part in gathered)]
    owners = [*_owners(gathered, "rows"), *_owners(gathered, "context")]
    previous, following = _beside(rows, owners, len(candidates))
    own, text = _counts(rows, asked.terms)
    own_lengths = np.array([_length(row.head) + _length(row.body) for row in rows], np.float32)
    dated = np.array([f" {row.head}".count(" @") for row in rows], np.float32)
    documents = sum(part.statistics.records for part in gathered)
    average = _average(gathered, documents)
    text_average = max(1.0, average - (float(dated.mean()) if len(rows) else 0.0))
    with_previous = _share(row.previous is not None for row in candidates)
    with_next = _share(row.following is not None for row in candidates)
    frequencies = _frequencies(asked, gathered)
    similarities, starts = _similarities(rows, encoded, codec)
    by_meaning_alone = similarities is not None and not frequencies.any()
    return Pool(
        query=query,
        count=len(candidates),
        texts=[row.text for row in rows],
        speakers=[row.speaker for row in rows],
        previous=previous,
        following=following,
        own_counts=own,
        text_counts=text,
        own_lengths=own_lengths,
        text_lengths=own_lengths - dated,
        averages=(average, text_average * (1 + with_previous), text_average * (1 + with_previous + with_next)),
        frequencies=frequencies,
        documents=documents,
        query_weights=_token_weights(encoded, asked, idf(frequencies, documents), documents)
        if similarities is not None and encoded is not None
        else None,
        similarities=similarities,
        token_starts=starts,
        usual=_usual(encoded, codec) if by_meaning_alone else None,
        cosines=_cosines(rows, encoded) if similarities is None or by_meaning_alone else None,
    )


def _owners(gathered: Sequence[Gathered], part: str) -> list[int]:
    return [number for number, store in enumerate(gathered) for _ in getattr(store, part)]


def _beside(rows: Sequence[Row], owners: Sequence[int], count: int) -> tuple[Ints, Ints]:
    """For each candidate the place of the row just before and just after it in its thread, or -1 if it is not here."""
    owned = list(zip(owners, rows, strict=True))
    places: dict[tuple[int, int | None], int] = {(owner, row.key): place for place, (owner, row) in enumerate(owned)}
    previous = [places.get((owner, row.previous), -1) for owner, row in owned[:count]]
    following = [places.get((owner, row.following), -1) for owner, row in owned[:count]]
    return np.array(previous, np.int64), np.array(following, np.int64)


def _counts(rows: Sequence[Row], terms: Sequence[Sequence[str]]) -> tuple[Floats, Floats]:
    """How often each term stands in each row, with the row's date lexemes and without: [r, t] each."""
    own = np.zeros((len(rows), len(terms)), np.float32)
    text = np.zeros_like(own)
    lines = [f" {row.head} {row.body} \n" for row in rows]
    ends = np.cumsum([len(line) for line in lines])
    columns = {lexeme: column for column, term in enumerate(terms) for lexeme in term}
    whole = "".join(lines)
    for lexeme, column in columns.items():
        places = list(_found(f" {lexeme} ", whole))
        if not places:
            continue
        held = np.bincount(np.searchsorted(ends, places, side="right"), minlength=len(rows))
        own[:, column] += held
        if lexeme[0] != "@" or len(lexeme) == 1:
            text[:, column] += held
    return own, text


def _found(wanted: str, text: str) -> Iterator[int]:
    """Every place of ``wanted`` in ``text``; one may begin with the last sign of the one before."""
    place = text.find(wanted)
    while place >= 0:
        yield place
        place = text.find(wanted, place + len(wanted) - 1)


def _length(lexemes: str) -> int:
    return lexemes.count(" ") + 1 if lexemes else 0


def _share(marks: Iterable[bool]) -> float:
    listed = list(marks)
    return sum(listed) / len(listed) if listed else 0.0


def _frequencies(asked: Asked, gathered: Sequence[Gathered]) -> Floats:
    """How many records hold each term: [t]. Days exclude one another, so the records of a time are their sum."""
    counts = [
        sum(part.statistics.frequencies.get(lexeme, 0) for part in gathered for lexeme in term) for term in asked.terms
    ]
    documents = sum(part.statistics.records for part in gathered)
    return np.minimum(np.array(counts, np.float32), documents)


def _average(gathered: Sequence[Gathered], documents: int) -> float:
    weighted = sum(part.statistics.average_length * part.statistics.records for part in gathered)
    return weighted / documents if documents else 1.0


def _similarities(
    rows: Sequence[Row], encoded: EncodedQuery | None, codec: TokenCodec | None
) -> tuple[Floats | None, Ints | None]:
    if encoded is None or encoded.tokens is None or codec is None or not any(row.tokens for row in rows):
        return None, None
    return codec.similarities(encoded.tokens, [row.tokens or b"" for row in rows])


def _usual(encoded: EncodedQuery | None, codec: TokenCodec | None) -> tuple[Floats, Floats] | None:
    return codec.usual(encoded.tokens) if codec and encoded is not None and encoded.tokens is not None else None


def _token_weights(encoded: EncodedQuery, asked: Asked, weights: Floats, documents: int) -> Floats:
    """What each query token weighs: the mean idf of its word's lexemes; little for a stop word."""
    known: Mapping[str, float] = dict(zip(asked.words, weights.tolist(), strict=False))
    little = STOP_SHARE * float(idf(np.zeros(1, np.float32), documents)[0])
    of_word: dict[str, float] = {}
    for word in set(encoded.words):
        found = [known[lexeme] for lexeme in lexemes(word) if lexeme in known]
        of_word[word] = sum(found) / len(found) if found else little
    return np.array([of_word[word] for word in encoded.words], np.float32)


def _cosines(rows: Sequence[Row], encoded: EncodedQuery | None) -> Floats | None:
    """Cosine of each row's sentence vector with the query's, 0 where there is none: [r]."""
    if encoded is None:
        return None
    width = len(encoded.vector)
    usable = [place for place, row in enumerate(rows) if row.vector is not None and len(row.vector) == width]
    cosines = np.zeros(len(rows), np.float32)
    if usable:
        packed = b"".join(rows[place].vector or b"" for place in usable)
        matrix = np.frombuffer(packed, np.int8).reshape(-1, width).astype(np.float32)
        norms = np.maximum(np.linalg.norm(matrix, axis=1), 1e-6)
        cosines[usable] = (matrix @ encoded.vector) / norms
    return cosines
