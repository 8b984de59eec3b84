"""What was changed for which host, byte for byte, so that it can be taken back (F67).

It lies in ``state/installs`` below the home folder: a JSON file an installation, and beside it the bytes that each file
had before.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrubjay.errors import Corrupt
from scrubjay.interfaces.install.forms import Made
from scrubjay.interfaces.install.hosts import Asked, Entry
from scrubjay.vaults import atomic
from scrubjay.vaults.encoding import digest

VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """One file: what was put into it, what had to be made for that, its bytes before and the hash of those after."""

    file: Path
    before: bytes | None
    after_hash: str
    entries: tuple[tuple[Entry, Made], ...]
    folders: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One installation."""

    host: str
    scope: str
    project: Path
    files: tuple[Written, ...]

    def of(self, file: Path) -> Written | None:
        """What was written into ``file``."""
        return next((written for written in self.files if written.file == file), None)


def folder(home: Path) -> Path:
    """Where the records of ``home`` lie."""
    return home / "state" / "installs"


def load(home: Path, host: str, asked: Asked) -> Record | None:
    """The record of ``host``, or ``None``. Raises ``Corrupt`` for one that cannot be read."""
    return _load(folder(home) / f"{_name(host, asked.scope, asked.project)}.json")


def all_of(home: Path) -> list[Record]:
    """Every record; those that cannot be read are left out."""
    found = []
    for file in sorted(folder(home).glob("*.json")):
        with suppress(Corrupt):
            if record := _load(file):
                found.append(record)
    return found


def save(home: Path, record: Record) -> None:
    """Keeps ``record``, with the bytes from before."""
    name = _name(record.host, record.scope, record.project)
    place = folder(home)
    rows: list[dict[str, Any]] = []
    for number, written in enumerate(record.files):
        copy = "" if written.before is None else f"{name}.{number}.before"
        if written.before is not None:
            _put(place, copy, written.before)
        rows.append(
            {
                "file": str(written.file),
                "before": copy,
                "before_hash": "" if written.before is None else digest(written.before),
                "after_hash": written.after_hash,
                "folders": [str(made) for made in written.folders],
                "entries": [
                    {"form": entry.form, "path": entry.path, "value": entry.value, "what": entry.what, "made": made}
                    for entry, made in written.entries
                ],
            }
        )
    whole = {"version": VERSION, "host": record.host, "scope": record.scope, "project": str(record.project)}
    text = json.dumps(whole | {"files": rows}, ensure_ascii=False, indent=2) + "\n"
    _put(place, f"{name}.json", text.encode("utf-8", "surrogatepass"))


def drop(home: Path, record: Record) -> None:
    """Takes ``record`` away, the bytes last."""
    place, name = folder(home), _name(record.host, record.scope, record.project)
    (place / f"{name}.json").unlink(missing_ok=True)
    for copy in place.glob(f"{name}.*.before"):
        copy.unlink(missing_ok=True)
    with suppress(OSError):
        place.rmdir()


def _load(file: Path) -> Record | None:
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        return Record(
            host=data["host"],
            scope=data["scope"],
            project=Path(data["project"]),
            files=tuple(_written(file.parent, row) for row in data["files"]),
        )
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        raise Corrupt(
            f"{file} is damaged, so what was installed is not known.",
            hint="Take our entries out of the host's settings by hand, and remove this file.",
        ) from None


def _written(place: Path, row: dict[str, Any]) -> Written:
    before = (place / row["before"]).read_bytes() if row["before"] else None
    if before is not None and digest(before) != row["before_hash"]:
        raise ValueError("the bytes from before were changed")
    file = Path(row["file"])
    entries = tuple(
        (
            Entry(file=file, form=item["form"], path=tuple(item["path"]), value=item["value"], what=item["what"]),
            tuple(tuple(way) for way in item["made"]),
        )
        for item in row["entries"]
    )
    return Written(
        file=file,
        before=before,
        after_hash=row["after_hash"],
        entries=entries,
        folders=tuple(Path(made) for made in row["folders"]),
    )


def _name(host: str, scope: str, project: Path) -> str:
    if scope == "user":
        return f"{host}-user"
    return f"{host}-project-{hashlib.sha256(os.fsencode(os.path.realpath(project))).hexdigest()[:12]}"


def _put(place: Path, name: str, data: bytes) -> None:
    with atomic.folders_for(place):
        if (place / name).exists():
            atomic.put_over(place, name, data, mode=atomic.FILE_MODE, verify=lambda: None)
        else:
            atomic.put_new(place, name, data, verify=lambda: None)
