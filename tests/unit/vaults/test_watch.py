"""Watching real files (F32, F33)."""

from __future__ import annotations

import os
import queue
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scrubjay.errors import NotFound, Unavailable
from scrubjay.vaults import watch as watching
from scrubjay.vaults.watch import watch

PATIENCE = 20.0
Observe = Callable[[Path], Callable[[set[str]], set[str]]]


@pytest.fixture
def observe(monkeypatch: pytest.MonkeyPatch) -> Iterator[Observe]:
    """Watches a folder in a thread; the returned function collects batches until all paths asked for were seen."""
    monkeypatch.setattr(watching, "DEBOUNCE_MS", 200)
    monkeypatch.setattr(watching, "STEP_MS", 30)
    monkeypatch.setattr(watching, "_WAKE_MS", 30)
    stop = threading.Event()
    threads: list[threading.Thread] = []

    def start(root: Path) -> Callable[[set[str]], set[str]]:
        batches: queue.Queue[set[str]] = queue.Queue()

        def run() -> None:
            for batch in watch(root, stop):
                batches.put(batch)

        thread = threading.Thread(target=run)
        threads.append(thread)
        thread.start()
        assert batches.get(timeout=PATIENCE) == set()

        def seen(expected: set[str]) -> set[str]:
            found: set[str] = set()
            while not expected <= found:
                found |= batches.get(timeout=PATIENCE)
            return found

        return seen

    yield start
    stop.set()
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()


def test_an_atomic_save_is_one_change_of_the_real_path(tmp_path: Path, observe: Observe) -> None:
    """F32: vim writes 4913 and a swap file, moves the old file away, writes a new one and removes the backup."""
    note = tmp_path / "a.md"
    note.write_text("old", encoding="utf-8")
    seen = observe(tmp_path)
    (tmp_path / ".a.md.swp").write_text("swap", encoding="utf-8")
    (tmp_path / "4913").write_text("", encoding="utf-8")
    (tmp_path / "4913").unlink()
    os.replace(note, tmp_path / "a.md~")
    note.write_text("new", encoding="utf-8")
    (tmp_path / "a.md~").unlink()
    (tmp_path / ".a.md.swp").unlink()
    assert seen({"a.md"}) == {"a.md"}
    assert note.read_text(encoding="utf-8") == "new"


def test_our_own_way_of_writing_is_one_change(tmp_path: Path, observe: Observe) -> None:
    seen = observe(tmp_path)
    (tmp_path / ".scrubjay-0.tmp").write_text("new", encoding="utf-8")
    os.replace(tmp_path / ".scrubjay-0.tmp", tmp_path / "a.md")
    assert seen({"a.md"}) == {"a.md"}


def test_a_move_gives_both_paths(tmp_path: Path, observe: Observe) -> None:
    """F33, with git as people use it."""
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    (tmp_path / "a.md").write_text("a", encoding="utf-8")
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "a.md"], check=True)
    seen = observe(tmp_path)
    subprocess.run([*git, "mv", "a.md", "b.md"], check=True)
    assert seen({"a.md", "b.md"}) == {"a.md", "b.md"}


def test_a_moved_folder_gives_all_that_was_in_it(tmp_path: Path, observe: Observe) -> None:
    (tmp_path / "old" / "deep").mkdir(parents=True)
    for path in ["old/a.md", "old/deep/b.md", "old/c.png", "other.md"]:
        (tmp_path / path).write_text(path, encoding="utf-8")
    seen = observe(tmp_path)
    os.rename(tmp_path / "old", tmp_path / "new")
    moved = {"old/a.md", "old/deep/b.md", "new/a.md", "new/deep/b.md"}
    assert seen(moved) == moved


def test_what_is_no_document_is_not_reported(tmp_path: Path, observe: Observe) -> None:
    for folder in [".git", "90-Trash", "node_modules"]:
        (tmp_path / folder).mkdir()
    seen = observe(tmp_path)
    for path in [".git/a.md", "90-Trash/a.md", "node_modules/a.md", ".hidden.md", "a.png", "a.md~"]:
        (tmp_path / path).write_text(path, encoding="utf-8")
    (tmp_path / "link.md").symlink_to("/etc/hostname")
    (tmp_path / "last.md").write_text("x", encoding="utf-8")
    assert seen({"last.md"}) == {"last.md"}


def test_removed_and_new_documents_in_a_root_behind_a_link(tmp_path: Path, observe: Observe) -> None:
    (tmp_path / "vault" / "sub").mkdir(parents=True)
    (tmp_path / "vault" / "sub" / "a.md").write_text("a", encoding="utf-8")
    (tmp_path / "link").symlink_to(tmp_path / "vault")
    seen = observe(tmp_path / "link")
    (tmp_path / "vault" / "sub" / "a.md").unlink()
    (tmp_path / "vault" / "Ja\u0304nis.md").write_text("x", encoding="utf-8")
    assert seen({"sub/a.md", "Jānis.md"}) == {"sub/a.md", "Jānis.md"}


def test_a_missing_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        next(watch(tmp_path / "missing", threading.Event()))


def test_a_system_that_cannot_watch_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import watchfiles

    def no_more(*arguments: object, **named: object) -> None:
        raise OSError("OS file watch limit reached.")

    monkeypatch.setattr(watchfiles, "watch", no_more)
    with pytest.raises(Unavailable, match="limit") as unavailable:
        next(watch(tmp_path, threading.Event()))
    assert "max_user_watches" in unavailable.value.hint
