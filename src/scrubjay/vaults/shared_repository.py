"""What git carries between the members of a team: a bare repository in our own home, and the way to a remote.

Nothing is ever checked out: files are read from commits as bytes and go through a vault like any other import, so that
no name, link, hook or attribute of somebody else's tree reaches the disk (F6, F112). Commits are built from bytes, one
on top of what the remote has, so that only what was looked at is sent. Nothing is forced, here or there (F29).
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from scrubjay.errors import NotFound, Refused, ScrubjayError, Unavailable
from scrubjay.vaults import git_program
from scrubjay.vaults.atomic import folders_for
from scrubjay.vaults.remote_address import PROTOCOLS, shown

TIMEOUT_SECONDS = 60.0
MOST_FETCHED = 512 * 1024 * 1024
"""Bytes of the largest file that git may write while it fetches."""

MOST_LISTED = 64 * 1024 * 1024
MOST_FILES = 20_000
MOST_LEVELS = 16
_STALE_SECONDS = 600.0
_FETCHES = 8
FILE, PROGRAM, FOLDER = "100644", "100755", "40000"

REMOTE = "refs/scrubjay/remote"
BASE = "refs/scrubjay/base"
_RESCUE = "refs/scrubjay/rescue"
_SETTINGS = {
    **git_program.QUIET,
    "core.askPass": "",
    "core.attributesFile": os.devnull,
    "core.filesRefLockTimeout": "5000",
    "core.packedRefsTimeout": "5000",
    "fetch.recurseSubmodules": "false",
    "gc.autoDetach": "false",
    "maintenance.auto": "false",
    "push.followTags": "false",
    "push.gpgSign": "false",
    "transfer.bundleURI": "false",
    "transfer.fsckObjects": "true",
}
_VARIABLES = {
    "GIT_ALLOW_PROTOCOL": PROTOCOLS,
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "SSH_ASKPASS": "",
    "SSH_ASKPASS_REQUIRE": "never",
}
# A folder that several people write to may hold hooks of any of them, and they would run as whoever pushes.
_RECEIVE = f"git -c core.hooksPath={os.devnull} -c core.alternateRefsCommand=true -c gc.auto=0 receive-pack"

_BAD_OBJECT = re.compile(r"\bobject [0-9a-f]{40,64}: \w+|\bfsck\b|bad (?:object|tree)")


class Item(NamedTuple):
    """A file, link or submodule of a commit: its mode, the id of its object, and its path as bytes."""

    mode: str
    id: str
    path: bytes


@dataclass(frozen=True, slots=True)
class Pushed:
    """Whether the remote has the commit now; if not, it has something newer, which has to be fetched first."""

    done: bool


def blob_id(data: bytes) -> str:
    """The id that git gives a file with these bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


