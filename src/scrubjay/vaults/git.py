"""A vault inside a git repository: commits of the vault's own paths, and versions of a document (SM-51).

The one place that runs git for a vault, with lists, never through a shell. Nothing is forced, reset in the work tree,
cleaned, fetched or pushed, and nothing outside the vault is added (F6, F29). Hooks are not run: they may change the
documents after they were read back, wait for a terminal, or push. What a repository or the user set up beside them
(filters, signing, identity) holds. ``GIT_*`` variables that lead git elsewhere, as inside a hook, are dropped.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from scrubjay.errors import NotFound, ScrubjayError, Unavailable
from scrubjay.vaults import git_program
from scrubjay.vaults.encoding import to_document

TIMEOUT_SECONDS = 30.0
MOST_BYTES = 16 * 1024 * 1024
"""A version of a document that is larger is shown empty."""

_SETTINGS = {
    **git_program.QUIET,
    "diff.relative": "false",
    "log.showSignature": "false",
    "log.diffMerges": "off",
    "protocol.allow": "never",
}
# All of the vault, but for what is one person's own or no document, also where there is no .gitignore to say so.
_OWN = (
    ".",
    ":(exclude).obsidian",
    ":(exclude)config.local.toml",
    ":(exclude,glob)90-Trash/*/**",
    ":(exclude,glob)**/*.sqlite*",
    ":(exclude,glob)**/.scrubjay-*",
)
_UNDER_WAY = {
    "MERGE_HEAD": "a merge",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "sequencer": "a sequence of commits",
}
_TOGETHER = 100  # blobs that are read with one call
_LAST_SECOND = 253_000_000_000  # in the year 9987: a time zone may be added to it


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One commit that changed a document. ``blob`` names its bytes; it is empty where the document was removed."""

    commit: str
    at: datetime
    author: str
    subject: str
    blob: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    """Bytes that a commit brought to a path of the repository."""

    commit: str
    path: str
    blob: str


@dataclass(frozen=True, slots=True)
class Commit:
    """What became of a wish to commit: the hash as read back, or why nothing was committed."""

    hash: str = ""
    reason: str = ""


class Repository:
    """The git repository around the vault at ``root``. Raises ``NotFound`` where there is none, ``Unavailable`` where
    git is missing or will not work there."""

    def __init__(self, root: Path) -> None:
        self.root = Path(os.path.realpath(root))
        self.top = Path(self._text("rev-parse", "--show-toplevel").removesuffix("\n"))

    @classmethod
    def around(cls, root: Path) -> Repository | None:
        """The repository that ``root`` lies in; ``None`` where there is none. Raises ``Unavailable``."""
        try:
            return cls(root)
        except NotFound:
            return None

    def commit(self, message: str) -> Commit:
        """Commits what changed in the vault, and nothing else.

        Nothing is committed while something outside the vault is staged, a conflict is unresolved, or a merge, rebase,
        cherry-pick or revert is under way, nor on no branch, where a commit is easily lost: all that is somebody's
        work. Raises ``Unavailable`` when git fails; then what was staged is as before.
        """
        reason = self._busy() or self._foreign()
        if reason:
            return Commit(reason=reason)
        staged = self._staged()
        try:
            self._text("add", "--", *_OWN)
            if not self._staged():
                return Commit(reason="nothing in the vault changed")
            self._text("commit", "--quiet", "--no-verify", "--message", message, "--", *_OWN)
        except BaseException:
            if not staged:
                with suppress(ScrubjayError):
                    self._text("reset", "--quiet", "--", *_OWN)  # the index alone, and only these paths
            raise
        hash, subject = self._text("log", "-1", "--format=%H%x00%s").rstrip("\n").split("\0", 1)
        if subject != message.split("\n", 1)[0]:
            return Commit(reason="another commit came in between")
        return Commit(hash=hash)

    def versions(self, path: str, limit: int) -> list[Version]:
        """At most ``limit`` commits that changed the document at ``path`` of the vault, newest first, followed through
        renames."""
        form = "--format=%H%x00%ct%x00%an%x00%s"
        listed = self._text(
            "--literal-pathspecs", "log", "--follow", "--raw", "-z", "--no-abbrev", form, f"-{limit}", "--", path
        )
        return list(_versions(listed))

    def texts(self, versions: Sequence[Version]) -> list[str]:
        """The document as each of ``versions`` has it."""
        contents = self._of_blobs(list(dict.fromkeys(version.blob for version in versions if version.blob)))
        return [contents.get(version.blob, "") for version in versions]

    def history(self, limit: int) -> list[Committed]:
        """The bytes that documents of the vault have in any commit of any branch, each once, newest commit first; at
        most ``limit``."""
        listed = self._text("log", "--all", "--raw", "--no-abbrev", "--no-renames", "--format=commit %H", "--", ".")
        return list({one.blob: one for one in reversed(list(islice(_committed(listed), limit)))}.values())[::-1]

    def contents(self, committed: Sequence[Committed]) -> Iterator[tuple[Committed, str]]:
        """Each of them with its text, a few at a time; what is larger than ``MOST_BYTES`` is empty."""
        for start in range(0, len(committed), _TOGETHER):
            batch = committed[start : start + _TOGETHER]
            texts = self._of_blobs([one.blob for one in batch])
            yield from ((one, texts.get(one.blob, "")) for one in batch)

    def _of_blobs(self, blobs: Sequence[str]) -> dict[str, str]:
        if not blobs:
            return {}
        sizes = self._text("cat-file", "--batch-check", data="\n".join(blobs).encode() + b"\n").split("\n")
        fitting = [blob for blob, line in zip(blobs, sizes, strict=False) if _size(line) <= MOST_BYTES]
        return _contents(self._run("cat-file", "--batch", data="".join(f"{blob}\n" for blob in fitting).encode()))

    def _busy(self) -> str:
        """What of somebody's is under way; empty when nothing is."""
        folder = Path(self._text("rev-parse", "--absolute-git-dir").removesuffix("\n"))
        for name, what in _UNDER_WAY.items():
            if (folder / name).exists():
                return f"{what} is under way"
        if self._text("ls-files", "--unmerged", "-z", "--", str(self.top)):
            return "a conflict is not resolved yet"
        if not self._says("symbolic-ref", "--quiet", "HEAD"):
            return "the repository is on no branch"
        if self._says("check-ignore", "--quiet", "--", "."):
            return "the vault is ignored by git"
        if not self._says("var", "GIT_COMMITTER_IDENT"):
            return "git does not know who commits (set user.name and user.email)"
        return ""

    def _foreign(self) -> str:
        """What is staged and is not the vault's."""
        inside = os.path.relpath(self.root, self.top).replace(os.sep, "/")
        staged = self._text("diff", "--cached", "--name-only", "-z", "--no-renames").split("\0")
        foreign = [path for path in staged if path and inside != "." and not path.startswith(f"{inside}/")]
        return f"{foreign[0]} is staged for another commit" if foreign else ""

    def _staged(self) -> bool:
        return bool(self._text("diff", "--cached", "--name-only", "-z", "--", *_OWN))

    def _says(self, *arguments: str) -> bool:
        try:
            self._run(*arguments)
        except Unavailable:
            return False
        return True

    def _text(self, *arguments: str, data: bytes = b"") -> str:
        return self._run(*arguments, data=data).decode("utf-8", "replace")

    def _run(self, *arguments: str, data: bytes = b"") -> bytes:
        return _run(self.root, arguments, data)


