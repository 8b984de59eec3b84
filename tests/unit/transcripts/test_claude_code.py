"""Claude Code: what is told of a session, of whom, and what is not (TR-1 … TR-10, spec §12.7 a to e)."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

SESSION = "6f0c2a4e-0d5b-4a5c-9d1e-2f6a7b8c9d0e"
FILE = f"projects/-home-max-shop/{SESSION}.jsonl"
_clock = iter(range(10_000))


def record(kind: str, uuid: str, parent: str | None, content: Any = None, **more: Any) -> dict[str, Any]:
    message: dict[str, Any] = {"role": kind, "content": content}
    for key in ("id", "model"):
        if f"message_{key}" in more:
            message[key] = more.pop(f"message_{key}")
    seconds = next(_clock)
    return {
        "type": kind,
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": SESSION,
        "timestamp": f"2026-05-31T14:{seconds // 60 % 60:02}:{seconds % 60:02}.000Z",
        "cwd": "/home/max/shop",
        "gitBranch": "main",
        "version": "2.1.90",
        **({"message": message} if content is not None else {}),
        **more,
    }


def user(uuid: str, parent: str | None, content: Any, **more: Any) -> dict[str, Any]:
    return record("user", uuid, parent, content, **more)


def assistant(uuid: str, parent: str | None, *blocks: Any, **more: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
    return record("assistant", uuid, parent, content, message_model="claude-x", **more)


def call(id: str, name: str = "Bash", **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": name, "input": arguments}


def result(id: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": content, **more}


@pytest.fixture
def told(write: Any, take: Any) -> Any:
    """Reads records as the main file of a session."""
    return lambda *records, name=FILE: take(write(name, *records))


def test_tr1_the_path_names_sessions_agents_and_compactions(write: Any, take: Any, tmp_path: Path) -> None:
    """TR-1: a session, an agent below it with its description, an older agent beside it, a compaction."""
    write(FILE, user("u1", None, "Find the leak."))
    below = f"projects/-home-max-shop/{SESSION}/subagents/deep/agent-a1b2.jsonl"
    agent = {"isSidechain": True, "agentId": "a1b2"}
    write(below, user("a1", None, "Search for open files.", **agent), assistant("a2", "a1", "None.", **agent))
    (tmp_path / below).with_suffix(".meta.json").write_text('{"agentType": "Explore"}', encoding="utf-8")
    older = {"isSidechain": True, "agentId": "c3d4"}
    write("projects/-home-max-shop/agent-c3d4.jsonl", user("b1", None, "Read the docs.", **older))
    compaction = {"isSidechain": True, "agentId": "acompact-9"}
    write("projects/-home-max-shop/agent-acompact-9.jsonl", user("c1", None, "Summarise.", **compaction))
    spilled = tmp_path / "projects/-home-max-shop" / SESSION / "tool-results"
    spilled.mkdir(parents=True)
    (spilled / "x.json").write_text('{"type":"user","message":{"content":"spilled"}}', encoding="utf-8")

    sessions = {session.id: session for session in take(tmp_path / "projects").sessions}
    kinds = {id: session.meta["kind"] for id, session in sessions.items()}
    assert kinds == {
        SESSION: "main",
        f"{SESSION}/agent-a1b2": "subagent",
        f"{SESSION}/agent-c3d4": "subagent",
        f"{SESSION}/agent-acompact-9": "compaction",
    }
    found = sessions[f"{SESSION}/agent-a1b2"]
    assert (found.meta["parent_id"], found.meta["agent_type"]) == (SESSION, "Explore")
    assert [(one.role, one.meta.get("is_human")) for one in found.messages] == [("user", False), ("assistant", None)]
    assert sessions[f"{SESSION}/agent-acompact-9"].messages[0].meta["visible"] is False


def test_tr2_a_session_says_where_it_was_held(told: Any) -> None:
    first = user("u1", None, "Hello.", forkedFrom={"sessionId": "older", "messageUuid": "m"})
    moved = user("u2", "u1", "On another branch now.", gitBranch="fix/leak", cwd="/home/max/shop/sub")
    session = told(first, moved).session
    assert (session.source, session.id) == ("claude-code", SESSION)
    wanted = {"cwd": "/home/max/shop", "git_branch": "fix/leak", "version": "2.1.90", "forked_from": "older"}
    assert wanted.items() <= session.meta.items()
    assert session.messages[0].at is not None and session.messages[0].at.tzinfo is UTC
    assert session.messages[1].parent_id == "u1"


def test_tr3_known_types_are_silent_and_unknown_ones_are_counted(told: Any) -> None:
    silent = """system progress attachment file-history-snapshot file-history-delta queue-operation pr-link
        permission-mode mode init content-replacement bridge-session result agent-name tag""".split()
    found = told(
        user("u1", None, "Hello."),
        *[{"type": kind, "uuid": f"x-{kind}", "parentUuid": "u1", "sessionId": SESSION} for kind in silent],
        {"type": "hologram", "uuid": "h1"},
        {"type": "hologram", "uuid": "h2"},
        {"type": ["odd"]},
        assistant("a1", "u1", {"type": "video"}, "Hi."),
    )
    assert found.texts == ["Hello.", "Hi."]
    assert found.report.unknown == {"hologram": 2, "(none)": 1, "block:video": 1}
    assert found.report.problems == []


def test_tr3_what_was_typed_while_the_agent_worked_is_kept(told: Any) -> None:
    """A queued command stands in an attachment and nowhere else; other attachments come from the host."""

    def attached(uuid: str, **what: Any) -> dict[str, Any]:
        return {**record("attachment", uuid, "u1"), "attachment": what}

    found = told(
        user("u1", None, "Start."),
        attached("q1", type="queued_command", prompt="And use uv.", commandMode="prompt"),
        attached("q2", type="queued_command", prompt="<task/>", commandMode="task-notification"),
        attached("q3", type="hook_additional_context", content="Max likes tea."),
        attached("q4", type="nested_memory", content={"content": "Always test."}),
    )
    assert [(one.text, one.meta["is_human"]) for one in found.messages] == [("Start.", True), ("And use uv.", True)]


def test_tr4_calls_and_results_are_turns_of_tools(told: Any) -> None:
    found = told(
        user("u1", None, "List the files."),
        assistant("a1", "u1", "Sure.", call("t1", command="ls -la", description="List")),
        user("r1", "a1", [result("t1", [{"type": "text", "text": "a.txt"}, {"type": "image", "source": {}}])]),
        assistant("a2", "r1", call("t2", "Read", file_path="a.txt")),
        user("r2", "a2", [result("t2", "no such file", is_error=True)]),
    )
    assert [(one.role, one.text) for one in found.messages] == [
        ("user", "List the files."),
        ("assistant", "Sure."),
        ("tool", "Bash\ncommand: ls -la\ndescription: List"),
        ("tool", "a.txt"),
        ("tool", "Read\nfile_path: a.txt"),
        ("tool", "no such file"),
    ]
    assert found.ids == ["u1", "a1", "t1", "r1", "t2", "r2"]
    assert [one.meta.get("tool") for one in found.messages[2:]] == ["Bash", "Bash", "Read", "Read"]
    assert found.messages[5].meta["is_error"] is True
    assert found.messages[4].parent_id == "r1"


def test_tr4_several_results_in_one_record_are_told_apart(told: Any) -> None:
    found = told(user("u1", None, [{"type": "text", "text": "Both:"}, result("t1", "one"), result("t2", "two")]))
    assert list(zip(found.ids, found.texts, strict=True)) == [("u1", "Both:"), ("u1#0", "one"), ("u1#1", "two")]
    assert found.messages[0].meta["is_human"] is True


def test_tr5_an_abandoned_branch_is_kept_and_marked(told: Any) -> None:
    """A person went back to the first answer and asked something else."""
    found = told(
        user("u1", None, "Which database?"),
        assistant("a1", "u1", "SQLite."),
        user("u2", "a1", "Use Oracle."),
        assistant("a2", "u2", "Oracle it is.", call("t1")),
        user("r2", "a2", [result("t1", "done")]),
        user("u3", "a1", "Use PostgreSQL."),
        assistant("a3", "u3", "PostgreSQL it is."),
    )
    dead = {one.id for one in found.messages if one.meta.get("branch") == "dead"}
    assert dead == {"u2", "a2", "t1", "r2"}
    assert "Use Oracle." in found.texts


def test_tr5_calls_side_by_side_are_no_abandoned_branches(told: Any) -> None:
    """One answer with three calls; only the last result is gone on with."""
    found = told(
        user("u1", None, "Look."),
        assistant("a1", "u1", call("t1"), message_id="m1"),
        assistant("a2", "a1", call("t2"), message_id="m1"),
        user("r1", "a1", [result("t1", "one")]),
        record("progress", "p1", "r1"),
        assistant("a3", "a2", call("t3"), message_id="m1"),
        user("r2", "a2", [result("t2", "two")]),
        user("r3", "a3", [result("t3", "three")]),
        assistant("a4", "r3", "Done."),
    )
    assert [one.id for one in found.messages if "branch" in one.meta] == []


def test_tr5_a_compaction_and_a_missing_parent_abandon_nothing(told: Any) -> None:
    boundary = {**record("system", "s1", None), "subtype": "compact_boundary", "logicalParentUuid": "a1"}
    found = told(
        user("u1", None, "Before."),
        assistant("a1", "u1", "Yes."),
        boundary,
        user("c1", "s1", "So far …", isCompactSummary=True),
        user("u2", "lost", "After."),
        assistant("a2", "u2", "Still here."),
    )
    assert [one.id for one in found.messages if "branch" in one.meta] == []


def test_tr5_the_first_prompt_written_anew_abandons_the_old_one(told: Any) -> None:
    found = told(
        user("u1", None, "Use tabs."),
        assistant("a1", "u1", "Tabs."),
        user("u2", None, "Use spaces."),
        assistant("a2", "u2", "Spaces."),
    )
    assert [one.id for one in found.messages if "branch" in one.meta] == ["u1", "a1"]


def test_tr5_cycles_and_records_without_links_end(told: Any) -> None:
    looped = told(user("u1", "a1", "One."), assistant("a1", "u1", "Two."), user("u2", "u2", "Three."))
    assert looped.texts == ["One.", "Two.", "Three."]
    plain = [{"type": "user", "uuid": f"n{n}", "message": {"role": "user", "content": f"Say {n}."}} for n in range(3)]
    found = told(*plain, name="projects/-x/plain.jsonl")
    assert [one.meta for one in found.messages] == [{"is_human": True}] * 3


def test_tr5_a_long_chain_is_no_recursion(told: Any) -> None:
    links = [record("progress", f"p{n}", f"p{n - 1}" if n else "u1") for n in range(3000)]
    found = told(user("u1", None, "Start."), *links, assistant("a1", "p2999", "End."))
    assert found.messages[1].parent_id == "u1"
    assert [one.id for one in found.messages if "branch" in one.meta] == []


def test_tr5_sidechains_teams_and_meta_records_are_not_visible(told: Any) -> None:
    found = told(
        user("u1", None, "Go."),
        user("s1", "u1", "Agent, go.", isSidechain=True),
        user("m1", "u1", "From the host.", isMeta=True),
        user("t1", "u1", "From a colleague.", teamName="blue"),
        assistant("a1", "u1", "API Error: 500", isApiErrorMessage=True),
    )
    hidden = {one.id: one.meta["reason"] for one in found.messages if one.meta.get("visible") is False}
    assert hidden == {"s1": "sidechain", "m1": "meta", "t1": "team", "a1": "error"}
    assert [one.id for one in found.messages if one.meta.get("is_human")] == ["u1"]


def test_tr6_vector_a_records_of_one_response_are_one_message(told: Any) -> None:
    """§12.7 a: also with results in between; a response told twice counts once."""
    found = told(
        user("u1", None, "Explain."),
        assistant("a1", "u1", {"type": "thinking", "thinking": "hm"}, message_id="m1"),
        assistant("a2", "a1", "First part.", message_id="m1"),
        assistant("a3", "a2", call("t1"), message_id="m1"),
        user("r1", "a3", [result("t1", "ok")]),
        assistant("a4", "r1", "Second part.", message_id="m1"),
        assistant("a5", "a4", "Another answer.", message_id="m2"),
    )
    assert found.of("assistant") == ["First part.\n\nSecond part.", "Another answer."]
    merged = found.messages[1]
    assert (merged.id, merged.meta["pieces"]) == ("a2", [["a2", 11], ["a4", 12]])
    assert found.report.dropped == {"thinking": 1}


@pytest.mark.parametrize(
    "text",
    [
        "<local-command-stdout>ok</local-command-stdout>",
        "<command-name>/init</command-name>",
        "<command-message>init</command-message>",
        "<session-start-hook>x</session-start-hook>\nrest",
        "<bash-stdout>x</bash-stdout>",
        "Caveat: The messages below were generated by the user",
        "[Request interrupted by user]",
    ],
)
def test_tr7_what_the_host_wrote_is_not_human(told: Any, text: str) -> None:
    (message,) = told(user("u1", None, text)).messages
    assert (message.role, message.meta["is_human"], message.meta["visible"]) == ("system", False, False)


def test_tr7_only_a_human_origin_is_human(told: Any) -> None:
    kinds = ["human", "task-notification", "coordinator"]
    found = told(*[user(f"u{n}", None, "Text.", origin={"kind": kind}) for n, kind in enumerate(kinds)])
    assert [(one.role, one.meta["is_human"]) for one in found.messages] == [
        ("user", True),
        ("system", False),
        ("system", False),
    ]


def test_tr7_vector_e_recalled_memory_is_never_taken_for_what_was_said(told: Any) -> None:
    """§12.7 e, the feedback loop: in a prompt, in a result, and as the result of our own tools."""
    recalled = "<memory-context>\nMax prefers pixi.\n</memory-context>"
    found = told(
        user("u1", None, f"{recalled}\n\nWhich package manager?\n<system-reminder>Be kind.</system-reminder>"),
        user("u2", "u1", f"inline {recalled} text <ide_selection>line 3</ide_selection>"),
        assistant("a1", "u2", call("t1", "mcp__scrubjay__search_memory", query="manager")),
        user("r1", "a1", [result("t1", "Max prefers pixi.")]),
        assistant("a2", "r1", call("t2")),
        user("r2", "a2", [result("t2", f"output\n{recalled}")]),
        user("u3", "r2", recalled),
    )
    assert found.of("user") == ["Which package manager?", "inline text"]
    assert [one.text for one in found.messages if "pixi" in one.text and one.meta.get("visible", True)] == []
    assert [one.text for one in found.messages if one.id == "r2"] == ["output"]
    assert found.report.dropped["memory-context"] == 4


@pytest.mark.parametrize(
    ("titles", "wanted"),
    [
        (["customTitle", "aiTitle", "lastPrompt", "summary"], "by customTitle"),
        (["aiTitle", "lastPrompt", "summary"], "by aiTitle"),
        (["lastPrompt", "summary"], "by lastPrompt"),
        (["summary"], "by summary"),
        ([], "Mend the login"),
    ],
)
def test_tr8_the_best_title_wins(told: Any, titles: list[str], wanted: str) -> None:
    kinds = {"customTitle": "custom-title", "aiTitle": "ai-title", "lastPrompt": "last-prompt", "summary": "summary"}
    lines = [{"type": kinds[key], key: f"by {key}", "leafUuid": "u2"} for key in titles]
    prompt = [user("u1", None, "<command-name>/clear</command-name>"), user("u2", None, "Mend the\nlogin")]
    assert told(*lines, *prompt).session.title == wanted


def test_tr8_summaries_of_other_sessions_give_no_title(told: Any) -> None:
    others = [{"type": "summary", "summary": f"Other {n}", "leafUuid": f"x{n}"} for n in range(3)]
    found = told(*others, user("u1", None, "My own work"))
    assert (found.session.title, found.session.meta["title_source"]) == ("My own work", "prompt")


def test_tr9_vector_b_a_fork_repeats_nothing(write: Any, take: Any, tmp_path: Path) -> None:
    """§12.7 b: ten records copied under another session's id, then two new ones."""
    ten = [user(f"u{n}", f"u{n - 1}" if n else None, f"Turn {n}.") for n in range(10)]
    write(FILE, *ten)
    fork = [
        {**one, "sessionId": "fork", "forkedFrom": {"sessionId": SESSION, "messageUuid": one["uuid"]}} for one in ten
    ]
    more = [{**user("f1", "u9", "New."), "sessionId": "fork"}, {**assistant("f2", "f1", "Yes."), "sessionId": "fork"}]
    write("projects/-home-max-shop/fork.jsonl", *fork, *more)
    found = take(tmp_path)
    assert len(found.ids) == len(set(found.ids)) == 12
    assert {session.id: len(session.messages) for session in found.sessions} == {SESSION: 10, "fork": 2}
    assert found.report.dropped["repeated"] == 10
    alone = take(tmp_path / "projects/-home-max-shop/fork.jsonl")
    assert set(alone.ids) == set(found.ids)  # a fork read alone has the source's own ids


