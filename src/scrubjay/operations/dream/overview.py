"""Putting the index in order: every memory has its line, every line its memory, none is too long, and all fits."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from scrubjay.errors import ScrubjayError
from scrubjay.operations.notebook import listing
from scrubjay.operations.store import Store
from scrubjay.vaults.dialects.claude_memory import host, index, topics


def mended(store: Store, text: str, *, at: datetime) -> tuple[str, list[str], int]:
    """The index ``text`` in order, sentences about what was mended, and how many lines led nowhere: a line may be all
    that is left of a memory. Prose and headings stay as they are."""
    said: list[str] = []
    current = index.parse(text)
    dead = [entry.path for entry in current.entries if not store.vault.exists(entry.path)]
    for path in dict.fromkeys(dead):
        text = index.without_entry(text, path)
    _note(said, len(dict.fromkeys(dead)), "line without a file was taken out", "lines without a file were taken out")
    text, doubled = _once(text)
    _note(said, doubled, "line that stood there twice was taken out", "lines that stood there twice were taken out")
    if not current.hidden:
        missing = listing.unlisted(store, text)
        text = _with_lines(store, text, missing)
        _note(said, len(missing), "memory got its line", "memories got their lines")
    text, long = _shortened(text)
    _note(said, long, "line was shortened", "lines were shortened")
    text, hidden = listing.fitted(store, text, at=at)
    _note(said, len(hidden), "memory is not listed any more", "memories are not listed any more")
    return text, said, len(dict.fromkeys(dead))


def _once(text: str) -> tuple[str, int]:
    """Without the second and later lines of one memory."""
    seen: set[str] = set()
    again: set[int] = set()
    for entry in index.parse(text).entries:
        if entry.path in seen:
            again.update(range(entry.line, entry.last + 1))
        seen.add(entry.path)
    if not again:
        return text, 0
    kept = [line for number, line in enumerate(text.splitlines(keepends=True), start=1) if number not in again]
    return "".join(kept), len(again)


def _with_lines(store: Store, text: str, paths: Sequence[str]) -> str:
    for path in paths:
        try:
            topic = topics.read(store.vault.read(path))
        except ScrubjayError:
            continue
        text = listing.with_line(store, text, path, topic)
    return text


def _shortened(text: str) -> tuple[str, int]:
    count = 0
    for entry in index.parse(text).overlong:
        shorter = index.with_entry(text, entry.path, entry.title, _head(entry.hook))
        count += shorter != text
        text = shorter
    return text, count


def _head(hook: str) -> str:
    """The first sentence of a hook; the line is cut at the host's limit besides."""
    room = host.LINE_TARGET
    if len(hook) <= room:
        return hook
    cut = max(hook.rfind(mark, 0, room) for mark in (". ", "; ", "。", "；"))
    return hook[: cut + 1].strip() if cut > room // 3 else hook


def _note(said: list[str], number: int, one: str, many: str) -> None:
    if number:
        said.append(f"{number} {one if number == 1 else many}.")
