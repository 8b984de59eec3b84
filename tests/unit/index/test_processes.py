"""Several processes on one index: nobody's write is lost, nobody is locked out, nobody leaves it torn."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scrubjay.index.sqlite import SqliteIndex

Start = Callable[..., "subprocess.Popen[str]"]
Open = Callable[..., SqliteIndex]

WRITER = """
index = SqliteIndex(sys.argv[1], durability="normal")
for turn in range(int(sys.argv[3])):
    put(index, f"{sys.argv[2]}-{turn}.md", "common text")
index.close()
"""

READER = """
index = SqliteIndex(sys.argv[1])
seen = 0
while not index.record("done.md#0"):
    found = len(index.lexical(["common"], ALL, 10_000))
    assert found >= seen, (found, seen)
    seen = found
assert index.coverage(None).records == index.coverage(None).lexical
print(seen)
"""


def outcome(process: subprocess.Popen[str]) -> str:
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return output


def test_four_writers_and_a_reader(folder: Path, open_index: Open, filler: Any, start: Start) -> None:
    """F50, F49, F47: 800 writes of four processes are all there; a reader is never refused and never sees less."""
    index = open_index()
    reader = start(READER, folder)
    writers = [start(WRITER, folder, number, 200) for number in range(4)]
    for writer in writers:
        outcome(writer)
    filler.put(index, "done.md", "done")
    assert int(outcome(reader)) <= 800
    assert index.coverage(None).records == 801
    assert len(filler.find(index, "common")) == 800
    assert index.check() == []


def test_eight_processes_open_an_empty_folder(folder: Path, open_index: Open, start: Start) -> None:
    """F51: one of them makes the index, all of them use it."""
    program = """
print("ready", flush=True)
sys.stdin.readline()
index = SqliteIndex(sys.argv[1])
put(index, f"{sys.argv[2]}.md", "text")
print(int(index.fresh))
"""
    processes = [start(program, folder, number) for number in range(8)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    assert sum(int(outcome(process)) for process in processes) == 1
    assert sorted(path.name for path in folder.glob("index-*.db")) == ["index-1.db"]
    index = open_index()
    assert not index.fresh
    assert index.coverage(None).records == 8


def test_a_killed_writer_leaves_a_consistent_index(folder: Path, open_index: Open, filler: Any, start: Start) -> None:
    """F39, F53: what was committed is there, what was not is not, and the lock is free."""
    program = """
index = SqliteIndex(sys.argv[1])
put(index, "kept.md", "kept text")
with index.writing():
    index.drop_document("kept.md")
    for turn in range(500):
        index.put_document(
            IndexedDocument(path=f"{turn}.md", hash="h", size=1, mtime_ns=1),
            [IndexedRecord(record=Record(id=str(turn), layer="chunks", path="x", text="lost"), head=[], body=["lost"])],
        )
    print("inside", flush=True)
    sys.stdin.readline()
"""
    process = start(program, folder)
    assert process.stdout is not None
    assert process.stdout.readline() == "inside\n"
    process.kill()
    process.wait()
    index = open_index(busy_seconds=5)
    assert filler.find(index, "kept") == ["kept text"]
    assert filler.find(index, "lost") == []
    assert index.check() == []
    filler.put(index, "after.md", "after")
    assert index.coverage(None).records == 2


def test_a_killed_rebuild_leaves_the_old_index(folder: Path, open_index: Open, filler: Any, start: Start) -> None:
    """F39, F40: the half-built generation is swept away by the next one."""
    index = open_index()
    filler.put(index, "a.md", "kept")
    program = """
def fill(new):
    put(new, "a.md", "half")
    print("inside", flush=True)
    sys.stdin.readline()
SqliteIndex(sys.argv[1]).rebuild(fill)
"""
    process = start(program, folder)
    assert process.stdout is not None
    assert process.stdout.readline() == "inside\n"
    process.kill()
    process.wait()
    assert filler.find(index, "kept") == ["kept"]
    index.rebuild(lambda new: filler.put(new, "a.md", "rebuilt"))
    assert filler.find(index, "rebuilt") == ["rebuilt"]
    assert len(list(folder.glob("index-*.db"))) == 1


def test_other_processes_follow_a_rebuild(folder: Path, open_index: Open, filler: Any, start: Start) -> None:
    """F34: a reader that was open before the swap, and a writer that waited for it, go on in the new generation."""
    index = open_index()
    filler.put(index, "a.md", "old")
    program = """
index = SqliteIndex(sys.argv[1])
assert len(index.lexical(["old"], ALL, 5)) == 1
print("ready", flush=True)
sys.stdin.readline()
print("writing", flush=True)
put(index, f"late.md", "late")
assert len(index.lexical(["old"], ALL, 5)) == 0
assert len(index.lexical(["new"], ALL, 5)) == 1
"""
    process = start(program, folder)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    calls: list[int] = []

    def fill(new: Any) -> None:
        filler.put(new, "a.md", "new")
        calls.append(1)
        if len(calls) == 2:  # nobody else can write now: the other process has to wait
            process.stdin.write("go\n")
            process.stdin.flush()
            assert process.stdout.readline() == "writing\n"

    index.rebuild(fill)
    outcome(process)
    assert filler.find(index, "late") == ["late"]
    assert index.coverage(None).records == 2
