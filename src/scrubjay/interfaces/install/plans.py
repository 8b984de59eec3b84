"""What an installation would change, before anything is written."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from scrubjay.errors import BadInput
from scrubjay.interfaces.install import forms, places
from scrubjay.interfaces.install.forms import Made
from scrubjay.interfaces.install.hosts import Asked, Entry, Host
from scrubjay.interfaces.install.record import Record, Written
from scrubjay.vaults.dialects.claude_memory.paths import base as claude_base
from scrubjay.vaults.encoding import digest


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One file: its bytes now (``None``: there is none) and then, and what is put into it. ``original`` are the bytes
    that an uninstallation gives back."""

    file: Path
    now: bytes | None
    then: bytes
    original: bytes | None
    entries: tuple[tuple[Entry, Made], ...]

    @property
    def changes(self) -> bool:
        """Whether anything would be written."""
        return self.now != self.then


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All files of an installation. ``left`` are sentences about what was found there already and is left as it is."""

    host: Host
    asked: Asked
    files: tuple[Change, ...]
    left: tuple[str, ...] = ()

    @property
    def changes(self) -> tuple[Change, ...]:
        """The files that would be written."""
        return tuple(change for change in self.files if change.changes)


def plan(host: Host, asked: Asked, record: Record | None) -> Plan:
    """What installing into ``host`` would change, given what an earlier installation did.

    Raises ``BadInput`` for a settings file that cannot be read as what it is, naming file and line: nothing is written
    then.
    """
    left: list[str] = []
    files = []
    grouped = groupby(sorted(host.entries(asked), key=lambda entry: str(entry.file)), key=lambda entry: entry.file)
    for file, entries in grouped:
        change = _change(file, list(entries), asked, record.of(file) if record else None, left)
        if change is not None:
            files.append(change)
    return Plan(host=host, asked=asked, files=tuple(files), left=tuple(left))


def within(asked: Asked) -> list[Path]:
    """The folders inside which files may be changed: the person's home, the host's own folder, the project."""
    if asked.scope == "project":
        return [asked.project]
    named = (asked.environ.get(name) for name in ("CODEX_HOME", "XDG_CONFIG_HOME"))
    return [asked.home, claude_base(asked.environ), *(Path(value) for value in named if value)]


def own_command() -> tuple[str, ...]:
    """How the host starts this very program, by its full path: a host has another ``PATH`` than a terminal."""
    script = Path(sys.executable).parent / ("scrubjay.exe" if os.name == "nt" else "scrubjay")
    if script.is_file():
        return (str(script),)
    found = shutil.which("scrubjay")
    return (found,) if found else (sys.executable, "-P", "-m", "scrubjay")


def text_of(file: Path, data: bytes | None) -> str:
    """``data`` as text, a byte order mark included. Raises ``BadInput``."""
    try:
        return (data or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        line = (data or b"").count(b"\n", 0, error.start) + 1
        raise BadInput(
            f"{file}, line {line}: is not UTF-8, so it was left alone.", hint="Save it as UTF-8 in an editor first."
        ) from None


def unreadable(file: Path, error: forms.Unreadable) -> BadInput:
    """The error for a settings file that cannot be changed safely."""
    return BadInput(
        f"{file}, line {error.line}: {error.message}, so nothing was written.",
        hint="Mend the file in an editor, then run the command again.",
    )


def without(file: Path, text: str, entries: Sequence[tuple[Entry, Made]]) -> str:
    """``text`` without what was put in, the last thing first. Raises ``BadInput``."""
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    text = text.removeprefix(mark)
    try:
        for entry, made in reversed(entries):
            if entry.form != "file" and text.strip():
                text = forms.take(text, entry, made)
    except forms.Unreadable as error:
        raise unreadable(file, error) from None
    return mark + text


def _change(file: Path, entries: list[Entry], asked: Asked, written: Written | None, left: list[str]) -> Change | None:
    now = places.read(file, within(asked))
    original = _original(file, now, written)
    text = text_of(file, original)
    done: list[tuple[Entry, Made]] = []
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    text = text.removeprefix(mark)
    for entry in entries:
        try:
            if entry.form == "file" and original is None:
                text, made = forms.put("", entry)
            elif (there := forms.find(text, entry)) is not None:
                left.extend(_left(entry, there))
                continue
            else:
                text, made = forms.put(text, entry)
        except forms.Unreadable as error:
            raise unreadable(file, error) from None
        done.append((entry, made))
    if not done:
        return None
    if original is None and not text.endswith("\n"):
        text += "\n"
    then = (mark + text).encode("utf-8")
    return Change(file=file, now=now, then=then, original=original, entries=tuple(done))


def _original(file: Path, now: bytes | None, written: Written | None) -> bytes | None:
    """The file as it would be had nothing been installed."""
    if now is None or written is None:
        return now
    if digest(now) == written.after_hash:
        return written.before
    if any(entry.form == "file" for entry, _ in written.entries):
        return now
    bare = without(file, text_of(file, now), written.entries)
    return None if written.before is None and bare.strip() in ("", "{}") else bare.encode("utf-8")


def _left(entry: Entry, there: object) -> Iterator[str]:
    if there == entry.value:
        yield f"{entry.what} is in {entry.file} already, and stays there when Scrubjay is uninstalled."
    else:
        yield f"{entry.what}: {entry.file} has one of its own, which is left as it is."
