"""Nothing is lost on the way: killed or out of space at any point, a change is whole, absent, or undoable (F39)."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from scrubjay import Memory
from scrubjay.errors import Conflict, Corrupt, NotFound, Unavailable
from scrubjay.operations.editing import Edits
from scrubjay.vaults import atomic
from scrubjay.vaults.folder import FolderVault

FAST = {"write.durability": "normal"}
TEXT = "The alarm code is on the fridge."
NEWER = "The alarm code is in the safe."


class Killed(BaseException):
    """Stands for SIGKILL: nothing of ours runs after it."""


def forget(memory: Memory, id: str) -> None:
    memory.forget(id)


def supersede(memory: Memory, id: str) -> None:
    memory.supersede(id, NEWER)


def retract(memory: Memory, id: str) -> None:
    memory.retract(id)


def forget_and_undo(memory: Memory, id: str) -> None:
    memory.forget(id)
    memory.undo()


def supersede_and_undo(memory: Memory, id: str) -> None:
    memory.supersede(id, NEWER)
    memory.undo()


VERBS = [forget, supersede, retract, forget_and_undo, supersede_and_undo]


def current(memory: Memory) -> list[str]:
    return [fact.text for fact in memory.facts()]


def operations_to_undo(memory: Memory) -> int:
    return len([one for one in memory.operations(100) if not one.undone and one.verb not in ("undo", "remember")])


def undo_until_current(memory: Memory) -> None:
    """Undoes all but the first remembering; the fact must be current then, by its own words.

    A successor that was written before anything was taken away may be current beside it.
    """
    for _ in range(operations_to_undo(memory)):
        memory.undo()
    assert set(current(memory)) - {NEWER} == {TEXT}
    assert TEXT in [hit.text for hit in memory.search("alarm code fridge", abstain=False).hits]
    assert [finding for finding in memory.doctor() if finding.severity != "info"] == []


def vault_calls(monkeypatch: pytest.MonkeyPatch, act: Callable[[int, bool], None]) -> None:
    """Calls ``act(number, done)`` before and after every call that changes the vault."""
    count = 0
    for name in ("write_bytes", "rename"):
        real = getattr(FolderVault, name)

        def call(self: FolderVault, *args: object, _real: Callable[..., object] = real, **options: object) -> object:
            nonlocal count
            count += 1
            number = count
            act(number, False)
            answer = _real(self, *args, **options)
            act(number, True)
            return answer

        monkeypatch.setattr(FolderVault, name, call)


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(("after", "rebuilt"), [(False, False), (True, True)])
def test_a_kill_at_any_call_loses_nothing(
    open_memory: Callable[..., Memory],
    own_home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    verb: Callable[[Memory, str], None],
    after: bool,
    rebuilt: bool,
) -> None:
    """F8, F31, F39: before and after each step; also when the index is lost as well."""
    for point in range(1, 30):
        vault = tmp_path / f"vault{point}"
        memory = open_memory(vault, settings=FAST)
        fact = memory.remember(TEXT)
        finished = True

        def kill(number: int, done: bool, point: int = point) -> None:
            if number == point and done == after:
                raise Killed

        with monkeypatch.context() as patched:
            vault_calls(patched, kill)
            patched.setattr(Edits, "roll_back", lambda _: [])
            try:
                verb(memory, fact.id)
            except Killed:
                finished = False
        memory.close()
        if rebuilt:
            shutil.rmtree(own_home / ".scrubjay" / "state")
        again = open_memory(vault, settings=FAST)
        undo_until_current(again)
        again.close()
        if finished:
            assert point > 1
            return
    pytest.fail("the verb never finished")


KILLED = """
import os, sys
from scrubjay import Memory
from scrubjay.vaults import atomic

memory = Memory.open(sys.argv[1], settings={"models.embedder": "none"}, background=False)
real = os.unlink

def unlink(path, *args, **options):
    if sys.argv[2] == "before" and not os.path.basename(path).startswith("."):
        os._exit(9)
    real(path, *args, **options)
    if sys.argv[2] == "after" and not os.path.basename(path).startswith("."):
        os._exit(9)

