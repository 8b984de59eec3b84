"""Which format a file, folder or zip is in, by looking at what it holds, and its sessions (TR-0).

The first format that claims a record decides; a name counts only where the content says nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from datetime import tzinfo
from pathlib import Path
from typing import Any

from scrubjay.errors import BadInput, NotFound, ScrubjayError
from scrubjay.text.detect import decode
from scrubjay.transcripts import exports, jsonl, opencode, places, signs, specstory
from scrubjay.transcripts.database import MAGIC
from scrubjay.transcripts.fields import mapping, parse
from scrubjay.transcripts.formats import (
    CHATGPT,
    CLAUDE_AI,
    CLAUDE_CODE,
    CODEX,
    CURSOR,
    JSONL,
    OPENCODE,
    SPECSTORY,
    Format,
)
from scrubjay.transcripts.reading import Context, Cursor, Reading, Report, Skipped
from scrubjay.types import Session

SUFFIXES = (".jsonl", ".json", ".md", ".vscdb", ".db", ".zip", ".zst")
_TRIES = 20  # lines among which one must tell
_SAMPLE = 200  # files of a folder that are looked at
_CLAUDE_NAME = re.compile(r"(?:agent-[\w-]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl")
_ZSTANDARD = b"\x28\xb5\x2f\xfd"


def recognise(path: Path) -> Format | None:
    """The format of ``path``, or ``None``. For a folder of files, that of the first one that is known.

    Raises ``NotFound`` for what is not there, ``Refused``, ``Unavailable`` or ``Corrupt`` for what cannot be read.
    """
    if not path.exists():
        raise NotFound(f"There is nothing at {path}.", hint="Check the path.")
    return _folder(path) if path.is_dir() else _file(path, places.head(path, follow=True), follow=True)


def read(
    path: Path,
    *,
    zone: tzinfo,
    since: Cursor | None = None,
    continues: jsonl.Continues | None = None,
    only: Collection[Path] | None = None,
) -> Reading:
    """The sessions in ``path`` with a report; with the cursor of an earlier report only what is new.

    Times without a zone are read in ``zone``; ``continues`` is for JSON Lines (see ``jsonl.read``). In a folder a
    file that cannot be read is reported and passed over; ``only`` names those of its files that are looked at, and the
    cursor keeps the others as they were. Raises as ``recognise``, and ``BadInput`` for an unknown
    format.
    """
    found = recognise(path)
    if found is None:
        raise BadInput(f"{path.name} is in no format that is known.", hint=_hint(path))
    context = Context(zone, since or Cursor(), Report(found.name), continues=continues)
    whole = not path.is_dir() or found is _structure(path)
    if only is not None and not whole:
        context.report.positions.update(context.since.files)
    sessions = found.reader(path, context, follow=True) if whole else _walk(path, context, found, only)
    return Reading(sessions, context.report)


def _hint(path: Path) -> str:
    if path.is_file() and places.head(path, follow=True).startswith(_ZSTANDARD):
        return "It is compressed: unpack it with zstd -d first."
    return "Transcripts of coding agents, chat exports and JSON Lines with a text on each line can be read."


def _walk(folder: Path, context: Context, main: Format, only: Collection[Path] | None) -> Iterator[Session]:
    """The sessions of every file below ``folder``; older files first, since a fork is younger than its origin.

    Plain JSON Lines are read where they are what the folder holds: beside transcripts they are logs of all sorts.
    """
    report = context.report
    walk = places.Walk(folder, SUFFIXES)
    listed = walk if only is None else places.named(folder, only, SUFFIXES)
    for place in sorted(listed, key=lambda place: (place.mtime_ns, place.path)):
        if _unchanged(place, context):
            continue
        try:
            head = places.head(place.path)
            found = _file(place.path, head)
            if found and (found is not JSONL or main is JSONL):
                yield from found.reader(place.path, context)
            elif head.startswith(_ZSTANDARD):
                report.skipped.append(Skipped(str(place.path), "compressed; unpack it with zstd -d"))
            elif place.path.suffix == ".jsonl" and head.strip():
                report.skipped.append(Skipped(str(place.path), "in no format that is known"))
        except ScrubjayError as error:
            report.skipped.append(Skipped(str(place.path), error.message))
    for count, reason in ((walk.links, "links and special files"), (walk.unreadable, "entries that cannot be read")):
        if count:
            report.skipped.append(Skipped(str(folder), f"{count} {reason}"))
    if walk.capped:
        report.skipped.append(Skipped(str(folder), f"more than {walk.most} files; name a folder inside"))


def _unchanged(place: places.Place, context: Context) -> bool:
    """Whether a file is as it was left, so that it need not be opened. A database may change in a file beside it."""
    key = os.path.abspath(place.path)
    since = context.since.files.get(key)
    if since is None or (since.size, since.mtime_ns) != (place.size, place.mtime_ns):
        return False
    if place.path.suffix in (".db", ".vscdb"):
        return False
    context.report.files += 1
    context.report.unchanged += 1
    context.report.positions[key] = since
    return True


def _folder(folder: Path) -> Format | None:
    """The format of a folder: by how it is built, else by the first of its files that is known for sure."""
    if structure := _structure(folder):
        return structure
    plain = None
    for number, place in enumerate(places.Walk(folder, SUFFIXES)):
        if number >= _SAMPLE:
            break
        try:
            found = _file(place.path, places.head(place.path))
        except ScrubjayError:
            continue
        if found is JSONL:
            plain = found
        elif found:
            return found
    return plain


def _structure(folder: Path) -> Format | None:
    if opencode.storage(folder):
        return OPENCODE
    try:
        return _export(folder)
    except (ScrubjayError, OSError):
        return None


def _export(path: Path) -> Format | None:
    """Which service an export is from: by its first conversation, else by the files that come with them."""
    names = {name.split("/")[-1] for name in exports.names(path, follow=True)}
    if not any(exports.CONVERSATIONS.fullmatch(name) for name in names):
        return CLAUDE_AI if "memories.json" in names else None
    head = exports.head(path, follow=True)
    if found := signs.of_beginning(head, signs.KEYS[:2]):
        return found
    if names & {"users.json", "projects.json", "memories.json"}:
        return CLAUDE_AI
    return CHATGPT if names & {"chat.html", "user.json", "message_feedback.json"} else None


def _file(path: Path, head: bytes, *, follow: bool = False) -> Format | None:
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _export(path)
    if head.startswith(MAGIC):
        return _database(path, head)
    if specstory.HEADER.search(head[:4096]) or (path.suffix == ".md" and specstory.MARKER.search(head)):
        return SPECSTORY
    if path.suffix == ".md" or head.startswith(_ZSTANDARD):
        return None
    if not head.strip():
        return _by_name(path)
    found = _json(path, head)
    return found if follow or found is not JSONL or path.suffix == ".jsonl" else None


def _database(path: Path, head: bytes) -> Format | None:
    if b"cursorDiskKV" in head or path.name == "state.vscdb":
        return CURSOR
    tables = (b"session", b"message", b"part")
    return OPENCODE if path.name == "opencode.db" or all(name in head for name in tables) else None


def _by_name(path: Path) -> Format | None:
    """What an empty file is going to be."""
    if re.fullmatch(r"rollout-.*\.jsonl", path.name):
        return CODEX
    return CLAUDE_CODE if _CLAUDE_NAME.fullmatch(path.name) else None


def _json(path: Path, head: bytes) -> Format | None:
    whole = len(head) < places.HEAD
    text = decode(head).text.removeprefix("\ufeff")
    lines = text.split("\n")
    if not whole:
        lines = lines[:-1] or lines
    lines = [line for line in lines if line.strip()]
    objects = list(_objects(lines[:_TRIES]))
    foreign = any("parts" in mapping(record.get("message")) for record in objects)
    for record in objects:
        found = signs.of_line(record)
        if found and not (foreign and found is CLAUDE_CODE):  # another program took over the envelope
            return found
    if text.lstrip()[:1] == "[" or (text.lstrip()[:1] == "{" and not (objects and len(lines) > 1)):
        return _document(path, text, head, whole=whole) or signs.plain(objects)
    if not objects and (found := signs.of_beginning(head, signs.LINE_KEYS)):
        return found  # the first line is longer than what was read
    return signs.plain(objects)


def _objects(lines: list[str]) -> Iterator[dict[str, Any]]:
    for line in lines:
        try:
            value = parse(line) if line.strip()[:1] == "{" else None
        except BadInput:
            continue
        if isinstance(value, dict):
            yield value


def _document(path: Path, text: str, head: bytes, *, whole: bool) -> Format | None:
    """A JSON document: by its outermost keys, or by those in its beginning where it is long."""
    if not whole:
        return signs.of_beginning(head, signs.KEYS) or signs.of_beginning(head, signs.LINE_KEYS)
    try:
        value = parse(text)
    except BadInput:
        return signs.of_beginning(head, signs.KEYS)
    if isinstance(value, dict) and isinstance(value.get("conversations"), list):
        value = value["conversations"]
    for record in value[:_TRIES] if isinstance(value, list) else [value]:
        if found := signs.of_document(mapping(record), path):
            return found
    return None
