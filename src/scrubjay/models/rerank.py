"""Rerankers: a cross-encoder from a folder, or one behind a server. Both give probabilities (MX-3).

Late interaction is no reranker: recall does it itself, from token vectors that are stored.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from scrubjay.errors import Unavailable
from scrubjay.models.endpoint import Endpoint, batches, by_index, field
from scrubjay.models.runtime import LocalModel, ModelFiles
from scrubjay.models.vectors import encodable

PAIR_TOKENS = 512
_BATCH_TOKENS = 2048  # with padding
_QUERY_CHARACTERS = 1_000
_PASSAGE_CHARACTERS = 8_000
_BATCH = 32  # what text-embeddings-inference takes at once, unless told otherwise
_BATCH_CHARACTERS = 200_000
_SPEAKS_OTHERWISE = frozenset({400, 415, 422})


class CrossEncoder:
    """``model.onnx`` and ``tokenizer.json`` from a folder. Implements ``ports.Reranker``; safe between threads.

    The model takes ``input_ids``, ``attention_mask`` and perhaps ``token_type_ids``, and gives one logit a pair, or two
    of which the second says "relevant". A pair counts up to its 512th token.
    """

    def __init__(self, path: Path, *, threads: int = 1) -> None:
        self._folder = path
        hint = 'Put model.onnx and tokenizer.json there, or set models.reranker = "late".'
        files = ModelFiles(model=path / "model.onnx", tokenizer=path / "tokenizer.json", hint=hint)
        self._model = LocalModel(files, threads=threads)

    @property
    def name(self) -> str:
        return f"cross-encoder:{self._folder.name}"

    def scores(self, query: str, passages: Sequence[str]) -> Sequence[float]:
        """The probability for each of ``passages`` that it answers ``query``. Raises ``Unavailable``."""
        asked = encodable(query[:_QUERY_CHARACTERS])
        pairs = [self._model.encode(asked, encodable(passage[:_PASSAGE_CHARACTERS])) for passage in passages]
        rows = [(_cut(pair.ids), _cut(pair.type_ids)) for pair in pairs]
        found = [0.0] * len(rows)
        for batch in _by_length([len(ids) for ids, _ in rows]):
            outputs = self._model.run([rows[number][0] for number in batch], [rows[number][1] for number in batch])
            logits = next(iter(outputs.values()))
            for number, logit in zip(batch, self._relevance(logits, len(batch)), strict=True):
                found[number] = sigmoid(logit)
        return found

    def _relevance(self, logits: Any, count: int) -> list[float]:
        """One finite logit a pair, from a head with one or two classes."""
        import numpy as np

        table = np.asarray(logits, np.float64).reshape(count, -1)
        if table.shape[1] not in (1, 2):
            raise Unavailable(f"The model in {self._folder} tells {table.shape[1]} classes apart: it is no reranker.")
        relevance = table[:, 0] if table.shape[1] == 1 else table[:, 1] - table[:, 0]
        if not np.isfinite(relevance).all():
            raise Unavailable(f"The model in {self._folder} gave a score that is not a number.")
        return [float(value) for value in relevance]


class HttpReranker:
    """``POST {url}/rerank`` as Jina and Cohere define it, or text-embeddings-inference. Implements ``ports.Reranker``.

    Scores outside 0..1 are logits: from the first one on, all of this server's are turned into probabilities.
    """

    def __init__(
        self,
        url: str,
        model: str = "",
        *,
        api_key: str = "",
        timeout: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        address = url.rstrip("/").removesuffix("/rerank")
        self._endpoint = Endpoint(address, key=api_key, timeout=timeout, clock=clock, sleep=sleep)
        self._model = model
        self._texts = not model  # a server of one model speaks as text-embeddings-inference does
        self._logits = False

    @property
    def name(self) -> str:
        return f"rerank:{self._model or 'default'}"

    @property
    def resting(self) -> float:
        """Seconds for which the server is left alone after failures; 0 while it is in use (F72)."""
        return self._endpoint.resting

    def scores(self, query: str, passages: Sequence[str]) -> Sequence[float]:
        """The probability for each of ``passages`` that it answers ``query``. Raises ``Unavailable``."""
        asked = encodable(query[:_QUERY_CHARACTERS]).strip() or "."
        texts = [encodable(passage[:_PASSAGE_CHARACTERS]).strip() or "." for passage in passages]
        found: list[float] = []
        for batch in batches(texts, count=_BATCH, characters=_BATCH_CHARACTERS):
            found += self._ask(asked, batch)
        self._logits = self._logits or any(not 0.0 <= score <= 1.0 for score in found)
        return [sigmoid(score) for score in found] if self._logits else found

    def _ask(self, query: str, texts: list[str]) -> list[float]:
        """In the form that the server took last; in the other one where it rejects that."""

        def read(answer: Any) -> list[float]:
            return _scores(answer, len(texts))

        found = self._endpoint.try_ask("/rerank", self._payload(query, texts), read, unless=_SPEAKS_OTHERWISE)
        if found is None:
            self._texts = not self._texts
            found = self._endpoint.ask("/rerank", self._payload(query, texts), read)
        return found

    def _payload(self, query: str, texts: list[str]) -> dict[str, object]:
        if self._texts:
            return {"query": query, "texts": texts, "raw_scores": False, "truncate": True}
        return {"model": self._model, "query": query, "documents": texts, "top_n": len(texts)}


def sigmoid(logit: float) -> float:
    """``logit`` as a probability, without overflow."""
    if logit >= 0:
        return 1.0 / (1.0 + math.exp(-min(logit, 700.0)))
    power = math.exp(max(logit, -700.0))
    return power / (1.0 + power)


def _scores(answer: Any, count: int) -> list[float]:
    items = by_index(answer if isinstance(answer, list) else field(answer, "results"), count)
    return [_number(item.get("relevance_score", item.get("score"))) for item in items]


def _number(value: Any) -> float:
    if type(value) not in (int, float) or not -1e300 < value < 1e300:
        raise ValueError("a score that is not a number")
    return float(value)


def _cut(row: list[int]) -> list[int]:
    """``row`` without what is too much before its last, closing entry."""
    return row if len(row) <= PAIR_TOKENS else [*row[: PAIR_TOKENS - 1], row[-1]]


def _by_length(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Places of ``lengths`` in batches of like ones, so that little is padded."""
    batch: list[int] = []
    for number in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and lengths[number] * (len(batch) + 1) > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch
