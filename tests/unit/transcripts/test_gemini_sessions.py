"""Gemini CLI: messages that replace one another, patches, rewinds, and the older document (TR-30, §12.7 g)."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

META = {
    "sessionId": "s-1",
    "projectHash": "abc",
    "startTime": "2026-05-31T14:00:00.000Z",
    "lastUpdated": "2026-05-31T14:00:00.000Z",
    "kind": "main",
}
FILE = "tmp/shop/chats/session-2026-05-31T14-00-s1.jsonl"


def said(id: str, kind: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"id": id, "timestamp": "2026-05-31T14:00:01.000Z", "type": kind, "content": content, **more}


CALL = {
    "id": "run-1",
    "name": "run_shell_command",
    "args": {"command": "ls"},
    "status": "error",
    "result": [{"functionResponse": {"id": "run-1", "response": {"output": "a.txt"}}}],
}


def test_tr30_a_log_of_messages(write: Any, take: Any) -> None:
    found = take(
        write(
            FILE,
            META,
            said("u1", "user", [{"text": "List"}, {"text": "the files."}, {"inlineData": {"data": "AAAA"}}]),
            said("g1", "gemini", "", thoughts=[{"subject": "Plan"}], toolCalls=[CALL], model="gemini-x"),
            said("g2", "gemini", "One file.", model="gemini-x"),
            said("i1", "info", "Update available."),
            {"$set": {"lastUpdated": "2026-05-31T15:00:00.000Z", "summary": "Listing files"}},
            {"hologram": 1},
        )
    )
    assert [(one.id, one.role, one.text) for one in found.messages] == [
        ("u1", "user", "List\nthe files."),
        ("run-1", "tool", "run_shell_command\ncommand: ls"),
        ("run-1#result", "tool", "a.txt"),
        ("g2", "assistant", "One file."),
        ("i1", "system", "Update available."),
    ]
    assert found.messages[0].meta["is_human"] is True
    assert found.messages[2].meta["is_error"] is True
    assert found.messages[3].meta["model"] == "gemini-x"
    assert found.messages[4].meta["visible"] is False
    assert (found.session.id, found.session.title) == ("s-1", "Listing files")
    assert found.report.unknown == {"(none)": 1}


def test_tr30_a_later_record_with_the_same_id_replaces_the_earlier(write: Any, take: Any) -> None:
    found = take(
        write(FILE, META, said("u1", "user", "Hi."), said("g1", "gemini", "Hel"), said("g1", "gemini", "Hello."))
    )
    assert found.texts == ["Hi.", "Hello."]


def test_tr30_vector_g_a_rewind_drops_a_message_and_all_later_ones(write: Any, take: Any) -> None:
    """§12.7 g."""
    found = take(
        write(
            FILE,
            META,
            said("u1", "user", "Keep."),
            said("u2", "user", "Drop."),
            said("g2", "gemini", "Dropped.", toolCalls=[CALL]),
            {"$rewindTo": "u2"},
            said("u3", "user", "Instead."),
            {"$rewindTo": "nobody"},
            {"$rewindTo": ["u1"]},
        )
    )
    assert found.texts == ["Keep.", "Instead."]


def test_tr30_a_rewind_over_what_was_read_before_withdraws_it(write: Any, take: Any) -> None:
    before = [META, said("u1", "user", "Keep."), said("u2", "user", "Drop.")]
    first = take(write(FILE, *before))
    again = take(write(FILE, *before, {"$rewindTo": "u2"}, said("u3", "user", "Instead.")), first.report.cursor)
    assert (again.texts, again.report.withdrawn) == (["Instead."], [("s-1", "u2")])


def test_tr30_a_message_completed_later_is_told_once(write: Any, take: Any) -> None:
    """Its calls are new, its words are not."""
    before = [META, said("u1", "user", "Hi."), said("g1", "gemini", "On it.")]
    first = take(write(FILE, *before))
    more = take(write(FILE, *before, said("g1", "gemini", "On it.", toolCalls=[CALL])), first.report.cursor)
    whole = take(write(FILE, *before, said("g1", "gemini", "On it.", toolCalls=[CALL])))
    assert set(first.ids) | set(more.ids) == set(whole.ids)


def test_tr30_the_older_document(write: Any, take: Any) -> None:
    messages = [said("u1", "user", "Hello."), said("g1", "gemini", ["Hi."]), {"type": "odd"}, 5]
    found = take(write("tmp/x/chats/session-old.json", json.dumps({**META, "messages": messages}, indent=2)))
    assert (found.texts, found.session.id) == (["Hello.", "Hi."], "s-1")
    assert found.report.unknown == {"odd": 1, "(none)": 1}


def test_tr30_a_patch_may_set_all_messages(write: Any, take: Any) -> None:
    found = take(write(FILE, META, said("u1", "user", "Old."), {"$set": {"messages": [said("u2", "user", "New.")]}}))
    assert found.texts == ["New."]


def test_tr30_the_project_is_known_by_its_name_or_digest(write: Any, take: Any, tmp_path: Path) -> None:
    (tmp_path / "projects.json").write_text(
        json.dumps({"projects": {"/home/max/shop": "shop", "/home/max/blog": "blog"}}), encoding="utf-8"
    )
    digest = hashlib.sha256(b"/home/max/blog").hexdigest()
    write(FILE, META, said("u1", "user", "Shop."))
    write(f"tmp/{digest}/chats/session-b.jsonl", {**META, "sessionId": "s-2"}, said("u1", "user", "Blog."))
    found = {session.id: session.meta["cwd"] for session in take(tmp_path).sessions}
    assert found == {"s-1": "/home/max/shop", "s-2": "/home/max/blog"}


def test_tr30_a_sub_agent_is_not_human(write: Any, take: Any) -> None:
    found = take(write(FILE, {**META, "kind": "subagent"}, said("u1", "user", "Search.")))
    assert (found.session.meta["kind"], found.messages[0].meta["is_human"]) == ("subagent", False)