os.unlink = unlink
memory.forget(sys.argv[3])
"""


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_process_that_dies_while_forgetting(open_memory: Callable[..., Memory], tmp_path: Path, moment: str) -> None:
    """F39: really dead, in the middle of the move into the trash; a memory that stayed open finds it by its sync."""
    memory = open_memory()
    fact = memory.remember(TEXT)
    dead = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "vault"), moment, fact.id], check=False)
    assert dead.returncode == 9
    if moment == "after":
        assert [finding.severity for finding in memory.doctor()].count("warning") == 1
    memory.sync()
    assert operations_to_undo(memory) == (moment == "after")
    undo_until_current(memory)


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("lasting", [False, True])
def test_a_full_disk_loses_nothing(
    open_memory: Callable[..., Memory],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    verb: Callable[[Memory, str], None],
    lasting: bool,
) -> None:
    """F14, F39: full at the n-th write, for a moment or for good, while what failed is put back too."""
    real = atomic._fill
    for point in range(1, 30):
        vault = tmp_path / f"vault{point}"
        memory = open_memory(vault, settings=FAST)
        fact = memory.remember(TEXT)
        count = 0

        def fill(root: Path, temp: str, data: bytes, mode: int, point: int = point) -> None:
            nonlocal count
            count += 1
            if count == point or (lasting and count > point):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            real(root, temp, data, mode)

        finished = True
        with monkeypatch.context() as patched:
            patched.setattr(atomic, "_fill", fill)
            try:
                verb(memory, fact.id)
            except Unavailable:
                finished = False
        memory.sync()
        undo_until_current(memory)
        if finished:
            assert point > 1
            return
    pytest.fail("the verb never finished")


def test_forgetting_on_a_full_disk_changes_nothing(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """F39: without space for the receipt the fact stays where it is."""
    fact = memory.remember(TEXT)

    def full(*args: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(atomic, "_fill", full)
        with pytest.raises(Unavailable, match="disk is full"):
            memory.forget(fact.id)
    assert current(memory) == [TEXT]
    assert len(memory.operations()) == 1


def test_what_cannot_be_put_back_is_named(memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """F14: the failure of a failure says which command helps, and that command does."""
    from scrubjay.index.sqlite import SqliteIndex

    fact = memory.remember(TEXT)

    def fail(*args: object, **options: object) -> None:
        raise Unavailable("The disk is gone.")

    with monkeypatch.context() as patched:
        patched.setattr(SqliteIndex, "drop_document", fail)
        patched.setattr(FolderVault, "rename", _first_only(FolderVault.rename))
        with pytest.raises(Unavailable, match="disk is gone") as caught:
            memory.forget(fact.id)
    assert fact.path in caught.value.hint
    memory.sync()
    memory.undo(caught.value.hint.rpartition("undo ")[2].strip("`."))
    undo_until_current(memory)


def _first_only(real: Callable[..., object]) -> Callable[..., object]:
    calls: list[object] = []

    def call(*args: object, **options: object) -> object:
        calls.append(args)
        if len(calls) > 1:
            raise Unavailable("The disk is gone.")
        return real(*args, **options)

    return call


DAMAGE = [
    b"",
    b"\xff\x00",
    b"---\nid: x\n---\n",
    b'---\nid: x\nverb: y\nat: 2026-01-01T00:00:00Z\n---\n```json\n["x"]\n```\n',
]


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_receipt_is_reported(
    open_memory: Callable[..., Memory], own_home: Path, tmp_path: Path, damage: bytes
) -> None:
    """F31: the sync and the doctor name it, and where the kept bytes lie; copying them back by hand works."""
    memory = open_memory()
    fact = memory.remember(TEXT)
    kept = memory.forget(fact.id).changes[0].kept
    receipt = "/".join([*kept.split("/")[:2], "receipt.md"])
    (tmp_path / "vault" / receipt).write_bytes(damage)
    memory.close()
    shutil.rmtree(own_home / ".scrubjay" / "state")
    again = open_memory()
    problems = again.sync()["user"].problems
    assert [problem.path for problem in problems] == [receipt]
    assert "damaged" in problems[0].message
    (warning,) = [finding for finding in again.doctor() if finding.severity == "warning"]
    assert receipt in warning.message
    assert kept in warning.message
    shutil.copy(tmp_path / "vault" / kept, tmp_path / "vault" / fact.path)
    again.sync()
    assert current(again) == [TEXT]


def test_a_receipt_that_points_elsewhere_is_damaged(memory: Memory, tmp_path: Path) -> None:
    """SEC-1: a receipt can name bytes of its own operation only."""
    operation = memory.forget(memory.remember(TEXT).id)
    receipt = tmp_path / "vault" / operation.changes[0].kept.split("/40-")[0] / "receipt.md"
    receipt.write_text(receipt.read_text("utf-8").replace(f"90-Trash/{operation.id}", "10-Memories"), "utf-8")
    assert any("damaged" in finding.message for finding in memory.doctor())


@pytest.mark.parametrize("how", ["no frontmatter", "no kind"])
def test_a_fact_that_is_none_any_more_is_reported(memory: Memory, tmp_path: Path, how: str) -> None:
    """F30: a file in the facts' folder that no list of facts shows."""
    fact = memory.remember(TEXT)
    path = tmp_path / "vault" / fact.path
    text = path.read_text("utf-8")
    path.write_text(TEXT + "\n" if how == "no frontmatter" else text.replace("kind: fact\n", ""), "utf-8")
    memory.sync()
    (problem,) = memory.status()[0].problems
    assert problem.path == fact.path
    assert "is no fact" in problem.message
    assert any("is no fact" in finding.message for finding in memory.doctor())


def test_a_fact_closed_for_a_successor_that_is_gone_is_reported(memory: Memory) -> None:
    """F8: neither of them is current, so somebody has to know."""
    old = memory.remember(TEXT)
    new = memory.supersede(old.id, NEWER)
    memory.forget(new.id)
    (warning,) = [finding for finding in memory.doctor() if finding.severity == "warning"]
    assert old.path in warning.message
    assert new.id in warning.message
    memory.undo()
    assert [finding for finding in memory.doctor() if finding.severity == "warning"] == []


