"""Field cases 3: many processes at once. Each acknowledged write is kept, and nobody is refused for long."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from scrubjay import Memory, Message, Session
from scrubjay.errors import Conflict
from scrubjay.testing import HashEmbedder

REMEMBER = """
import sys
from scrubjay import Memory
vault, name, count = sys.argv[1:]
sys.stdin.readline()
with Memory.open(vault, settings={"models.embedder": "none"}, background=False) as memory:
    for number in range(int(count)):
        print(memory.remember(f"{name} says statement{number} of {name}.").id)
"""


def together(vault: Path, names: str, count: int) -> list[str]:
    """The ids that one process for each of ``names`` acknowledged; all begin at the same moment."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", REMEMBER, str(vault), name, str(count)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
            env={**os.environ, "PYTHONWARNINGS": "ignore"},
        )
        for name in names
    ]  # fmt: skip
    with ThreadPoolExecutor(len(processes)) as threads:
        ended = list(threads.map(lambda process: process.communicate("go\n"), processes))
    assert [errors for _, errors in ended] == [""] * len(processes)
    assert [process.returncode for process in processes] == [0] * len(processes)
    return [id for output, _ in ended for id in output.split()]


def test_eight_processes_begin_in_an_empty_folder(open_memory: Callable[..., Memory], tmp_path: Path) -> None:
    """F51: all come up, on one index, and each one's first fact is there."""
    ids = together(tmp_path / "vault", "abcdefgh", 1)
    assert len(set(ids)) == 8
    memory = open_memory()
    assert {fact.id for fact in memory.facts()} == set(ids)
    assert [finding for finding in memory.doctor() if finding.severity != "info"] == []


def test_two_processes_keep_each_others_writes(open_memory: Callable[..., Memory], tmp_path: Path) -> None:
    """F49: two hundred of two hundred."""
    ids = together(tmp_path / "vault", "ab", 100)
    assert len(set(ids)) == 200
    assert {fact.id for fact in open_memory().facts()} == set(ids)


def test_a_garbage_line_stops_nothing(memory: Memory, tmp_path: Path) -> None:
    """F49: what somebody spoilt by hand is reported; the rest of the file and every verb go on."""
    session = Session(id="s", messages=[Message(id=f"m{n}", role="user", text=f"walrus{n} swims") for n in range(4)])
    path = memory.ingest(session).sessions[0].path
    fact = memory.remember("The walrus sleeps.")
    for name in (path, fact.path):
        with (tmp_path / "vault" / name).open("ab") as file:
            file.write(b"\n{garbage \xff\x00 <!-- \n")
    memory.sync()
    assert {problem.path for problem in memory.status()[0].problems} == {path, fact.path}
    assert {hit.text for hit in memory.search("walrus2", abstain=False).hits} >= {"walrus2 swims"}
    assert memory.remember("The seal wakes.").action == "created"
    assert memory.ingest(session).known == 4


def test_writers_go_on_during_maintenance(open_memory: Callable[..., Memory]) -> None:
    """F50: four writers while the index is rebuilt and mended again and again: nothing locked, nothing lost."""
    memories = [open_memory(settings={"write.durability": "normal"}) for _ in range(5)]
    done: list[str] = []

    def write(number: int) -> list[str]:
        stored = [memories[number].remember(f"Writer {number} wrote line{line}.").id for line in range(15)]
        done.append("")
        return stored

    def maintain() -> None:
        while len(done) < 4:
            memories[4].reindex()
            memories[4].doctor(repair=True)

    with ThreadPoolExecutor(5) as threads:
        upkeep = threads.submit(maintain)
        ids = [id for written in threads.map(write, range(4)) for id in written]
        upkeep.result()
    assert len(set(ids)) == 60
    for memory in memories:
        assert {fact.id for fact in memory.facts()} == set(ids)
    assert [finding for finding in memories[0].doctor() if finding.severity != "info"] == []


def test_two_embed_at_once(open_memory: Callable[..., Memory]) -> None:
    """F52: the same records by two at the same time: no error, one vector each."""
    memories = [open_memory(embedder=HashEmbedder()) for _ in range(2)]
    messages = [Message(id=f"m{n}", role="user", text=f"text{n} of many") for n in range(300)]
    memories[0].ingest(Session(id="s", messages=messages))
    with ThreadPoolExecutor(2) as threads:
        reports = list(threads.map(lambda memory: memory.drain(), memories))
    assert [report.error for report in reports] == ["", ""]
    coverage = memories[0].status()[0].coverage
    assert (coverage.embeddable, coverage.vectors, memories[1].waiting()) == (300, 300, 0)
    assert [finding for finding in memories[1].doctor() if finding.severity != "info"] == []


def test_two_append_to_one_document(open_memory: Callable[..., Memory]) -> None:
    """F54, F55, F10: fifty messages each into the same conversation are a hundred."""
    memories = [open_memory(settings={"write.durability": "normal"}) for _ in range(2)]

    def append(number: int) -> int:
        said = [Message(id=f"{number}-{n}", role="user", text=f"{number} says {n}") for n in range(50)]
        return sum(memories[number].ingest(Session(id="shared", messages=[message])).added for message in said)

    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(append, range(2))) == [50, 50]
    coverage = memories[0].status()[0].coverage
    assert (coverage.documents, coverage.records) == (1, 100)
    document, _ = memories[1].show(memories[0].search("says", abstain=False).hits[0].path)
    for number in range(2):
        places = [document.text.index(f"{number} says {n}") for n in range(50)]
        assert len(set(places)) == 50


def test_a_failure_beside_takes_nothing_along(memory: Memory) -> None:
    """F59, F54: of many who supersede one fact one wins; the others' rollbacks touch no neighbour's write."""
    old = memory.remember("The port is 1.")

    def write(number: int) -> str:
        try:
            if number % 2:
                return memory.supersede(old.id, f"The port is {number + 1}.").id
            return memory.remember(f"Line{number} is here.").id
        except Conflict:
            return ""

    with ThreadPoolExecutor(8) as threads:
        ids = list(threads.map(write, range(24)))
    assert len([id for id in ids[1::2] if id]) == 1
    assert {fact.id for fact in memory.facts()} == {id for id in ids if id}
    assert memory.history(old.id)[0].text == "The port is 1."
    assert [finding for finding in memory.doctor() if finding.severity != "info"] == []
