"""Copies of a team's memories (CC-D3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scrubjay.index.sqlite import SqliteIndex
from scrubjay.operations.share.copies import duplicates, personal_copies
from scrubjay.operations.store import Store
from scrubjay.vaults.folder import FolderVault


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Callable[..., Store]]:
    opened: list[Store] = []

    def store_(scope: str, **files: str) -> Store:
        index = SqliteIndex(tmp_path / f"{scope}-index", fingerprint="test")
        opened.append(Store(vault=FolderVault(tmp_path / scope), index=index, scope=scope))
        for name, text in files.items():
            opened[-1].vault.write(f"{name}.md", text, expected=None)
        return opened[-1]

    yield store_
    for one in opened:
        one.index.close()


def test_a_personal_copy_of_what_the_team_has_is_found(store: Callable[..., Store]) -> None:
    team = store(
        "team", build="---\nname: build\n---\n\nUse make,\nalways.\n", other="Other.\n", empty="---\nname: x\n---\n"
    )
    mine = store(
        "notebook", copy="---\nname: mine\n---\nuse make, always.\n", own="Use make.\n", empty="", MEMORY="Other."
    )
    assert [(one.kept.path, one.copy.path) for one in personal_copies(mine, team)] == [("build.md", "copy.md")]


def test_duplicates_inside_a_team_are_found_once(store: Callable[..., Store]) -> None:
    team = store("team", a="Same.\n", b="same.", c="  Same.  ", d="Different.", e="", f="")
    assert [(one.kept.path, one.copy.path) for one in duplicates(team)] == [("a.md", "b.md"), ("a.md", "c.md")]
