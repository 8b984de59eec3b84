"""A vault in another program's folder: what is ours lies beside it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scrubjay.errors import Conflict
from scrubjay.vaults import atomic
from scrubjay.vaults.folder import FolderVault


@pytest.fixture
def vault(tmp_path: Path) -> FolderVault:
    (tmp_path / "host").mkdir()
    return FolderVault(tmp_path / "host", beside=tmp_path / "ours", without=["team"])


def everything(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_what_waits_and_what_was_retired_lies_beside(vault: FolderVault, tmp_path: Path) -> None:
    note = vault.write("a.md", "one\n", expected=None)
    vault.write("00-Inbox/p.md", "a proposal\n", expected=None)
    vault.retire("a.md", expected=note.hash, kept="90-Trash/op/a.md")
    vault.write("90-Trash/op/receipt.md", "a receipt\n", expected=None)
    assert everything(tmp_path / "host") == []
    assert everything(tmp_path / "ours") == [
        "00-Inbox/p.md",
        "90-Trash/.gitignore",
        "90-Trash/op/a.md",
        "90-Trash/op/receipt.md",
    ]
    assert [entry.path for entry in vault.entries()] == ["00-Inbox/p.md"]
    assert list(vault.receipts()) == ["90-Trash/op/receipt.md"]
    assert vault.exists("90-Trash/op/a.md")
    vault.rename("90-Trash/op/a.md", "a.md", expected=note.hash)
    assert vault.read("a.md").text == "one\n"


def test_folders_of_the_host_with_our_names_and_vaults_in_it_are_not_listed(vault: FolderVault, tmp_path: Path) -> None:
    for path in ("00-Inbox/x.md", "90-Trash/y.md", "team/z.md", "sub/team/w.md", "b.md"):
        place = tmp_path / "host" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("text\n", encoding="utf-8")
    assert [entry.path for entry in vault.entries()] == ["b.md", "sub/team/w.md"]
    assert not vault.exists("00-Inbox/x.md")


def test_leftovers_of_killed_writers_are_swept_on_both_sides(vault: FolderVault, tmp_path: Path) -> None:
    for place in (tmp_path / "host" / ".scrubjay-1.tmp", tmp_path / "ours" / "00-Inbox" / ".scrubjay-2.tmp"):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
        os.utime(place, (0, 0))
    assert vault.sweep(older_than=60) == 2


def test_f31_a_move_to_another_disk_is_whole_before_the_original_goes(
    vault: FolderVault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The two folders may lie on two disks, where neither a link nor a rename leads."""
    note = vault.write("a.md", "one\n", expected=None)
    before = os.lstat(tmp_path / "host" / "a.md").st_mtime_ns
    real = os.lstat
    monkeypatch.setattr(os, "link", _refuses_other_disks(os.link, tmp_path))
    monkeypatch.setattr(atomic, "_same_disk", lambda _one, _other: False)
    vault.retire("a.md", expected=note.hash, kept="90-Trash/op/a.md")
    assert vault.read_bytes("90-Trash/op/a.md") == b"one\n"
    assert not vault.exists("a.md")
    assert real(tmp_path / "ours" / "90-Trash" / "op" / "a.md").st_mtime_ns == before
    again = vault.write("a.md", "two\n", expected=None)
    with pytest.raises(Conflict):
        vault.retire("a.md", expected=again.hash, kept="90-Trash/op/a.md")
    assert vault.read("a.md").text == "two\n"


def _refuses_other_disks(link, tmp_path: Path):  # type: ignore[no-untyped-def]
    def refused(old: Path, new: Path) -> None:
        if (tmp_path / "host" in Path(old).parents) != (tmp_path / "host" in Path(new).parents):
            raise OSError(18, "Invalid cross-device link")
        link(old, new)

    return refused
