"""Names of files made from titles."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Container

from scrubjay.text.graphemes import cut_before

MAX_LENGTH = 50

_FOREIGN = re.compile(r"[^a-z0-9 ]")
_DASHES = re.compile(r"-{2,}")
_RESERVED = frozenset(
    ["con", "prn", "aux", "nul", *(device + digit for device in ("com", "lpt") for digit in "0123456789¹²³")]
)


def memory_slug(topic: str, title: str, taken: Container[str] = ()) -> str:
    """The slug of a memory: its file is ``MEM-<slug>.md`` (SM-30); the first one of slug, slug-2 … not in ``taken``.

    As upstream for ASCII: the last segment of ``topic`` and the first three dash-separated fields of ``title``, at
    most 50 characters. Where upstream is defective, ours: the topic is cleaned like the title, and no dash is left at
    the end. Where SM-30 and §12.1 differ on a title without ASCII letters, §12.1 holds (no transliteration is
    available): ``h`` and the first 8 hex digits of the SHA-256 of the title in NFC. A slug is never empty.
    """
    title = unicodedata.normalize("NFC", title)
    base = _clean(unicodedata.normalize("NFC", topic).rpartition("/")[2])
    name = _clean("-".join(_dashed(title).split("-")[:3]))
    if not name and not (base and title.isascii()):
        name = _hashed(title)
    slug = _clean(f"{base}-{name}")[:MAX_LENGTH].strip("-")
    if slug not in taken:
        return slug
    return next(f"{slug}-{number}" for number in range(2, 1 << 31) if f"{slug}-{number}" not in taken)


def file_slug(text: str, fallback: str) -> str:
    """A file name, without suffix, for ``text``: its letters and digits of any script in lower case and NFC, dashes
    between them, at most 50 characters; ``fallback`` where nothing is left.

    Safe everywhere: no dot, no separator, not empty, not a device name of Windows (``con``, ``nul`` …).
    """
    slug = _words(text) or _words(fallback) or _hashed(text)
    return f"{slug}_" if slug in _RESERVED else slug


def _dashed(text: str) -> str:
    return _FOREIGN.sub("-", text.lower()).replace(" ", "-")


def _clean(text: str) -> str:
    return _DASHES.sub("-", _dashed(text)).strip("-")


def _words(text: str) -> str:
    lowered = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).lower())
    kept = "".join(letter if unicodedata.category(letter)[0] in "LNM" else "-" for letter in lowered)
    slug = _DASHES.sub("-", kept).strip("-")
    while slug and unicodedata.category(slug[0])[0] == "M":  # a mark without its letter
        slug = slug[1:].strip("-")
    return slug[: cut_before(slug, MAX_LENGTH)].strip("-")


def _hashed(text: str) -> str:
    digest = hashlib.sha256(unicodedata.normalize("NFC", text).encode("utf-8", "surrogatepass"))
    return f"h{digest.hexdigest()[:8]}"
