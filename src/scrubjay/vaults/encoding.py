"""Between the bytes of a vault and the text of a document (R-COM-1)."""

from __future__ import annotations

import hashlib
import re

from scrubjay.types import Document

_HALF = re.compile("[\ud800-\udfff]")


def digest(data: bytes) -> str:
    """The hash of stored bytes: hex SHA-256."""
    return hashlib.sha256(data).hexdigest()


def to_bytes(text: str, *, fresh: bool) -> bytes:
    """``text`` as stored: UTF-8; halves of a surrogate pair joined, lone ones replaced (F109).

    A ``fresh`` document gets ``\\n`` line ends. A rewritten one keeps those its author chose, line by line.
    """
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace") if _has_halves(text) else text
    return (whole.replace("\r\n", "\n") if fresh else whole).encode("utf-8")


def to_document(path: str, data: bytes, *, mtime_ns: int) -> Document:
    """The document that ``data`` at ``path`` means."""
    from scrubjay.text.detect import decode  # here, because a hook that only knows its project reads no document

    decoded = decode(data, path)
    return Document(
        path=path,
        text=decoded.text,
        hash=digest(data),
        size=len(data),
        mtime_ns=mtime_ns,
        encoding=decoded.encoding,
        exact=decoded.exact,
    )


def _has_halves(text: str) -> bool:
    return not text.isascii() and _HALF.search(text) is not None
