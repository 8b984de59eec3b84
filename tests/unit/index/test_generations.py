"""Generations: rebuilt beside and swapped, replaced when damaged or made by another version, small on disk."""

from __future__ import annotations

import os
import shutil
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scrubjay.errors import Corrupt, ScrubjayError, Unavailable
from scrubjay.index.sqlite import SqliteIndex
from scrubjay.ports import VectorRow

Open = Callable[..., SqliteIndex]


def database(folder: Path) -> Path:
    return folder / (folder / "current").read_text(encoding="utf-8").strip()


def test_an_index_stays(open_index: Open, filler: Any) -> None:
    """F47: what one process stored the next one finds."""
    first = open_index()
    assert first.fresh
    filler.put(first, "a.md", "text")
    first.close()
    second = open_index()
    assert not second.fresh
    assert filler.find(second, "text") == ["text"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
def test_only_the_owner_may_read(folder: Path, open_index: Open, filler: Any) -> None:
    """SEC-4: files 0600 in a folder 0700, the write-ahead log included."""
    old = os.umask(0)
    try:
        filler.put(open_index(), "a.md", "text")
    finally:
        os.umask(old)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert "index-1.db-wal" in modes
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_another_fingerprint_starts_afresh_and_keeps_vectors(open_index: Open, filler: Any, folder: Path) -> None:
    """Design §2.1, F46: another analyser means other lexemes; vectors, work and counters need not be made again."""
    first = open_index(fingerprint="1")
    filler.put(first, "a.md", "text", "other")
    for pending in first.pending("m", 5):
        first.put_vectors("m", [VectorRow(key=pending.key, vector=b"\x01" * 8)])
    first.count("n")
    second = open_index(fingerprint="2")
    assert second.fresh
    assert second.coverage("m").records == 0
    assert dict(second.counters()) == {"n": 1}
    filler.put(second, "a.md", "text", "changed")
    assert [pending.passage for pending in second.pending("m", 5)] == ["changed"]
    assert second.check() == []
    assert len(list(folder.glob("index-*.db"))) == 1


def test_the_old_version_is_told_and_does_not_fight_back(open_index: Open, filler: Any) -> None:
    """F64: a process of the old version that still runs is asked to restart; the new index stays."""
    old = open_index(fingerprint="1")
    new = open_index(fingerprint="2")
    filler.put(new, "a.md", "text")
    with pytest.raises(Unavailable, match="another version"):
        old.documents()
    assert filler.find(new, "text") == ["text"]


def test_an_open_reader_sees_the_swap(open_index: Open, filler: Any) -> None:
    """F34: no stale handle, in whatever thread."""
    reader, writer = open_index(), open_index()
    filler.put(writer, "a.md", "old")
    assert filler.find(reader, "old") == ["old"]
    writer.rebuild(lambda new: filler.put(new, "a.md", "new"))
    assert (filler.find(reader, "old"), filler.find(reader, "new")) == ([], ["new"])
    assert not writer.fresh


def test_readers_and_writers_go_on_during_a_rebuild(open_index: Open, filler: Any) -> None:
    """Design §2.1: and what they wrote meanwhile is caught up with."""
    index, other = open_index(), open_index()
    filler.put(index, "a.md", "first")
    steps: list[str] = []

    def fill(new: Any) -> None:
        for path in index.documents():
            text = index.records_at(path)[0].text
            filler.put(new, path, text)
        if not steps:
            filler.put(other, "b.md", "meanwhile")
            assert filler.find(other, "meanwhile") == ["meanwhile"]
        steps.append("filled")

    index.rebuild(fill)
    assert len(steps) == 2
    assert sorted(index.documents()) == ["a.md", "b.md"]
    assert filler.find(other, "meanwhile") == ["meanwhile"]


def test_readers_are_not_blocked_by_a_writer(open_index: Open, filler: Any) -> None:
    """F47, F50: searching while somebody writes is immediate and sees what was committed."""
    index = open_index(busy_seconds=0.1)
    filler.put(index, "a.md", "text")
    found: list[list[str]] = []
    with index.writing():
        filler.put_inside(index, "b.md", "text too")
        thread = threading.Thread(target=lambda: found.append(filler.find(index, "text")))
        thread.start()
        thread.join()
        assert filler.find(index, "text") == ["text", "text too"]
    assert found == [["text"]]


def test_waiting_for_a_lock_ends(open_index: Open, filler: Any) -> None:
    """F50: with a clear sentence, and nothing done."""
    first, second = open_index(), open_index(busy_seconds=0.05)
    with first.writing(), pytest.raises(Unavailable, match="another process"):
        filler.put(second, "a.md", "text")
    filler.put(second, "a.md", "text")


def damage_header(path: Path) -> None:
    path.write_bytes(b"not a database, really" * 300)


def damage_by_truncation(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 3)


def damage_pages(path: Path) -> None:
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096 * 2)
        file.write(os.urandom(size - 4096 * 2))


def empty(path: Path) -> None:
    os.truncate(path, 0)


