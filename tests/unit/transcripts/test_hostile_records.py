"""Records changed at random: a reader may find nothing in them, but it ends, and what it gives can be stored (TR-0).

Only ``ScrubjayError`` may come out of a reader; a message always has an id of its own, a role and a storable text.
"""

from __future__ import annotations

import copy
import json
import random
import zipfile
from collections.abc import Callable
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scrubjay.errors import ScrubjayError
from scrubjay.transcripts import recognise
from scrubjay.transcripts.formats import (
    CHATGPT,
    CLAUDE_AI,
    CLAUDE_CODE,
    CLAUDE_WEB,
    CODEX,
    CURSOR,
    CURSOR_AGENT,
    GEMINI,
    GEMINI_DOCUMENT,
    JSONL,
    OPENCODE,
    SPECSTORY,
    Format,
)
from scrubjay.transcripts.reading import Context
from scrubjay.types import ROLES, Session

TEXT = {"type": "text", "text": "Hello."}
CLAUDE: list[Any] = [
    {
        "type": "user",
        "uuid": "u1",
        "parentUuid": None,
        "sessionId": "s",
        "timestamp": "2026-05-31T14:00:00Z",
        "message": {"role": "user", "content": "<memory-context>x</memory-context> Hello."},
        "isSidechain": False,
        "origin": {"kind": "human"},
        "forkedFrom": {"sessionId": "o"},
    },
    {
        "type": "assistant",
        "uuid": "a1",
        "parentUuid": "u1",
        "sessionId": "s",
        "agentId": "x",
        "message": {
            "id": "m1",
            "model": "x",
            "content": [TEXT, {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": ["ls"]}}],
        },
    },
    {
        "type": "user",
        "uuid": "u2",
        "parentUuid": "a1",
        "logicalParentUuid": "u1",
        "message": {"content": [{"type": "tool_result", "tool_use_id": "t1", "content": [TEXT], "is_error": True}]},
    },
    {"type": "assistant", "uuid": "a2", "parentUuid": "a1", "message": {"id": "m1", "content": [TEXT]}},
    {"type": "attachment", "uuid": "q", "parentUuid": "u2", "attachment": {"type": "queued_command", "prompt": [TEXT]}},
    {"type": "system", "subtype": "compact_boundary", "uuid": "b", "logicalParentUuid": "a2"},
    {"type": "summary", "summary": "Title", "leafUuid": "u2"},
    {"type": "tool_use", "name": "x", "input": {}, "uuid": "z"},
]
ROLLOUT: list[Any] = [
    {
        "type": "session_meta",
        "payload": {"id": "x", "git": {"branch": "m"}, "source": {"subagent": {"thread_spawn": {}}}},
    },
    {"type": "turn_context", "payload": {"model": "m", "cwd": "/x"}},
    {"type": "event_msg", "payload": {"type": "user_message", "message": "Hello."}},
    {"type": "response_item", "payload": {"type": "message", "role": "user", "content": [TEXT]}},
    {"type": "response_item", "payload": {"type": "function_call", "name": "x", "arguments": "{}", "call_id": "c"}},
    {"type": "response_item", "payload": {"type": "function_call_output", "call_id": "c", "output": '{"output": [1]}'}},
    {"type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 1}},
    {"type": "compacted", "payload": {"message": "x"}},
    {"record_type": "state"},
    {"type": "message", "role": "assistant", "content": [TEXT]},
]
CHAT: list[Any] = [
    {"sessionId": "s", "projectHash": "h", "startTime": "2026-05-31T14:00:00Z", "kind": "main"},
    {"id": "1", "type": "user", "content": [{"text": "Hello."}], "timestamp": "2026-05-31T14:00:00Z"},
    {
        "id": "2",
        "type": "gemini",
        "content": "Hi.",
        "thoughts": [{}],
        "toolCalls": [
            {"id": "c", "name": "x", "args": {}, "result": [{"functionResponse": {"response": {"output": "x"}}}]}
        ],
    },
    {"$set": {"summary": "x", "messages": [{"id": "3", "type": "user", "content": "x"}]}},
    {"$rewindTo": "2"},
]
GPT: list[Any] = [
    {
        "conversation_id": "c",
        "title": "x",
        "current_node": "b",
        "create_time": 1780236000.0,
        "mapping": {
            "a": {"parent": None, "message": {"id": "a", "author": {"role": "user"}, "content": {"parts": ["x"]}}},
            "b": {
                "parent": "a",
                "children": ["c"],
                "message": {
                    "id": "b",
                    "author": {"role": "assistant", "name": "x"},
                    "create_time": "1780236000.5",
                    "weight": 1,
                    "recipient": "bio",
                    "content": {"content_type": "multimodal_text", "parts": ["x", {"text": "y"}], "thoughts": [{}]},
                    "metadata": {"is_user_system_message": False, "model_slug": "x"},
                },
            },
        },
    }
]
ANTHROPIC: list[Any] = [
    {
        "uuid": "k",
        "name": "x",
        "project_uuid": "p",
        "current_leaf_message_uuid": "b",
        "created_at": "2026-05-31T14:00:00Z",
        "chat_messages": [
            {
                "uuid": "a",
                "sender": "human",
                "text": "x",
                "attachments": [{"file_name": "x", "extracted_content": "y"}],
            },
            {
                "uuid": "b",
                "parent_message_uuid": "a",
                "sender": "assistant",
                "content": [
                    TEXT,
                    {"type": "tool_use", "name": "x", "input": {}},
                    {"type": "tool_result", "content": [TEXT]},
                ],
            },
        ],
    }
]
AGENT: list[Any] = [
    {"role": "user", "message": {"content": [{"type": "text", "text": "<user_query>x</user_query>"}]}},
    {"role": "assistant", "message": {"content": [TEXT, {"type": "tool_use", "name": "x", "input": {"a": 1}}]}},
    {"type": "turn_ended"},
]
PLAIN: list[Any] = [
    {"role": "user", "text": "x", "at": "2026-05-31T14:00:00Z", "id": "1", "session_id": "s"},
    {"type": "assistant", "content": "y", "speaker": "Bot", "timestamp": 1780236000},
]


def in_lines(records: list[Any], folder: Path) -> Path:
    path = folder / "x.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8", newline="")
    return path


def in_array(records: list[Any], folder: Path) -> Path:
    path = folder / "conversations.json"
    path.write_text(json.dumps(records), encoding="utf-8")
    return path


def zipped(records: list[Any], folder: Path) -> Path:
    path = folder / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("conversations.json", json.dumps(records))
        archive.writestr("memories.json", json.dumps([{"conversations_memory": "x", "project_memories": records[-1]}]))
        archive.writestr("projects.json", json.dumps(records))
    return path


def under(key: str) -> Callable[[list[Any], Path], Path]:
    def write(records: list[Any], folder: Path) -> Path:
        path = folder / "session-x.json"
        path.write_text(json.dumps({"sessionId": "s", "projectHash": "h", key: records}), encoding="utf-8")
        return path

    return write


def in_cursor(records: list[Any], folder: Path) -> Path:
    import sqlite3
    from contextlib import closing

    path = folder / "state.vscdb"
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE cursorDiskKV (key, value)")
        rows = [(f"composerData:{n}", json.dumps(one)) for n, one in enumerate(records)]
        rows += [("bubbleId:0:b", json.dumps(records[-1])), ("bubbleId:1:b", None), ("composerData:9", b"\xff\xfe")]
        connection.executemany("INSERT INTO cursorDiskKV VALUES (?, ?)", rows)
    return path


COMPOSERS: list[Any] = [
    {"name": "x", "createdAt": 1, "fullConversationHeadersOnly": [{"bubbleId": "b", "type": 1}]},
    {"conversation": [{"bubbleId": "o", "type": 2, "text": "x", "toolFormerData": {"name": "x", "result": {}}}]},
    {"type": 1, "text": "x", "createdAt": "2026-05-31T14:00:00Z", "toolFormerData": {"name": "y", "rawArgs": "{}"}},
]


def in_opencode(records: list[Any], folder: Path) -> Path:
    for kind, one in zip(("session/p/s", "message/s/m", "part/m/p", "part/m/q"), records, strict=False):
        path = folder / "storage" / f"{kind}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(one), encoding="utf-8")
    return folder / "storage"


STORED: list[Any] = [
    {"id": "s", "title": "x", "directory": "/x", "parentID": "p", "time": {"created": 1780236000000}},
    {"id": "m", "role": "user", "time": {"created": 1}, "model": {"modelID": "x"}, "summary": False},
    {"id": "p", "type": "text", "text": "x", "synthetic": False},
    {"id": "q", "type": "tool", "tool": "bash", "state": {"input": {}, "output": "x", "time": {"start": 1}}},
]


def in_markdown(records: list[Any], folder: Path) -> Path:
    path = folder / "x.md"
    path.write_text(
        "".join(one if isinstance(one, str) else json.dumps(one) for one in records), encoding="utf-8", errors="replace"
    )
    return path


STORY: list[Any] = [
    *["<!-- Generated by SpecStory -->\n", "# Title\n", "_**User (2026-05-31 14:00:00Z)**_\n", "x\n", "```\n"],
    *[
        "_**Agent (model x, mode y)**_\n",
        '<tool-use data-tool-name="x">\n',
        "y\n",
        "</tool-use>\n",
        "<think>\n",
        "---\n",
    ],
]

SAMPLES: dict[str, tuple[Format, list[Any], Callable[[list[Any], Path], Path]]] = {
    "claude-code": (CLAUDE_CODE, CLAUDE, in_lines),
    "claude-web": (CLAUDE_WEB, CLAUDE, under("loglines")),
    "codex": (CODEX, ROLLOUT, in_lines),
    "gemini": (GEMINI, CHAT, in_lines),
    "gemini-document": (GEMINI_DOCUMENT, CHAT[1:3], under("messages")),
    "chatgpt": (CHATGPT, GPT, in_array),
    "chatgpt-zip": (CHATGPT, GPT, zipped),
    "claude.ai": (CLAUDE_AI, ANTHROPIC, in_array),
    "claude.ai-zip": (CLAUDE_AI, ANTHROPIC, zipped),
    "cursor": (CURSOR, COMPOSERS, in_cursor),
    "cursor-agent": (CURSOR_AGENT, AGENT, in_lines),
    "opencode": (OPENCODE, STORED, in_opencode),
    "specstory": (SPECSTORY, STORY, in_markdown),
    "jsonl": (JSONL, PLAIN, in_lines),
}

ODD: list[Any] = [
    *[
        None,
        True,
        False,
        0,
        -1,
        1e308,
        -1e-300,
        10**40,
        float("nan"),
        float("inf"),
        "",
        " ",
        "\x00",
        "\ud800x",
        "a" * 5000,
    ],
    *[
        [],
        {},
        [[]],
        [None],
        [TEXT],
        {"type": []},
        {"text": {}},
        {"a": {"b": ["c"]}},
        "../../etc/passwd",
        "u1",
        "a1",
        "b",
    ],
    *["<memory-context>", "</system-reminder>", "9999-12-31T23:59:59-23:59", "0001-01-01", "2026-13-45", -62135596800],
    *["user", "assistant", "tool_result", "message", "agent-x", "compaction", [1, "two", {"three": 3}], 253402300800],
]


def changed(records: list[Any], chance: random.Random) -> list[Any]:
    """``records`` with a few places changed: another value, a missing key, a record twice, the order."""
    records = copy.deepcopy(records)
    for _ in range(chance.randint(1, 6)):
        places: list[tuple[Any, Any]] = []
        pending: list[Any] = [records]
        while pending:
            one = pending.pop()
            found = (
                list(one.items()) if isinstance(one, dict) else list(enumerate(one)) if isinstance(one, list) else []
            )
            places += [(one, key) for key, _ in found]
            pending += [value for _, value in found]
        if not places:
            break
        owner, key = chance.choice(places)
        what = chance.random()
        if what < 0.7:
            owner[key] = copy.deepcopy(chance.choice(ODD))
        elif what < 0.8 and isinstance(owner, dict):
            del owner[key]
        elif what < 0.9:
            owner[key] = copy.deepcopy(chance.choice(places)[0])
        elif isinstance(owner, list):
            owner.append(copy.deepcopy(owner[key]))
            chance.shuffle(owner)
    return records


def check(sessions: list[Session]) -> None:
    for session in sessions:
        assert session.id
        json.dumps([session.id, session.title, dict(session.meta)]).encode("utf-8")
        ids = [message.id for message in session.messages]
        # JSON Lines may be written by hand; what is to be done with an id that is used twice, is decided at ingest.
        assert len(ids) == len(set(ids)) or session.source == "jsonl"
        for message in session.messages:
            assert message.role in ROLES
            (message.id + message.text + (message.parent_id or "")).encode("utf-8")
            json.dumps(dict(message.meta), ensure_ascii=False).encode("utf-8")
            assert message.parent_id != message.id


@pytest.mark.parametrize("name", SAMPLES)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10**9))
def test_changed_records_never_break_a_reader(name: str, seed: int, tmp_path: Path) -> None:
    known, records, write = SAMPLES[name]
    path = write(changed(records, random.Random(seed)), tmp_path)
    context = Context(UTC)
    try:
        check(list(known.reader(path, context)))
        found = recognise.read(path, zone=UTC)
        check(list(found))
        check(list(recognise.read(path, zone=UTC, since=found.report.cursor)))
    except ScrubjayError:
        return


