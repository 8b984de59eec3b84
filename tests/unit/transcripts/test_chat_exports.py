"""ChatGPT and Claude.ai: trees of messages, what is hidden, what was saved on purpose (TR-60 … TR-71, §12.7 f)."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from scrubjay.errors import Corrupt, Refused


def node(id: str, parent: str | None, role: str = "user", text: Any = "", **more: Any) -> dict[str, Any]:
    content = more.pop("content", {"content_type": "text", "parts": text if isinstance(text, list) else [text]})
    message = {"id": f"{id}-m", "author": {"role": role, "name": more.pop("name", None)}, "content": content}
    message |= {"create_time": more.pop("create_time", 1780236000.5), "weight": 1.0, "recipient": "all", "metadata": {}}
    return {"id": id, "parent": parent, "children": [], "message": message | more}


def conversation(*nodes: dict[str, Any], current: Any = None, **more: Any) -> dict[str, Any]:
    root = {"id": "root", "parent": None, "children": [], "message": None}
    about = {"conversation_id": "c1", "title": "Chat", "create_time": 1780236000.0, "update_time": 1780236100.0}
    return {**about, "current_node": current, "mapping": {one["id"]: one for one in (root, *nodes)}, **more}


def export(path: Path, **files: Any) -> Path:
    """A zip with the given files as JSON."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in files.items():
            data = value if isinstance(value, bytes) else json.dumps(value).encode()
            archive.writestr(name.replace("__", ".").replace("_0", "-0"), data)
    return path


def test_tr60_vector_f_only_the_current_path_is_told(tmp_path: Path, take: Any) -> None:
    """§12.7 f: a question that was edited, an answer that was made again."""
    chat = conversation(
        node("u1", "root", text="Which database?"),
        node("a1", "u1", "assistant", "Oracle."),
        node("a2", "u1", "assistant", "PostgreSQL."),
        node("u2", "a2", text="Why?"),
        node("x1", "a1", text="Abandoned."),
        current="u2",
    )
    found = take(export(tmp_path / "e.zip", conversations__json=[chat]))
    assert (found.texts, found.ids) == (["Which database?", "PostgreSQL.", "Why?"], ["u1-m", "a2-m", "u2-m"])
    assert (found.report.format, found.session.id, found.session.title) == ("chatgpt", "c1", "Chat")
    assert [one.parent_id for one in found.messages] == [None, "u1-m", "a2-m"]
    assert [one.meta.get("is_human") for one in found.messages] == [True, None, True]
    assert found.messages[0].at is not None and found.messages[0].at.microsecond == 500_000


@pytest.mark.parametrize("current", [None, "lost", 5, ["u1"]])
def test_tr60_without_a_current_node_the_newest_end_counts(write: Any, take: Any, current: Any) -> None:
    chat = conversation(
        node("u1", "root", text="Hello."),
        node("a2", "u1", "assistant", "New.", create_time="1780239999.25"),
        node("a1", "u1", "assistant", "Old.", create_time=1780230000),
        current=current,
    )
    assert take(write("conversations.json", json.dumps([chat]))).texts == ["Hello.", "New."]


def test_tr60_cycles_end_and_odd_nodes_are_passed_over(write: Any, take: Any) -> None:
    chat = conversation(node("a", "b", text="One."), node("b", "a", text="Two."), current="a")
    chat["mapping"]["odd"] = "string"
    assert take(write("conversations.json", json.dumps([chat]))).texts == ["Two.", "One."]


def test_tr60_every_shape_of_an_export(write: Any, take: Any, tmp_path: Path) -> None:
    """A file with an array, an object around it, several numbered files, a single conversation, a folder, a zip."""
    chats = [
        conversation(node("u1", "root", text=f"Chat {n}."), current="u1", conversation_id=f"c{n}") for n in range(4)
    ]
    assert len(take(write("conversations.json", json.dumps(chats))).sessions) == 4
    assert len(take(write("b/conversations.json", json.dumps({"conversations": chats}, indent=1))).sessions) == 4
    assert len(take(write("c.json", json.dumps(chats[0], indent=2))).sessions) == 1
    write("d/conversations-000.json", json.dumps(chats[:2]))
    write("d/conversations-001.json", json.dumps(chats[2:]))
    write("d/chat.html", "<html>")
    found = take(tmp_path / "d")
    assert {session.id for session in found.sessions} == {"c0", "c1", "c2", "c3"}
    zipped = export(tmp_path / "z.zip", conversations_000__json=chats[:2], conversations_001__json=chats[2:])
    assert len(take(zipped).sessions) == 4
    nested = export(tmp_path / "n.zip", **{"export/conversations__json": chats})
    first = take(nested)
    assert len(first.sessions) == 4
    assert take(nested, first.report.cursor).report.unchanged == 1


