"""A vault inside a git repository: commits of the vault's own paths, versions of a document, what changed (SM-51).

git is called with lists, never through a shell, with what a repository brings of its own (hooks, file monitors,
pagers, external diffs) switched off, and only with paths of the vault. It never forces, resets, cleans or adds
everything (F6, F29).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from scrubjay.errors import NotFound, Unavailable

TIMEOUT_SECONDS = 30.0
_SAFE = (
    "--no-pager",
    "-c",
    f"core.hooksPath={os.devnull}",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.quotePath=false",
    "-c",
    "protocol.allow=never",
)
_SCRUBBED = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_EXTERNAL_DIFF", "GIT_PAGER")
_FIELD, _RECORD = "\x1f", "\x1e"


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One commit that touched a document. ``path`` is the document's own in the repository at that time."""

    commit: str
    at: datetime
    author: str
    subject: str
    path: str


@dataclass(frozen=True, slots=True)
class Commit:
    """What became of a wish to commit: the hash as read back, or why nothing was committed."""

    hash: str = ""
    reason: str = ""


class Repository:
    """The git repository around the vault at ``root``."""

    def __init__(self, root: Path) -> None:
        self.root = Path(os.path.realpath(root))
        self.top = Path(self._text("rev-parse", "--show-toplevel").rstrip("\n"))

    @classmethod
    def around(cls, root: Path) -> Repository | None:
        """The repository that ``root`` lies in; ``None`` where there is none, or no git."""
        try:
            return cls(root)
        except (NotFound, Unavailable):
            return None

    def commit(self, message: str) -> Commit:
        """Commits what changed in the vault, and nothing else.

        Nothing is committed while something outside the vault is staged, during a merge, rebase or cherry-pick, or
        without a branch: those are somebody's work under way.
        """
        busy = self._busy()
        if busy:
            return Commit(reason=busy)
        inside = self._inside("")
        staged = self._text("diff", "--cached", "--name-only", "-z", "--no-renames").split("\0")
        foreign = [path for path in staged if path and not path.startswith(f"{inside}/") and inside != "."]
        if foreign:
            return Commit(reason=f"{foreign[0]} is staged for another commit")
        self._text("add", "--", ".")
        changed = self._text("diff", "--cached", "--name-only", "--", ".")
        if not changed.strip():
            return Commit(reason="nothing in the vault changed")
        self._text("commit", "--quiet", "--no-verify", "--message", message, "--", ".")
        return Commit(hash=self._text("rev-parse", "HEAD").strip())

    def versions(self, path: str, limit: int = 100) -> list[Version]:
        """Commits that touched the document at ``path`` (of the vault), newest first, followed through renames."""
        form = f"--format={_RECORD}%H{_FIELD}%cI{_FIELD}%an{_FIELD}%s"
        listed = self._text("log", "--follow", "--name-only", "-z", form, f"--max-count={limit}", "--", path)
        return [version for part in listed.split(_RECORD) if (version := _version(part)) is not None]

    def at(self, version: Version) -> str:
        """The text of the document as ``version`` has it; empty where it was removed."""
        try:
            return self._text("show", f"{version.commit}:{version.path}")
        except Unavailable:
            return ""

    def _busy(self) -> str:
        folder = Path(self._text("rev-parse", "--absolute-git-dir").rstrip("\n"))
        for name, what in (
            ("MERGE_HEAD", "a merge"),
            ("rebase-merge", "a rebase"),
            ("rebase-apply", "a rebase"),
            ("CHERRY_PICK_HEAD", "a cherry-pick"),
            ("REVERT_HEAD", "a revert"),
        ):
            if (folder / name).exists():
                return f"{what} is under way"
        try:
            self._text("symbolic-ref", "--quiet", "HEAD")
        except Unavailable:
            return "the repository is on no branch"
        return ""

    def _inside(self, path: str) -> str:
        """``path`` of the vault as the repository names it."""
        return os.path.relpath(self.root / path, self.top).replace(os.sep, "/")

    def _text(self, *arguments: str) -> str:
        """What git answers. Raises ``NotFound`` outside a repository, ``Unavailable`` when git fails or is missing."""
        return _run(self.root, arguments)


def _run(folder: Path, arguments: Sequence[str]) -> str:
    import subprocess  # here, because most commands never need it

    try:
        answer = subprocess.run(
            ["git", *_SAFE, "-C", str(folder), *arguments],
            env=_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        raise Unavailable("git is not installed.", hint="Install git, or do without versions.") from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"git did not answer: {type(error).__name__}.", hint="Try again.") from None
    if answer.returncode == 0:
        return answer.stdout.decode("utf-8", "replace")
    said = answer.stderr.decode("utf-8", "replace").strip().split("\n")[-1]
    if "not a git repository" in said:
        raise NotFound(f"{folder} is in no git repository.", hint="Run `git init` in the project first.")
    raise Unavailable(f"git {arguments[0]} failed: {said.removeprefix('fatal: ')}.", hint="Look at `git status`.")


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _SCRUBBED}
    return kept | {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C.UTF-8"}


def _version(part: str) -> Version | None:
    head, _, rest = part.partition("\0")
    fields = head.strip("\n").split(_FIELD)
    paths = [path.strip("\n") for path in rest.split("\0") if path.strip("\n")]
    if len(fields) != 4 or not paths:
        return None
    commit, at, author, subject = fields
    return Version(
        commit=commit, at=datetime.fromisoformat(at).astimezone(UTC), author=author, subject=subject, path=paths[-1]
    )
