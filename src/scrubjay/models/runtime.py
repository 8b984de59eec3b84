"""Running an ONNX model with its tokenizer from a folder: opened at first use, by one thread at a time, once a process.

The one home of ``onnxruntime`` and ``tokenizers``. No telemetry, no network, nothing on stderr.
"""

from __future__ import annotations

import ctypes
import os
import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scrubjay.errors import Unavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ids = NDArray[np.int64]

_ERRORS_ONLY = 3
_FATAL_ONLY = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFiles:
    """Where a model lies, how large its files are meant to be (0: any size), and what helps when they are not."""

    model: Path
    tokenizer: Path
    model_bytes: int = 0
    tokenizer_bytes: int = 0
    hint: str = ""

    def check(self) -> None:
        """Raises ``Unavailable`` when a file is missing or was cut off on its way."""
        for path, size in ((self.model, self.model_bytes), (self.tokenizer, self.tokenizer_bytes)):
            try:
                found = path.stat().st_size
            except OSError as error:
                raise Unavailable(f"The model file {path} cannot be read: {error.strerror}.", hint=self.hint) from None
            if size and found != size:
                raise Unavailable(f"The model file {path} has {found} bytes instead of {size}.", hint=self.hint)


class Loaded(NamedTuple):
    """What a process holds of a model: an ``onnxruntime.InferenceSession``, a ``tokenizers.Tokenizer``, the names of
    inputs and outputs, and the id that fills rows up."""

    session: Any
    tokenizer: Any
    inputs: frozenset[str]
    outputs: tuple[str, ...]
    pad: int


class LocalModel:
    """A model from a folder. Safe between threads; a forked child opens its own.

    ``threads`` is how many processor threads one run may use. They never spin: a waiting thread that spins takes the
    processor from everybody else.
    """

    def __init__(self, files: ModelFiles, *, threads: int = 1) -> None:
        self._files = files
        self._threads = threads
        self._lock = threading.Lock()
        self._loaded: Loaded | None = None
        _after_fork(self)

    def load(self) -> Loaded:
        """The model, ready to run. Raises ``Unavailable``."""
        loaded = self._loaded
        if loaded is None:
            with self._lock:
                loaded = self._loaded
                if loaded is None:
                    loaded = self._loaded = self._open()
        return loaded

    def encode(self, *texts: str) -> Any:
        """The ``tokenizers.Encoding`` of one text, or of a pair. One at a time: its own threads don't fork."""
        return self.load().tokenizer.encode(*texts)

    def run(self, rows: Sequence[Sequence[int]], types: Sequence[Sequence[int]] | None = None) -> dict[str, Any]:
        """The outputs, by name and in order, for token ids ``rows``, padded to the longest of them. ``types`` are token
        type ids."""
        loaded = self.load()
        ids, mask = _padded(rows, loaded.pad)
        feed = {"input_ids": ids, "attention_mask": mask}
        if "token_type_ids" in loaded.inputs:
            feed["token_type_ids"] = _padded(types or [[0] * len(row) for row in rows], 0)[0]
        try:
            found = loaded.session.run(None, {name: value for name, value in feed.items() if name in loaded.inputs})
        except Exception as error:  # noqa: BLE001 - onnxruntime's errors share no class of their own
            raise Unavailable(f"The model {self._files.model.name} failed: {_brief(error)}.") from None
        return dict(zip(loaded.outputs, found, strict=True))

    def _open(self) -> Loaded:
        self._files.check()
        # Read once, when the library loads. Without it onnxruntime starts an uploader and keeps a device id (SEC-5).
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
        try:
            import onnxruntime
            import tokenizers
        except ImportError as error:
            hint = 'Reinstall Scrubjay with its dependencies, or set models.embedder = "none" to search by words only.'
            raise Unavailable(f"{error.name or 'A library'} cannot be imported.", hint=hint) from None
        onnxruntime.disable_telemetry_events()
        onnxruntime.set_default_logger_severity(_ERRORS_ONLY)
        try:
            session = onnxruntime.InferenceSession(
                self._files.model, _options(onnxruntime, self._threads), providers=["CPUExecutionProvider"]
            )
            tokenizer = tokenizers.Tokenizer.from_file(str(self._files.tokenizer))
        except Exception as error:  # noqa: BLE001 - neither library has a class for a file that it cannot use
            message = f"The model in {self._files.model.parent} cannot be opened: {_brief(error)}."
            raise Unavailable(message, hint=self._files.hint) from None
        pad = _pad_id(tokenizer)
        tokenizer.no_padding()
        tokenizer.no_truncation()
        inputs = frozenset(item.name for item in session.get_inputs())
        return Loaded(session, tokenizer, inputs, tuple(item.name for item in session.get_outputs()), pad)

    def start_over(self) -> None:
        """In a forked child: leaves what the parent opened, alive but unused. Closing it waits for threads that the
        child does not have."""
        if self._loaded is not None:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._loaded))
        self._lock = threading.Lock()
        self._loaded = None


def _after_fork(model: LocalModel) -> None:
    """Has ``model`` start over in every forked child, while it lives."""
    if not hasattr(os, "register_at_fork"):  # Windows does not fork
        return
    alive = weakref.ref(model)

    def in_child() -> None:
        if (found := alive()) is not None:
            found.start_over()

    os.register_at_fork(after_in_child=in_child)


def _options(onnxruntime: Any, threads: int) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = max(1, threads)
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.log_severity_level = _FATAL_ONLY
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.inter_op.allow_spinning", "0")
    return options


def _pad_id(tokenizer: Any) -> int:
    """The id for padding. Models that number positions by it (RoBERTa) need the right one."""
    if tokenizer.padding:
        return int(tokenizer.padding["pad_id"])
    known = (tokenizer.token_to_id(piece) for piece in ("<pad>", "[PAD]"))
    return next((found for found in known if found is not None), 0)


def _padded(rows: Sequence[Sequence[int]], pad: int) -> tuple[Ids, Ids]:
    """``rows`` as one matrix, filled up with ``pad``, and a mask that is 1 at real entries."""
    import numpy as np

    width = max((len(row) for row in rows), default=0)
    ids = np.full((len(rows), width), pad, np.int64)
    mask = np.zeros((len(rows), width), np.int64)
    for index, row in enumerate(rows):
        ids[index, : len(row)] = row
        mask[index, : len(row)] = 1
    return ids, mask


def _brief(error: Exception) -> str:
    """The first line of what a library said, short, without a full stop."""
    return (str(error).strip() or type(error).__name__).splitlines()[0][:200].rstrip(". ")
