"""A working tree as far as claims about it can be checked: its files, what stands in them, and what git remembers.

Everything is bounded: files listed, bytes read, seconds spent, all together for one tree. What was not seen in time is
not known, and never taken for gone. Links out of the tree are not followed; git runs nothing that the tree brings.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

from scrubjay.errors import ScrubjayError
from scrubjay.vaults import git_program
from scrubjay.vaults.paths import open_beneath, resolve

SECONDS = 2.0
MOST_FILES = 50_000
MOST_BYTES = 512 * 1024
"""Of one file; of a longer one the beginning is read."""
MOST_READ = 32 * 1024 * 1024
MOST_ASKED = 12
"""Names whose past git is asked about."""

_SETTINGS = {**git_program.QUIET, "log.showSignature": "false", "protocol.allow": "never", "diff.relative": "true"}
_LAZY = {"GIT_NO_LAZY_FETCH": "1"}
_SKIPPED = frozenset(
    ".git .hg .svn node_modules __pycache__ .venv venv env dist build target .tox .nox .mypy_cache .ruff_cache vendor"
    " .gradle .idea .cache".split()
)
_PROSE = (".md", ".mdx", ".rst", ".txt", ".adoc", ".tex", ".html", ".htm", ".log", ".csv", ".lock", ".svg", ".jsonl")
_NO_TEXT = re.compile(
    r"\.(?:png|jpe?g|gif|webp|ico|bmp|pdf|zip|gz|xz|bz2|7z|tar|whl|jar|exe|dll|so|dylib|o|a|pyc|pyd|class|woff2?|ttf|otf"
    r"|eot|mp[34]|wav|ogg|mov|avi|onnx|bin|dat|db|sqlite3?|npy|npz|parquet|pkl|min\.js|min\.css|map)$",
    re.IGNORECASE,
)


class Tree:
    """The tree at ``root``. ``memory`` is the folder of the memories, where it lies inside: what they say of
    themselves proves nothing. ``seconds`` is all the time there is; ``clock`` counts it."""

    def __init__(
        self,
        root: Path,
        *,
        memory: Path | None = None,
        seconds: float = SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.root = Path(os.path.realpath(root))
        self._memory = _below(self.root, memory)
        self._clock = clock
        self._deadline = clock() + seconds
        self._asked = 0

    @property
    def left(self) -> float:
        """The seconds that are left."""
        return self._deadline - self._clock()

    @property
    def complete(self) -> bool:
        """Whether all of its files are known."""
        return len(self.files) < MOST_FILES and self.left > 0

    @cached_property
    def files(self) -> frozenset[str]:
        """Paths of its files with ``/``, those of git where it is git's, without what git ignores."""
        listed = self._listed()
        return frozenset(listed if listed is not None else _walk(self.root, lambda: self.left > 0))

    @cached_property
    def is_git(self) -> bool:
        """Whether git keeps its past: a repository with at least one commit."""
        return bool(self._git("rev-parse", "--verify", "--quiet", "HEAD"))

    @cached_property
    def names(self) -> dict[str, list[str]]:
        """The paths of its files and folders by the last step of each, case folded."""
        found: dict[str, list[str]] = {}
        for path in (*self.files, *self.folders):
            found.setdefault(path.rpartition("/")[2].casefold(), []).append(path)
        return found

    @cached_property
    def folders(self) -> frozenset[str]:
        """Its folders, without a ``/`` at the end."""
        found: set[str] = set()
        for path in self.files:
            while (path := path.rpartition("/")[0]) and path not in found:
                found.add(path)
        return frozenset(found)

    def find(self, path: str) -> str:
        """The file or folder that ``path`` means: itself, or one whose path ends so; empty where there is none."""
        wanted = path.rstrip("/")
        ends = [one for one in self.names.get(wanted.rpartition("/")[2].casefold(), ()) if _ends(one, wanted)]
        for one in (wanted, *sorted(ends, key=len)):
            if self._exists(one):
                return one
        return ""

    def holding(self, words: Iterable[str], *, code: bool) -> tuple[set[str], bool]:
        """Which of ``words`` stand in its files, whole; with ``code`` in code only. And whether all files were read."""
        wanted = {word: _whole(word) for word in words}
        found: set[str] = set()
        read = 0
        for path in self._texts(code=code):
            if len(found) == len(wanted):
                break
            if read > MOST_READ or self.left <= 0:
                return found, False
            data = self._read(path)
            read += len(data)
            for word, pattern in wanted.items():
                if word not in found and word.lstrip("-").encode() in data and pattern.search(data):
                    found.add(word)
        return found, self.complete

    def deleted(self, paths: Sequence[str]) -> set[str]:
        """Those of ``paths`` (or of what ends so) that git once had and that are not left out on purpose."""
        asked = [path for path in paths if "'" not in path][:MOST_ASKED]
        if not asked or not self.is_git:
            return set()
        patterns = [f":(glob)**/{path}**" if path.endswith("/") else f":(glob)**/{path}" for path in asked]
        listed = self._git("log", "--format=", "--no-renames", "--diff-filter=D", "--name-only", "-z", "--", *patterns)
        index = self._git("ls-files", "-z", "--deleted", "--", *patterns)
        gone = [one for one in f"{listed}\0{index}".replace("\n", "").split("\0") if one]
        past = {path for path in asked if any(_was(one, path) for one in gone)}
        return past - self._ignored(past)

    def moved_to(self, path: str) -> str:
        """Where the commit that took ``path`` away put it; empty where it was not moved."""
        commit = self._git("log", "-1", "--format=%H", "--no-renames", "--diff-filter=D", "--", f":(glob)**/{path}")
        if not commit.strip():
            return ""
        options = ("--format=", "--name-status", "-z", "-M", "--diff-filter=R", "--no-ext-diff", "--no-textconv")
        parts = self._git("show", *options, commit.strip()).replace("\n", "").split("\0")
        for place in range(0, len(parts) - 2, 3):
            if _was(parts[place + 1], path) and self._exists(parts[place + 2]):
                return parts[place + 2]
        return ""

    def had(self, word: str) -> bool:
        """Whether git once had ``word``, whole, in its code; ``False`` where that could not be found out in time."""
        if self._asked >= MOST_ASKED or not self.is_git:
            return False
        self._asked += 1
        where = [".", *(f":(exclude,glob)**/*{ending}" for ending in _PROSE)]
        if self._memory:
            where.append(f":(exclude){self._memory}")
        options = ("--format=%H", "-1", f"-S{word}", "--no-ext-diff", "--no-textconv")
        commit = self._git("log", *options, "--", *where).strip()
        # That commit may have changed a longer name; asking for whole words at once takes ten times as long.
        sides = (commit, f"{commit}^") if commit else ()
        return any(self._git("grep", "-l", "-w", "-F", "-e", word, side, "--", *where) for side in sides)

    def _texts(self, *, code: bool) -> Iterator[str]:
        """Files to look for words in, code before prose."""
        prose: list[str] = []
        for path in sorted(self.files):
            if _NO_TEXT.search(path) or (self._memory and path.startswith(f"{self._memory}/")):
                continue
            if path.lower().endswith(_PROSE):
                prose.append(path)
            else:
                yield path
        if not code:
            yield from prose

    def _read(self, path: str) -> bytes:
        try:
            with os.fdopen(open_beneath(self.root, path, os.O_RDONLY), "rb") as file:
                return file.read(MOST_BYTES)
        except (OSError, ScrubjayError, ValueError):
            return b""

    def _exists(self, path: str) -> bool:
        try:
            mode = os.lstat(resolve(self.root, path)).st_mode
        except (OSError, ScrubjayError, ValueError):
            return False
        return stat.S_ISREG(mode) or stat.S_ISDIR(mode)

    def _listed(self) -> list[str] | None:
        listed = self._git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
        return listed.split("\0")[:-1][:MOST_FILES] if listed else None

    def _ignored(self, paths: set[str]) -> set[str]:
        """Those of ``paths`` that git is told to leave out: they may lie anywhere and belong to one machine."""
        if not paths:
            return set()
        listed = self._git("check-ignore", "-z", "--no-index", "--stdin", data="\0".join(paths).encode())
        return set(listed.split("\0"))

    def _git(self, *words: str, data: bytes = b"") -> str:
        """What git answers; empty where it does not, or there is no time."""
        if self.left <= 0 or not _has_git(self.root):
            return ""
        try:
            answer = git_program.run(
                ["-C", str(self.root), *words], data, settings=_SETTINGS, variables=_LAZY, timeout=self.left
            )
        except ScrubjayError:
            return ""
        return answer.decode("utf-8", "surrogateescape")


