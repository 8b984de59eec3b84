"""Embedders behind a server: anything that speaks OpenAI's embeddings API, and Ollama.

A vector that is missing, of another dimension, zero or not a number is an error: storing it would hide a memory for
ever (F43, F45). Names hold model and dimension, never the host, so that moving a server keeps the index (MX-11).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from scrubjay.errors import Refused, Unavailable
from scrubjay.models.endpoint import Endpoint, batches, by_index, field, is_loopback
from scrubjay.models.vectors import encodable
from scrubjay.ports import CONTEXT_END, Encoded, EncodedQuery

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

OPENAI = "https://api.openai.com/v1"
OLLAMA = "http://127.0.0.1:11434"

_NO_SUCH_PATH = frozenset({404, 405})
_BATCH = 64
_BATCH_CHARACTERS = 200_000
_TEXT_CHARACTERS = 8_000  # most models read less; what follows is searchable by words


class _RemoteEmbedder:
    """What both servers share: batches, the dimension learned from the first answer, and the checks of every answer."""

    kind = ""

    def __init__(self, endpoint: Endpoint, model: str, dimensions: int | None) -> None:
        self._endpoint = endpoint
        self._model = model
        self._asked = dimensions
        self._dimensions = dimensions
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """Model and dimension. Asks the server if the dimension is not known yet; while it does not answer, the
        dimension is ``?``, and nothing stored is comparable."""
        try:
            return f"{self.kind}:{self._model}@{self.dimensions}"
        except Unavailable:
            return f"{self.kind}:{self._model}@?"

    @property
    def dimensions(self) -> int:
        """The length of a vector, asked of the server once if it is not known. Raises ``Unavailable``."""
        return self._dimensions or int(self.passages(["dimension"]).vectors.shape[1])

    @property
    def resting(self) -> float:
        """Seconds for which the server is left alone after failures; 0 while it is in use (F72)."""
        return self._endpoint.resting

    def passages(self, texts: Sequence[str]) -> Encoded:
        """Unit vectors [n, d] of ``texts``, each up to its 8,000th character. Raises ``Unavailable``."""
        import numpy as np

        prepared = [_prepared(text) for text in texts]
        parts = [self._vectors(batch) for batch in batches(prepared, count=_BATCH, characters=_BATCH_CHARACTERS)]
        return Encoded(np.concatenate(parts) if parts else np.empty((0, self._dimensions or 0), np.float32))

    def query(self, text: str) -> EncodedQuery:
        """The unit vector [d] of ``text``. Raises ``Unavailable``."""
        return EncodedQuery(self._vectors([_prepared(text)])[0])

    def _vectors(self, texts: list[str]) -> Floats:
        raise NotImplementedError

    def _matrix(self, rows: Any, count: int) -> Floats:
        """``rows`` as unit vectors [count, d]. Raises ``ValueError`` that ends a sentence about the server."""
        vectors = _unit_rows(rows, count)
        with self._lock:
            if self._dimensions is None:
                self._dimensions = vectors.shape[1]
            if vectors.shape[1] != self._dimensions:
                raise ValueError(f"vectors of dimension {vectors.shape[1]} instead of {self._dimensions}")
        return vectors


class OpenAIEmbedder(_RemoteEmbedder):
    """``POST {url}/embeddings``. Implements ``ports.Embedder``; safe between threads.

    ``dimensions`` asks the server for shorter vectors; without it the first answer tells how long they are.
    """

    kind = "openai"

    def __init__(
        self,
        model: str,
        *,
        url: str = OPENAI,
        api_key: str = "",
        dimensions: int | None = None,
        timeout: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        super().__init__(Endpoint(url, key=api_key, timeout=timeout, clock=clock, sleep=sleep), model, dimensions)

    def _vectors(self, texts: list[str]) -> Floats:
        payload: dict[str, Any] = {"model": self._model, "input": texts}
        if self._asked is not None:
            payload["dimensions"] = self._asked
        return self._endpoint.ask(
            "/embeddings", payload, lambda answer: self._matrix(_in_order(answer, len(texts)), len(texts))
        )


class OllamaEmbedder(_RemoteEmbedder):
    """``POST {host}/api/embed``, or ``/api/embeddings`` on servers that do not know it. Implements ``ports.Embedder``.

    Another machine is talked to only where the user has named it: ``explicit`` (SEC-5). Raises ``Refused`` otherwise.
    """

    kind = "ollama"

    def __init__(
        self,
        model: str,
        *,
        host: str = OLLAMA,
        explicit: bool = False,
        api_key: str = "",
        dimensions: int | None = None,
        timeout: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if not explicit and not is_loopback(host):
            hint = "Set models.endpoint to that address if texts may be sent there."
            raise Refused("Ollama is used on this machine only, and its address is another machine's.", hint=hint)
        super().__init__(Endpoint(host, key=api_key, timeout=timeout, clock=clock, sleep=sleep), model, dimensions)
        self._legacy = False

    def _vectors(self, texts: list[str]) -> Floats:
        if not self._legacy:
            payload = {"model": self._model, "input": texts}
            vectors = self._endpoint.try_ask(
                "/api/embed",
                payload,
                lambda answer: self._matrix(field(answer, "embeddings"), len(texts)),
                unless=_NO_SUCH_PATH,
            )
            if vectors is not None:
                return vectors
        return self._legacy_vectors(texts)

    def _legacy_vectors(self, texts: list[str]) -> Floats:
        """One text a request. Without this path too, it is the model that is missing."""
        import numpy as np

        rows = []
        for text in texts:
            row = self._endpoint.try_ask(
                "/api/embeddings",
                {"model": self._model, "prompt": text},
                lambda answer: self._matrix([field(answer, "embedding")], 1),
                unless=_NO_SUCH_PATH,
            )
            if row is None:
                hint = (
                    f'Run "ollama pull {self._model}", or write "openai:{self._model}" if the server speaks that API.'
                )
                raise Unavailable(f"The server {self._endpoint.server} has no model {self._model}.", hint=hint)
            rows.append(row)
        self._legacy = True
        return np.concatenate(rows)


def _prepared(text: str) -> str:
    """``text`` as a server takes it: never empty, which some reject."""
    return encodable(text[:_TEXT_CHARACTERS].replace(CONTEXT_END, "\n")).strip() or "."


def _in_order(answer: Any, count: int) -> list[Any]:
    """The ``embedding`` of each item of ``data``, by its ``index``."""
    return [field(item, "embedding") for item in by_index(field(answer, "data"), count)]


def _unit_rows(rows: Any, count: int) -> Floats:
    import numpy as np

    if not isinstance(rows, list) or len(rows) != count:
        raise ValueError(f"another number of vectors than the {count} asked for")
    if not all(isinstance(row, list) and row and all(type(value) in (int, float) for value in row) for row in rows):
        raise ValueError("something that is not a list of numbers")
    if len({len(row) for row in rows}) != 1:
        raise ValueError("vectors of different dimensions")
    try:
        matrix = np.array(rows, np.float64)
    except OverflowError:
        raise ValueError("a number without bounds in a vector") from None
    largest = np.abs(matrix).max(axis=1, keepdims=True)
    if not np.isfinite(largest).all():
        raise ValueError("a vector that holds something that is not a number")
    if not (largest > 0).all():
        raise ValueError("a vector of zeros")
    scaled = matrix / largest
    return np.asarray(scaled / np.linalg.norm(scaled, axis=1, keepdims=True), np.float32)
