"""The layout of a fresh vault and what of it is knowledge (SM-1, SM-2)."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path, PurePosixPath

import pytest

from scrubjay.testing import MemoryVault
from scrubjay.vaults import layout, visibility
from scrubjay.vaults.folder import FolderVault
from scrubjay.vaults.layout import FOLDERS, SKELETON, init, is_indexed


def test_sm1_a_fresh_vault_has_the_layout(tmp_path: Path) -> None:
    written = init(FolderVault(tmp_path / ".memory"))
    assert written == list(SKELETON)
    for expected in ["README.md", "00-Inbox/README.md", "20-Indices/index.md", "30-Templates/memory-template.md"]:
        assert (tmp_path / ".memory" / expected).is_file()
    ignored = (tmp_path / ".memory" / ".gitignore").read_text(encoding="utf-8")
    assert ".obsidian/\n" in ignored
    assert "*.sqlite\n" in ignored
    assert visibility.TEMP_PREFIX in ignored


def test_sm2_repeating_writes_nothing_and_what_is_there_stays() -> None:
    vault = MemoryVault()
    vault.write("README.md", "mine", expected=None)
    vault.write("10-Memories/README.md", "mine too", expected=None)
    assert set(init(vault)) == set(SKELETON) - {"README.md", "10-Memories/README.md"}
    assert init(vault) == []
    assert vault.read("README.md").text == "mine"


def test_sm1_what_an_editor_keeps_in_the_vault_is_not_touched(tmp_path: Path) -> None:
    settings = tmp_path / ".obsidian/app.json"
    settings.parent.mkdir()
    settings.write_text("{}", encoding="utf-8")
    before = settings.stat()
    init(FolderVault(tmp_path))
    assert [path.name for path in settings.parent.iterdir()] == ["app.json"]
    assert settings.stat() == before


def test_sm2_git_ignores_what_is_one_persons_own(tmp_path: Path) -> None:
    """The advice of SM-2 (``.obsidian/``, ``*.sqlite``), our temporary files, and the trash but for its README."""
    init(FolderVault(tmp_path / ".memory"))
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    names = [".obsidian/app.json", "a/index.sqlite", ".scrubjay-1.tmp", "90-Trash/1/receipt.md", "config.local.toml"]
    shared = ["10-Memories/MEM-a.md", "90-Trash/README.md", "memory-index.json", ".gitattributes"]
    asked = [f".memory/{name}" for name in [*names, *shared]]
    answer = subprocess.run(["git", "-C", str(tmp_path), "check-ignore", *asked], capture_output=True, check=True)
    assert answer.stdout.decode().split() == [f".memory/{name}" for name in names]


def test_sm2_every_link_leads_somewhere_and_every_folder_has_one_to_its_parent() -> None:
    for path, text in SKELETON.items():
        for target in re.findall(r"\]\(([^)]+)\)", text):
            parts: list[str] = []
            for part in (PurePosixPath(path).parent / target).parts:
                parts = parts[:-1] if part == ".." else [*parts, part]
            assert "/".join(parts) in SKELETON, (path, target)
    assert all("(../README.md)" in SKELETON[f"{folder}/README.md"] for folder in FOLDERS)


@pytest.mark.parametrize(
    "path", ["README.md", "notes/README.md", "10-Memories/MEM-a.md", "10-Memories/topic/README.md"]
)
@pytest.mark.parametrize(
    "more", ["40-Facts/Preference/x.md", "20-Indices.md", "docs/20-Indices/a.md", "00-Inbox/idea.md"]
)
def test_what_people_write_is_indexed(path: str, more: str) -> None:
    assert is_indexed(path)
    assert is_indexed(more)


@pytest.mark.parametrize(
    "path",
    [
        *(f"{folder}/README.md" for folder in FOLDERS),
        "10-Memories/readme.md",
        "20-Indices/index.md",
        "20-Indices/by-topic/a.md",
        "30-Templates/memory-template.md",
        "90-Trash/1/a.md",
    ],
)
def test_what_we_generate_is_not_indexed(path: str) -> None:
    assert not is_indexed(path)


def test_the_trash_has_one_name() -> None:
    assert layout.TRASH == visibility.TRASH