def test_tr61_parts_of_every_type(write: Any, take: Any) -> None:
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "sediment://x"}
    heard = {"content_type": "audio_transcription", "text": "spoken words"}
    contents: list[dict[str, Any]] = [
        {"content_type": "multimodal_text", "parts": ["Look:", picture, heard, None, 5, ["x"]]},
        {"content_type": "code", "language": "python", "text": "print(1)"},
        {"content_type": "text", "parts": "not a list"},
        {"content_type": "hologram", "text": "from the future"},
    ]
    nodes = [node(f"n{n}", f"n{n - 1}" if n else "root", content=content) for n, content in enumerate(contents)]
    found = take(write("conversations.json", json.dumps([conversation(*nodes, current="n3")])))
    assert found.texts == ["Look:\n\nspoken words", "print(1)", "from the future"]
    assert found.report.unknown == {"content:hologram": 1}


def test_tr62_what_is_hidden_and_why(write: Any, take: Any) -> None:
    def of(kind: str, text: str = "x") -> dict[str, Any]:
        return {"content_type": kind, "text": text}

    hidden = [
        ("system", {"text": "s"}, "system"),
        ("user", {"text": "v", "metadata": {"is_visually_hidden_from_conversation": True}}, "hidden"),
        ("assistant", {"text": "w", "weight": 0}, "weight"),
        ("assistant", {"text": "r", "recipient": "python"}, "recipient"),
        ("tool", {"text": "t", "name": "browser"}, "tool"),
        ("tool", {"content": {"content_type": "tether_browsing_display", "result": "b"}}, "tether_browsing_display"),
        ("assistant", {"content": {"content_type": "thoughts", "thoughts": [{"content": "hm"}]}}, "thoughts"),
        ("assistant", {"content": {"content_type": "reasoning_recap", "content": "5 s"}}, "reasoning_recap"),
    ]
    shown = [
        ("tool", {"content": of("execution_output"), "name": "python"}, ""),
        ("tool", {"content": of("tether_quote")}, ""),
        ("assistant", {"text": "plain", "recipient": None}, ""),
    ]
    cases = hidden + shown
    nodes = [node(f"n{n}", f"n{n - 1}" if n else "root", role, **more) for n, (role, more, _) in enumerate(cases)]
    empty = node("end", f"n{len(cases) - 1}", "assistant", "")
    found = take(write("conversations.json", json.dumps([conversation(*nodes, empty, current="end")])))
    assert [one.meta.get("reason", "") for one in found.messages] == [reason for *_, reason in cases]
    assert all((one.meta.get("visible") is False) == bool(one.meta.get("reason")) for one in found.messages)


def test_tr62_saved_memories_and_instructions_are_candidates(write: Any, take: Any) -> None:
    profile = {
        "content_type": "user_editable_context",
        "user_profile": "I am a nurse.",
        "user_instructions": "Be brief.",
    }
    found = take(
        write(
            "conversations.json",
            json.dumps(
                [
                    conversation(
                        node("n0", "root", "system", content=profile, weight=0),
                        node("n1", "n0", "system", "Call me Max.", metadata={"is_user_system_message": True}),
                        node("n2", "n1", "assistant", "User prefers tea.", recipient="bio"),
                        current="n2",
                    )
                ]
            ),
        )
    )
    assert [(one.text, one.meta["candidate"]) for one in found.messages] == [
        ("I am a nurse.\n\nBe brief.", "instructions"),
        ("Call me Max.", "instructions"),
        ("User prefers tea.", "memory"),
    ]
    assert all("visible" not in one.meta for one in found.messages)


