"""The files of a folder, and choosing among them (SM-16 … SM-18, F109, F112)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scrubjay.errors import BadInput, NotFound, Refused
from scrubjay.operations.learn import files, selection
from scrubjay.operations.learn.files import Found, scan
from scrubjay.proposals import Skipped


def write(root: Path, path: str, data: bytes | str = "words") -> Path:
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8"))
    return place


def paths(root: Path) -> list[str]:
    return [found.path for found in scan(root).files]


def reasons(root: Path) -> dict[str, str]:
    return {one.path: one.reason for one in scan(root).skipped}


def test_sm_16_sorted_relative_paths_with_sizes(tmp_path: Path) -> None:
    for path in ("b.md", "a/z.py", "a/b/c.rs", "README", ".hidden/x.md"):
        write(tmp_path, path, "12345")
    assert scan(tmp_path).files == tuple(
        Found(path, 5) for path in (".hidden/x.md", "README", "a/b/c.rs", "a/z.py", "b.md")
    )


def test_sm_16_folders_that_are_left_out(tmp_path: Path) -> None:
    for folder in (".git", "node_modules", "__pycache__", ".obsidian", ".memory", "deep/node_modules"):
        write(tmp_path, f"{folder}/a.md")
    write(tmp_path, "venv/pyvenv.cfg")
    write(tmp_path, "venv/lib/a.py")
    write(tmp_path, "cache/CACHEDIR.TAG")
    write(tmp_path, "kept.md")
    assert paths(tmp_path) == ["kept.md"]


def test_sm_16_large_files_are_skipped_and_named(tmp_path: Path) -> None:
    write(tmp_path, "just.md", b"x" * 102_400)
    write(tmp_path, "big.md", b"x" * 102_401)
    assert paths(tmp_path) == ["just.md"]
    assert reasons(tmp_path) == {"big.md": "Skipping large file: big.md (>100KB)"}


def test_sm_16_many_files_are_warned_of_and_too_many_refused(tmp_path: Path) -> None:
    for number in range(50):
        write(tmp_path, f"{number}.md")
    assert scan(tmp_path).notices == ()
    write(tmp_path, "50.md")
    assert scan(tmp_path).notices == ("Warning: 51 files found. Consider narrowing scope.",)
    for number in range(51, 200):
        write(tmp_path, f"{number}.md")
    assert scan(tmp_path).total == 200
    for number in range(200, 300):
        write(tmp_path, f"{number}.md")
    with pytest.raises(BadInput) as caught:
        scan(tmp_path)
    assert caught.value.message == "Too many files (300). Maximum is 200."
    assert caught.value.hint == "Narrow your path or use file mode for specific files."


def test_sm_10_no_text_files(tmp_path: Path) -> None:
    write(tmp_path, "a.png", b"\x89PNG\r\n\0")
    with pytest.raises(NotFound) as caught:
        scan(tmp_path, shown="pictures")
    assert caught.value.message == "No text files found in: pictures"
    assert "a.png" in caught.value.hint


def test_sm_17_white_list_then_a_look_inside(tmp_path: Path) -> None:
    write(tmp_path, "notes.weird", "plain words")
    write(tmp_path, "data.weird2", b"\x00\x01\x02")
    write(tmp_path, "doc.pdf", b"%PDF-1.7 words")
    write(tmp_path, "code.fnl", "(fn [] 1)")
    write(tmp_path, "half", ("я" * 40_000).encode()[:65_537])
    assert paths(tmp_path) == ["code.fnl", "half", "notes.weird"]
    assert reasons(tmp_path) == {
        "data.weird2": "Not text: it holds NUL characters.",
        "doc.pdf": "Not text: a binary file.",
    }


def test_f112_links_and_pipes_are_not_followed(tmp_path: Path) -> None:
    outside = write(tmp_path, "outside/secret.md")
    root = tmp_path / "root"
    write(root, "a.md")
    (root / "link.md").symlink_to(outside)
    (root / "folder").symlink_to(outside.parent)
    (root / "loop").symlink_to(root)
    os.mkfifo(root / "pipe.md")
    assert paths(root) == ["a.md"]
    assert set(reasons(root)) == {"link.md", "folder", "loop", "pipe.md"}
    assert "symbolic link" in reasons(root)["link.md"]
    (tmp_path / "way").symlink_to(root)
    with pytest.raises(Refused) as caught:
        scan(tmp_path / "way")
    assert str(root) in caught.value.hint


@pytest.mark.parametrize("name", ["a\nb.md", "a\x1b[31m.md", "..%2fx.md", "a\\b.md", "\u202egpj.md", "%2e%2e"])
def test_f112_hostile_names_are_named_without_harm(tmp_path: Path, name: str) -> None:
    write(tmp_path, "fine.md")
    write(tmp_path, name)
    assert paths(tmp_path) == ["fine.md"]
    (skipped,) = scan(tmp_path).skipped
    assert skipped.path.isprintable()
    assert skipped.reason.isprintable()


def test_f109_names_in_other_scripts_and_stray_bytes(tmp_path: Path) -> None:
    write(tmp_path, "Jānis/太郎.md")
    write(tmp_path, "Привет 👩‍👩‍👧.md")
    with open(os.fsencode(tmp_path) + b"/\xff.md", "wb") as stream:
        stream.write(b"x")
    assert paths(tmp_path) == ["Jānis/太郎.md", "Привет 👩‍👩‍👧.md"]
    (skipped,) = scan(tmp_path).skipped
    assert skipped.path == "\\udcff.md"


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    write(tmp_path, "closed/b.md")
    (tmp_path / "closed").chmod(0)
    try:
        assert "closed/" in reasons(tmp_path)
    finally:
        (tmp_path / "closed").chmod(0o700)


def test_files_that_may_hold_secrets_have_to_be_named(tmp_path: Path) -> None:
    for name in (".env", ".env.local", "id_rsa", "server.pem", ".netrc"):
        write(tmp_path, name)
    write(tmp_path, ".env.example")
    assert paths(tmp_path) == [".env.example"]
    assert len(reasons(tmp_path)) == 5


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xef\xbb\xbfone\r\ntwo\rthree", "one\ntwo\nthree"),
        ("a\u2028b\x0cc".encode(), "a\u2028b\x0cc"),
        ("太郎 👩‍👩‍👧".encode(), "太郎 👩‍👩‍👧"),
        (b"half \xed\xa0\xbd a pair", "half \ufffd a pair"),
    ],
)
def test_f109_what_is_utf_8_is_read(tmp_path: Path, data: bytes, text: str) -> None:
    """R-COM-1: marks go, line ends are one, encoded surrogates are replaced."""
    write(tmp_path, "a.md", data)
    assert files.read(tmp_path, "a.md") == text


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("Ein schöner Text über Äpfel".encode("cp1252"), "Not UTF-8."),
        ("数据库迁移方案，性能优化".encode("gb18030"), "Not UTF-8."),
        ("Проблемы с производительностью".encode("cp1251"), "Not UTF-8."),
        ("words".encode("utf-16"), "Not UTF-8."),
        (b"a\0b", "Not text: it holds NUL characters."),
        (b"good \xff bad", "Not UTF-8."),
        (bytes(range(256)) * 4, "Not text"),
        (b"x" * 102_401, "Skipping large file: a.md (>100KB)"),
    ],
)
def test_f109_what_is_not_utf_8_is_skipped_and_named(tmp_path: Path, data: bytes, reason: str) -> None:
    write(tmp_path, "a.md", data)
    found = files.read(tmp_path, "a.md")
    assert isinstance(found, Skipped)
    assert found.path == "a.md"
    assert found.reason.startswith(reason)


def test_a_file_that_vanished_is_named(tmp_path: Path) -> None:
    found = files.read(tmp_path, "gone.md")
    assert isinstance(found, Skipped)
    assert "gone.md" in found.reason


def test_sm_18_pages_of_ten(tmp_path: Path) -> None:
    for number in range(23):
        write(tmp_path, f"{number:02d}.md", b"x" * 4198)
    listing = scan(tmp_path, shown="notes")
    first, second, third = selection.pages(listing)
    assert (first.multi_select, len(first.options)) == (True, 11)
    assert (first.options[0].label, first.options[0].description) == ("00.md", "4.1KB")
    assert first.options[-1].label == "--- Continue to next page ---"
    assert [page.options[-1].description for page in (first, second)] == [
        "13 more files remaining",
        "3 more files remaining",
    ]
    assert "page 2/3, showing 11-20 of 23" in second.question
    assert [option.label for option in third.options] == ["20.md", "21.md", "22.md"]


def test_sm_18_selections_add_up_until_a_page_does_not_continue(tmp_path: Path) -> None:
    for number in range(23):
        write(tmp_path, f"{number:02d}.md")
    listing = scan(tmp_path)
    go_on = selection.CONTINUE
    assert selection.chosen(listing, [{"03.md", "01.md", go_on}, {"12.md"}, {"20.md"}]) == ["01.md", "03.md", "12.md"]
    assert selection.chosen(listing, [set(), {"12.md"}]) == []
    assert selection.chosen(listing, [{"../../etc/passwd"}]) == []
