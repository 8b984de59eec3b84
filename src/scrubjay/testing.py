"""Test doubles that ship with the package: small, in memory, held to the same contract suites as the real ones."""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Iterator, Sequence

from scrubjay.errors import Conflict, NotFound, Refused
from scrubjay.ports import Encoded, EncodedQuery
from scrubjay.types import Document, Entry, Problem
from scrubjay.vaults.encoding import digest, to_bytes, to_document
from scrubjay.vaults.paths import check, check_writable
from scrubjay.vaults.visibility import TRASH, is_document


class MemoryVault:
    """A vault in a dictionary. Implements ``ports.Vault``; its clock is a counter of writes, in nanoseconds."""

    def __init__(self, name: str = "memory") -> None:
        self._name = name
        self._files: dict[str, tuple[bytes, int]] = {}
        self._clock = 0

    @property
    def name(self) -> str:
        return self._name

    def entries(self) -> Iterator[Entry]:
        for path, (data, mtime_ns) in sorted(self._files.items()):
            if is_document(path):
                yield Entry(path=path, size=len(data), mtime_ns=mtime_ns)

    def skipped(self) -> Sequence[Problem]:
        return ()  # what cannot be read cannot be stored here

    def receipts(self) -> Iterator[str]:
        for path in sorted(self._files):
            if path.startswith(f"{TRASH}/") and path.count("/") == 2 and path.endswith("/receipt.md"):
                yield path

    def read(self, path: str) -> Document:
        data, mtime_ns = self._stored(path)
        return to_document(check(path), data, mtime_ns=mtime_ns)

    def read_bytes(self, path: str) -> bytes:
        return self._stored(path)[0]

    def exists(self, path: str) -> bool:
        checked = check(path)
        return any(f"{stored}/".startswith(f"{checked}/") for stored in self._files)

    def write(self, path: str, text: str, *, expected: str | None) -> Document:
        return self.write_bytes(path, to_bytes(text, fresh=expected is None), expected=expected)

    def write_bytes(self, path: str, data: bytes, *, expected: str | None) -> Document:
        checked = check_writable(path)
        self._compare(checked, expected)
        if digest(data) != expected:
            self._clock += 1
            self._files[checked] = (data, self._clock)
        return self.read(checked)

    def rename(self, source: str, target: str, *, expected: str) -> Document:
        old, new = check_writable(source), check_writable(target)
        self._compare(old, expected)
        self._compare(new, None)
        self._files[new] = self._files.pop(old)
        return self.read(new)

    def retire(self, path: str, *, expected: str, kept: str) -> None:
        if not check(kept).startswith(f"{TRASH}/"):
            raise Refused(f"{kept} is not in the trash.", hint=f"Keep retired documents below {TRASH}/.")
        self.rename(path, kept, expected=expected)

    def sweep(self, *, older_than: float) -> int:  # noqa: ARG002 - nothing is ever left over here
        return 0

    def _stored(self, path: str) -> tuple[bytes, int]:
        try:
            return self._files[check(path)]
        except KeyError:
            raise NotFound(f"There is no document at {path}.", hint="List the vault to see what there is.") from None

    def _compare(self, path: str, expected: str | None) -> None:
        """Raises ``Conflict`` unless ``path`` holds bytes of that hash, or nothing where none are expected."""
        if expected is None:
            folders = path.split("/")[:-1]
            above = ["/".join(folders[: depth + 1]) for depth in range(len(folders))]
            if self.exists(path) or any(folder in self._files for folder in above):
                raise Conflict(f"{path} exists already.", hint="Choose another name, or read it and replace it.")
        elif path not in self._files or digest(self._files[path][0]) != expected:
            raise Conflict(f"{path} changed since it was read.", hint="Read it again and repeat the change.")


class HashEmbedder:
    """Words hashed to 64 signed dimensions: the same text always gives the same vector, like texts like ones.

    Implements ``ports.Embedder`` without a model, for tests of everything that only needs vectors. No token vectors.
    """

    name = "hash@64"
    dimensions = 64

    def passages(self, texts: Sequence[str]) -> Encoded:
        import numpy as np

        return Encoded(np.array([self._vector(text) for text in texts], np.float32).reshape(len(texts), 64))

    def query(self, text: str) -> EncodedQuery:
        import numpy as np

        return EncodedQuery(np.array(self._vector(text), np.float32))

    def _vector(self, text: str) -> list[float]:
        sums = [0.0] * self.dimensions
        for word in re.findall(r"\w+", text.casefold()) or [""]:
            code = zlib.crc32(word.encode("utf-8", "replace"))
            sums[code % self.dimensions] += 1.0 if code & 1 << 16 else -1.0
        length = math.hypot(*sums)
        return [value / length for value in sums] if length else [1.0, *sums[1:]]
