"""The embedder that comes with the package: multilingual-e5-small for English, Russian and Chinese, offline.

Each text is a run of its own. The model quantises activations with one scale for a whole batch, so texts in a batch
disturb each other (cosine .997 to the text alone), and on one thread batches save no time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from scrubjay.errors import Corrupt, Unavailable
from scrubjay.models.runtime import LocalModel, ModelFiles
from scrubjay.models.vectors import encodable, unit
from scrubjay.models.words import words_at
from scrubjay.ports import CONTEXT_END, Encoded, EncodedQuery

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from scrubjay.models.tokens import TokenProjection

    Floats = NDArray[np.float32]
    Ids = NDArray[np.int64]

MODEL = "multilingual-e5-small-en-ru-zh"
MODEL_FILE = f"{MODEL}.onnx"
MODEL_BYTES = 38_237_095
MODEL_SHA256 = "f450fa9f49ded80e7231ae35f6886a4c11bf8e25d15dc770e19754684405e4ea"
TOKENIZER_FILE = "tokenizer.json"
TOKENIZER_BYTES = 4_386_090
TOKENIZER_SHA256 = "5d1e0dbd49909cbebe75b479f80d92410768319db3f80e265a1247f64008b803"
DIMENSIONS = 384

PASSAGE_TOKENS = 512
QUERY_TOKENS = 128
PASSAGE_PREFIX = "passage: "
QUERY_PREFIX = "query: "
CONTEXT_CHARACTERS = 1_000

_WEIGHTS = Path(__file__).with_name("weights")
_CHARACTERS_PER_TOKEN = 32  # no piece is longer than 16; what lies beyond is not worth reading
_HINT = (
    "Install it again: pip install --force-reinstall --no-deps scrubjay; "
    'or set models.embedder = "none" to search by words only.'
)


class _Pieces(NamedTuple):
    """A tokenised text: ``ids`` with prefix and special tokens, those from ``first`` to the last but one being the
    text's own, at ``spans`` of ``text``."""

    text: str
    ids: list[int]
    first: int
    spans: list[tuple[int, int]]

    def own(self, states: Floats) -> tuple[Floats, Ids]:
        """States [t, 384] and ids [t] of the text's own tokens."""
        import numpy as np

        return states[self.first : -1], np.array(self.ids[self.first : -1], np.int64)


class PackagedEmbedder:
    """The packaged model. Implements ``ports.Embedder``; safe between threads and across a fork.

    ``directory`` holds the model's two files (default: the package's own); ``threads`` is how many processor threads
    one run may use. Nothing is read before the first use. A passage counts up to its 512th token, a query up to its
    128th: what follows is searchable by words only, so longer texts are to be cut before (``text.segment``).
    """

    def __init__(self, directory: Path | None = None, threads: int = 1) -> None:
        folder = directory or _WEIGHTS
        self._files = ModelFiles(
            model=folder / MODEL_FILE,
            tokenizer=folder / TOKENIZER_FILE,
            model_bytes=MODEL_BYTES,
            tokenizer_bytes=TOKENIZER_BYTES,
            hint=_HINT,
        )
        self._model = LocalModel(self._files, threads=threads)

    @property
    def name(self) -> str:
        """The model with the first digits of its hash, and of the token projection's where there is one (MX-11)."""
        projection = _projection_bytes()
        suffix = f"+{hashlib.sha256(projection).hexdigest()[:8]}" if projection is not None else ""
        return f"{MODEL}@{MODEL_SHA256[:8]}{suffix}"

    @property
    def dimensions(self) -> int:
        return DIMENSIONS

    def passages(self, texts: Sequence[str]) -> Encoded:
        """Sentence vectors [n, 384] and token vectors of ``texts``. Raises ``Unavailable``.

        Context before ``CONTEXT_END`` is read with the rest; token vectors are those of the text's own tokens.
        """
        import numpy as np

        projection = _projection()
        vectors = np.empty((len(texts), DIMENSIONS), np.float32)
        packed: list[bytes] = []
        for number, text in enumerate(texts):
            context, mark, own = text.rpartition(CONTEXT_END)
            lead = f"{PASSAGE_PREFIX}{encodable(context[-CONTEXT_CHARACTERS:])} " if mark else PASSAGE_PREFIX
            pieces = self._pieces(lead, own, PASSAGE_TOKENS)
            vectors[number], states = self._encode(pieces.ids)
            if projection is not None:
                rows, _ = projection.memory(*pieces.own(states))
                packed.append(projection.pack(rows))
        return Encoded(vectors, packed if projection is not None else None)

    def query(self, text: str) -> EncodedQuery:
        """The vector [384] of ``text`` and its token vectors, with their words. Raises ``Unavailable``."""
        pieces = self._pieces(QUERY_PREFIX, text, QUERY_TOKENS)
        vector, states = self._encode(pieces.ids)
        projection = _projection()
        if projection is None:
            return EncodedQuery(vector)
        words = words_at(pieces.text, pieces.spans)
        worded = [number for number, word in enumerate(words) if word]
        own, ids = pieces.own(states)
        rows, kept = projection.query(own[worded], ids[worded])
        return EncodedQuery(vector, rows, tuple(words[worded[place]] for place in kept.nonzero()[0]))

    def load(self) -> None:
        """Opens the model now rather than at first use. Raises ``Unavailable``."""
        self._model.load()

    def verify(self) -> None:
        """Reads both files whole and compares them with what was shipped: for ``doctor``, not for every start.

        Raises ``Unavailable`` when one is missing or cut off, ``Corrupt`` when its bytes are others.
        """
        self._files.check()
        for path, digest in ((self._files.model, MODEL_SHA256), (self._files.tokenizer, TOKENIZER_SHA256)):
            with path.open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
            if found != digest:
                raise Corrupt(f"The model file {path} is not the one that was shipped.", hint=_HINT)
        if _projection() is None:
            raise Unavailable("The token projection of the model is missing.", hint=_HINT)

    def _encode(self, ids: list[int]) -> tuple[Floats, Floats]:
        """The sentence vector [384], and what late interaction compares: the states of the layer before [t, 384]."""
        outputs = self._model.run([ids])
        return unit(outputs["last_hidden_state"][0].mean(axis=0)), outputs["token_states"][0]

    def _pieces(self, prefix: str, text: str, limit: int) -> _Pieces:
        text = encodable(text[: limit * _CHARACTERS_PER_TOKEN])
        encoding = self._model.encode(prefix + text)
        ids: list[int] = encoding.ids
        if len(ids) > limit:
            ids = [*ids[: limit - 1], ids[-1]]
        offsets = encoding.offsets[: len(ids) - 1]
        first = next((place for place, (_, end) in enumerate(offsets) if end > len(prefix)), len(offsets))
        spans = [(max(0, start - len(prefix)), end - len(prefix)) for start, end in offsets[first:]]
        return _Pieces(text, ids, first, spans)


@lru_cache(maxsize=1)
def _projection_bytes() -> bytes | None:
    try:
        return _WEIGHTS.joinpath("token_projection.npz").read_bytes()
    except FileNotFoundError:
        return None


@lru_cache(maxsize=1)
def _projection() -> TokenProjection | None:
    """The token projection in the package; without it there are sentence vectors only."""
    from scrubjay.models.tokens import TokenProjection

    data = _projection_bytes()
    try:
        return TokenProjection.load(data) if data is not None else None
    except Exception as error:  # noqa: BLE001 - numpy reports a damaged archive in a dozen ways
        raise Unavailable(f"The token projection cannot be read: {type(error).__name__}.", hint=_HINT) from None
