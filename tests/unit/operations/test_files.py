"""Files of a vault as ``Memory.files`` gives them: each call one operation, all or nothing (F10, F55, SEC-2)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scrubjay import Memory
from scrubjay.errors import BadInput, Conflict, NotFound, Refused, ScrubjayError, Unavailable
from scrubjay.operations.files import TRIES, _without_new_secrets
from scrubjay.vaults.folder import FolderVault
from tests.flows.secret_keys import github_pat


@pytest.fixture
def root(memory: Memory, tmp_path: Path) -> Path:
    (tmp_path / "vault/in").mkdir(parents=True)
    return tmp_path / "vault/in"


def state(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_every_call_is_one_operation(memory: Memory, root: Path) -> None:
    files = memory.files("in")
    files.create("a.md", "The ferry leaves at noon.\n")
    files.change("a.md", lambda text: f"{text}From pier 4.\n")
    files.move("a.md", "b/c.md")
    files.remove("b")
    assert [(one.verb, one.summary) for one in memory.operations()] == [
        ("delete", "Deleted in/b"),
        ("rename", "Renamed in/a.md to in/b/c.md"),
        ("edit", "Changed in/a.md"),
        ("create", "Created in/a.md"),
    ]
    for _ in range(3):
        memory.undo()
    assert state(root) == {"a.md": b"The ferry leaves at noon.\n"}
    assert memory.search("ferry", abstain=False).hits[0].path == "in/a.md"


def test_a_change_that_changes_nothing_is_no_operation(memory: Memory, root: Path) -> None:
    files = memory.files("in")
    files.create("a.md", "x")
    files.change("a.md", lambda text: text)
    files.create("a.md", "x", overwrite=True)
    assert len(memory.operations()) == 1


def test_an_edit_that_fails_changes_nothing(memory: Memory, root: Path) -> None:
    files = memory.files("in")
    files.create("a.md", "x")

    def edit(_: str) -> str:
        raise BadInput("no")

    with pytest.raises(BadInput, match="no"):
        files.change("a.md", edit)
    assert (state(root), len(memory.operations())) == ({"a.md": b"x"}, 1)


@pytest.mark.parametrize("call", ["move", "remove"])
def test_a_folder_is_moved_or_retired_whole_or_not_at_all(
    call: str, memory: Memory, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk fails at the third of four files; what was done before is put back."""
    files = memory.files("in")
    for name in ("a.md", "b/c.md", "b/d.bin", "e.md"):
        files.create(f"x/{name}", f"text of {name}")
    before, seen, rename = state(root), [0], FolderVault.rename

    def failing(self: FolderVault, source: str, target: str, *, expected: str) -> object:
        seen[0] += 1
        if seen[0] == 3:
            raise Unavailable("the disk is gone")
        return rename(self, source, target, expected=expected)

    with monkeypatch.context() as patched:
        patched.setattr(FolderVault, "rename", failing)
        with pytest.raises(Unavailable):
            files.move("x", "y/z") if call == "move" else files.remove("x")
    assert state(root) == before
    assert len(memory.operations()) == 4
    assert memory.search("text of e", abstain=False).hits


def test_who_is_always_faster_wins_and_the_caller_hears_of_it(memory: Memory, root: Path) -> None:
    files = memory.files("in")
    files.create("a.md", "0")
    calls = 0

    def edit(text: str) -> str:
        nonlocal calls
        calls += 1
        (root / "a.md").write_text(str(calls), "utf-8")
        return f"{text} mine"

    with pytest.raises(Conflict):
        files.change("a.md", edit)
    assert calls == TRIES
    assert state(root) == {"a.md": str(TRIES).encode()}


def test_what_is_not_there_or_in_the_way(memory: Memory, root: Path) -> None:
    files = memory.files("in")
    files.create("a.md", "x")
    files.create("d/b.md", "x")
    for call, error in (
        (lambda: files.create("a.md", "y"), Conflict),
        (lambda: files.create("d", "y", overwrite=True), ScrubjayError),
        (lambda: files.change("none.md", str.upper), NotFound),
        (lambda: files.remove("none.md"), NotFound),
        (lambda: files.move("none.md", "b.md"), NotFound),
        (lambda: files.move("a.md", "d/b.md"), Conflict),
        (lambda: files.move("d", "d/e"), Refused),
        (lambda: files.remove("../vault"), Refused),
        (lambda: files.create("../x.md", "x"), Refused),
        (lambda: files.move("a.md", "../../x.md"), Refused),
    ):
        with pytest.raises(error):
            call()
    assert state(root) == {"a.md": b"x", "d/b.md": b"x"}


def test_a_link_is_not_followed_wherever_it_stands(memory: Memory, root: Path, tmp_path: Path) -> None:
    (tmp_path / "vault/other").mkdir()
    (tmp_path / "vault/other/a.md").write_text("x", "utf-8")
    (root / "up").symlink_to(tmp_path / "vault/other")
    files = memory.files("in")
    for call in (
        lambda: files.create("up/b.md", "x"),
        lambda: files.change("up/a.md", str.upper),
        lambda: files.remove("up/a.md"),
        lambda: files.remove("up"),
    ):
        with pytest.raises(Refused):
            call()
    assert os.listdir(tmp_path / "vault/other") == ["a.md"]


def test_sec_2_only_what_is_new_is_searched_for_secrets() -> None:
    old, new = github_pat(), github_pat()
    lead = f"a {old} b\n"
    before = f"{lead}c\n"
    assert _without_new_secrets(before, f"{lead}d\n", "a") == (f"{lead}d\n", ())
    clean, found = _without_new_secrets(before, f"{lead}{new}\n", "a.md")
    assert clean == f"{lead}‹redacted:github-pat›\n"
    assert [(one.rule, one.place, one.line) for one in found] == [("github-pat", "a.md", 2)]
    joined, found = _without_new_secrets(f"{new[:9]}\n{new[9:]}", new, "a")
    assert (joined, len(found)) == ("‹redacted:github-pat›", 1)
