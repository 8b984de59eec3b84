"""Ingest, sync, reindex, status, doctor, export and import: counts that were read back, problems by file and line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from inline_snapshot import snapshot

CHAT = [
    {"session": "s1", "id": "m1", "role": "user", "speaker": "Max", "text": "Deploys go out on Tuesdays."},
    {"session": "s1", "id": "m2", "role": "assistant", "text": "Noted.", "at": "2026-05-31T14:00:05Z"},
]


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    path = tmp_path / "chat.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in CHAT), encoding="utf-8")
    return path


def test_ingest_counts_what_is_stored(jay, chat: Path) -> None:
    """F14: the counts are those of the transcript as read back."""
    assert jay("ingest", "chat.jsonl").out == snapshot("chat.jsonl: 1 conversation, 2 messages added\n")
    assert jay("ingest", "chat.jsonl").out == snapshot(
        "chat.jsonl: 1 conversation, 0 messages added, 2 known already\n"
    )


def test_ingest_names_bad_lines_and_takes_in_the_rest(jay, chat: Path) -> None:
    chat.write_text(chat.read_text("utf-8") + "no json\n" + '{"role": "user", "text": " "}\n', encoding="utf-8")
    done = jay("ingest", "chat.jsonl")
    assert done.code == 0
    assert done.out == snapshot("chat.jsonl: 1 conversation, 2 messages added, 1 empty, 1 line unusable\n")
    assert done.err.startswith("chat.jsonl:3: ")
    problems = jay("ingest", "chat.jsonl", "--json").json["files"][0]["problems"]
    assert [(problem["path"], problem["line"]) for problem in problems] == [("chat.jsonl", 3)]


def test_ingest_warns_at_the_end_of_what_was_not_taken_in(jay, chat: Path) -> None:
    """A11, A3: in words, since the exit code says that the rest was."""
    other = json.dumps({**CHAT[0], "text": "Deploys go out on Fridays."})
    chat.write_text(chat.read_text("utf-8") + "no json\n" + other + "\n", encoding="utf-8")
    done = jay("ingest", "chat.jsonl")
    assert done.code == 0
    assert done.err.splitlines()[1:] == snapshot(
        [
            "chat.jsonl: message id 'm1' was used for another text",
            "Warning: chat.jsonl: 1 line not taken in, 1 message added under a new id.",
        ]
    )


def test_ingest_fails_when_nothing_can_be_used(jay, chat: Path) -> None:
    """A11."""
    chat.write_text("no json\n{}\n", encoding="utf-8")
    done = jay("ingest", "chat.jsonl")
    assert (done.code, done.out) == (2, "")
    assert "line 1" in done.err


def test_ingest_reads_stdin(jay, chat: Path) -> None:
    data = chat.read_bytes()
    assert jay("ingest", "-", stdin=data).out == snapshot("stdin: 1 conversation, 2 messages added\n")
    assert jay("ingest", "chat.jsonl").out.endswith("2 known already\n")
    bad = jay(
        "ingest",
        "-",
        stdin=data + b"no json\n",
    )
    assert bad.err.startswith("stdin:3: ")
    empty = jay("ingest", "-")
    assert empty.code == 2
    assert "stdin is empty" in empty.err


def test_one_bad_file_does_not_stop_the_others(jay, chat: Path) -> None:
    done = jay("ingest", "absent.jsonl", "chat.jsonl")
    assert done.code == 3
    assert "absent.jsonl" in done.err
    assert "2 messages added" in done.out
    answers = jay("ingest", "absent.jsonl", "chat.jsonl", "--json").json["files"]
    assert answers[0]["error"]["code"] == "not_found"
    assert answers[1]["known"] == 2


def test_ingest_refuses_a_shared_scope(jay, chat: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shop").mkdir()
    jay("init", "shop")
    monkeypatch.chdir(tmp_path / "shop")
    assert jay("ingest", "../chat.jsonl", "--scope", "project").code == 2


def test_sync_finds_what_an_editor_did(jay, own_home: Path) -> None:
    jay("note", "One", "First.")
    jay("note", "Two", "Second.")
    memories = own_home / ".scrubjay/vault/10-Memories"
    (memories / "MEM-one.md").rename(memories / "MEM-uno.md")
    (memories / "MEM-two.md").write_text("# Two\n\nChanged.\n", encoding="utf-8")
    (memories / "MEM-three.md").write_text("# Three\n", encoding="utf-8")
    assert jay("status").shown.splitlines()[-1].strip().startswith("behind")
    assert jay("sync").out == snapshot("user: looked at 3 documents, 1 added, 1 changed, 1 moved\n")
    report = jay("sync", "--json").json["scopes"]["user"]
    assert (report["looked_at"], report["added"], report["removed"]) == (3, [], [])
    assert jay("reindex").out == snapshot("user: indexed 3 documents anew\n")


def test_status_at_a_glance(jay, own_home: Path) -> None:
    jay("remember", "Max likes tea.")
    lines = jay("status").out.replace(str(own_home), "HOME").splitlines()
    assert [line for line in lines if not line.strip().startswith("index")] == snapshot(
        [
            "user  HOME/.scrubjay/vault",
            "  documents  1",
            "  records    1",
            "  vectors    0 of 1 (0%)",
            "  model      none: search goes by words only",
            "  journal    1 operation",
        ]
    )
    (found,) = jay("status", "--json").json["scopes"]
    assert (found["scope"], found["coverage"]["documents"], found["operations"]) == ("user", 1, 1)
    assert found["behind"] == found["waiting"] == 0


def test_status_names_problems_by_file(jay, own_home: Path) -> None:
    bad = own_home / ".scrubjay/vault/10-Memories/bad.md"
    bad.parent.mkdir(parents=True)
    bad.write_bytes(b"---\ntitle: [broken\n---\n\xff\xfe text\n")
    jay("sync")
    done = jay("status")
    assert done.code == 0
    assert "10-Memories/bad.md" in done.out
    assert bad.read_bytes().endswith(b"\xff\xfe text\n")


def test_doctor_when_healthy(jay) -> None:
    jay("remember", "Max likes tea.")
    done = jay("doctor")
    assert done.code == 0
    assert jay("doctor", "--json").json["healthy"] is True


def test_doctor_ends_with_7_while_something_is_broken(jay, monkeypatch: pytest.MonkeyPatch) -> None:
    from scrubjay import Memory
    from scrubjay.operations.health import Finding

    broken = Finding(
        scope="user", severity="error", message="index: a row is gone", hint="Run `scrubjay doctor --repair`."
    )
    mended = Finding(scope="user", severity="error", message="index: a row is gone", repaired=True)

    def doctor(self: Memory, *, repair: bool = False) -> list[Finding]:
        return [mended if repair else broken]

    monkeypatch.setattr(Memory, "doctor", doctor)
    done = jay("doctor")
    assert (done.code, done.out) == (
        7,
        snapshot("""\