def _has_git(root: Path) -> bool:
    return any(os.path.lexists(folder / ".git") for folder in (root, *root.parents))


def _whole(word: str) -> re.Pattern[bytes]:
    return re.compile(rb"(?<![\w-])" + re.escape(word.encode()) + rb"(?![\w-])")


def _ends(path: str, wanted: str) -> bool:
    return f"/{path}".casefold().endswith(f"/{wanted}".casefold())


def _was(path: str, wanted: str) -> bool:
    """Whether ``path``, a file that git had, is ``wanted``, or lies in it where that is a folder."""
    return f"/{wanted}" in f"/{path}" if wanted.endswith("/") else f"/{path}".endswith(f"/{wanted}")


def _below(root: Path, folder: Path | None) -> str:
    if folder is None:
        return ""
    inside = os.path.relpath(os.path.realpath(folder), root).replace(os.sep, "/")
    return "" if inside == "." or inside.startswith("..") else inside


def _walk(root: Path, may_go_on: Callable[[], bool]) -> Iterator[str]:
    """The files below ``root`` without links, generated folders and what cannot be read; the nearest ones first."""
    folders = [""]
    count = 0
    for prefix in folders:
        if not may_go_on():
            return
        try:
            with os.scandir(root / prefix) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False) and entry.name not in _SKIPPED:
                folders.append(f"{prefix}{entry.name}/")
            elif entry.is_file(follow_symlinks=False):
                yield f"{prefix}{entry.name}"
                count += 1
                if count >= MOST_FILES:
                    return