def test_a_bad_number_is_named_once(memory: Memory, tmp_path: Path) -> None:
    fact = memory.remember(TEXT, confidence=0.5)
    path = tmp_path / "vault" / fact.path
    path.write_text(path.read_text("utf-8").replace("confidence: 0.5", "confidence: lots"), "utf-8")
    memory.sync()
    (problem,) = memory.status()[0].problems
    assert (problem.path, problem.message) == (fact.path, "confidence: 'lots' is not a number.")


def test_undo_says_that_the_place_is_taken(memory: Memory, tmp_path: Path) -> None:
    fact = memory.remember(TEXT)
    operation = memory.forget(fact.id)
    path = tmp_path / "vault" / fact.path
    path.write_text("Mine.\n", "utf-8")
    with pytest.raises(Conflict, match="Something else lies at") as caught:
        memory.undo()
    assert "scrubjay undo --list" in caught.value.hint
    assert path.read_text("utf-8") == "Mine.\n"
    path.rename(path.with_name("mine.txt"))
    memory.undo(operation.id)
    assert current(memory) == [TEXT]


@pytest.mark.parametrize("lost", [True, False])
def test_undo_says_that_the_bytes_are_missing_or_others(memory: Memory, tmp_path: Path, lost: bool) -> None:
    fact = memory.remember(TEXT)
    kept = tmp_path / "vault" / memory.forget(fact.id).changes[0].kept
    if lost:
        kept.rename(kept.with_name("elsewhere"))
    else:
        kept.write_text("Mine.\n", "utf-8")
    with pytest.raises(NotFound if lost else Corrupt, match="missing" if lost else "was changed") as caught:
        memory.undo()
    assert "scrubjay undo --list" in caught.value.hint
    assert not (tmp_path / "vault" / fact.path).exists()


def test_undo_says_that_a_file_was_moved(memory: Memory, tmp_path: Path) -> None:
    """F33: a fact that was moved since is not left standing while undo claims success."""
    fact = memory.remember(TEXT)
    path = tmp_path / "vault" / fact.path
    path.rename(path.with_name("moved.md"))
    memory.sync()
    with pytest.raises(Conflict, match=r"was moved to .*moved\.md"):
        memory.undo()
    path.with_name("moved.md").rename(path)
    memory.sync()
    memory.undo()
    assert current(memory) == []


@pytest.mark.parametrize("rebuilt", [False, True])
def test_a_batch_of_new_memories_that_was_killed_is_one_undo_away(
    open_memory: Callable[..., Memory], own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rebuilt: bool
) -> None:
    """F39, SM-11: at any call; what was created until then goes as one, and nothing is left without a receipt."""
    source = tmp_path / "source"
    source.mkdir()
    for word in ("alpha", "bravo", "charlie"):
        (source / f"{word}.md").write_text(f"# {word}\n\nAbout {word}.\n", encoding="utf-8")
    for point in range(1, 30):
        vault = tmp_path / f"vault{point}"
        memory = open_memory(vault, settings=FAST)
        plan = memory.learn(source).decide("CREATE")
        finished = True

        def kill(number: int, done: bool, point: int = point) -> None:
            if number == point and done:
                raise Killed

        with monkeypatch.context() as patched:
            vault_calls(patched, kill)
            patched.setattr(Edits, "roll_back", lambda _: [])
            try:
                memory.apply(plan)
            except Killed:
                finished = False
        memory.close()
        if rebuilt:
            shutil.rmtree(own_home / ".scrubjay" / "state")
        again = open_memory(vault, settings=FAST)
        again.sync()
        left = list((vault / "10-Memories").glob("MEM-*.md"))
        if left:
            again.undo()
        assert not list((vault / "10-Memories").glob("MEM-*.md"))
        assert [finding for finding in again.doctor() if finding.severity != "info"] == []
        again.close()
        if finished:
            assert point > 6
            return
    pytest.fail("the batch never finished")


@pytest.mark.parametrize("verb", [*VERBS, None])
def test_a_commit_that_fails_puts_the_files_back(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: Callable[[Memory, str], None] | None
) -> None:
    """F14: what is said to have failed did not happen, though the files were written before the index was full."""
    from scrubjay.index.sqlite.database import Database

    fact = memory.remember(TEXT)
    plan = memory.learn("# Tea\n\nSencha steeps for a minute.").decide("CREATE")
    folder = tmp_path / "vault"

    def files() -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in folder.rglob("*.md") if "90-Trash" not in str(path)}

    before = files()

    def full(*_: object) -> None:
        raise Unavailable("The disk that holds the index is full.")

    with monkeypatch.context() as patched:
        patched.setattr(Database, "_commit", full)
        with pytest.raises(Unavailable, match="index is full"):
            verb(memory, fact.id) if verb else memory.apply(plan)
    assert files() == before
    memory.sync()
    assert current(memory) == [TEXT]
    assert [finding for finding in memory.doctor() if finding.severity != "info"] == []
