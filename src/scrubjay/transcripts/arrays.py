"""A large JSON array, one item at a time: the file never lies in memory as a whole (TR-63).

The items are only told apart here, by their brackets; each is then parsed by ``json``. So an item that is damaged or
too large costs itself and not the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any

from scrubjay.errors import BadInput
from scrubjay.transcripts.fields import parse
from scrubjay.transcripts.reading import Report

MAX_ITEM = 64 * 1024 * 1024  # bytes
_CHUNK = 1 << 20
_STRING = rb'"(?:[^"\\]++|\\.)*+"'
_LEAF = rb"[\[{](?:[^\"\[\]{}]++|" + _STRING + rb")*+[\]}]"
_PLAIN = re.compile(rb'(?:[^"\[\]{},]++|' + _STRING + rb")*+", re.DOTALL)  # up to a comma or bracket
_DEEP = re.compile(rb'(?:[^"\[\]{}]++|' + _STRING + b"|" + _LEAF + rb")*+", re.DOTALL)  # up to a bracket that matters
_QUOTED = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
_KEY = re.compile(rb'[{,]\s*"((?:[^"\\]|\\.){1,80})"\s*:\s*$', re.DOTALL)


@dataclass(slots=True)
class _Scanner:
    """Where the scan stands: how many brackets are open, how many were at the array, whether inside a string."""

    depth: int = 0
    inside: int = 0
    quoted: bool = False

    @property
    def plain(self) -> re.Pattern[bytes]:
        """What may be passed over as a whole: deep inside an item commas and small objects say nothing."""
        if self.quoted:
            return _QUOTED
        return _DEEP if self.inside and self.depth > self.inside else _PLAIN


def items(file: IO[bytes], name: str, report: Report, *keys: str) -> Iterator[Any]:
    """The items of the array that ``file`` is, or that stands in its outermost object under one of ``keys``.

    Items that are no JSON are reported with ``name`` and skipped; so is the rest of a file that breaks off.
    """
    wanted = {key.encode() for key in keys}
    number = 0
    for item in _split(file, wanted):
        number += 1
        if item is None:
            report.problem(name, f"item {number} is larger than {MAX_ITEM >> 20} MB, skipped")
            continue
        if not item.strip():
            continue
        try:
            yield parse(item.decode("utf-8", "replace").strip().removeprefix("\ufeff"))
        except BadInput as error:
            report.problem(name, f"item {number} {error.message}")


def _split(file: IO[bytes], wanted: set[bytes]) -> Iterator[bytes | None]:
    """The bytes of each item; ``None`` for one that is too large."""
    scanner, item, before = _Scanner(), bytearray(), b""
    too_large = False
    for piece in _pieces(file, scanner):
        opening = not scanner.quoted and piece in (b"[", b"{")
        if not scanner.inside:
            if opening and piece == b"[" and _is_wanted(scanner.depth, before, wanted):
                scanner.inside, item, too_large = scanner.depth, bytearray(), False
            before = (before + piece)[-200:]
            continue
        ends = not scanner.quoted and (
            (piece == b"," and scanner.depth == scanner.inside)
            or (piece in (b"]", b"}") and scanner.depth == scanner.inside - 1)
        )
        if ends:
            yield None if too_large else bytes(item)
            item, too_large = bytearray(), False
            if piece != b",":
                scanner.inside, before = 0, b""
        elif len(item) + len(piece) > MAX_ITEM:
            item, too_large = bytearray(), True
        elif not too_large:
            item += piece
    if scanner.inside and (item.strip() or too_large):
        yield None if too_large else bytes(item)


def _is_wanted(depth: int, before: bytes, wanted: set[bytes]) -> bool:
    if depth == 1:
        return True
    key = _KEY.search(before)
    return depth == 2 and key is not None and key[1] in wanted


def _pieces(file: IO[bytes], scanner: _Scanner) -> Iterator[bytes]:
    """The file in pieces, each a bracket, a comma, a quote, or what lies between; ``scanner`` is after the piece."""
    rest = b""
    while chunk := file.read(_CHUNK):
        data, at = rest + chunk, 0
        rest = b""
        while at < len(data):
            found = scanner.plain.match(data, at)
            end = found.end() if found else at
            if end > at:
                yield data[at:end]
                at = end
            if at == len(data):
                break
            mark = data[at : at + 1]
            if mark == b"\\":  # the character it escapes comes with the next chunk
                rest = data[at:]
                break
            _advance(scanner, mark)
            yield mark
            at += 1


def _advance(scanner: _Scanner, mark: bytes) -> None:
    if mark == b'"':
        scanner.quoted = not scanner.quoted
    elif mark in b"[{":
        scanner.depth += 1
    elif mark in b"]}":
        scanner.depth -= 1