def test_tr9_the_same_id_with_another_text_is_another_message(write: Any, take: Any, tmp_path: Path) -> None:
    """Ids that programs of other people made up (``msg-1``) are no reason to lose what was said."""
    for name in ("one", "two"):
        write(f"projects/-x/{name}.jsonl", {**user("msg-1", None, f"In {name}."), "sessionId": name})
    assert sorted(take(tmp_path).texts) == ["In one.", "In two."]


def test_tr9_the_order_is_that_of_the_file(told: Any) -> None:
    late = user("u1", None, "First.", timestamp="2026-05-31T15:00:00Z")
    early = user("u2", "u1", "Second.", timestamp="1999-01-01T00:00:00+05:00")
    odd = user("u3", "u2", "Third.", timestamp={"at": 5})
    found = told(late, early, odd)
    assert found.texts == ["First.", "Second.", "Third."]
    assert found.session.started == datetime(2026, 5, 31, 15, tzinfo=UTC)
    assert found.messages[2].at is None


def test_tr9_a_uuid_used_twice_keeps_its_first_text(told: Any) -> None:
    assert told(user("u1", None, "Right."), user("u1", None, "Conflicting.")).texts == ["Right."]


def test_tr10_vector_d_a_compact_summary_is_derived_and_never_human(told: Any) -> None:
    found = told(user("u1", None, "Real."), user("c1", "u1", "The user wants …", isCompactSummary=True))
    summary = found.messages[1]
    assert (summary.role, summary.meta["is_human"], summary.meta["derived"]) == ("system", False, "compaction")
    assert found.session.title == "Real."


def test_the_web_client_exports_a_document(write: Any, take: Any) -> None:
    lines = [{"type": "user", "timestamp": "2026-05-31T14:00:00Z", "message": {"role": "user", "content": "Add."}}]
    found = take(write("session.json", json.dumps({"loglines": lines}, indent=2)))
    assert (found.report.format, found.texts, found.session.id) == ("claude-code", ["Add."], "session")


def test_sessions_that_share_a_file_stay_apart(told: Any) -> None:
    other = [{**user("x1", None, "Elsewhere."), "sessionId": "other"}]
    found = told(user("u1", None, "Here."), *other, assistant("a1", "u1", "Yes."))
    assert {session.id: len(session.messages) for session in found.sessions} == {SESSION: 2, "other": 1}
    assert [one.id for one in found.messages if "branch" in one.meta] == []
