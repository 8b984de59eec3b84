"""Distilling that is killed, or done by two at once: no word is lost, none stands twice (F2, F8, F21, F31; SM-53)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from scrubjay import Memory
from scrubjay.operations.editing import Edits
from scrubjay.text import frontmatter
from tests.flows.test_distill import put
from tests.flows.test_reversible import Killed, vault_calls

KINDS = ("purge", "merge", "compress", "refine", "gc")
FAST = {"write.durability": "normal"}
LONG = " ".join(f"The pool holds {number} connections and never {number + 1}." for number in range(120))


def fill(vault: Path) -> None:
    (vault / "10-Memories").mkdir(parents=True)
    put(vault, "MEM-a", "Text of a.", keywords="http, retry, pool", count=2, days=90)
    put(vault, "MEM-b", "Text of b.", keywords="http, retry, pool", count=1, days=90)
    put(vault, "MEM-c", "See [[MEM-b]].", keywords="x, X", days=90)
    put(vault, "MEM-long", LONG, keywords="connections", days=1)
    put(vault, "MEM-gone", days=99, more="status: tombstoned\ntombstoned_at: 2026-01-01\n")


def memories(vault: Path) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in (vault / "10-Memories").glob("MEM-*.md")}


def finish(memory: Memory, kind: str) -> None:
    """Distills until nothing is left to do."""
    for _ in range(3):
        plan = memory.distill(kind)
        memory.apply(plan.decide("recommended"))
    assert memory.distill(kind).proposals == ()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("after", [False, True])
def test_a_kill_at_any_call_loses_nothing(
    open_memory: Callable[..., Memory], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, after: bool
) -> None:
    """Whatever was done by then can be finished by the next run, and taken back."""
    for point in range(1, 60):
        vault = tmp_path / f"vault{point}"
        fill(vault)
        memory = open_memory(vault, settings=FAST)
        before = memories(vault)
        plan = memory.distill(kind).decide("recommended")
        assert plan.proposals

        def kill(number: int, done: bool, point: int = point) -> None:
            if number == point and done == after:
                raise Killed

        finished = True
        with monkeypatch.context() as patched:
            vault_calls(patched, kill)
            patched.setattr(Edits, "roll_back", lambda _: [])
            try:
                memory.apply(plan)
            except Killed:
                finished = False
        memory.close()
        again = open_memory(vault, settings=FAST)
        text = "\n".join(memories(vault).values())
        assert all(words in text for words in ("Text of a.", "Text of b.", "See [[MEM-", LONG))
        if point % 2:
            finish(again, kind)
            assert kind != "merge" or merged_once(vault)
        for operation in again.operations(100):
            if not operation.undone and operation.verb == "distill":
                again.undo(operation.id)
        assert memories(vault) == before, (point, after)
        again.close()
        if finished:
            assert point > 1
            return
    pytest.fail("distilling never finished")


def merged_once(vault: Path) -> bool:
    files = memories(vault)
    values = frontmatter.parse(files["MEM-a.md"]).values
    assert files["MEM-a.md"].count("Text of b.") == files["MEM-a.md"].count("## Merged From MEM-b") == 1
    assert values["retrieval_count"] == 3
    assert frontmatter.parse(files["MEM-b.md"]).string("tombstone_reason") == "merged_into:MEM-a"
    return "[[MEM-a]]" in files["MEM-c.md"]


def test_sm53_two_processes_distill_one_vault(tmp_path: Path, own_home: Path) -> None:
    """What one did, the other finds done: it says so, and does nothing twice."""
    vault = tmp_path / "vault"
    fill(vault)
    command = [sys.executable, "-m", "scrubjay", "--vault", str(vault), "distill", "--merge", "--yes"]
    env = {**os.environ, "PYTHONWARNINGS": "ignore"}
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, cwd=tmp_path)
        for _ in range(3)
    ]
    for process in running:
        out, err = process.communicate()
        assert process.returncode in (0, 4, 5), (out, err)
        assert b"Traceback" not in err
    assert merged_once(vault)
