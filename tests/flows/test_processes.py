"""Many processes and sudden death: every acknowledged write is there afterwards."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scrubjay import Memory

WRITER = Path(__file__).with_name("writers.py")


def start(vault: Path, name: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(WRITER), str(vault), name, str(count)],
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
    )


def acknowledged(process: subprocess.Popen[str], until: int | None = None) -> list[str]:
    """The ids a writer acknowledged; after ``until`` of them it is killed without warning."""
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "ready"
    ids: list[str] = []
    for line in process.stdout:
        if line.endswith("\n"):
            ids.append(line.strip())
        if until is not None and len(ids) >= until:
            process.send_signal(signal.SIGKILL)
            until = None
    process.wait()
    process.stdout.close()
    return ids


def check_everything_is_there(memory: Memory, ids: list[str], vault: Path) -> None:
    stored = {fact.id for fact in memory.facts(include_superseded=True)}
    assert set(ids) <= stored
    assert memory.doctor() == [] or all(finding.severity == "info" for finding in memory.doctor())
    store = memory._stores[0]
    store.vault.sweep(older_than=-60)
    assert not [path for path in vault.rglob("*") if path.name.startswith(".scrubjay") and path.is_file()]
    for fact in memory.facts(include_superseded=True):
        if not fact.current:
            assert memory.history(fact.id)[-1].current


def test_acknowledged_writes_survive_kill(open_memory: Callable[..., Memory], tmp_path: Path, own_home: Path) -> None:
    """Three writers, killed at random points again and again; nothing acknowledged is lost, nothing is half there."""
    vault = tmp_path / "vault"
    open_memory(vault).close()
    chance = random.Random(7)
    ids: list[str] = []
    for round_ in range(4):
        writers = [start(vault, f"writer{round_}{name}", 40) for name in "abc"]
        limits = [chance.randrange(5, 40), chance.randrange(5, 40), None]
        with ThreadPoolExecutor(3) as threads:
            for got in threads.map(acknowledged, writers, limits):
                ids += got
    assert len(ids) > 200
    memory = open_memory(vault)
    check_everything_is_there(memory, ids, vault)
    before = sorted((fact.id, fact.text, fact.current) for fact in memory.facts(include_superseded=True))
    memory.close()
    shutil.rmtree(own_home / ".scrubjay" / "state")
    again = open_memory(vault)
    after = sorted((fact.id, fact.text, fact.current) for fact in again.facts(include_superseded=True))
    assert after == before


def test_concurrent_writers_lose_nothing(memory: Memory) -> None:
    """F50, F55, F59: 32 threads, one memory, no rollback of a neighbour's write."""
    barrier = threading.Barrier(32)

    def write(number: int) -> str:
        barrier.wait()
        return memory.remember(f"Thread {number} was here with token{number}.").id

    with ThreadPoolExecutor(32) as threads:
        ids = list(threads.map(write, range(32)))
    assert len(set(ids)) == 32
    assert {fact.id for fact in memory.facts()} == set(ids)


def test_the_same_statement_from_many_threads_is_one_fact(memory: Memory) -> None:
    """F22, F23: one matcher decides, inside the transaction."""
    with ThreadPoolExecutor(8) as threads:
        stored = list(threads.map(lambda _: memory.remember("The one and only statement."), range(8)))
    assert len({fact.id for fact in stored}) == 1
    assert [fact.action for fact in stored].count("created") == 1
    assert len(memory.facts()) == 1


def test_a_failing_write_takes_nothing_with_it(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """F14, F59: a full disk in the middle of superseding leaves the old fact current and says so."""
    from scrubjay.errors import Unavailable
    from scrubjay.vaults.folder import FolderVault

    old = memory.remember("The port is 1.")
    real = FolderVault.write_bytes
    calls: list[str] = []

    def full(self: FolderVault, path: str, data: bytes, *, expected: str | None) -> object:
        calls.append(path)
        if path == old.path:
            raise Unavailable("The disk is full.")
        return real(self, path, data, expected=expected)

    monkeypatch.setattr(FolderVault, "write_bytes", full)
    with pytest.raises(Unavailable, match="disk is full"):
        memory.supersede(old.id, "The port is 2.")
    monkeypatch.undo()
    assert old.path in calls
    assert [(fact.text, fact.current) for fact in memory.facts(include_superseded=True)] == [("The port is 1.", True)]
    assert memory.sync()["user"].anything is False
    assert memory.search("port 2", abstain=False).hits[0].text == "The port is 1."


def test_a_successor_without_a_closed_predecessor_is_finished_by_sync(memory: Memory, tmp_path: Path) -> None:
    """F8: a crash between the two writes of superseding leaves a link, and the next sync closes the old fact."""
    old = memory.remember("The port is 1.")
    new = memory.supersede(old.id, "The port is 2.")
    path = tmp_path / "vault" / old.path
    kept = [line for line in path.read_text("utf-8").split("\n") if not line.startswith(("closed", "superseded"))]
    path.write_text("\n".join(kept), "utf-8")
    new_path = tmp_path / "vault" / new.path
    new_path.write_text(new_path.read_text("utf-8") + "\n", "utf-8")
    report = memory.sync()["user"]
    assert report.repaired == [old.path]
    assert [fact.text for fact in memory.facts()] == ["The port is 2."]