DAMAGES = [damage_header, damage_by_truncation, damage_pages, empty]


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_never_fatal(open_index: Open, filler: Any, folder: Path, damage: Callable[[Path], None]) -> None:
    """F13, F31: found when it is met, set aside, and an empty index takes over, which says that it is fresh."""
    first = open_index()
    filler.put(first, "a.md", *(f"text {n}" for n in range(300)))
    first.close()
    name = database(folder).name
    damage(database(folder))
    index = open_index()
    assert filler.find(index, "text") in ([], [f"text {n}" for n in range(300)])
    index.documents()
    assert index.fresh
    filler.put(index, "a.md", "text again")
    assert filler.find(index, "text") == ["text again"]
    assert index.check() == []
    assert (folder / f"{name}.corrupt").exists()


@pytest.mark.parametrize("damage", [damage_header, damage_pages])
def test_damage_under_an_open_index(
    open_index: Open, filler: Any, folder: Path, damage: Callable[[Path], None]
) -> None:
    """F13: another handle on the same file follows the replacement."""
    writer = open_index()
    filler.put(writer, "a.md", *(f"text {n}" for n in range(300)))
    writer.close()
    first, second = open_index(), open_index()
    damage(database(folder))
    assert filler.find(first, "text") == []
    assert first.fresh
    filler.put(first, "a.md", "text again")
    assert filler.find(second, "text") == ["text again"]


def test_damage_met_while_writing_is_told_and_repaired_for_the_next_try(
    open_index: Open, filler: Any, folder: Path
) -> None:
    """F14: a write into a damaged index does not claim success."""
    first = open_index()
    filler.put(first, "a.md", *(f"text {n}" for n in range(300)))
    first.close()
    index = open_index()
    damage_pages(database(folder))

    def fill() -> None:
        for n in range(50):
            filler.put_inside(index, f"{n}.md", f"text {n}")
        filler.find(index, "text")

    with pytest.raises(Corrupt), index.writing():
        fill()
    filler.put(index, "a.md", "text again")
    assert filler.find(index, "text") == ["text again"]


def test_a_folder_removed_under_an_open_index(open_index: Open, filler: Any, folder: Path) -> None:
    """Design §2.1: deleting the index loses nothing, even while it is in use."""
    index = open_index()
    filler.put(index, "a.md", "text")
    shutil.rmtree(folder)
    assert filler.find(index, "text") == []
    assert index.fresh
    filler.put(index, "a.md", "text")
    assert filler.find(index, "text") == ["text"]


@pytest.mark.parametrize("content", ["", "../../elsewhere.db", "index-99.db", "\x00\xff"])
def test_a_broken_pointer(open_index: Open, filler: Any, folder: Path, content: str) -> None:
    """The file that names the live generation is not trusted."""
    index = open_index()
    filler.put(index, "a.md", "text")
    index.close()
    (folder / "current").write_text(content, encoding="latin-1")
    again = open_index()
    assert again.fresh
    filler.put(again, "a.md", "text")
    assert {path.name for path in folder.glob("index-*.db")} == {"index-2.db"}


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(Unavailable, match="file"):
        SqliteIndex(tmp_path / "file" / "index")


def test_ten_thousand_rewrites_do_not_grow_the_index(open_index: Open, filler: Any) -> None:
    """F40: the size is bounded by what is in it, not by how often it was written."""
    index = open_index(durability="normal")
    words = [f"word{n}" for n in range(40)]

    def rewrite(turn: int) -> None:
        texts = (f"{words[(turn + n) % 40]} {words[(turn * n) % 40]} {turn}" for n in range(50))
        filler.put_inside(index, "a.md", *texts)

    with index.writing():
        rewrite(0)
    before = index.coverage(None).bytes
    for start in range(0, 200, 10):
        with index.writing():
            for turn in range(start, start + 10):
                rewrite(turn)
    assert index.check() == []
    index.close()
    after = open_index()
    assert after.coverage(None).records == 50
    assert after.coverage(None).bytes < 3 * before


def test_space_is_given_back(open_index: Open, filler: Any) -> None:
    """F40: dropping most of a big index makes the file smaller."""
    index = open_index(durability="normal")
    for n in range(6):
        filler.put(index, f"{n}.md", *(f"{n} {m} " * 400 for m in range(400)))
    index.close()
    index = open_index()
    big = index.coverage(None).bytes
    for n in range(6):
        with index.writing():
            index.drop_document(f"{n}.md")
    for _ in range(3):
        filler.put(index, "x.md", "x")
    index.close()
    assert open_index().coverage(None).bytes < big / 2


def test_what_is_dropped_leaves_no_trace_in_the_file(open_index: Open, filler: Any, folder: Path) -> None:
    """SEC-7, F28: neither the text nor its words can be read from the database any more."""
    index = open_index()
    filler.put(index, "a.md", *(f"text {n}" for n in range(50)))
    filler.put(index, "b.md", "hunter2 " * 2000, "short hunter2")
    filler.put(index, "c.md", "hunter2 keep")
    filler.put(index, "c.md", "keep")
    with index.writing():
        index.drop_document("b.md")
    index.close()
    assert b"hunter2" not in database(folder).read_bytes()


def test_every_error_is_one_of_ours(open_index: Open, filler: Any) -> None:
    """Errors come from one tree, and name SQLite's words."""
    index = open_index()
    filler.put(index, "a.md", "text")
    index.close()
    with pytest.raises(ScrubjayError, match="closed"):
        index.documents()
    with pytest.raises(ScrubjayError, match="closed"), index.writing():
        pass
