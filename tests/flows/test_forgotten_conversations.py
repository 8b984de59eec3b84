"""Forgotten is forgotten, whatever is taken in again, and what a conversation took back counts less (SEC-7, TR-5).

The index may have been lost in between: what is known of it stands in the vault.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from scrubjay import Memory
from scrubjay.errors import BadInput, Conflict
from scrubjay.operations.editing import editing

ID = "0195c1d2-aaaa-7bbb-8ccc-0123456789ab"


def line(kind: str, minute: int, /, **payload: object) -> str:
    return json.dumps({"timestamp": f"2026-05-31T14:{minute:02}:00.000Z", "type": kind, "payload": payload}) + "\n"


def said(role: str, text: str, minute: int) -> str:
    kind = "input_text" if role == "user" else "output_text"
    return line("response_item", minute, type="message", role=role, content=[{"type": kind, "text": text}])


def rolled_back(turns: int, minute: int) -> str:
    return line("event_msg", minute, type="thread_rolled_back", num_turns=turns)


META = line("session_meta", 0, id=ID, cwd="/home/max/shop", cli_version="0.50.0")
TALK = META + said("user", "Which walrus guards the cellar?", 1) + said("assistant", "Bruno the walrus does.", 2)


@pytest.fixture
def rollout(tmp_path: Path) -> Path:
    path = tmp_path / "sessions" / f"rollout-2026-05-31T14-00-00-{ID}.jsonl"
    path.parent.mkdir()
    path.write_text(TALK, "utf-8")
    return path


def texts(memory: Memory, question: str) -> list[str]:
    return [hit.text for hit in memory.search(question, abstain=False).hits]


def append(path: Path, *more: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.writelines(more)


def without_index(memory: Memory, open_memory: Callable[..., Memory], own_home: Path) -> Memory:
    """The same vault after its index was lost, as in a fresh clone."""
    memory.close()
    shutil.rmtree(own_home / ".scrubjay" / "state")
    return open_memory()


def test_a_forgotten_conversation_stays_forgotten(memory: Memory, rollout: Path) -> None:
    report = memory.ingest(rollout)
    memory.forget(report.sessions[0].path)
    assert texts(memory, "walrus cellar") == []
    append(rollout, said("user", "And the walrus of the attic?", 3))
    again = memory.ingest(rollout)
    assert (again.added, again.forgotten, again.withdrawn) == (0, 1, 0)
    assert texts(memory, "walrus") == []


def test_it_stays_forgotten_when_the_index_was_lost(
    memory: Memory, open_memory: Callable[..., Memory], rollout: Path, tmp_path: Path, own_home: Path
) -> None:
    memory.forget(memory.ingest(rollout).sessions[0].path)
    shutil.rmtree(tmp_path / "vault" / "90-Trash")  # git does not carry the trash
    memory = without_index(memory, open_memory, own_home)
    report = memory.ingest(rollout)
    assert (report.added, report.forgotten) == (0, 2)
    assert texts(memory, "walrus cellar") == []
    memory.reindex()
    assert memory.ingest(rollout.parent).added == 0


def test_undo_lifts_it_and_what_was_said_meanwhile_is_taken_in(memory: Memory, rollout: Path) -> None:
    memory.ingest(rollout)
    memory.forget(memory.search("walrus", abstain=False).hits[0].path)
    append(rollout, said("user", "And the walrus of the attic?", 3))
    assert memory.ingest(rollout).forgotten == 1
    memory.undo()
    assert len(texts(memory, "walrus cellar")) == 2
    report = memory.ingest(rollout)
    assert (report.added, report.known, report.forgotten) == (1, 2, 0)
    assert memory.ingest(rollout).unchanged == 1
    assert "And the walrus of the attic?" in texts(memory, "walrus attic")


def test_nothing_of_a_forgotten_conversation_is_told_by_its_tombstone(
    memory: Memory, rollout: Path, tmp_path: Path
) -> None:
    memory.forget(memory.ingest(rollout).sessions[0].path)
    left = [path for path in (tmp_path / "vault").rglob("*") if path.is_file() and "90-Trash" not in path.parts]
    for path in left:
        assert b"walrus" not in path.read_bytes().lower()
        assert "walrus" not in path.name


def test_messages_that_a_fork_copied_stay_forgotten_too(memory: Memory, rollout: Path) -> None:
    memory.forget(memory.ingest(rollout).sessions[0].path)
    other = rollout.with_name("rollout-2026-05-31T15-00-00-0195c1d2-bbbb-7bbb-8ccc-0123456789ab.jsonl")
    meta = line("session_meta", 0, id="0195c1d2-bbbb-7bbb-8ccc-0123456789ab", forked_from_id=ID)
    other.write_text(meta + TALK.removeprefix(META) + said("user", "Only in the fork: a seal.", 5), "utf-8")
    report = memory.ingest(other)
    assert report.added + report.forgotten == 3
    assert "Only in the fork: a seal." in texts(memory, "seal fork")


def test_a_forgotten_message_stays_forgotten_when_the_index_was_lost(
    memory: Memory, open_memory: Callable[..., Memory], rollout: Path, tmp_path: Path, own_home: Path
) -> None:
    memory.ingest(rollout)
    memory.forget(memory.search("Bruno walrus", abstain=False).hits[0].id)
    memory = without_index(memory, open_memory, own_home)
    assert memory.ingest(rollout).added == 0
    assert texts(memory, "Bruno walrus") == ["Which walrus guards the cellar?"]


def test_a_summary_goes_with_its_conversation_and_a_forgotten_one_stays_away(
    memory: Memory, rollout: Path, tmp_path: Path
) -> None:
    append(rollout, line("compacted", 3, message="They spoke of a walrus named Bruno."))
    report = memory.ingest(rollout)
    assert sum(one.summaries for one in report.sessions) == 1
    [episode] = [hit for hit in memory.search("Bruno walrus spoke", abstain=False).hits if hit.layer == "episodes"]
    memory.forget(episode.id)
    copy = tmp_path / "copy" / rollout.name
    copy.parent.mkdir()
    shutil.copy(rollout, copy)
    assert sum(one.summaries for one in memory.ingest(copy).sessions) == 0
    memory.undo()
    memory.forget(report.sessions[0].path)
    assert texts(memory, "Bruno walrus") == []


# --- taken back in the conversation -----------------------------------------------------------------------------------


def test_a_rolled_back_turn_is_marked_and_kept(memory: Memory, rollout: Path, tmp_path: Path) -> None:
    append(rollout, said("user", "The walrus is called Otto.", 3), said("assistant", "Otto the walrus, then.", 4))
    memory.ingest(rollout)
    append(rollout, rolled_back(1, 5), said("user", "The walrus stays Bruno.", 6))
    report = memory.ingest(rollout)
    assert (report.added, report.withdrawn) == (1, 2)
    hits = {hit.text: hit for hit in memory.search("walrus Otto", abstain=False).hits}
    otto = hits["The walrus is called Otto."]
    assert (otto.record.trust, otto.record.confidence) == ("low", 0.5)
    assert otto.note == "low trust: taken back later in the conversation"
    assert hits["Bruno the walrus does."].record.trust == "normal"
    memory.reindex()
    [again] = [hit for hit in memory.search("walrus Otto", abstain=False).hits if hit.text == otto.text]
    assert again.record.trust == "low"
    assert memory.ingest(rollout).withdrawn == 0
    memory.undo()
    assert {hit.record.trust for hit in memory.search("walrus Otto", abstain=False).hits} == {"normal"}


def test_what_was_taken_back_ranks_below_what_stands(memory: Memory, rollout: Path) -> None:
    append(rollout, said("user", "Feed the seal at nine.", 3))
    memory.ingest(rollout)
    append(rollout, rolled_back(1, 4), said("user", "Feed the seal at ten.", 5))
    memory.ingest(rollout)
    found = memory.search("when to feed the seal", abstain=False, explain=True).hits
    assert [hit.text for hit in found][:2] == ["Feed the seal at ten.", "Feed the seal at nine."]


def test_it_is_marked_when_the_place_of_reading_was_lost(
    memory: Memory, open_memory: Callable[..., Memory], rollout: Path, tmp_path: Path, own_home: Path
) -> None:
    append(rollout, said("user", "The walrus is called Otto.", 3))
    memory.ingest(rollout)
    append(rollout, rolled_back(1, 5))
    memory = without_index(memory, open_memory, own_home)
    assert memory.ingest(rollout).withdrawn == 1


def claude(number: int, role: str, text: str, parent: int | None) -> Mapping[str, object]:
    return {
        "type": role,
        "uuid": f"00000000-0000-4000-8000-{number:012}",
        "parentUuid": None if parent is None else f"00000000-0000-4000-8000-{parent:012}",
        "sessionId": ID,
        "timestamp": f"2026-11-30T10:{number:02}:00.000Z",
        "message": {"role": role, "content": text},
    }


def test_tr5_an_abandoned_branch_is_kept_with_low_trust(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / f"{ID}.jsonl"
    first = [
        claude(1, "user", "Let us name animals.", None),
        claude(2, "assistant", "Gladly.", 1),
        claude(3, "user", "Name the seal.", 2),
        claude(4, "assistant", "The seal is Otto.", 3),
    ]
    path.write_text("".join(json.dumps(one) + "\n" for one in first), "utf-8")
    memory.ingest(path)
    append(path, json.dumps(claude(5, "user", "Name the seal again, for the zoo.", 2)) + "\n")
    append(path, json.dumps(claude(6, "assistant", "The seal is Emma.", 5)) + "\n")
    assert memory.ingest(path).withdrawn == 2
    trust = {hit.text: hit.record.trust for hit in memory.search("name of the seal", abstain=False).hits}
    assert trust["The seal is Emma."] == "normal"
    assert trust["The seal is Otto."] == "low"


# --- what grows is not kept again and again ---------------------------------------------------------------------------


def trash_of(tmp_path: Path) -> list[Path]:
    return list((tmp_path / "vault" / "90-Trash").rglob("*.transcript.md*"))


def test_a_growing_conversation_leaves_no_copies_in_the_trash(memory: Memory, rollout: Path, tmp_path: Path) -> None:
    memory.ingest(rollout)
    path = tmp_path / "vault" / memory.search("walrus", abstain=False).hits[0].path
    states = [path.read_bytes()]
    for minute in range(3, 9):
        append(rollout, said("user", f"The walrus turns, step {minute}.", minute))
        memory.ingest(rollout)
        states.append(path.read_bytes())
    assert trash_of(tmp_path) == []
    while len(states) > 1:
        assert path.read_bytes() == states.pop()
        memory.undo()
    assert path.read_bytes() == states[0]
    assert "The walrus turns, step 3." not in texts(memory, "walrus turns")


def test_an_addition_can_be_undone_after_the_index_was_lost_and_not_after_an_edit(
    memory: Memory, open_memory: Callable[..., Memory], rollout: Path, tmp_path: Path, own_home: Path
) -> None:
    memory.ingest(rollout)
    path = tmp_path / "vault" / memory.search("walrus", abstain=False).hits[0].path
    before = path.read_bytes()
    append(rollout, said("user", "The walrus turns.", 3))
    memory.ingest(rollout)
    memory = without_index(memory, open_memory, own_home)
    grown = path.read_bytes()
    path.write_bytes(grown.replace(b"Bruno", b"Carlo"))
    memory.sync()
    with pytest.raises(Conflict):
        memory.undo()
    path.write_bytes(grown)
    memory.sync()
    memory.undo()
    assert path.read_bytes() == before
    memory.undo(memory.operations()[0].id)
    assert path.read_bytes() == grown


def test_an_addition_that_fails_later_in_its_operation_is_cut_off_again(
    memory: Memory, rollout: Path, tmp_path: Path
) -> None:
    memory.ingest(rollout)
    store = memory._stores[0]
    path = memory.search("walrus", abstain=False).hits[0].path
    document = store.vault.read(path)

    def fails() -> None:
        with editing(store, "test", "An addition that fails") as edits:
            added = edits.append(document, f"{document.text}\nmore\n")
            edits.replace(edits.append(added, f"{added.text}and more\n"), "all other\n")
            raise BadInput("later")

    with pytest.raises(BadInput):
        fails()
    assert store.vault.read(path).hash == document.hash


def test_an_addition_that_is_replaced_in_the_same_operation_is_undone(memory: Memory, rollout: Path) -> None:
    memory.ingest(rollout)
    store = memory._stores[0]
    path = memory.search("walrus", abstain=False).hits[0].path
    document = store.vault.read(path)
    with editing(store, "test", "Adds, then replaces") as edits:
        edits.replace(edits.append(document, f"{document.text}\nmore\n"), "all other\n")
    memory.undo()
    assert store.vault.read(path).hash == document.hash
