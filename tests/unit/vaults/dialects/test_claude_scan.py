"""The heads of a folder's topic files and the list of them (CC-S1, CC-S2, §12.5)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scrubjay.vaults.dialects.claude_memory import host
from scrubjay.vaults.dialects.claude_memory.scan import Header, manifest, scan


def put(folder: Path, name: str, text: str, mtime: float = 1_000.0) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, (mtime, mtime))
    return path


def test_12_5_the_lines_of_the_manifest() -> None:
    full = Header(
        filename="b/feedback_tests.md",
        path=Path("x"),
        mtime_ms=1_764_496_800_000,
        description="Prefer real databases in tests",
        type="feedback",
    )
    bare = Header(filename="b/feedback_tests.md", path=Path("x"), mtime_ms=1_764_496_800_000)
    assert manifest([full, bare]).split("\n") == [
        "- [feedback] b/feedback_tests.md (2025-11-30T10:00:00.000Z): Prefer real databases in tests",
        "- b/feedback_tests.md (2025-11-30T10:00:00.000Z)",
    ]
    assert manifest([]) == ""


@pytest.mark.parametrize("mtime_ms", [-1, 0, 10**18, -(10**18), 1_764_496_800_999])
def test_any_time_has_a_line(mtime_ms: int) -> None:
    assert manifest([Header(filename="a.md", path=Path("x"), mtime_ms=mtime_ms)]).startswith("- a.md (")


def test_cc_s1_newest_first_without_the_index_at_any_depth(tmp_path: Path) -> None:
    put(tmp_path, "old.md", "---\nname: a\ndescription: Old\ntype: user\n---\n", 10)
    new = put(tmp_path, "b/new.md", "---\nname: b\ndescription: New\nmetadata:\n  type: project\n---\n", 30.5)
    put(tmp_path, "none.md", "No frontmatter\n", 20)
    put(tmp_path, "MEMORY.md", "- [x](old.md)\n", 40)
    put(tmp_path, "team/MEMORY.md", "- [x](old.md)\n", 40)
    put(tmp_path, "notes.txt", "x", 40)
    found = scan(tmp_path)
    assert found[0] == Header(filename="b/new.md", path=new, mtime_ms=30_500, description="New", type="project")
    assert [(each.filename, each.description, each.type) for each in found[1:]] == [
        ("none.md", None, None),
        ("old.md", "Old", "user"),
    ]


def test_cc_s1_a_missing_folder_is_empty(tmp_path: Path) -> None:
    assert scan(tmp_path / "nothing") == []
    assert scan(put(tmp_path, "file.md", "x")) == []


def test_cc_s1_at_most_200_the_newest(tmp_path: Path) -> None:
    for number in range(host.SCAN_FILES + 5):
        put(tmp_path, f"m{number}.md", "x", 1000 + number)
    names = [each.filename for each in scan(tmp_path)]
    assert names == [f"m{number}.md" for number in range(204, 4, -1)]


def test_cc_s1_thirty_lines_are_read(tmp_path: Path) -> None:
    put(tmp_path, "in.md", "---\nx: |\n" + "  y\n" * 25 + "description: D\n---\n")
    put(tmp_path, "out.md", "---\nx: |\n" + "  y\n" * 28 + "description: D\n---\n")
    assert {each.filename: each.description for each in scan(tmp_path)} == {"in.md": "D", "out.md": None}


def test_cc_s1_a_gigantic_head_is_cut(tmp_path: Path) -> None:
    put(tmp_path, "big.md", "---\nname: x\ny: " + "z" * host.HEAD_BYTES + "\ndescription: D\n---\n")
    put(tmp_path, "binary.md", "x").write_bytes(b"\xff\xfe\x00---\n" * 9000)
    assert {each.filename: each.description for each in scan(tmp_path)} == {"big.md": None, "binary.md": None}


def test_cc_s1_depth_and_hidden_files(tmp_path: Path) -> None:
    for name in ("a/b/three.md", "a/b/c/four.md", "logs/2026/09/2026-09-03.md", ".git/x.md", ".hidden.md"):
        put(tmp_path, name, "x")
    assert [each.filename for each in scan(tmp_path)] == ["a/b/three.md"]


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="no links here")
def test_f112_links_and_pipes_are_left_out(tmp_path: Path) -> None:
    secret = put(tmp_path / "outside", "id_rsa.md", "---\nname: x\ndescription: secret\n---\n")
    folder = tmp_path / "memory"
    put(folder, "mine.md", "x")
    (folder / "link.md").symlink_to(secret)
    (folder / "folder").symlink_to(secret.parent)
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / "pipe.md")
    assert [each.filename for each in scan(folder)] == ["mine.md"]


def test_cc_s1_a_file_that_cannot_be_read_is_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "a.md", "x")
    put(tmp_path, "b.md", "x")
    real = os.open

    def deny(path: str, *rest: int) -> int:
        if str(path).endswith("a.md"):
            raise PermissionError(13, "denied", path)
        return real(path, *rest)

    monkeypatch.setattr(os, "open", deny)
    assert [each.filename for each in scan(tmp_path)] == ["b.md"]


def test_names_cannot_forge_a_line(tmp_path: Path) -> None:
    put(tmp_path, "ok.md", '---\nname: x\ndescription: "a\\nb\\u202e"\n---\n')
    try:
        put(tmp_path, "a\n- [user] forged.md", "x")
        put(tmp_path, "a\x1b[2J.md", "x")
    except OSError:
        pytest.skip("no such names on this file system")
    assert manifest(scan(tmp_path)) == "- ok.md (1970-01-01T00:16:40.000Z): a b"


def test_each_file_is_opened_once_and_each_folder_listed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(50):
        put(tmp_path, f"{'sub/' if number % 2 else ''}m{number}.md", "---\nname: x\n---\n")
    opened: list[str] = []
    listed: list[str] = []
    real_open, real_scandir = os.open, os.scandir
    monkeypatch.setattr(os, "open", lambda path, *rest: (opened.append(str(path)), real_open(path, *rest))[1])
    monkeypatch.setattr(os, "scandir", lambda path: (listed.append(str(path)), real_scandir(path))[1])
    assert len(scan(tmp_path)) == 50
    assert len(opened) == len(set(opened)) == 50
    assert len(listed) == len(set(listed)) == 2


def test_real_notebooks_say_what_they_hold(shared_data: Path) -> None:
    found = scan(shared_data / "vaults" / "XAIHT+Tlamatini" / ".claude" / "memory")
    assert len(found) == 76
    assert all(each.description and each.type in ("feedback", "project") for each in found)