@pytest.mark.parametrize("name", SAMPLES)
def test_the_records_that_are_changed_are_read_as_they_stand(name: str, tmp_path: Path) -> None:
    """Or the test above would prove nothing."""
    known, records, write = SAMPLES[name]
    context = Context(UTC)
    sessions = list(known.reader(write(records, tmp_path), context))
    check(sessions)
    assert [message for session in sessions for message in session.messages]
    assert recognise.recognise(write(records, tmp_path)) is not None


@pytest.mark.parametrize("name", ["claude-code", "codex", "gemini", "cursor-agent", "jsonl"])
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10**9), cuts=st.lists(st.floats(0, 1), min_size=1, max_size=4))
def test_reading_on_at_any_byte_gives_the_same_as_reading_once(
    name: str, seed: int, cuts: list[float], tmp_path: Path
) -> None:
    """The ids of all readings of a growing file, but for what was withdrawn, are those of one reading of the whole."""
    known, records, _ = SAMPLES[name]
    chance = random.Random(seed)
    grown = [chance.choice(records[1:]) for _ in range(8)] if name in ("gemini", "cursor-agent") else records[1:]
    data = "".join(json.dumps(one) + "\n" for one in [records[0], *grown]).encode()
    first = data.index(b"\n") + 1
    whole, parts = tmp_path / "whole" / "x.jsonl", tmp_path / "parts" / "x.jsonl"
    for path in (whole, parts):
        path.parent.mkdir(exist_ok=True)
        path.unlink(missing_ok=True)
    whole.write_bytes(data)
    told: dict[str, str] = {}
    context = Context(UTC)
    for cut in sorted(first + round(cut * (len(data) - first)) for cut in [*cuts, 1.0]):
        parts.write_bytes(data[:cut])
        context = Context(UTC, context.report.cursor)
        for session in known.reader(parts, context):
            told.update((message.id, message.text) for message in session.messages)
        for _, id in context.report.withdrawn:
            if name in ("codex", "gemini"):
                told.pop(id, None)
    expected = {message.id for session in known.reader(whole, Context(UTC)) for message in session.messages}
    pieces = {
        id
        for session in known.reader(whole, Context(UTC))
        for one in session.messages
        for id, _ in one.meta.get("pieces", [])
    }
    assert expected <= set(told) <= expected | pieces