def test_tr63_not_to_be_remembered_is_marked_on_everything(write: Any, take: Any) -> None:
    chat = conversation(node("u1", "root", text="Between us."), current="u1", is_do_not_remember=True)
    found = take(write("conversations.json", json.dumps([chat])))
    assert found.session.meta["do_not_remember"] is True
    assert found.messages[0].meta["do_not_remember"] is True


def test_tr63_citations_are_no_words(write: Any, take: Any) -> None:
    text = "Tea【12†source】 is \ue200cite\ue202turn0search1\ue201good\ue203, 【really】."
    chat = conversation(node("u1", "root", "assistant", text), current="u1")
    assert take(write("conversations.json", json.dumps([chat]))).texts == ["Tea is good, 【really】."]


def human(uuid: str, text: str, **more: Any) -> dict[str, Any]:
    return {"uuid": uuid, "sender": "human", "text": text, "created_at": "2026-05-31T14:00:00.000000Z", **more}


def claude(uuid: str, text: str, **more: Any) -> dict[str, Any]:
    return {**human(uuid, text, **more), "sender": "assistant"}


def claude_chat(*messages: Any, **more: Any) -> dict[str, Any]:
    about = {"uuid": "k1", "name": "Tea", "created_at": "2026-05-31T14:00:00Z", "updated_at": "2026-05-31T15:00:00Z"}
    return {**about, "account": {"uuid": "acc"}, "chat_messages": list(messages), **more}


def test_tr70_conversations_with_their_project(tmp_path: Path, take: Any) -> None:
    blocks = [
        {"type": "text", "text": "Here: <antArtifact identifier='x'>code</antArtifact>"},
        {"type": "thinking", "thinking": "hm"},
        {"type": "tool_use", "name": "repl", "input": {"code": "1 + 1"}},
        {"type": "tool_result", "name": "repl", "content": [{"type": "text", "text": "2"}], "is_error": False},
        {"type": "token_budget"},
        {"type": "hologram"},
    ]
    attached = [{"file_name": "a.txt", "extracted_content": "The file's words."}, {"file_name": "b.bin"}]
    chat = claude_chat(
        human("h1", "Count.", attachments=attached),
        claude("a1", "fallback", content=blocks),
        claude("a2", "Only here.", content=[]),
        project_uuid="p1",
        summary="They counted.",
    )
    path = export(
        tmp_path / "e.zip",
        conversations__json=[chat],
        users__json=[{"uuid": "acc"}],
        projects__json=[{"uuid": "p1", "name": "Maths", "docs": []}],
    )
    found = take(path)
    assert [(one.id, one.role, one.text) for one in found.messages] == [
        ("h1", "user", "Count."),
        ("h1#file0", "tool", "The file's words."),
        ("a1", "assistant", "Here: code"),
        ("a1#2", "tool", "repl\ncode: 1 + 1"),
        ("a1#3", "tool", "2"),
        ("a2", "assistant", "Only here."),
        ("k1#summary", "system", "They counted."),
    ]
    assert (found.report.format, found.session.source, found.session.title) == ("claude.ai", "claude.ai", "Tea")
    assert found.session.meta["project"] == "Maths"
    assert found.messages[-1].meta["derived"] == "summary"
    assert found.report.unknown == {"block:hologram": 1}


def test_tr70_branches_follow_the_current_leaf(write: Any, take: Any) -> None:
    messages = [
        human("h1", "Ask.", parent_message_uuid="00000000-0000-4000-8000-000000000000"),
        claude("a1", "First answer.", parent_message_uuid="h1"),
        claude("a2", "Second answer.", parent_message_uuid="h1"),
    ]
    first = claude_chat(*messages, current_leaf_message_uuid="a1")
    last = claude_chat(*messages, uuid="k2")
    plain = claude_chat(human("h1", "Ask."), claude("a1", "Answer."), uuid="k3", current_leaf_message_uuid="a1")
    looped = claude_chat(
        human("x", "X.", parent_message_uuid="y"), claude("y", "Y.", parent_message_uuid="x"), uuid="k4"
    )
    found = take(write("conversations.json", json.dumps([first, last, plain, looped])))
    assert [[one.text for one in session.messages] for session in found.sessions] == [
        ["Ask.", "First answer."],
        ["Ask.", "Second answer."],
        ["Ask.", "Answer."],
        ["X.", "Y."],
    ]