class SharedRepository:
    """The bare repository at ``folder``, made by ``prepare``. ``branch`` is the one that the team shares.

    Methods raise ``Unavailable`` when git fails, and ``Refused`` for what would be unsafe to read.
    """

    def __init__(self, folder: Path, *, branch: str = "main", timeout: float = TIMEOUT_SECONDS) -> None:
        self.folder = folder
        self.branch = branch
        self.timeout = timeout

    def prepare(self) -> None:
        """Makes the repository where there is none yet. Raises ``Refused`` when something else lies there."""
        if self.folder.is_symlink() or (self.folder / ".git").exists():
            raise Refused(f"{self.folder} is not a repository of Scrubjay's.", hint="Move it away.")
        if not (self.folder / "HEAD").exists() or not (self.folder / "objects").is_dir():
            with folders_for(self.folder):
                self._run("init", "--quiet", "--bare", "--template=", f"--initial-branch={self.branch}")
        self._unlock()

    def _unlock(self) -> None:
        """Removes locks that a machine which went down left; git would wait for nobody forever."""
        limit = time.time() - max(_STALE_SECONDS, 2 * self.timeout)
        for lock in (*self.folder.glob("*.lock"), *self.folder.glob("refs/scrubjay/**/*.lock")):
            with suppress(OSError):
                if lock.lstat().st_mtime < limit:
                    lock.unlink()

    @property
    def exists(self) -> bool:
        """Whether there is a repository yet."""
        return (self.folder / "HEAD").exists()

    def fetch(self, address: str) -> str:
        """Fetches the branch and returns its newest commit; empty when the remote has none of that name.

        Nothing that was fetched before is lost, whatever the remote has now.
        """
        words = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules")
        for _ in range(_FETCHES):
            head = self.remote_head(address)
            if not head or self.sizes([head]):
                return head
            # No name is given to what comes before somebody has looked at it; two of us may fetch at once.
            self._speak(*words, address, f"refs/heads/{self.branch}")
        raise Unavailable("The remote changes all the time.", hint="Try again.")

    def remote_head(self, address: str) -> str:
        """The commit that the branch of the remote is at; empty when it has no such branch."""
        listed = self._speak("ls-remote", "--quiet", "--", address, f"refs/heads/{self.branch}")
        lines = (line.split("\t") for line in listed.decode("utf-8", "replace").splitlines())
        return next((fields[0] for fields in lines if fields[1:] == [f"refs/heads/{self.branch}"]), "")

    def push(self, address: str, commit: str, *, parent: str) -> Pushed:
        """Gives ``commit``, which stands on ``parent``, to the remote, if that is still at ``parent``."""
        words = ["push", "--quiet", "--no-verify", "--no-signed", "--recurse-submodules=no"]
        if os.path.isabs(address) or address.startswith("file:"):
            words.append(f"--receive-pack={_RECEIVE}")
        try:
            self._speak(*words, address, f"{commit}:refs/heads/{self.branch}")
        except Unavailable:
            # Whatever git says in whichever version: what the remote is at tells a race from a failure.
            there = self.remote_head(address)
            if there == parent:
                raise
            return Pushed(there == commit)
        return Pushed(True)

    def commit_of(self, ref: str) -> str:
        """The commit that ``ref`` is at; empty when there is no such ref."""
        listed = self._text("for-each-ref", "--format=%(objectname)", ref)
        return listed.strip() if self.exists else ""

    def follows(self, new: str, old: str) -> bool:
        """Whether ``old`` is in the history of ``new``, so that nobody rewrote it."""
        return not self._text("rev-list", "--max-count=1", old, f"^{new}").strip()

    def rescue(self, commit: str) -> str:
        """Keeps ``commit`` and all before it reachable, and returns the name under which it is."""
        name = f"{_RESCUE}/{commit[:12]}"
        self._run("update-ref", name, commit)
        return name

    def settle(self, *, remote: str, base: str) -> None:
        """Notes, in one step, the newest commit of the remote that was taken in and the state both sides agree on."""
        lines = [f"update {REMOTE} {remote}" if remote else f"delete {REMOTE}", f"update {BASE} {base}"]
        if not remote and not self.commit_of(REMOTE):
            lines = lines[1:]
        self._run("update-ref", "--stdin", data="\n".join(["start", *lines, "prepare", "commit", ""]).encode())

    def tidy(self) -> None:
        """Lets git pack what has become much, if it has."""
        with suppress(Unavailable):
            self._run("gc", "--auto", "--quiet")

    def files(self, commit: str) -> list[Item]:
        """Every file, link and submodule of ``commit``. Raises ``Refused`` for more than a memory can have."""
        if not commit:
            return []
        found: list[Item] = []
        level = [(self._text("rev-parse", "--verify", f"{commit}^{{tree}}").strip(), b"")]
        for _ in range(MOST_LEVELS):
            trees = self.contents([id for id, _ in level], kind="tree")
            below: list[tuple[str, bytes]] = []
            for id, above in level:
                for item in _items(trees.get(id, b""), above):
                    if len(found) + len(below) >= MOST_FILES:
                        raise Refused(f"The remote holds over {MOST_FILES:,} files.", hint="No team's memory does.")
                    if item.mode == FOLDER:
                        below.append((item.id, item.path + b"/"))
                    else:
                        found.append(item)
            level = below
            if not level:
                return sorted(found, key=lambda item: item.path)
        raise Refused(f"The remote holds folders deeper than {MOST_LEVELS}.", hint="No team's memory does.")

    def sizes(self, ids: Iterable[str]) -> dict[str, int]:
        """How large the objects are, in bytes; those that are missing are left out."""
        wanted = list(dict.fromkeys(ids))
        answer = self._text("cat-file", "--batch-check", data="".join(f"{id}\n" for id in wanted).encode())
        fields = (line.split(" ") for line in answer.splitlines())
        return {one[0]: int(one[2]) for one in fields if len(one) == 3 and one[2].isdigit()}

    def contents(self, ids: Sequence[str], *, kind: str = "blob") -> dict[str, bytes]:
        """The bytes of the objects ``ids``, which somebody saw to be small enough. Raises ``Refused`` for others."""
        wanted = list(dict.fromkeys(ids))
        if not wanted:
            return {}
        if sum(self.sizes(wanted).values()) > MOST_FETCHED:
            raise Refused("The remote holds more than a memory can be.", hint="No team's memory does.")
        answer = self._run("cat-file", "--batch", data="".join(f"{id}\n" for id in wanted).encode())
        return _objects(answer, kind)

    def store(self, files: Iterable[bytes]) -> None:
        """Stores ``files``; each is known by its ``blob_id``."""
        blobs = b"".join(b"blob\ndata %d\n%b\n" % (len(data), data) for data in files)
        if blobs:
            self._run("fast-import", "--quiet", "--done", data=blobs + b"done\n")

    def commit(self, items: Iterable[Item], message: str, *, parent: str = "") -> str:
        """A commit with exactly ``items`` on top of ``parent``; on no branch, so that nothing refers to it yet."""
        tree = self._tree(items)
        above = ["-p", parent] if parent else []
        return self._text("commit-tree", tree, *above, data=f"{message}\n".encode(), variables=self._who()).strip()

    def outgoing(self, commit: str, parent: str) -> list[str]:
        """The ids of all files that a remote at ``parent`` does not have and that ``commit`` would bring it."""
        words = ["rev-list", "--objects", "--no-object-names", "--filter=object:type=blob", "--filter-provided-objects"]
        return self._text(*words, commit, *([f"^{parent}"] if parent else [])).split()

    def ever(self, commit: str) -> set[tuple[bytes, str]]:
        """Every path with every id that it had in the history of ``commit``, of its newest changes."""
        if not commit:
            return set()
        words = ["log", "-z", "-m", "--raw", "--no-abbrev", "--no-renames", f"--max-count={MOST_FILES}", "--format="]
        found: set[tuple[bytes, str]] = set()
        try:
            tokens = iter(self._run(*words, commit, most_bytes=MOST_LISTED).split(b"\0"))
        except Unavailable:  # a history that is made to be endless tells nothing
            return found
        for token in tokens:
            fields = token.strip(b"\n").split(b" ")
            if len(fields) == 5 and fields[0].startswith(b":"):
                found.add((next(tokens, b""), fields[3].decode("ascii", "replace")))
        return found

    def everything(self) -> list[Item]:
        """Every file that any state in here has, each once, with one of its paths."""
        words = ["rev-list", "--objects", "--all", "--filter=object:type=blob", "--filter-provided-objects"]
        lines = (line.partition(b" ") for line in self._run(*words).split(b"\n") if line)
        return [Item(FILE, id.decode("ascii"), path) for id, _, path in lines]

    def _tree(self, items: Iterable[Item]) -> str:
        """The tree of ``items``, deepest folders first: a folder is listed by the id of its own tree."""
        folders: dict[bytes, list[bytes]] = {b"": []}
        listed = list(items)
        if not listed:
            return self._text("mktree").strip()
        for item in listed:
            above, name = _split(item.path)
            folders.setdefault(above, []).append(_line(item.mode, item.id, name))
            while above:
                above = _split(above)[0]
                folders.setdefault(above, [])
        for depth in range(max(map(_depth, folders)), 0, -1):
            level = [folder for folder in folders if _depth(folder) == depth]
            for folder, id in zip(level, self._trees([folders[folder] for folder in level]), strict=True):
                above, name = _split(folder)
                folders[above].append(_line(FOLDER, id, name))
        return self._trees([folders[b""]])[0]

    def _trees(self, listings: Sequence[Sequence[bytes]]) -> list[str]:
        """The ids of trees that list these lines."""
        return self._text("mktree", "-z", "--batch", data=b"\0".join(map(b"".join, listings))).split()

    def _who(self) -> dict[str, str]:
        """An identity for commits where the user has none."""
        known = {"EMAIL", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"} & os.environ.keys()
        with suppress(Unavailable):
            known |= {self._text("config", "--get", "user.email").strip()} - {""}
        if known:
            return {}
        name = {f"GIT_{who}_NAME": "Scrubjay" for who in ("AUTHOR", "COMMITTER")}
        return name | {f"GIT_{who}_EMAIL": "scrubjay@localhost" for who in ("AUTHOR", "COMMITTER")}

    def _speak(self, *words: str) -> bytes:
        """Runs a command that talks to a remote. What it says of the address holds no user or password."""
        try:
            return self._run(*words, alone=True, most_bytes=MOST_FETCHED)
        except (Unavailable, NotFound) as error:
            said = shown(error.message)
            if _BAD_OBJECT.search(said):
                raise Refused(
                    f"The history of the remote holds what no program should make: {said}",
                    hint="Nothing was taken from it. Ask who wrote to it last.",
                ) from None
            hint = "Check the address, your access and the network; `git ls-remote` with that address shows more."
            raise Unavailable(said, hint=hint) from None

    def _text(self, *words: str, data: bytes = b"", variables: Mapping[str, str] | None = None) -> str:
        return self._run(*words, data=data, variables=variables).decode("utf-8", "replace")

    def _run(
        self,
        *words: str,
        data: bytes = b"",
        variables: Mapping[str, str] | None = None,
        alone: bool = False,
        most_bytes: int = 0,
    ) -> bytes:
        """``most_bytes`` bounds what git writes, its answer too, wherever somebody else decides how much that is."""
        try:
            return git_program.run(
                [f"--git-dir={self.folder}", *words],
                data,
                settings=_SETTINGS,
                variables={**_VARIABLES, **(variables or {})},
                timeout=self.timeout,
                alone=alone,
                most_bytes=most_bytes,
                spooled=most_bytes > 0,
            )
        except ScrubjayError as error:
            error.hint = f"Run it again; the repository that carries the memory is {self.folder}."
            raise


def _items(tree: bytes, above: bytes) -> Iterable[Item]:
    """What the bytes of a tree list."""
    place = 0
    while place < len(tree):
        blank, end = tree.index(b" ", place), tree.index(b"\0", place)
        mode, name = tree[place:blank].decode("ascii", "replace"), tree[blank + 1 : end]
        yield Item(mode.lstrip("0"), tree[end + 1 : end + 21].hex(), above + name)
        place = end + 21


def _objects(answer: bytes, kind: str) -> dict[str, bytes]:
    """What ``cat-file --batch`` gives, by id; what is missing or of another kind is left out."""
    found = {}
    place = 0
    while place < len(answer):
        end = answer.index(b"\n", place)
        fields = answer[place:end].decode("ascii", "replace").split(" ")
        place = end + 1
        if len(fields) == 3:
            size = int(fields[2])
            if fields[1] == kind:
                found[fields[0]] = answer[place : place + size]
            place += size + 1
    return found


def _split(path: bytes) -> tuple[bytes, bytes]:
    above, _, name = path.rpartition(b"/")
    return above, name


def _depth(folder: bytes) -> int:
    return folder.count(b"/") + 1 if folder else 0


def _line(mode: str, id: str, name: bytes) -> bytes:
    kind = {FOLDER: "tree", "160000": "commit"}.get(mode, "blob")
    return f"{mode.zfill(6)} {kind} {id}\t".encode() + name + b"\0"
