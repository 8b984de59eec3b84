"""Paths that come from outside (SEC-1, CC-T1; F6, F109, F112)."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.errors import NotFound, Refused
from scrubjay.vaults.paths import check, check_writable, open_beneath, resolve

CLIMBING = [
    "..",
    "../x.md",
    "a/../../x.md",
    "a/..",
    "a/../b.md",
    ".. /x",
    "...",
    ". .",
    "a/%2e%2e/b",
    "a/%2E%2E/b",
    "%2e./x",
    ".%2e/x",
    "a/%252e%252e/b",
    "a/%25252e%25252e/b",
    "a/．．/b",
    "a/．./b",
    "‥/x",
    "․․/x",
    "a/%ef%bc%8e%ef%bc%8e/b",
    "a／..／b",
    "..／b",
    "a%2f..%2fb",
    "..%2fx",
    "％2e％2e/x",
    "a/.\u200b./b",
    "a/.\u00ad./b",
    "a/\u2060../b",
]
ABSOLUTE = [
    "/",
    "/etc/passwd",
    "//server/share",
    "／etc/passwd",
    "%2fetc/passwd",
    "C:",
    "C:/x",
    "c:x.md",
    "Ｃ:/x",
    "%43:/x",
]
BACKSLASH = ["a\\b", "\\\\server\\share", "..\\x", "a＼b", "a%5cb", "a﹨b", "C:\\x"]
CONTROL = [
    "a\x00b",
    "a\nb",
    "a\x7f",
    "\x1b[2J",
    "a%00b",
    "a%0ab",
    "a\u2028b",
    "a\u202egnp.md",
    "a\x85b",
    "a\ud800b",
    "\udcff",
]
WINDOWS = [
    "con",
    "CON.md",
    "a/nul.txt",
    "Aux .md",
    "com1",
    "COM9.x",
    "LPT¹",
    "conin$",
    "a./b",
    "a.md.",
    "a.md ",
    "x /y",
]
GIT = [".git/config", "a/.GIT/hooks/x", "．git/config", ".g\u200cit/config", "git~1/config", "%2egit/config", ".git"]
EMPTY = ["", " ", ".", "./", "./."]


@pytest.mark.parametrize("path", [*CLIMBING, *ABSOLUTE, *BACKSLASH, *CONTROL, *WINDOWS, *GIT, *EMPTY])
def test_attacks_are_refused_in_one_sentence(path: str) -> None:
    """What Windows reserves may be read where it exists, and is never written."""
    with pytest.raises(Refused) as refused:
        (check_writable if path in WINDOWS else check)(path)
    assert refused.value.hint
    assert refused.value.message.endswith(".")
    assert refused.value.message.isprintable()


@pytest.mark.parametrize(
    "path",
    [
        "10-Memories/MEM-a.md",
        "Jānis/太郎.md",
        "notes/100%.md",
        "notes/a%20b.md",
        "Wait….md",
        "ready...set.md",
        "读／写.md",
        "A：选项.md",
        "a/[x] (1) & 'y', z!.md",
        "~draft/a.md",
        "family 👨‍👩‍👧.md",
        "می‌خواهم.md",
        ".gitignore",
        "content.md",
        "console/com10.md",
        "ﬁ.md",
        "9:41 notes.md",
    ],
)
def test_names_that_people_use_pass_as_they_are(path: str) -> None:
    """F109."""
    assert check(path) == path


def test_the_normal_form() -> None:
    assert check("./a//b/./c.md/") == "a/b/c.md"
    assert check("Ja\u0304nis.md") == "Jānis.md"


def test_length_is_counted_in_bytes() -> None:
    assert check("ж" * 127)
    with pytest.raises(Refused, match="255 bytes"):
        check("ж" * 128)
    with pytest.raises(Refused, match="too long"):
        check("a/" * 3000)


@given(
    st.text(max_size=60)
    | st.lists(st.sampled_from(["..", ".", "/", "%2e", "％", "．", "a", "\u200b", "%25"])).map("".join)
)
def test_what_passes_is_normal_and_stays_inside(path: str) -> None:
    try:
        normal = check(path)
    except Refused:
        return
    assert check(normal) == normal
    assert unicodedata.is_normalized("NFC", normal)
    parts = unicodedata.normalize("NFKC", normal).split("/")
    assert ".." not in parts
    assert "\x00" not in normal
    assert os.path.normpath(normal) == normal
    assert not os.path.isabs(normal)


@given(
    st.lists(st.text("abcж太é%… ", min_size=1, max_size=5), max_size=3),
    st.integers(0, 3),
    st.sampled_from(CLIMBING[:2]),
)
def test_no_surroundings_make_climbing_safe(around: list[str], place: int, attack: str) -> None:
    parts = [*around]
    parts.insert(min(place, len(parts)), attack)
    with pytest.raises(Refused):
        check("/".join(parts))


def test_hidden_names_can_be_read_but_not_written() -> None:
    assert check("a/.x.md") == "a/.x.md"
    assert check_writable(".gitignore") == ".gitignore"
    with pytest.raises(Refused, match="hidden"):
        check_writable("a/.x.md")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("secret", encoding="utf-8")
    inside = tmp_path / "vault"
    (inside / "notes").mkdir(parents=True)
    (inside / "notes" / "a.md").write_text("a", encoding="utf-8")
    return inside


def read(root: Path, path: str) -> bytes:
    descriptor = open_beneath(root, path, os.O_RDONLY)
    with os.fdopen(descriptor, "rb") as file:
        return file.read()


def test_what_exists_and_what_does_not_resolve_inside(root: Path) -> None:
    real = Path(os.path.realpath(root))
    assert resolve(root, "notes/a.md") == real / "notes" / "a.md"
    assert resolve(root, "new/deep/b.md") == real / "new" / "deep" / "b.md"
    assert resolve(root / "missing", "a.md") == real / "missing" / "a.md"


def test_a_link_out_of_the_vault_is_refused(root: Path) -> None:
    """F112: a symlinked memory file must not read what lies elsewhere."""
    (root / "folder").symlink_to(root.parent / "outside")
    (root / "file.md").symlink_to(root.parent / "outside" / "secret.md")
    (root / "up").symlink_to("..")
    for path in ["folder/secret.md", "folder/new.md", "file.md", "up/outside/secret.md", "folder"]:
        with pytest.raises(Refused, match="out of the vault"):
            resolve(root, path)
        with pytest.raises(Refused):
            open_beneath(root, path, os.O_WRONLY | os.O_CREAT)
    assert not (root.parent / "outside" / "new.md").exists()


def test_a_sibling_with_the_same_beginning_is_outside(root: Path) -> None:
    (root.parent / "vault-evil").mkdir()
    (root / "link").symlink_to(root.parent / "vault-evil")
    with pytest.raises(Refused):
        resolve(root, "link/a.md")


def test_a_link_to_nowhere_is_refused(root: Path) -> None:
    (root / "dangling").symlink_to(root / "nothing")
    (root / "loop").symlink_to(root / "loop")
    for path in ["dangling", "dangling/a.md", "loop", "loop/a.md"]:
        with pytest.raises(Refused, match="link"):
            resolve(root, path)


def test_a_folder_link_inside_the_vault_is_followed_but_a_file_link_is_not_opened(root: Path) -> None:
    (root / "alias").symlink_to(root / "notes")
    (root / "b.md").symlink_to(root / "notes" / "a.md")
    assert read(root, "alias/a.md") == b"a"
    with pytest.raises(Refused, match="symbolic link"):
        open_beneath(root, "b.md", os.O_RDONLY)


def test_a_root_that_is_itself_a_link_is_fine(root: Path) -> None:
    (root.parent / "linked").symlink_to(root)
    assert read(root.parent / "linked", "notes/a.md") == b"a"


def test_another_unicode_form_on_the_disk_is_found(root: Path) -> None:
    """F109: a Mac stored the name in NFD; a third form is the angstrom sign."""
    (root / "Ja\u0304nis").mkdir()
    (root / "Ja\u0304nis" / "\u212b.md").write_text("x", encoding="utf-8")
    assert read(root, "Jānis/Å.md") == b"x"


def test_what_is_no_file_is_not_opened(root: Path) -> None:
    os.mkfifo(root / "pipe.md")
    for path in ["pipe.md", "notes"]:
        with pytest.raises(Refused):
            open_beneath(root, path, os.O_RDONLY)
    with pytest.raises(Refused):
        open_beneath(root, "pipe.md", os.O_WRONLY)
    with pytest.raises(NotFound):
        open_beneath(root, "notes/a.md/b.md", os.O_RDONLY)


def test_a_folder_swapped_for_a_link_during_the_opening_is_noticed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SEC-1: what was opened for writing must be what the path names."""
    real_open = os.open

    def swapping_open(place: os.PathLike[str], flags: int, mode: int = 0o777) -> int:
        os.rename(root / "notes", root / "moved")
        (root / "notes").symlink_to(root.parent / "outside")
        return real_open(place, flags, mode)

    monkeypatch.setattr(os, "open", swapping_open)
    with pytest.raises(Refused):
        open_beneath(root, "notes/secret.md", os.O_WRONLY)
