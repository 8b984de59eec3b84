"""Members of a team for the tests: each has a folder of memories, an index and a home of their own."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from scrubjay.index.sqlite import SqliteIndex
from scrubjay.operations.share.reports import SyncReport
from scrubjay.operations.share.syncing import Wishes, sync
from scrubjay.operations.store import Store
from scrubjay.operations.sync import sync as take_in
from scrubjay.vaults.folder import FolderVault
from scrubjay.vaults.shared_repository import SharedRepository

KEY = "ghp_" + "x7Kq2mZ9" * 4 + "Ab3d"


def git(root: Path, *words: str, data: bytes = b"") -> str:
    done = subprocess.run(["git", "-C", str(root), *words], input=data, capture_output=True, check=True)
    text = done.stdout.decode("utf-8", "replace")
    return text if words[0] == "show" else text.strip()


def bare(place: Path) -> Path:
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(place)], check=True)
    return place


def topic(name: str, text: str = "Text.", about: str = "") -> str:
    return f"---\nname: {name}\ndescription: {about or f'about {name}'}\ntype: project\n---\n\n{text}\n"


@dataclass
class Member:
    """Somebody of the team."""

    folder: Path
    store: Store
    repository: SharedRepository
    remote: str

    def sync(self, **wishes: object) -> SyncReport:
        take_in(self.store)
        return sync(self.store, self.repository, self.remote, Wishes(**wishes))  # type: ignore[arg-type]

    def put(self, path: str, text: str | bytes) -> None:
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))

    def text(self, path: str) -> str:
        return (self.folder / path).read_text(encoding="utf-8")

    def remove(self, path: str) -> None:
        (self.folder / path).unlink()

    @property
    def files(self) -> list[str]:
        return sorted(entry.path for entry in self.store.vault.entries() if not entry.path.startswith("00-Inbox/"))

    @property
    def inbox(self) -> list[str]:
        return [entry.path for entry in self.store.vault.entries() if entry.path.startswith("00-Inbox/")]


def join(place: Path, remote: Path | str) -> Member:
    """A new member whose things lie at ``place``."""
    folder = place / "team"
    folder.mkdir(parents=True, exist_ok=True)
    index = SqliteIndex(place / "index", fingerprint="test")
    store = Store(vault=FolderVault(folder), index=index, scope="team", key="team")
    return Member(folder, store, SharedRepository(place / "home" / "repository.git"), str(remote))


def remote_files(remote: Path) -> dict[str, str]:
    names = git(remote, "ls-tree", "-r", "--name-only", "-z", "main").split("\0")
    return {name: git(remote, "show", f"main:{name}") for name in names if name}


def committed(remote: Path, files: dict[str, str | tuple[str, str]], *, parent: bool = True) -> str:
    """What somebody with git alone, perhaps hostile, puts on the remote: path to text, or to (mode, text)."""
    folders: dict[str, list[str]] = {"": []}
    for path, content in sorted(files.items()):
        mode, text = content if isinstance(content, tuple) else ("100644", content)
        blob = git(remote, "hash-object", "-w", "--stdin", data=text.encode("utf-8", "surrogateescape"))
        above, _, name = path.rpartition("/")
        line = f"160000 commit {'1' * 40}\t{name}" if mode == "160000" else f"{mode} blob {blob}\t{name}"
        folders.setdefault(above, []).append(line)
        while above:
            above = above.rpartition("/")[0]
            folders.setdefault(above, [])
    for inner in sorted((name for name in folders if name), key=lambda name: -name.count("/")):
        over, _, name = inner.rpartition("/")
        folders[over].append(f"040000 tree {_tree(remote, folders[inner])}\t{name}")
    tree = _tree(remote, folders[""])
    head = git(remote, "for-each-ref", "--format=%(objectname)", "refs/heads/main") if parent else ""
    words = ["-c", "user.name=x", "-c", "user.email=x@x", "commit-tree", "-m", "x", tree]
    commit = git(remote, *words, *(["-p", head] if head else []))
    git(remote, "update-ref", "refs/heads/main", commit)
    return commit


def _tree(remote: Path, lines: list[str]) -> str:
    data = "".join(f"{line}\0" for line in lines)
    return git(remote, "mktree", "--missing", "-z", data=data.encode("utf-8", "surrogateescape"))
