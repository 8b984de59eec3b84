"""What is in a memory folder, by the head of each file, newest first (CC-S1), and the list of it (CC-S2).

One pass: each folder is listed once and each file opened once, however cold the disk's cache is.
"""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from scrubjay.text.lines import split_lines
from scrubjay.vaults.dialects.claude_memory import host, topics

if TYPE_CHECKING:
    from scrubjay.ports import Listed

_SAFE = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_ENDING = ".md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The head of a topic file: ``filename`` relative to the memory with ``/``, ``path`` on the disk, ``mtime_ms``
    milliseconds since 1970, ``description`` and ``type`` where the file says them, and ``branch`` where the memory
    holds on that branch only."""

    filename: str
    path: Path
    mtime_ms: int
    description: str | None = None
    type: str | None = None
    branch: str | None = None


def scan(folder: Path) -> list[Header]:
    """The headers of at most ``SCAN_FILES`` topic files in ``folder``, newest first; empty where there is no folder.

    Links are not followed, hidden files and what lies deeper than ``SCAN_DEPTH`` are left out, and so is a file that
    cannot be read.
    """
    found = sorted(_files(str(folder), "", 1), key=lambda file: (-file[2], file[0]))
    headers: list[Header] = []
    for filename, path, _ in found:
        header = _header(filename, path)
        if header is not None:
            headers.append(header)
            if len(headers) == host.SCAN_FILES:
                break
    return headers


def on_branch(headers: Sequence[Header], branch: str | None) -> list[Header]:
    """The headers of memories that hold on ``branch``: those that say no branch, or this one (F103)."""
    return [header for header in headers if header.branch in (None, branch)]


def manifest(headers: Sequence[Listed]) -> str:
    """One line a file: ``- [type] filename (time): description``, without what the file does not say."""
    return "\n".join(map(_manifest_line, headers))


def _manifest_line(header: Listed) -> str:
    kind = f"[{header.type}] " if header.type else ""
    said = f": {header.description}" if header.description else ""
    try:
        moment = datetime.fromtimestamp(header.mtime_ms // 1000, UTC)
    except (OverflowError, OSError, ValueError):  # a clock of another planet
        moment = datetime.fromtimestamp(0, UTC)
    moment = moment.replace(microsecond=header.mtime_ms % 1000 * 1000)
    return f"- {kind}{header.filename} ({topics.stamp(moment)}){said}"


def _files(folder: str, prefix: str, depth: int) -> Iterator[tuple[str, str, int]]:
    """Name, path and time of change (ns) of each topic file below ``folder``."""
    try:
        with os.scandir(folder) as entries:
            found = [entry for entry in entries if not entry.name.startswith(".") and entry.name.isprintable()]
    except OSError:
        return
    for entry in found:
        name = prefix + unicodedata.normalize("NFC", entry.name)
        try:
            if entry.is_dir(follow_symlinks=False):
                if depth < host.SCAN_DEPTH:
                    yield from _files(entry.path, f"{name}/", depth + 1)
            elif entry.name.endswith(_ENDING) and entry.name != host.INDEX_NAME:
                data = entry.stat(follow_symlinks=False)
                if stat.S_ISREG(data.st_mode):
                    yield name, entry.path, data.st_mtime_ns
        except OSError:
            continue


def _header(filename: str, path: str) -> Header | None:
    try:
        with os.fdopen(os.open(path, _SAFE), "rb") as file:
            data = os.fstat(file.fileno())
            if not stat.S_ISREG(data.st_mode):
                return None
            head = file.read(host.HEAD_BYTES)
    except OSError:
        return None
    text = "".join(split_lines(head.decode("utf-8", "replace"))[: host.HEAD_LINES])
    topic = topics.head(text)
    return Header(
        filename=filename,
        path=Path(path),
        mtime_ms=data.st_mtime_ns // 1_000_000,
        description=topic.description,
        type=topic.type,
        branch=topic.branch or None,
    )
