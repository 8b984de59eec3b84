"""A vault on a real disk: modes, links, crashes, full and read-only disks (R-COM-2, SEC-4; F6, F31, F109, F112)."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from scrubjay.errors import Conflict, Refused, ScrubjayError, Unavailable
from scrubjay.types import Document
from scrubjay.vaults import atomic
from scrubjay.vaults.folder import FolderVault


@pytest.fixture
def vault(tmp_path: Path) -> FolderVault:
    return FolderVault(tmp_path / "vault")


def paths(vault: FolderVault) -> list[str]:
    return [entry.path for entry in vault.entries()]


def everything(folder: Path) -> dict[str, bytes]:
    """All files below ``folder``, hidden ones too."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o177])
def test_files_and_folders_are_for_their_owner_whatever_the_umask(vault: FolderVault, umask: int) -> None:
    """R-COM-2, SEC-4."""
    before = os.umask(umask)
    try:
        vault.write("40-Facts/Preference/a.md", "a", expected=None)
    finally:
        os.umask(before)
    assert mode(vault.root / "40-Facts/Preference/a.md") == 0o600
    assert [mode(vault.root / folder) for folder in (".", "40-Facts", "40-Facts/Preference")] == [0o700] * 3


def test_a_rewritten_file_keeps_its_mode(vault: FolderVault) -> None:
    document = vault.write("a.md", "a", expected=None)
    (vault.root / "a.md").chmod(0o640)
    vault.write("a.md", "b", expected=document.hash)
    assert mode(vault.root / "a.md") == 0o640


def test_a_file_that_its_owner_made_read_only_is_left_alone(vault: FolderVault) -> None:
    document = vault.write("a.md", "a", expected=None)
    (vault.root / "a.md").chmod(0o444)
    with pytest.raises(Unavailable, match=r"a\.md"):
        vault.write("a.md", "b", expected=document.hash)
    assert vault.read("a.md") == document


def test_links_are_neither_listed_nor_followed(vault: FolderVault, tmp_path: Path) -> None:
    """F112: a clone brings links to a key and to a folder outside."""
    secret = tmp_path / "ssh"
    secret.mkdir()
    (secret / "id.md").write_text("key", encoding="utf-8")
    vault.write("a.md", "a", expected=None)
    (vault.root / "key.md").symlink_to(secret / "id.md")
    (vault.root / "folder").symlink_to(secret)
    (vault.root / "inner.md").symlink_to(vault.root / "a.md")
    assert paths(vault) == ["a.md"]
    attempts: list[Callable[[], object]] = [
        lambda: vault.read("key.md"),
        lambda: vault.read("folder/id.md"),
        lambda: vault.write("folder/new.md", "x", expected=None),
        lambda: vault.write("key.md", "x", expected=vault.read("a.md").hash),
        lambda: vault.rename("a.md", "folder/a.md", expected=vault.read("a.md").hash),
        lambda: vault.read("inner.md"),
    ]
    for attempt in attempts:
        with pytest.raises(Refused):
            attempt()
    assert everything(secret) == {"id.md": b"key"}


def test_a_trash_that_is_a_link_receives_nothing(vault: FolderVault, tmp_path: Path) -> None:
    document = vault.write("a.md", "a", expected=None)
    (tmp_path / "elsewhere").mkdir()
    (vault.root / "90-Trash").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Refused):
        vault.retire("a.md", expected=document.hash, kept="90-Trash/1/a.md")
    assert list(vault.receipts()) == []
    assert paths(vault) == ["a.md"]


def test_names_from_elsewhere_are_listed_in_nfc_and_read(vault: FolderVault) -> None:
    """F109; names that nothing could read back are left out of the listing."""
    vault.root.mkdir()
    (vault.root / "Ja\u0304nis").mkdir()
    (vault.root / "Ja\u0304nis" / "太郎.md").write_text("x", encoding="utf-8")
    (vault.root / os.fsdecode(b"latin\xe9.md")).write_text("x", encoding="utf-8")
    (vault.root / "a\nb.md").write_text("x", encoding="utf-8")
    assert paths(vault) == ["Jānis/太郎.md"]
    document = vault.read("Jānis/太郎.md")
    vault.write("Jānis/太郎.md", "y", expected=document.hash)
    assert os.listdir(vault.root / "Ja\u0304nis") == ["太郎.md"]


