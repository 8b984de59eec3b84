"""Doing what a plan says, with a record; and taking it back."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from scrubjay.errors import ScrubjayError
from scrubjay.interfaces.install import places, record
from scrubjay.interfaces.install.hosts import Asked
from scrubjay.interfaces.install.plans import Change, Plan, text_of, within, without
from scrubjay.interfaces.install.record import Record, Written
from scrubjay.vaults.encoding import digest


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What an uninstallation did to one file: ``restored`` byte for byte, ``cleaned`` of our entries because it was
    changed since, ``removed``, or ``gone`` already."""

    file: Path
    how: str


def install(plan: Plan, home: Path) -> Record:
    """Writes every file of ``plan`` and keeps the record of it. What was written is put back when one of them fails."""
    asked = plan.asked
    earlier = record.load(home, plan.host.name, asked)
    known = {written.file: written.folders for written in earlier.files} if earlier else {}
    files = [_written(change, known.get(change.file, ())) for change in plan.files]
    done = Record(host=plan.host.name, scope=asked.scope, project=asked.project, files=tuple(files))
    record.save(home, done)  # before anything is changed: whoever is killed here can uninstall
    finished: list[tuple[Change, Sequence[Path]]] = []
    try:
        for number, change in enumerate(plan.files):
            if not change.changes:
                continue
            made = places.write(change.file, change.then, before=change.now, within=within(asked))
            finished.append((change, made))
            files[number] = _written(change, made or known.get(change.file, ()))
    except ScrubjayError:
        for change, folders in reversed(finished):
            _put_back(change, folders, asked)
        if earlier is not None:
            record.save(home, earlier)
        else:
            record.drop(home, done)
        raise
    done = Record(host=plan.host.name, scope=asked.scope, project=asked.project, files=tuple(files))
    record.save(home, done)
    return done


def uninstall(found: Record, asked: Asked, home: Path) -> list[Restored]:
    """Restores every file of the record, and drops it. A file that was changed since keeps those changes and loses
    only what is ours. Raises ``BadInput`` for one that cannot be read; then nothing has changed."""
    steps = [(written, *_wanted(written, asked)) for written in reversed(found.files)]
    restored = []
    for written, now, then, how in steps:
        if now is not None and then is None:
            places.remove(written.file, written.folders, before=now, within=within(asked))
        elif now is not None and then is not None and now != then:
            places.write(written.file, then, before=now, within=within(asked))
        restored.append(Restored(file=written.file, how=how))
    record.drop(home, found)
    return restored


def _wanted(written: Written, asked: Asked) -> tuple[bytes | None, bytes | None, str]:
    now = places.read(written.file, within(asked))
    if now is None:
        return None, None, "gone"
    if digest(now) == written.after_hash or now == written.before:
        return now, written.before, "restored" if written.before is not None else "removed"
    if any(entry.form == "file" for entry, _ in written.entries):
        return now, now, "changed since, and left"
    text = without(written.file, text_of(written.file, now), written.entries)
    if written.before is None and text.strip("\ufeff \r\n\t") in ("", "{}"):
        return now, None, "removed"
    return now, text.encode("utf-8"), "cleaned"


def _written(change: Change, made: Sequence[Path] = ()) -> Written:
    return Written(
        file=change.file,
        before=change.original,
        after_hash=digest(change.then),
        entries=change.entries,
        folders=tuple(made),
    )


def _put_back(change: Change, made: Sequence[Path], asked: Asked) -> None:
    with suppress(ScrubjayError):
        if change.now is None:
            places.remove(change.file, made, before=change.then, within=within(asked))
        else:
            places.write(change.file, change.now, before=change.then, within=within(asked))
