"""Identifiers: 26 characters, sortable by time where they are new, reproducible where they are derived.

The alphabet is Crockford's base 32 (no I, L, O, U), as in ULID: 10 characters of milliseconds, 16 of randomness.
A *derived* id depends only on its parts, so that an index rebuilt from the vault names every record as before.
"""

from __future__ import annotations

import hashlib
import secrets
import time

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
LENGTH = 26


def new_id(milliseconds: int | None = None) -> str:
    """A fresh id; ``milliseconds`` since the Unix epoch default to now."""
    stamp = time.time_ns() // 1_000_000 if milliseconds is None else milliseconds
    return _encode(stamp & (1 << 48) - 1, 10) + _encode(secrets.randbits(80), 16)


def derived_id(*parts: str) -> str:
    """The id that the same ``parts`` always give. Parts are kept apart: ("a", "bc") differs from ("ab", "c")."""
    digest = hashlib.sha256("\x00".join(f"{len(part)}:{part}" for part in parts).encode("utf-8", "surrogatepass"))
    return _encode(int.from_bytes(digest.digest()[:16], "big"), LENGTH)


def dated_id(milliseconds: int, *parts: str) -> str:
    """A derived id that sorts, as a fresh one does, by a moment: ``milliseconds`` since the Unix epoch."""
    return _encode(max(milliseconds, 0) & (1 << 48) - 1, 10) + derived_id(*parts)[-16:]


def is_id(text: str) -> bool:
    """Whether ``text`` has the form of an id."""
    return len(text) == LENGTH and all(letter in ALPHABET for letter in text)


def _encode(number: int, width: int) -> str:
    letters = []
    for _ in range(width):
        number, rest = divmod(number, 32)
        letters.append(ALPHABET[rest])
    return "".join(reversed(letters))