def test_tr71_memories_become_candidates(tmp_path: Path, take: Any) -> None:
    kept = {
        "conversations_memory": "**Work context**\n\nMax runs a shop.\n\n# Preferences\nTea, not coffee.\n\nUses uv.",
        "project_memories": {"p1": "Counts in base 12."},
        "account_uuid": "acc",
    }
    files = {"conversations__json": [], "memories__json": [kept], "projects__json": [{"uuid": "p1", "name": "Maths"}]}
    found = take(export(tmp_path / "e.zip", **files))
    told = [
        (one.text, one.meta["candidate"], one.meta.get("heading"), one.meta.get("project")) for one in found.messages
    ]
    assert told == [
        ("Max runs a shop.", "context", "Work context", None),
        ("Tea, not coffee.", "context", "Preferences", None),
        ("Uses uv.", "context", "Preferences", None),
        ("Counts in base 12.", "project", None, "Maths"),
    ]
    assert {one.meta["source"] for one in found.messages} == {"claude.ai export"}
    assert found.session.meta["kind"] == "memories"


def test_tr71_memories_alone_are_read_too(write: Any, take: Any) -> None:
    path = write("memories.json", json.dumps([{"conversations_memory": "Max runs a shop.", "account_uuid": "acc"}]))
    assert take(path).texts == ["Max runs a shop."]


def test_tr63_a_damaged_item_costs_itself_and_not_the_others(write: Any, take: Any) -> None:
    good = json.dumps(conversation(node("u1", "root", text="Kept."), current="u1"))
    deep = "[" * 100_000 + "]" * 100_000
    found = take(write("conversations.json", f'[{good}, {{"mapping": {{"a" 5}}}}, {deep}, 7, {good[:-1]}'))
    assert found.texts == ["Kept."]
    assert len(found.report.problems) == 4


def hostile(path: Path, name: str = "more.json", data: bytes = b"[]", mode: int = 0) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", json.dumps([conversation(node("u1", "root", text="x"), current="u1")]))
        info = zipfile.ZipInfo(name)
        info.external_attr = mode << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(info, data)
    return path


@pytest.mark.parametrize("name", ["../x.json", "/etc/x", "a/../../x", "C:/x", "..\\x", "\\x"])
def test_sec8_members_that_lead_out_are_refused(tmp_path: Path, take: Any, name: str) -> None:
    with pytest.raises(Refused):
        take(hostile(tmp_path / "e.zip", name))


def test_sec8_links_and_bombs_are_refused(tmp_path: Path, take: Any) -> None:
    with pytest.raises(Refused, match="a link"):
        take(hostile(tmp_path / "l.zip", "link", b"/etc/passwd", 0o120777))
    with pytest.raises(Refused, match="a hundred times"):
        take(hostile(tmp_path / "b.zip", "bomb", b"0" * 10_000_000))


def test_sec8_too_much_is_refused_before_anything_is_read(tmp_path: Path, take: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("scrubjay.transcripts.archive.MAX_SIZE", 100)
    with pytest.raises(Refused, match="would unpack"):
        take(hostile(tmp_path / "e.zip", "more", bytes(range(200))))


@pytest.mark.parametrize("cut", [30, 200, -30])
def test_sec8_a_damaged_zip_is_named(tmp_path: Path, take: Any, cut: int) -> None:
    path = hostile(tmp_path / "e.zip")
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(Corrupt):
        take(path)


def test_sec8_a_member_that_lies_about_its_content_is_named(tmp_path: Path, take: Any) -> None:
    path = hostile(tmp_path / "e.zip")
    data = bytearray(path.read_bytes())
    at = data.index(b"conversations.json") + len("conversations.json")
    data[at : at + 20] = bytes(20)
    path.write_bytes(data)
    with pytest.raises(Corrupt):
        take(path)
