"""What transcripts lie on this machine: where, how many, how large, from when to when. Nothing in them is read."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from scrubjay.errors import BadInput
from scrubjay.temporal import parse_time
from scrubjay.transcripts.places import MOST_FILES, Place, Walk

_DATED = re.compile(r"rollout-(\d{4}-\d\d-\d\d)T|session-(\d{4}-\d\d-\d\d)T|(\d{4}-\d\d-\d\d)_")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """Where a program keeps its transcripts: below ``folder``, in files whose names match ``name``."""

    format: str
    folder: Path
    name: re.Pattern[str]
    below: str = ""
    """A part that the path below ``folder`` must hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The transcripts of one program in one place. ``first`` and ``last`` are from the names and times of files.

    ``unsupported`` counts files that are known and cannot be read (compressed ones), ``links`` what was passed over
    because it is a link or no regular file. ``capped`` says that there are more.
    """

    format: str
    folder: Path
    files: int
    size: int
    first: datetime | None
    last: datetime | None
    unsupported: int = 0
    links: int = 0
    capped: bool = False


def discover(
    home: Path, environ: Mapping[str, str], *, project: Path | None = None, most: int = MOST_FILES
) -> list[Found]:
    """What is there for the user with this ``home`` and these variables, and in the history of ``project``.

    ``most`` files are listed for each place at most (TR-20).
    """
    return [found for kind in kinds(home, environ, project) if (found := _found(kind, most)) is not None]


def kinds(home: Path, environ: Mapping[str, str], project: Path | None = None) -> Iterator[Kind]:
    """The places where each program keeps its transcripts, as its variables set them (TR-1, TR-20, TR-30 … TR-50)."""
    lines = re.compile(r".*\.jsonl")
    claude = _set(environ, "CLAUDE_CONFIG_DIR", home / ".claude")
    yield Kind(format="claude-code", folder=claude / "projects", name=lines)
    codex = _set(environ, "CODEX_HOME", home / ".codex")
    rollout = re.compile(r"rollout-.*\.jsonl(?:\.zst)?")
    yield Kind(format="codex", folder=codex / "sessions", name=rollout)
    yield Kind(format="codex", folder=codex / "archived_sessions", name=rollout)
    gemini = _set(environ, "GEMINI_CLI_HOME", home) / ".gemini"
    yield Kind(format="gemini", folder=gemini / "tmp", name=re.compile(r"session-.*\.jsonl?"), below="chats")
    for config in _configs(home, environ):
        storage = config / "Cursor" / "User" / "globalStorage"
        yield Kind(format="cursor", folder=storage, name=re.compile(r"state\.vscdb"))
    yield Kind(format="cursor", folder=home / ".cursor" / "projects", name=lines, below="agent-transcripts")
    data = _set(environ, "XDG_DATA_HOME", home / ".local" / "share") / "opencode"
    yield Kind(format="opencode", folder=data, name=re.compile(r"opencode\.db|ses_.*\.json"))
    if project:
        yield Kind(format="specstory", folder=project / ".specstory" / "history", name=re.compile(r".*\.md"))


def _set(environ: Mapping[str, str], name: str, default: Path) -> Path:
    value = environ.get(name, "").strip()
    return Path(value) if value and "\0" not in value and Path(value).is_absolute() else default


def _configs(home: Path, environ: Mapping[str, str]) -> list[Path]:
    if sys.platform == "darwin":
        return [home / "Library" / "Application Support"]
    if sys.platform == "win32":
        return [_set(environ, "APPDATA", home / "AppData" / "Roaming")]
    return [_set(environ, "XDG_CONFIG_HOME", home / ".config")]


def _found(kind: Kind, most: int) -> Found | None:
    if not kind.folder.is_dir():
        return None
    walk = Walk(kind.folder, (".jsonl", ".json", ".zst", ".vscdb", ".db", ".md"), most)
    places = [place for place in walk if _belongs(place, kind)]
    readable = [place for place in places if place.path.suffix != ".zst"]
    if not places and not walk.links:
        return None
    times = sorted(time for place in places for time in _times(place))
    return Found(
        format=kind.format,
        folder=kind.folder,
        files=len(readable),
        size=sum(place.size for place in readable),
        first=times[0] if times else None,
        last=times[-1] if times else None,
        unsupported=len(places) - len(readable),
        links=walk.links,
        capped=walk.capped,
    )


def _belongs(place: Place, kind: Kind) -> bool:
    below = place.path.relative_to(kind.folder).parts
    return kind.name.fullmatch(place.path.name) is not None and (not kind.below or kind.below in below)


def _times(place: Place) -> Iterator[datetime]:
    """When a transcript was begun, if its name says so, and when it was last written."""
    dated = _DATED.match(place.path.name)
    if dated:
        try:
            yield parse_time(next(group for group in dated.groups() if group))
        except BadInput:
            dated = None
    try:
        yield datetime.fromtimestamp(place.mtime_ns / 1e9, UTC)
    except (OverflowError, OSError, ValueError):
        return


def of_this_machine(project: Path | None = None) -> list[Found]:
    """``discover`` for the user who runs this."""
    return discover(Path.home(), os.environ, project=project)
