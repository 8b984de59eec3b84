"""The layout of a fresh vault and what of it is knowledge (SM-1, SM-2)."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

import pytest

from scrubjay.testing import MemoryVault
from scrubjay.vaults import layout, visibility
from scrubjay.vaults.folder import FolderVault
from scrubjay.vaults.layout import FOLDERS, SKELETON, init, is_indexed


def test_a_fresh_vault_has_the_layout(tmp_path: Path) -> None:
    written = init(FolderVault(tmp_path / ".memory"))
    assert written == list(SKELETON)
    for expected in ["README.md", "00-Inbox/README.md", "20-Indices/index.md", "30-Templates/memory-template.md"]:
        assert (tmp_path / ".memory" / expected).is_file()
    ignored = (tmp_path / ".memory" / ".gitignore").read_text(encoding="utf-8")
    assert ".obsidian/\n" in ignored
    assert "*.sqlite\n" in ignored
    assert visibility.TEMP_PREFIX in ignored


def test_repeating_writes_nothing_and_what_is_there_stays() -> None:
    """SM-2: idempotent."""
    vault = MemoryVault()
    vault.write("README.md", "mine", expected=None)
    vault.write("10-Memories/README.md", "mine too", expected=None)
    assert set(init(vault)) == set(SKELETON) - {"README.md", "10-Memories/README.md"}
    assert init(vault) == []
    assert vault.read("README.md").text == "mine"


def test_every_link_leads_somewhere_and_every_folder_has_one_to_its_parent() -> None:
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