def _run(folder: Path, arguments: Sequence[str], data: bytes) -> bytes:
    """What git answers. Raises ``NotFound`` outside a repository, ``Unavailable`` when git fails or is missing."""
    return git_program.run(["-C", str(folder), *arguments], data, settings=_SETTINGS, timeout=TIMEOUT_SECONDS)


def _versions(listed: str) -> Iterator[Version]:
    """What ``log --raw -z`` lists: four fields a commit, then a line of modes and blobs, then one or two paths."""
    tokens = iter(listed.split("\0"))
    for commit in tokens:
        seconds, author, subject, change = (next(tokens, "") for _ in range(4))
        fields = change.strip("\n").split(" ")
        if len(fields) != 5:
            return
        next(tokens, "")
        if fields[4][:1] in ("R", "C"):
            next(tokens, "")
        blob = fields[3] if set(fields[3]) != {"0"} else ""
        yield Version(commit=commit, at=_moment(seconds), author=author, subject=subject, blob=blob)


def _committed(listed: str) -> Iterator[Committed]:
    """What ``log --raw`` lists: a line for each commit, then one of modes, blobs and path for each change."""
    commit = ""
    for line in listed.split("\n"):
        if line.startswith("commit "):
            commit = line.removeprefix("commit ")
        elif line.startswith(":"):
            fields, _, path = line.partition("\t")
            blob = fields.split(" ")[3]
            if set(blob) != {"0"}:
                yield Committed(commit=commit, path=path, blob=blob)


def _moment(seconds: str) -> datetime:
    """When a commit was made; the beginning of time for what no calendar holds."""
    whole = int(seconds) if seconds.isascii() and seconds.isdigit() else 0
    return datetime.fromtimestamp(whole if whole < _LAST_SECOND else 0, UTC)


def _size(line: str) -> int:
    fields = line.split(" ")
    return int(fields[2]) if len(fields) == 3 and fields[1] == "blob" else MOST_BYTES + 1


def _contents(answer: bytes) -> dict[str, str]:
    """What ``cat-file --batch`` gives, by blob."""
    found = {}
    place = 0
    while place < len(answer):
        end = answer.index(b"\n", place)
        blob, _, size = answer[place:end].decode("ascii").split(" ")
        data = answer[end + 1 : end + 1 + int(size)]
        found[blob] = to_document("", data, mtime_ns=0).text
        place = end + 2 + int(size)
    return found
