"""Codex CLI: three generations of rollouts, each message once, rolled-back turns gone (TR-20 … TR-22, §12.7 h)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

ID = "019fc8be-3658-7ca3-9e29-c0ffee000001"
FILE = f"sessions/2026/05/31/rollout-2026-05-31T14-00-00-{ID}.jsonl"


def line(kind: str, second: int, **payload: Any) -> dict[str, Any]:
    return {"timestamp": f"2026-05-31T14:00:{second:02}.000Z", "type": kind, "payload": payload}


def meta(**more: Any) -> dict[str, Any]:
    about = {"id": ID, "cwd": "/home/max/shop", "cli_version": "0.146.0", "source": "cli", "git": {"branch": "main"}}
    return line("session_meta", 0, **about | more)


def said(role: str, text: str, second: int, **more: Any) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    content = [{"type": kind, "text": text}, {"type": "input_image", "image_url": "data:"}]
    return line("response_item", second, type="message", role=role, content=content, **more)


def typed(text: str, second: int) -> dict[str, Any]:
    return line("event_msg", second, type="user_message", message=text)


def told(text: str, second: int) -> dict[str, Any]:
    return line("event_msg", second, type="agent_message", message=text)


def test_tr20_titles_come_from_the_index_and_compressed_rollouts_are_reported(
    write: Any, take: Any, tmp_path: Path
) -> None:
    write(FILE, meta(), said("user", "Mend the login.", 1))
    write(f"archived_sessions/rollout-2026-01-01T00-00-00-{ID}2.jsonl", meta(id=ID + "2"), said("user", "Old.", 1))
    names = [{"id": ID, "thread_name": "First name"}, "{damaged", {"id": ID, "thread_name": "Login"}]
    write("session_index.jsonl", *names)
    (tmp_path / "sessions/rollout-2026-02-02T00-00-00-x.jsonl.zst").write_bytes(b"\x28\xb5\x2f\xfd....")
    found = take(tmp_path)
    assert {session.id: session.title for session in found.sessions} == {ID: "Login", ID + "2": "Old."}
    skipped = {Path(one.path).suffix: one.reason for one in found.report.skipped}
    assert skipped == {".zst": "compressed; unpack it with zstd -d", ".jsonl": "in no format that is known"}


def test_tr21_every_kind_of_item(write: Any, take: Any) -> None:
    found = take(
        write(
            FILE,
            meta(),
            line("turn_context", 1, cwd="/home/max/shop", model="gpt-x"),
            typed("List the files.", 2),
            said("user", "List the files.", 2),
            line("response_item", 3, type="reasoning", summary=[], encrypted_content="…"),
            line("response_item", 3, type="function_call", name="shell", arguments='{"cmd": "ls"}', call_id="c1"),
            line("response_item", 4, type="function_call_output", call_id="c1", output='{"output": "a.txt\\n"}'),
            line("response_item", 5, type="custom_tool_call", name="patch", input="*** Begin", call_id="c2"),
            line("response_item", 6, type="custom_tool_call_output", call_id="c2", output=[{"text": "ok"}]),
            line("response_item", 7, type="local_shell_call", action={"command": ["pwd"]}, call_id="c3"),
            line("response_item", 8, type="web_search_call", id="w1", action={"query": "uv"}),
            said("assistant", "One file.", 9),
            told("One file.", 9),
            line("event_msg", 9, type="token_count", info=None),
            line("compacted", 10, message="So far: one file.", replacement_history=[{"type": "message"}]),
            line("event_msg", 11, type="hologram"),
            line("response_item", 11, type="hologram"),
        )
    )
    assert [(one.role, one.text) for one in found.messages] == [
        ("user", "List the files."),
        ("tool", "shell\ncmd: ls"),
        ("tool", "a.txt\n"),
        ("tool", "patch\n*** Begin"),
        ("tool", "ok"),
        ("tool", 'local_shell\ncommand: ["pwd"]'),
        ("tool", "web_search\nquery: uv"),
        ("assistant", "One file."),
        ("system", "So far: one file."),
    ]
    assert found.ids[1:3] == ["c1", "c1#result"]
    assert found.messages[2].meta["tool"] == "shell"
    assert found.messages[7].meta["model"] == "gpt-x"
    assert found.messages[8].meta == {"is_human": False, "derived": "compaction"}
    wanted = {"cwd": "/home/max/shop", "git_branch": "main", "version": "0.146.0", "kind": "main"}
    assert wanted.items() <= found.session.meta.items()
    assert found.report.unknown == {"event_msg:hologram": 1, "hologram": 1}


def test_tr22_messages_that_stand_twice_are_told_once_and_only_what_was_typed_is_human(write: Any, take: Any) -> None:
    found = take(
        write(
            FILE,
            meta(),
            said("developer", "You are careful.", 0),
            said("user", "<environment_context><cwd>/x</cwd></environment_context>", 1),
            said("user", "<user_instructions>\nBe terse.\n</user_instructions>", 1),
            said("user", "# AGENTS.md instructions for /x\nAlways test.", 1),
            typed("Hello  there.", 2),
            said("user", "Hello there.", 2),
            said("user", "A reminder nobody typed.", 3),
            said("assistant", "Hi.", 4),
            told("Hi.", 4),
        )
    )
    human = {one.text: one.meta.get("is_human") for one in found.messages if one.role == "user"}
    assert human == {"Hello there.": True, "A reminder nobody typed.": False}
    assert found.of("assistant") == ["Hi."]
    assert [one.meta["reason"] for one in found.messages if one.role == "system"] == ["developer"]
    assert found.report.dropped["boilerplate"] == 3


def test_tr22_vector_h_a_rolled_back_turn_is_gone(write: Any, take: Any) -> None:
    """§12.7 h: with its answer and its calls; what came before stays."""
    rollback = line("event_msg", 8, type="thread_rolled_back", num_turns=2)
    records = [
        *[meta(), said("user", "Keep this.", 1), said("assistant", "Kept.", 2)],
        *[said("user", "Drop one.", 3), said("assistant", "Dropped.", 4)],
        line("response_item", 5, type="function_call", name="shell", arguments="{}", call_id="c1"),
        *[said("user", "Drop two.", 6), said("assistant", "Dropped.", 7)],
        *[rollback, said("user", "Go on.", 9)],
    ]
    assert take(write(FILE, *records)).texts == ["Keep this.", "Kept.", "Go on."]


@pytest.mark.parametrize("turns", [0, 99, -3, "many", None, 10**30])
def test_tr22_an_odd_rollback_is_no_trap(write: Any, take: Any, turns: Any) -> None:
    found = take(
        write(FILE, meta(), said("user", "One.", 1), line("event_msg", 2, type="thread_rolled_back", num_turns=turns))
    )
    assert len(found.texts) <= 1


def test_tr22_a_rollback_of_what_was_read_before_withdraws_it(write: Any, take: Any) -> None:
    before = [meta(), said("user", "Keep.", 1), said("assistant", "Yes.", 2), said("user", "Undo me.", 3)]
    first = take(write(FILE, *before))
    rollback = line("event_msg", 4, type="thread_rolled_back", num_turns=1)
    again = take(write(FILE, *before, rollback, said("user", "Instead.", 5)), first.report.cursor)
    assert again.texts == ["Instead."]
    assert again.report.withdrawn == [(ID, first.ids[2])]


def test_tr22_the_direct_generation(write: Any, take: Any) -> None:
    """The first line is what later became the meta record; items stand without an envelope, states in between."""
    content = [{"type": "input_text", "text": "Hello."}]
    answer = [{"type": "output_text", "text": "Hi."}]
    found = take(
        write(
            "rollout-2025-05-31T14-00-00-old.jsonl",
            {"id": "old", "timestamp": "2025-05-31T14:00:00Z", "instructions": None, "git": {"branch": "dev"}},
            {"record_type": "state"},
            {"type": "message", "role": "user", "content": content},
            {"record_type": "state"},
            {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"},
            {"type": "message", "role": "assistant", "content": answer},
            {"type": "message", "role": "user", "content": content},
        )
    )
    assert (found.session.id, found.session.meta["git_branch"]) == ("old", "dev")
    assert found.of("user", "assistant") == ["Hello.", "Hi.", "Hello."]
    assert len(set(found.ids)) == 4
    assert found.messages[0].meta["is_human"] is True


def test_tr22_events_are_read_where_nothing_else_tells(write: Any, take: Any) -> None:
    found = take(write(FILE, meta(), typed("Hello.", 1), told("Hi.", 2)))
    assert [(one.role, one.text) for one in found.messages] == [("user", "Hello."), ("assistant", "Hi.")]


def test_tr22_a_sub_agent_is_a_session_of_its_own_also_when_read_on(write: Any, take: Any) -> None:
    source = {"subagent": {"thread_spawn": {"parent_thread_id": "parent", "depth": 1}}}
    records = [meta(source=source), said("user", "Search.", 1)]
    first = take(write(FILE, *records))
    assert (first.session.meta["kind"], first.session.meta["parent_id"]) == ("subagent", "parent")
    assert first.messages[0].meta["is_human"] is False
    more = take(write(FILE, *records, said("user", "Go on.", 2)), first.report.cursor)
    assert (more.session.id, more.session.meta["kind"], more.texts) == (ID, "subagent", ["Go on."])
    assert more.messages[0].meta["is_human"] is False


def test_tr63_a_session_without_memory_says_so(write: Any, take: Any) -> None:
    found = take(write(FILE, meta(memory_mode="off"), said("user", "Secret.", 1)))
    assert found.session.meta["do_not_remember"] is True
    assert found.messages[0].meta["do_not_remember"] is True


def test_ids_are_those_of_the_source_or_follow_from_what_was_said(write: Any, take: Any) -> None:
    records = [meta(), said("user", "Hello.", 1, id="msg-1"), said("user", "Again.", 2)]
    first, second = take(write(FILE, *records)), take(write(FILE, *records))
    assert first.ids == second.ids
    assert first.ids[0] == "msg-1"
    assert json.dumps(first.ids)