error  user: index: a row is gone
  Run `scrubjay doctor --repair`.
"""),
    )
    assert jay("doctor", "--json").json["healthy"] is False
    done = jay("doctor", "--repair")
    assert (done.code, done.out) == (0, snapshot("repaired  user: index: a row is gone\n"))


def test_export_and_import_lose_nothing(jay, tmp_path: Path) -> None:
    jay("remember", "Max likes tea.")
    jay("note", "One", "First.")
    assert jay("export", "memory.zip").out == snapshot("Exported 2 documents to memory.zip\n")
    assert jay("export", "memory.zip").code == 4
    assert jay("import", "memory.zip", "--home", "elsewhere").out == snapshot(
        "Imported 2 documents into user, 0 known already\n"
    )
    assert jay("import", "memory.zip", "--home", "elsewhere", "--json").json["known"] == 2
    one = tmp_path / "elsewhere/vault/10-Memories/MEM-one.md"
    one.write_text("# One\n\nMine.\n", encoding="utf-8")
    done = jay("import", "memory.zip", "--home", "elsewhere")
    assert (done.code, done.out) == (
        4,
        snapshot("""\
Imported 0 documents into user, 1 known already
  conflict: 10-Memories/MEM-one.md
"""),
    )
    assert "Mine." in one.read_text("utf-8")
    assert jay("import", "absent.zip").code == 3
