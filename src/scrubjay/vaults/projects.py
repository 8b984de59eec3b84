"""The table of names under which projects are known, so that renames, worktrees, copies of the home folder on other
machines and the other tools' own names all lead to one memory (XC-9, F101).

It lies in ``projects/aliases.json`` below the home folder: an object from alias to project id. Aliases are
``path:``, ``former:`` (a path it was moved from), ``git:`` (a repository's birthmark), ``remote:``, ``claude:``
(CC-P2) and ``speckit:`` (SK-10) names.
The table is derived from what the projects say; losing it costs only the memory of old names.
"""

from __future__ import annotations

import json
import os
import unicodedata
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from scrubjay.errors import Conflict, NotFound, Unavailable
from scrubjay.ids import derived_id, new_id
from scrubjay.vaults.encoding import digest
from scrubjay.vaults.folder import FolderVault
from scrubjay.vaults.identity import birthmark, claude_key, project_id, remote_of, speckit_ids

TABLE = "aliases.json"
LAST_GOOD = "aliases.last.json"
_TRIES = 5


class Projects:
    """The projects known to ``home`` (``SCRUBJAY_HOME``). Nothing is read or written before the first call."""

    def __init__(self, home: Path) -> None:
        self._vault = FolderVault(home / "projects")

    def identify(self, root: Path) -> str:
        """The id of the project at ``root`` (from ``identity.project_root``); new names are remembered.

        The repository itself decides, then its remote, then the path; but a path that now holds a repository with
        another remote than before is another project. Where the table cannot be written, the answer is the same.
        """
        table = self._read()[0]
        path, mark = f"path:{_real(root)}", birthmark(root)
        if mark and (known := table.get(f"git:{mark}")) and table.get(path) == known:
            return known
        remote = remote_of(root)
        found = _decide(table, path=path, mark=mark, remote=remote) or _new_id(table, root, remote)
        names = dict.fromkeys([path, *_certain_names(mark, remote)], found)
        if mark and f"git:{mark}" in table:
            names |= {f"former:{old}": found for old in _paths(table, found) if f"path:{old}" != path}
        shared = [f"claude:{claude_key(_real(root))}", *(f"speckit:{name}" for name in speckit_ids(remote, root))]
        with suppress(Unavailable, Conflict):
            self._add(names, shared=dict.fromkeys(shared, found))
        return found

    def find(self, alias: str) -> str | None:
        """The project known as ``alias`` (with its prefix), or ``None``."""
        return self._read()[0].get(alias)

    def aliases(self, project: str) -> list[str]:
        """All names of ``project``, sorted."""
        return sorted(alias for alias, known in self._read()[0].items() if known == project)

    def link(self, alias: str, project: str) -> None:
        """Makes ``alias`` a name of ``project``, whatever it named before."""
        self._add({alias: project})

    def _add(self, names: Mapping[str, str], *, shared: Mapping[str, str] | None = None) -> None:
        """Adds ``names``; of ``shared`` ones, which several projects may claim, only those that are free."""
        for attempt in range(_TRIES):
            table, before = self._read()
            merged = {**(shared or {}), **table, **names}
            for alias in names:
                if alias.startswith("former:"):
                    merged.pop(f"path:{alias.removeprefix('former:')}", None)
            if merged == table and before is not None:
                return
            try:
                self._write(merged, before)
                return
            except Conflict:
                if attempt == _TRIES - 1:
                    raise

    def _write(self, table: Mapping[str, str], before: bytes | None) -> None:
        if before is not None:
            last = self._bytes(LAST_GOOD)
            self._vault.write_bytes(LAST_GOOD, before, expected=None if last is None else digest(last))
        text = json.dumps(table, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
        self._vault.write(TABLE, text, expected=None if before is None else digest(before))

    def _read(self) -> tuple[dict[str, str], bytes | None]:
        """The table and the bytes it was read from; a damaged one is put aside, the last good one used instead."""
        data = self._bytes(TABLE)
        table = None if data is None else _parse(data)
        if table is not None:
            return table, data
        if data is not None:
            with suppress(Unavailable, Conflict):
                self._vault.rename(TABLE, f"aliases.damaged-{new_id()}.json", expected=digest(data))
        last = self._bytes(LAST_GOOD)
        return (_parse(last) or {} if last else {}), None

    def _bytes(self, path: str) -> bytes | None:
        try:
            return self._vault.read_bytes(path)
        except NotFound:
            return None


def _certain_names(mark: str | None, remote: str | None) -> list[str]:
    names = [f"git:{mark}"] if mark else []
    return names + ([f"remote:{remote.casefold()}"] if remote else [])


def _paths(table: Mapping[str, str], project: str) -> list[str]:
    return [alias.removeprefix("path:") for alias, id in table.items() if id == project and alias.startswith("path:")]


def _decide(table: Mapping[str, str], *, path: str, mark: str | None, remote: str | None) -> str | None:
    if mark and f"git:{mark}" in table:
        return table[f"git:{mark}"]
    if remote and f"remote:{remote.casefold()}" in table:
        return table[f"remote:{remote.casefold()}"]
    known = table.get(path)
    if known and remote and any(id == known and alias.startswith("remote:") for alias, id in table.items()):
        return None
    return known


def _new_id(table: Mapping[str, str], root: Path, remote: str | None) -> str:
    """The id by path; one that also names the remote when a former project at this path has that already."""
    fresh = project_id(root)
    if fresh not in table.values():
        return fresh
    return f"{fresh}-{derived_id(remote or '')[:6].lower()}"


def _parse(data: bytes) -> dict[str, str] | None:
    try:
        table = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(table, dict) or not all(isinstance(id, str) and _is_name(id) for id in table.values()):
        return None
    return table


def _is_name(id: str) -> bool:
    """Whether ``id`` is the kind of name that ``project_id`` gives: one plain folder name."""
    return 0 < len(id) <= 100 and id.isascii() and id.replace("-", "").isalnum()


def _real(root: Path) -> str:
    return unicodedata.normalize("NFC", os.path.realpath(root))