def test_of_two_unicode_twins_the_plain_one_is_listed_once(vault: FolderVault) -> None:
    vault.root.mkdir()
    (vault.root / "é.md").write_text("nfc", encoding="utf-8")
    (vault.root / "e\u0301.md").write_text("nfd", encoding="utf-8")
    assert paths(vault) == ["é.md"]
    assert vault.read("é.md").text == "nfc"


def test_the_leftovers_of_editors_are_not_documents(vault: FolderVault) -> None:
    """F32."""
    vault.root.mkdir()
    for name in [".a.md.swp", "a.md~", "4913", ".~lock.a.md#", "#a.md#", "~$a.md", ".#a.md", "a.md"]:
        (vault.root / name).write_text("x", encoding="utf-8")
    for folder in [".git", ".obsidian", "node_modules/p", "90-Trash/1", ".trash"]:
        (vault.root / folder).mkdir(parents=True)
        (vault.root / folder / "x.md").write_text("x", encoding="utf-8")
    os.mkfifo(vault.root / "pipe.md")
    assert paths(vault) == ["a.md"]


def test_other_suffixes_by_choice(tmp_path: Path) -> None:
    (tmp_path / "a.rst").write_text("x", encoding="utf-8")
    (tmp_path / "a.md").write_text("x", encoding="utf-8")
    assert paths(FolderVault(tmp_path, suffixes={".rst"})) == ["a.rst"]


