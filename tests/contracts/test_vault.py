"""What every vault keeps to, whatever it is made of (ports.Vault; R-COM-1, R-COM-2, SEC-1; F5, F6, F31, F109)."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from scrubjay.errors import Conflict, NotFound, Refused
from scrubjay.ports import Vault
from scrubjay.testing import MemoryVault
from scrubjay.vaults.folder import FolderVault

ABSENT = hashlib.sha256(b"never stored").hexdigest()


@pytest.fixture(params=["folder", "memory"])
def vault(request: pytest.FixtureRequest, tmp_path: Path) -> Vault:
    return FolderVault(tmp_path / "deep" / "vault") if request.param == "folder" else MemoryVault()


def listing(vault: Vault) -> list[str]:
    return [entry.path for entry in vault.entries()]


def test_an_empty_vault_lists_nothing(vault: Vault) -> None:
    assert vault.name
    assert listing(vault) == []
    assert not vault.exists("a.md")


def test_a_written_document_is_returned_as_stored(vault: Vault) -> None:
    document = vault.write("10-Memories/MEM-a.md", "# A\n", expected=None)
    assert (document.path, document.text, document.size) == ("10-Memories/MEM-a.md", "# A\n", 4)
    assert document.hash == hashlib.sha256(b"# A\n").hexdigest()
    assert document.exact
    assert vault.read("10-Memories/MEM-a.md") == document
    assert vault.read_bytes("10-Memories/MEM-a.md") == b"# A\n"
    (entry,) = vault.entries()
    assert (entry.path, entry.size, entry.mtime_ns) == (document.path, document.size, document.mtime_ns)


def test_entries_come_in_path_order(vault: Vault) -> None:
    for path in ["b.md", "a/z.md", "a.md", "a-b.md", "a/b/c.md", "Z.md", "ж.md"]:
        vault.write(path, path, expected=None)
    assert listing(vault) == sorted(["b.md", "a/z.md", "a.md", "a-b.md", "a/b/c.md", "Z.md", "ж.md"])


def test_a_new_document_never_replaces_one(vault: Vault) -> None:
    vault.write("a.md", "first", expected=None)
    with pytest.raises(Conflict):
        vault.write("a.md", "second", expected=None)
    assert vault.read("a.md").text == "first"


def test_a_replacement_needs_the_hash_that_was_read(vault: Vault) -> None:
    first = vault.write("a.md", "first", expected=None)
    second = vault.write("a.md", "second", expected=first.hash)
    with pytest.raises(Conflict):
        vault.write("a.md", "third", expected=first.hash)
    assert vault.read("a.md") == second


def test_replacing_what_is_gone_is_a_conflict(vault: Vault) -> None:
    with pytest.raises(Conflict):
        vault.write("a.md", "text", expected=ABSENT)
    assert not vault.exists("a.md")


def test_writing_the_same_again_changes_nothing(vault: Vault) -> None:
    first = vault.write("a.md", "same", expected=None)
    assert vault.write("a.md", "same", expected=first.hash) == first


def test_a_folder_and_a_document_do_not_share_a_path(vault: Vault) -> None:
    vault.write("a.md", "document", expected=None)
    vault.write("b.md/inside.md", "deeper", expected=None)
    with pytest.raises(Conflict):
        vault.write("a.md/inside.md", "text", expected=None)
    with pytest.raises(Conflict):
        vault.write("b.md", "text", expected=None)


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf# BOM\r\n", b"line\r\nline\n", b"\xff\xfe\x00", b"a\x00b"])
def test_exact_bytes_come_back(vault: Vault, data: bytes) -> None:
    """F109: what is not clean UTF-8 is stored and given back as it is."""
    document = vault.write_bytes("a.md", data, expected=None)
    assert vault.read_bytes("a.md") == data
    assert document.hash == hashlib.sha256(data).hexdigest()
    assert document.text.encode(document.encoding, "replace") == data or not document.exact
    assert not document.text.startswith("\ufeff")


def test_new_text_is_stored_with_plain_line_ends(vault: Vault) -> None:
    """R-COM-1; a rewrite leaves the line ends to whoever edits."""
    document = vault.write("a.md", "one\r\ntwo\n", expected=None)
    assert vault.read_bytes("a.md") == b"one\ntwo\n"
    vault.write("a.md", "one\r\ntwo\r\n", expected=document.hash)
    assert vault.read_bytes("a.md") == b"one\r\ntwo\r\n"


def test_halves_of_characters_never_reach_the_disk(vault: Vault) -> None:
    """F109: an emoji cut into surrogates is whole again, a lone half is replaced."""
    document = vault.write("a.md", "ok \ud83d\ude00 \ud83d", expected=None)
    assert document.text == "ok 😀 \ufffd"


def test_paths_are_one_in_every_unicode_form(vault: Vault) -> None:
    """F109, R-COM-1: NFD from a Mac names the same document as NFC."""
    vault.write("Ja\u0304nis/太郎.md", "text", expected=None)
    assert listing(vault) == ["Jānis/太郎.md"]
    assert vault.read("Jānis/太郎.md").text == vault.read("Ja\u0304nis/太郎.md").text == "text"


@pytest.mark.parametrize("path", ["../a.md", "/etc/passwd", "a\\b.md", "a/%2e%2e/b.md", "", "a/\x00.md", ".git/config"])
def test_unsafe_paths_are_refused_everywhere(vault: Vault, path: str) -> None:
    """F6, SEC-1."""
    vault.write("ok.md", "ok", expected=None)
    good = vault.read("ok.md").hash
    for attempt in (
        lambda: vault.read(path),
        lambda: vault.read_bytes(path),
        lambda: vault.exists(path),
        lambda: vault.write(path, "x", expected=None),
        lambda: vault.write_bytes(path, b"x", expected=None),
        lambda: vault.rename(path, "new.md", expected=good),
        lambda: vault.rename("ok.md", path, expected=good),
        lambda: vault.retire("ok.md", expected=good, kept=path),
    ):
        with pytest.raises(Refused):
            attempt()
    assert listing(vault) == ["ok.md"]


@pytest.mark.parametrize("path", [".envrc", ".claude/settings.json", "a/.hidden.md"])
def test_hidden_files_are_not_written(vault: Vault, path: str) -> None:
    """F112: other programs run what lies in hidden files, and no listing would show them."""
    with pytest.raises(Refused):
        vault.write(path, "x", expected=None)
    vault.write(".gitignore", "*.sqlite\n", expected=None)


@pytest.mark.parametrize("path", ["CON.md", "a/nul.md", "aux.md", "notes./a.md"])
def test_names_that_windows_reserves_are_read_but_not_written(vault: Vault, path: str) -> None:
    """F109: they are ordinary names wherever they exist."""
    with pytest.raises(NotFound):
        vault.read(path)
    with pytest.raises(Refused):
        vault.write(path, "x", expected=None)


def test_nothing_ordinary_is_skipped(vault: Vault) -> None:
    assert list(vault.skipped()) == []
    vault.write("a.md", "x", expected=None)
    assert listing(vault) == ["a.md"]
    assert list(vault.skipped()) == []


def test_what_is_missing_is_not_found(vault: Vault) -> None:
    vault.write("folder/a.md", "text", expected=None)
    for path in ["b.md", "folder/b.md", "folder/a.md/deeper.md"]:
        with pytest.raises(NotFound):
            vault.read(path)
        with pytest.raises(NotFound):
            vault.read_bytes(path)


def test_a_document_moves_whole(vault: Vault) -> None:
    """F33: a move keeps the bytes, so that the hash recognises it."""
    document = vault.write("a.md", "text", expected=None)
    moved = vault.rename("a.md", "new/place/b.md", expected=document.hash)
    assert (moved.path, moved.hash) == ("new/place/b.md", document.hash)
    assert listing(vault) == ["new/place/b.md"]
    assert not vault.exists("a.md")


def test_a_move_never_overwrites_and_checks_the_hash(vault: Vault) -> None:
    first, second = vault.write("a.md", "a", expected=None), vault.write("b.md", "b", expected=None)
    with pytest.raises(Conflict):
        vault.rename("a.md", "b.md", expected=first.hash)
    with pytest.raises(Conflict):
        vault.rename("a.md", "c.md", expected=second.hash)
    with pytest.raises(Conflict):
        vault.rename("gone.md", "c.md", expected=ABSENT)
    assert [vault.read(path).text for path in listing(vault)] == ["a", "b"]


def test_a_retired_document_leaves_the_listing_and_stays_readable(vault: Vault) -> None:
    """F6: nothing is ever deleted."""
    document = vault.write("a.md", "text", expected=None)
    vault.retire("a.md", expected=document.hash, kept="90-Trash/01/a.md")
    assert listing(vault) == []
    assert vault.exists("90-Trash/01/a.md")
    assert vault.read_bytes("90-Trash/01/a.md") == b"text"
    back = vault.rename("90-Trash/01/a.md", "a.md", expected=document.hash)
    assert listing(vault) == ["a.md"]
    assert back.hash == document.hash


def test_retiring_leads_into_the_trash_only(vault: Vault) -> None:
    document = vault.write("a.md", "text", expected=None)
    for kept in ["b.md", "90-Trashed/a.md", "90-Trash"]:
        with pytest.raises(Refused):
            vault.retire("a.md", expected=document.hash, kept=kept)
    assert listing(vault) == ["a.md"]


def test_receipts_are_found_in_the_trash(vault: Vault) -> None:
    assert list(vault.receipts()) == []
    for path in ["90-Trash/02/receipt.md", "90-Trash/01/receipt.md", "90-Trash/01/a/receipt.md", "90-Trash/03/a.md"]:
        vault.write(path, path, expected=None)
    assert list(vault.receipts()) == ["90-Trash/01/receipt.md", "90-Trash/02/receipt.md"]


def test_only_documents_in_the_open_are_listed(vault: Vault) -> None:
    """F32: what editors and tools keep beside documents is none."""
    for path in ["a.md", "b.markdown", "c.TXT", "deep/90-Trash/d.md"]:
        vault.write(path, "document", expected=None)
    for path in [
        "a.md~",
        "~$b.md",
        "#a.md#",
        "4913",
        "image.png",
        "memory-index.json",
        "node_modules/x/readme.md",
        "md",
    ]:
        vault.write(path, "other", expected=None)
    assert listing(vault) == ["a.md", "b.markdown", "c.TXT", "deep/90-Trash/d.md"]
