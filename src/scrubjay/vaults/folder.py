"""A vault that is a folder: the default, and the one that people, editors and git share (design §4).

Every write is a compare-and-swap on the hash that was read. The index's exclusive transaction keeps our own processes
apart; the hash is compared once more right before the swap for the sake of those that know nothing of it.

On a file system that ignores case, two paths that differ only by case are one document; nothing here resolves that.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from pathlib import Path

from scrubjay.errors import Conflict, NotFound, Refused, Unavailable
from scrubjay.types import Document, Entry, Problem
from scrubjay.vaults.atomic import folders_for, move_new, put_new, put_over
from scrubjay.vaults.encoding import digest, to_bytes, to_document
from scrubjay.vaults.failures import explained
from scrubjay.vaults.paths import check, check_writable, open_beneath, resolve
from scrubjay.vaults.visibility import (
    SUFFIXES,
    TEMP_PREFIX,
    TEMP_SUFFIX,
    TRASH,
    is_document_name,
    is_open_folder,
    printable,
)

_READ_TRIES = 3
INBOX = "00-Inbox"
OURS = frozenset({INBOX, TRASH})
"""What lies ``beside`` a folder of another program."""
# For a trash that begins in a folder which ``layout.init`` did not make.
_TRASH_STAYS_HERE = b"# One person's way back: shared, it would offer everybody to undo what somebody else did.\n*\n"
_CANNOT_BE_A_PATH = "the name holds letters that no document's name may hold; rename it to have it read"


class FolderVault:
    """Documents in the folder ``root``, which is made by the first write. Implements ``ports.Vault``.

    ``suffixes`` are the lower-case file name endings of documents; other files are never listed. Where the folder
    belongs to another program, ``beside`` is a folder of ours that holds what waits (``00-Inbox``) and what was retired
    (``90-Trash``), so that nothing of ours lies in it; what it has under these names itself is none of ours. Folders
    directly in ``root`` that are called one of ``without`` are left out of listings: they are vaults of their own.
    """

    def __init__(
        self,
        root: Path,
        *,
        suffixes: Collection[str] = SUFFIXES,
        beside: Path | None = None,
        without: Collection[str] = (),
    ) -> None:
        self.root = Path(root)
        self.suffixes = frozenset(suffixes)
        self.beside = Path(beside) if beside is not None else None
        self._without = frozenset(without) | (OURS if beside is not None else frozenset())
        self._skipped: tuple[Problem, ...] = ()

    @property
    def name(self) -> str:
        return str(self.root)

    def entries(self) -> Iterator[Entry]:
        """Every document in path order, metadata only; hidden files, the trash and links are left out.

        What cannot be read, for its permissions or for a name that ``paths.check`` refuses, is told by ``skipped``.
        """
        skipped: list[Problem] = []
        found = sorted(self._scan(skipped), key=lambda entry: entry.path)
        self._skipped = tuple(sorted(skipped, key=lambda problem: problem.path))
        yield from found

    def skipped(self) -> Sequence[Problem]:
        return self._skipped

    def receipts(self) -> Iterator[str]:
        """The paths of the receipts in the trash, oldest operation first."""
        trash = self._root_of(TRASH) / TRASH
        if trash.is_dir() and not trash.is_symlink():
            for operation in sorted(os.listdir(trash)):
                if (trash / operation / "receipt.md").is_file():
                    yield f"{TRASH}/{operation}/receipt.md"

    def read(self, path: str) -> Document:
        checked = check(path)
        data, found = self._load(checked)
        return to_document(checked, data, mtime_ns=found.st_mtime_ns)

    def read_bytes(self, path: str) -> bytes:
        return self._load(check(path))[0]

    def exists(self, path: str) -> bool:
        with explained(path):
            return os.path.lexists(self._place(path))

    def write(self, path: str, text: str, *, expected: str | None) -> Document:
        return self.write_bytes(path, to_bytes(text, fresh=expected is None), expected=expected)

    def write_bytes(self, path: str, data: bytes, *, expected: str | None) -> Document:
        checked = check_writable(path)
        self._keep_out_of_git(checked)
        root = self._root_of(checked)
        with explained(checked), folders_for(resolve(root, checked).parent):
            if expected is None:
                self._require_free(checked)
                put_new(root, checked, data, verify=lambda: self._require_free(checked))
            elif digest(data) != expected:
                mode = self._require_writable(checked, expected)
                put_over(root, checked, data, mode=mode, verify=lambda: self._require(checked, expected))
            else:
                self._require(checked, expected)
        return self._read_back(checked, digest(data))

    def rename(self, source: str, target: str, *, expected: str) -> Document:
        old, new = check_writable(source), check_writable(target)
        self._keep_out_of_git(new)
        with explained(new), folders_for(self._place(new).parent):
            self._require(old, expected)
            self._require_free(new)
            move_new(self._root_of(old), old, self._root_of(new), new, verify=lambda: self._require(old, expected))
        return self._read_back(new, expected)

    def retire(self, path: str, *, expected: str, kept: str) -> None:
        if not check(kept).startswith(f"{TRASH}/"):
            raise Refused(f"{kept} is not in the trash.", hint=f"Keep retired documents below {TRASH}/.")
        self.rename(path, kept, expected=expected)

    def _keep_out_of_git(self, path: str) -> None:
        """Before the first thing that goes to the trash: what tells git to leave the trash alone."""
        if path.startswith(f"{TRASH}/") and path.count("/") > 1 and not os.path.lexists(self._root_of(path) / TRASH):
            self.write_bytes(f"{TRASH}/.gitignore", _TRASH_STAYS_HERE, expected=None)

    def sweep(self, *, older_than: float) -> int:
        """Removes temporary files that killed writers of ours left, ``older_than`` seconds old; returns how many."""
        limit = time.time() - older_than
        removed = 0
        walks = (os.walk(root) for root in (self.root, self.beside) if root is not None)
        for folder, _, names in chain.from_iterable(walks):
            for name in names:
                if name.startswith(TEMP_PREFIX) and name.endswith(TEMP_SUFFIX):
                    leftover = Path(folder, name)
                    with explained(name):
                        if leftover.lstat().st_mtime < limit:
                            leftover.unlink(missing_ok=True)
                            removed += 1
        return removed

    def _root_of(self, path: str) -> Path:
        """The folder that ``path`` (checked) lies in: ours for what waits and what was retired, where there is one."""
        return self.beside if self.beside is not None and path.partition("/")[0] in OURS else self.root

    def _place(self, path: str) -> Path:
        return resolve(self._root_of(check(path)), path)

    def _scan(self, skipped: list[Problem]) -> Iterator[Entry]:
        waiting = [("", str(self.root))]
        if self.beside is not None:
            waiting.append((f"{INBOX}/", str(self.beside / INBOX)))
        while waiting:
            prefix, folder = waiting.pop()
            for item in self._items(prefix, folder, skipped):
                if not prefix and item.name in self._without:
                    continue
                if item.is_dir(follow_symlinks=False):
                    if is_open_folder(item.name, top=not prefix) and (name := _usable(item, prefix, skipped)):
                        waiting.append((f"{prefix}{name}/", item.path))
                elif is_document_name(item.name, self.suffixes):
                    found = _regular(item)
                    if found is not None and (name := _usable(item, prefix, skipped)):
                        yield Entry(path=prefix + name, size=found.st_size, mtime_ns=found.st_mtime_ns)

    def _items(self, prefix: str, folder: str, skipped: list[Problem]) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as items:
                return list(items)
        except FileNotFoundError:
            return []
        except OSError as error:
            denied = isinstance(error, PermissionError)
            if prefix:
                reason = "no permission to list this folder" if denied else f"cannot be listed: {error.strerror}"
                skipped.append(Problem(path=prefix.removesuffix("/"), message=reason))
                return []
            if denied:
                raise Unavailable(f"No permission to list {self.root}.", hint="Look at its owner and mode.") from None
            raise Unavailable(f"{folder} cannot be listed: {error.strerror}.", hint="Look at the folder.") from None

    def _load(self, path: str) -> tuple[bytes, os.stat_result]:
        """The bytes at ``path`` with the metadata that belongs to them; a file being written is read once more."""
        with explained(path), os.fdopen(open_beneath(self._root_of(path), path, os.O_RDONLY), "rb") as file:
            for _ in range(_READ_TRIES):
                before = os.fstat(file.fileno())
                file.seek(0)
                data = file.read()
                after = os.fstat(file.fileno())
                if (before.st_mtime_ns, len(data)) == (after.st_mtime_ns, after.st_size):
                    break
            return data, after

    def _require(self, path: str, expected: str) -> os.stat_result:
        try:
            data, found = self._load(path)
        except NotFound:
            raise Conflict(f"{path} is gone: it was moved or removed meanwhile.", hint="Look again.") from None
        if digest(data) != expected:
            raise Conflict(f"{path} changed since it was read.", hint="Read it again and repeat the change.")
        return found

    def _require_writable(self, path: str, expected: str) -> int:
        mode = self._require(path, expected).st_mode
        if not mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
            raise Unavailable(f"{path} is read-only, so it was left alone.", hint=f"Allow it: chmod u+w '{path}'.")
        return mode

    def _require_free(self, path: str) -> None:
        if os.path.lexists(self._place(path)):
            raise Conflict(f"{path} exists already.", hint="Choose another name, or read it and replace it.")

    def _read_back(self, path: str, expected: str) -> Document:
        document = self.read(path)
        if document.hash != expected:
            raise Conflict(f"{path} does not hold what was just written.", hint="Read it again; check the disk.")
        return document


def _usable(item: os.DirEntry[str], prefix: str, skipped: list[Problem]) -> str | None:
    """The NFC form under which ``item`` can be read; of two that share one, only the one named so is."""
    try:
        normal = check(item.name)
        check(prefix + normal)
    except Refused:
        skipped.append(Problem(path=printable(prefix + item.name), message=_CANNOT_BE_A_PATH))
        return None
    if normal != item.name and os.path.lexists(os.path.join(os.path.dirname(item.path), normal)):
        skipped.append(Problem(path=prefix + item.name, message="another file has this name, written in other letters"))
        return None
    if not os.access(item.path, os.R_OK):
        kind = "folder" if item.is_dir(follow_symlinks=False) else "file"
        skipped.append(Problem(path=prefix + normal, message=f"no permission to read this {kind}"))
        return None
    return normal


def _regular(item: os.DirEntry[str]) -> os.stat_result | None:
    try:
        found = item.stat(follow_symlinks=False)
    except OSError:
        return None
    return found if stat.S_ISREG(found.st_mode) else None