def test_an_edit_just_before_the_swap_is_not_lost(vault: FolderVault, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hash is compared once more after the new bytes are on the disk."""
    document = vault.write("a.md", "ours", expected=None)
    real_fsync = os.fsync

    def edit_meanwhile(descriptor: int) -> None:
        (vault.root / "a.md").write_text("theirs", encoding="utf-8")
        real_fsync(descriptor)

    monkeypatch.setattr(os, "fsync", edit_meanwhile)
    with pytest.raises(Conflict):
        vault.write("a.md", "new", expected=document.hash)
    assert everything(vault.root) == {"a.md": b"theirs"}


def test_a_document_that_appears_just_before_a_new_one_is_kept(
    vault: FolderVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.root.mkdir()
    real_link = os.link

    def appear(source: Path, target: Path) -> None:
        Path(target).write_text("theirs", encoding="utf-8")
        real_link(source, target)

    monkeypatch.setattr(os, "link", appear)
    with pytest.raises(Conflict):
        vault.write("a.md", "ours", expected=None)
    assert everything(vault.root) == {"a.md": b"theirs"}


def test_a_document_replaced_during_a_move_stays_where_it_is(
    vault: FolderVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = vault.write("a.md", "ours", expected=None)
    real_link = os.link

    def replace_after(source: Path, target: Path) -> None:
        real_link(source, target)
        (vault.root / "new").write_text("theirs", encoding="utf-8")
        os.replace(vault.root / "new", source)

    monkeypatch.setattr(os, "link", replace_after)
    with pytest.raises(Conflict):
        vault.rename("a.md", "b.md", expected=document.hash)
    assert everything(vault.root) == {"a.md": b"theirs"}


def test_a_file_system_without_hard_links_serves(vault: FolderVault, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(source: Path, target: Path) -> None:
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", no_links)
    first = vault.write("a.md", "a", expected=None)
    vault.write("taken.md", "t", expected=None)
    with pytest.raises(Conflict):
        vault.rename("a.md", "taken.md", expected=first.hash)
    with pytest.raises(Conflict):
        vault.write("a.md", "again", expected=None)
    vault.rename("a.md", "b.md", expected=first.hash)
    assert everything(vault.root) == {"b.md": b"a", "taken.md": b"t"}


def test_only_one_of_many_writers_creates(vault: FolderVault) -> None:
    """The claim on a new name is one system call."""
    outcomes: list[Document | ScrubjayError] = []

    def create(number: int) -> None:
        try:
            outcomes.append(vault.write("a.md", f"writer {number}", expected=None))
        except ScrubjayError as error:
            outcomes.append(error)

    threads = [threading.Thread(target=create, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (winner,) = [outcome for outcome in outcomes if isinstance(outcome, Document)]
    assert all(isinstance(outcome, Document | Conflict) for outcome in outcomes)
    assert everything(vault.root) == {"a.md": winner.text.encode()}


KILLED = """
import os, signal, sys
from pathlib import Path
from scrubjay.vaults.folder import FolderVault
vault = FolderVault(Path(sys.argv[1]))
call, verb = sys.argv[2:]
def die(*arguments, **named):
    os.kill(os.getpid(), signal.SIGKILL)
setattr(os, call, die)
document = vault.read("a.md")
if verb == "replace":
    vault.write("a.md", "new", expected=document.hash)
elif verb == "create":
    vault.write("b.md", "new", expected=None)
else:
    vault.retire("a.md", expected=document.hash, kept="90-Trash/1/a.md")
"""


@pytest.mark.parametrize(
    ("call", "verb", "left"),
    [
        ("write", "replace", {"a.md": "old"}),
        ("fsync", "replace", {"a.md": "old"}),
        ("replace", "replace", {"a.md": "old"}),
        ("link", "create", {"a.md": "old"}),
        ("unlink", "create", {"a.md": "old", "b.md": "new"}),
        ("link", "retire", {"a.md": "old"}),
        ("unlink", "retire", {"a.md": "old"}),
    ],
)
def test_a_killed_writer_leaves_whole_documents(vault: FolderVault, call: str, verb: str, left: dict[str, str]) -> None:
    """F31: kill -9 at each step leaves old bytes or new ones, and no listing shows a temporary file."""
    vault.write("a.md", "old", expected=None)
    source = str(Path(atomic.__file__).parents[2])
    command = [sys.executable, "-c", KILLED, str(vault.root), call, verb]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": source}, check=False)
    assert done.returncode == -9
    assert {path: vault.read(path).text for path in paths(vault)} == left
    document = vault.read("a.md")
    assert vault.write("a.md", "after", expected=document.hash).text == "after"


def fail_with(number: int) -> Callable[..., int]:
    def fail(*arguments: object, **named: object) -> int:
        raise OSError(number, os.strerror(number))

    return fail


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES])
@pytest.mark.parametrize(
    ("call", "path"),
    [
        ("write", "a.md"),
        ("write", "x/new.md"),
        ("fsync", "a.md"),
        ("fsync", "x/new.md"),
        ("replace", "a.md"),
        ("link", "x/new.md"),
        ("mkdir", "x/new.md"),
    ],
)
def test_a_disk_that_refuses_changes_nothing(
    vault: FolderVault, monkeypatch: pytest.MonkeyPatch, call: str, path: str, number: int
) -> None:
    document = vault.write("a.md", "old", expected=None)
    monkeypatch.setattr(os, call, fail_with(number))
    with pytest.raises(Unavailable, match=path) as unavailable:
        vault.write(path, "new", expected=document.hash if path == "a.md" else None)
    assert unavailable.value.hint
    monkeypatch.undo()
    assert everything(vault.root) == {"a.md": b"old"}
    assert not (vault.root / "x").exists()


def test_a_really_full_disk_changes_nothing(tmp_path: Path) -> None:
    """A small file system in memory, where the test may mount one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", str(disk)]
    try:
        mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        pytest.skip("mounting a small disk needs more rights than this process has")
    try:
        vault = FolderVault(disk / "vault")
        document = vault.write("a.md", "old", expected=None)
        with pytest.raises(Unavailable, match="full"):
            vault.write("a.md", "x" * 100_000, expected=document.hash)
        with pytest.raises(Unavailable, match="full"):
            vault.write("deep/er/b.md", "x" * 100_000, expected=None)
        assert everything(disk) == {"vault/a.md": b"old"}
        assert not (disk / "vault" / "deep").exists()
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        with pytest.raises(Unavailable, match="read-only"):
            vault.write("a.md", "new", expected=document.hash)
        with pytest.raises(Unavailable, match="read-only"):
            vault.retire("a.md", expected=document.hash, kept="90-Trash/1/a.md")
        assert vault.read("a.md") == document
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_file_system_that_cannot_sync_folders_serves(vault: FolderVault, monkeypatch: pytest.MonkeyPatch) -> None:
    real_fsync = os.fsync

    def only_files(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not for folders")
        real_fsync(descriptor)

    monkeypatch.setattr(os, "fsync", only_files)
    assert vault.write("x/a.md", "a", expected=None).text == "a"


def test_a_folder_that_cannot_be_listed_is_said_or_skipped(vault: FolderVault, monkeypatch: pytest.MonkeyPatch) -> None:
    vault.write("a.md", "a", expected=None)
    vault.write("closed/b.md", "b", expected=None)
    real_scandir = os.scandir

    def guarded(folder: str) -> object:
        if str(folder).endswith(closed):
            raise PermissionError(errno.EACCES, "no")
        return real_scandir(folder)

    monkeypatch.setattr(os, "scandir", guarded)
    closed = "closed"
    assert paths(vault) == ["a.md"]
    closed = "vault"
    with pytest.raises(Unavailable, match="list"):
        paths(vault)


def test_a_root_that_is_a_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "vault").write_text("a file", encoding="utf-8")
    vault = FolderVault(tmp_path / "vault")
    with pytest.raises(Unavailable):
        list(vault.entries())
    with pytest.raises(Conflict):
        vault.write("a.md", "a", expected=None)


def test_opening_a_vault_touches_nothing(tmp_path: Path) -> None:
    vault = FolderVault(tmp_path / "vault")
    assert paths(vault) == []
    assert not vault.exists("a.md")
    assert not (tmp_path / "vault").exists()


def test_failed_writes_leave_no_folders(vault: FolderVault) -> None:
    with pytest.raises(Conflict):
        vault.write("x/y/a.md", "a", expected="0" * 64)
    assert not vault.root.exists()


def test_names_that_windows_reserves_are_listed_and_read(vault: FolderVault) -> None:
    vault.root.mkdir()
    (vault.root / "CON.md").write_text("x", encoding="utf-8")
    assert paths(vault) == ["CON.md"]
    assert vault.read("CON.md").text == "x"
    assert list(vault.skipped()) == []


def test_names_that_cannot_be_paths_are_told(vault: FolderVault) -> None:
    """F109: nothing vanishes silently, and what is told can be printed."""
    vault.root.mkdir()
    names = ["a\nb.md", "\x1b[2J.md", "a\u202eb.md", os.fsdecode(b"l\xe9.md"), "fine.md", "a\nb.png"]
    for name in names:
        (vault.root / name).write_text("x", encoding="utf-8")
    assert paths(vault) == ["fine.md"]
    told = [problem.path for problem in vault.skipped()]
    assert told == ["\\x1b[2J.md", "a\\nb.md", "a\\u202eb.md", "l\\xe9.md"]


def test_what_may_not_be_read_is_told(vault: FolderVault, monkeypatch: pytest.MonkeyPatch) -> None:
    vault.write("a.md", "a", expected=None)
    vault.write("closed/b.md", "b", expected=None)
    vault.write("c.md", "c", expected=None)
    real_access = os.access
    monkeypatch.setattr(
        os, "access", lambda place, mode: not str(place).endswith(("closed", "c.md")) and real_access(place, mode)
    )
    assert paths(vault) == ["a.md"]
    assert [problem.path for problem in vault.skipped()] == ["c.md", "closed"]


def test_a_trash_that_begins_in_a_plain_folder_stays_out_of_git(tmp_path: Path) -> None:
    """SM-51: a folder that was never laid out as a vault has no .gitignore of ours."""
    vault = FolderVault(tmp_path / "notes")
    document = vault.write("a.md", "text\n", expected=None)
    assert not (tmp_path / "notes" / "90-Trash").exists()
    vault.retire("a.md", expected=document.hash, kept="90-Trash/1/a.md")
    assert (tmp_path / "notes" / "90-Trash" / ".gitignore").read_text("utf-8").endswith("\n*\n")
    laid_out = FolderVault(tmp_path / "vault")
    laid_out.write("90-Trash/README.md", "kept\n", expected=None)
    laid_out.write("90-Trash/1/receipt.md", "x\n", expected=None)
    assert not (tmp_path / "vault" / "90-Trash" / ".gitignore").exists()
