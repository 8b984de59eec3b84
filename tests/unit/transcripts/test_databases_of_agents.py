"""Cursor and opencode: SQLite files read from a copy, and what they keep beside them (TR-40, TR-50)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from scrubjay.errors import Corrupt
from scrubjay.transcripts import database


def keep(path: Path, table: str, values: Mapping[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"CREATE TABLE {table} (key TEXT PRIMARY KEY, value BLOB)")
        rows = [(key, one if isinstance(one, bytes | str) else json.dumps(one)) for key, one in values.items()]
        connection.executemany(f"INSERT INTO {table} VALUES (?, ?)", rows)
    return path


BUBBLES = {
    "composerData:c1": {
        "name": "Mend the login",
        "createdAt": 1780236000000,
        "fullConversationHeadersOnly": [
            {"bubbleId": "b1", "type": 1},
            {"bubbleId": "b2", "type": 2},
            {"bubbleId": "b3", "type": 2},
            {"bubbleId": "lost", "type": 2},
        ],
    },
    "bubbleId:c1:b1": {"type": 1, "text": "The login fails.", "createdAt": "2026-05-31T14:00:00Z"},
    "bubbleId:c1:b2": {"type": 2, "text": "Let me look.", "thinking": {"text": "hm"}},
    "bubbleId:c1:b3": {
        "type": 2,
        "text": "",
        "toolFormerData": {"name": "read_file", "rawArgs": '{"path": "a.py"}', "result": '{"content": "x"}'},
    },
    "composerData:c2": {"conversation": [{"type": 1, "bubbleId": "o1", "text": "Older."}, {"type": 7, "text": "?"}]},
    "composerData:c3": "{damaged",
    "composerData:c4": {"fullConversationHeadersOnly": "odd"},
}


def cursor(tmp_path: Path, values: Mapping[str, Any] = BUBBLES) -> Path:
    return keep(tmp_path / "User/globalStorage/state.vscdb", "cursorDiskKV", values)


def test_tr40_conversations_of_the_editor(tmp_path: Path, take: Any) -> None:
    path = cursor(tmp_path)
    workspace = tmp_path / "User/workspaceStorage/w1"
    keep(workspace / "state.vscdb", "ItemTable", {"composer.composerData": {"allComposers": [{"composerId": "c1"}]}})
    (workspace / "workspace.json").write_text('{"folder": "file:///home/max/my%20shop"}', encoding="utf-8")
    found = take(path)
    first, second = found.sessions
    assert [(one.id, one.role, one.text) for one in first.messages] == [
        ("b1", "user", "The login fails."),
        ("b2", "assistant", "Let me look."),
        ("b3#call", "tool", "read_file\npath: a.py"),
        ("b3#result", "tool", '{"content": "x"}'),
    ]
    assert (first.id, first.title, first.meta["cwd"]) == ("c1", "Mend the login", "/home/max/my shop")
    assert first.messages[0].meta["is_human"] is True
    assert first.messages[1].parent_id == "b1"
    assert [one.text for one in second.messages] == ["Older."]
    assert (found.report.unknown, len(found.report.problems)) == ({"bubble:7": 1}, 1)


def test_tr40_a_log_that_is_not_written_back_yet_is_read(tmp_path: Path, take: Any) -> None:
    """The editor is running: what it wrote stands in the file beside; its own file is not touched."""
    path = cursor(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        with connection:
            row = ("composerData:c9", json.dumps({"conversation": [{"type": 1, "bubbleId": "n1", "text": "New."}]}))
            connection.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", row)
        before = sorted((one.name, one.stat().st_mtime_ns) for one in path.parent.iterdir())
        first = take(path)
        assert "New." in first.texts
        assert sorted((one.name, one.stat().st_mtime_ns) for one in path.parent.iterdir()) == before
        assert take(path, first.report.cursor).sessions == []
        with connection:
            connection.execute("DELETE FROM cursorDiskKV WHERE key = 'composerData:c9'")
        assert take(path, first.report.cursor).sessions != []


def test_tr40_transcripts_of_agents(write: Any, take: Any, tmp_path: Path) -> None:
    def said(role: str, *content: Any) -> dict[str, Any]:
        return {"role": role, "message": {"content": list(content)}}

    def words(text: str) -> dict[str, str]:
        return {"type": "text", "text": text}

    where = "projects/shop/agent-transcripts/p1"
    write(
        f"{where}/p1.jsonl",
        said("user", words("<user_query>\nList the files.\n</user_query>")),
        said(
            "assistant", {"type": "thinking"}, words("Sure."), {"type": "tool_use", "name": "Shell", "input": {"c": 1}}
        ),
        {"type": "turn_ended"},
        said("user", words("<user_query>\nList the files.\n</user_query>")),
        {"type": "hologram"},
    )
    write(f"{where}/subagents/p2.jsonl", said("user", words("Search.")), said("assistant", words("Nothing.")))
    found = take(tmp_path / "projects")
    main, agent = sorted(found.sessions, key=lambda session: session.id)
    assert [(one.role, one.text.strip()) for one in main.messages] == [
        ("user", "List the files."),
        ("assistant", "Sure."),
        ("tool", "Shell\nc: 1"),
        ("user", "List the files."),
    ]
    assert len({one.id for one in main.messages}) == 4
    assert (agent.meta["kind"], agent.meta["parent_id"], agent.messages[0].meta["is_human"]) == (
        "subagent",
        "p1",
        False,
    )
    assert found.report.unknown == {"hologram": 1}


@pytest.mark.parametrize("damage", [b"", b"\xff" * 4096, None])
def test_tr40_a_damaged_database_is_named(tmp_path: Path, take: Any, damage: bytes | None) -> None:
    path = cursor(tmp_path)
    data = path.read_bytes()
    path.write_bytes(data[:4096] + damage if damage is not None else data[:100])
    with pytest.raises(Corrupt):
        take(path)


def test_tr40_views_in_the_place_of_tables_are_not_asked(tmp_path: Path, take: Any) -> None:
    """A file made by somebody else could hold a view that never ends."""
    path = tmp_path / "state.vscdb"
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT 'composerData:' || i, i FROM n"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"CREATE VIEW cursorDiskKV (key, value) AS {endless}")
    assert take(path).sessions == []


def opencode_database(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(
            """
            CREATE TABLE project (id TEXT, worktree TEXT);
            CREATE TABLE session (id TEXT, project_id TEXT, parent_id TEXT, directory TEXT, title TEXT, version TEXT,
                time_created INTEGER, time_updated INTEGER);
            CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
            CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT);
            """
        )
        add = connection.execute
        for id, above, title in (("s1", None, "Login"), ("s2", "s1", None)):
            row = (id, "p", above, "/home/max/shop", title, "1.3", 1780236000000, 1780239600000)
            add("INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
        messages = [
            ("m2", "s1", 1780236002000, {"role": "assistant", "modelID": "gpt-x", "parentID": "m1"}),
            ("m1", "s1", 1780236001000, {"role": "user"}),
            ("m3", "s2", 1780236003000, {"role": "user"}),
            ("m4", "s2", 1780236004000, {"role": "assistant", "summary": True}),
            ("m5", "s2", 1780236005000, {"role": "ghost"}),
        ]
        connection.executemany(
            "INSERT INTO message VALUES (?, ?, ?, ?)", [(*m[:3], json.dumps(m[3])) for m in messages]
        )
        parts = [
            ("p1", "m1", {"type": "text", "text": "Mend the login."}),
            ("p2", "m1", {"type": "text", "text": "From a hook.", "synthetic": True}),
            ("p3", "m2", {"type": "reasoning", "text": "hm"}),
            ("p4", "m2", {"type": "text", "text": "Done."}),
            ("p5", "m2", {"type": "tool", "tool": "bash", "state": {"input": {"command": "ls"}, "output": "a"}}),
            ("p6", "m2", {"type": "step-finish"}),
            ("p7", "m3", {"type": "text", "text": "Search."}),
            ("p8", "m4", {"type": "text", "text": "So far …"}),
            ("p9", "m4", {"type": "hologram"}),
        ]
        rows = [(id, message, "s", json.dumps(data)) for id, message, data in parts]
        connection.executemany("INSERT INTO part VALUES (?, ?, ?, ?)", rows)
        add("INSERT INTO part VALUES ('px', 'm1', 's', '{damaged')")
    return path


def test_tr50_the_database(tmp_path: Path, take: Any) -> None:
    found = take(opencode_database(tmp_path / "opencode.db"))
    main, agent = found.sessions
    assert [(one.id, one.role, one.text) for one in main.messages] == [
        ("m1", "user", "Mend the login."),
        ("m2", "assistant", "Done."),
        ("p5#call", "tool", "bash\ncommand: ls"),
        ("p5#result", "tool", "a"),
    ]
    assert (main.title, main.meta["cwd"], main.meta["kind"]) == ("Login", "/home/max/shop", "main")
    assert (main.messages[0].meta["is_human"], main.messages[1].meta["model"]) == (True, "gpt-x")
    assert main.messages[1].parent_id == "m1"
    assert (agent.meta["kind"], agent.meta["parent_id"]) == ("subagent", "s1")
    assert [(one.role, one.meta.get("derived")) for one in agent.messages] == [("user", None), ("system", "compaction")]
    assert found.report.unknown == {"role:ghost": 1, "part:hologram": 1, "part:": 1}


def legacy(root: Path) -> Path:
    def put(name: str, value: Any) -> None:
        path = root / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")

    put("session/p/ses_1", {"id": "s1", "title": "Login", "directory": "/x", "time": {"created": 1780236000000}})
    put("session/p/ses_evil", {"id": "../../secret"})
    put("session/p/ses_bad", "{damaged")
    put("message/s1/msg_2", {"id": "m2", "role": "assistant", "time": {"created": 1780236002000}})
    put("message/s1/msg_1", {"id": "m1", "role": "user", "time": {"created": 1780236001000}})
    put("part/m1/001", {"id": "p1", "type": "text", "text": "Hello."})
    put("part/m2/001", {"id": "p2", "type": "text", "text": "Hi."})
    put("part/m2/002", {"id": "p3", "type": "snapshot"})
    put("part/loose", {"id": "p4", "type": "tool", "tool": "bash", "messageID": "m2", "state": {"output": "a.txt"}})
    put("../secret/msg", {"id": "m9", "role": "user"})
    return root


@pytest.mark.parametrize("named", ["storage", "."])
def test_tr50_the_older_folder(tmp_path: Path, take: Any, named: str) -> None:
    legacy(tmp_path / "opencode/storage")
    found = take(tmp_path / "opencode" / named)
    assert (found.report.format, found.texts, found.ids) == (
        "opencode",
        ["Hello.", "Hi.", "bash", "a.txt"],
        ["m1", "m2", "p4#call", "p4#result"],
    )
    assert len(found.report.problems) == 1


def test_tr50_a_session_in_both_is_told_once(tmp_path: Path, take: Any) -> None:
    legacy(tmp_path / "opencode/storage")
    opencode_database(tmp_path / "opencode/opencode.db")
    found = take(tmp_path / "opencode")
    assert [session.id for session in found.sessions] == ["s1", "s2"]
    assert found.texts[0] == "Mend the login."


def test_a_value_that_is_too_large_reads_as_nothing(tmp_path: Path, take: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("scrubjay.transcripts.cursor.MAX_VALUE", 300)
    values = {**BUBBLES, "composerData:c0": {"conversation": [{"type": 1, "bubbleId": "x", "text": "y" * 400}]}}
    assert "y" * 400 not in take(cursor(tmp_path, values)).texts
    assert database.MAX_VALUE == 32 * 1024 * 1024
