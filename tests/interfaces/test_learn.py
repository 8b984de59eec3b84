"""``learn`` and ``inbox`` from a command line and on a terminal (SM-9 … SM-13, SM-18)."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import sys
from pathlib import Path

import pytest

RETRY = "# Retry\n\nUse exponential backoff with jitter for HTTP requests.\n"


def _terminal():
    spec = importlib.util.spec_from_file_location("terminal", Path(__file__).with_name("terminal.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Terminal


@pytest.fixture
def project(tmp_path: Path, jay) -> Path:
    (tmp_path / ".git").mkdir()
    assert jay("init").code == 0
    (tmp_path / "retry.md").write_text(RETRY, "utf-8")
    return tmp_path


@pytest.fixture
def on_terminal(project: Path):
    if sys.platform == "win32":
        pytest.skip("there are no pseudo-terminals here")
    return lambda *arguments, columns=100, **variables: _terminal()(
        arguments, project, columns=columns, variables=variables
    )


def memories(project: Path) -> list[str]:
    return sorted(path.name for path in (project / ".memory" / "10-Memories").glob("MEM-*.md"))


def inbox(project: Path) -> list[str]:
    return sorted(path.name for path in (project / ".memory" / "00-Inbox").glob("*.md") if path.name != "README.md")


def test_sm10_without_anything_to_learn_from_the_usage_is_shown(jay, project: Path) -> None:
    done = jay("learn")
    assert done.code == 2
    assert "Usage: /learn <text or file path or directory> OR /learn --task N" in done.err


@pytest.mark.parametrize(
    ("arguments", "message", "code"),
    [
        (("-f", "gone.md"), "File not found: gone.md", 3),
        (("gone/",), "Directory not found: gone", 3),
        (("empty/",), "No text files found in: empty", 3),
        (("--task", "7"), "Task directory not found: specs/007_*", 3),
    ],
)
def test_sm10_what_is_not_there_is_named(
    jay, project: Path, arguments: tuple[str, ...], message: str, code: int
) -> None:
    (project / "empty").mkdir()
    done = jay("learn", *arguments)
    assert done.code == code, done.err
    assert message in done.err
    assert memories(project) == []


def test_sm10_more_than_two_hundred_files_are_refused(jay, project: Path) -> None:
    (project / "many").mkdir()
    for number in range(201):
        (project / "many" / f"{number:03}.md").write_text(f"# Note {number}\n\nText.\n", "utf-8")
    done = jay("learn", "many/")
    assert done.code == 2
    assert "Too many files (201). Maximum is 200." in done.err
    assert "Narrow your path or use file mode for specific files." in done.err


def test_sm11_nothing_is_written_without_a_decision(jay, project: Path) -> None:
    done = jay("learn", "retry.md")
    assert done.code == 0 and "CREATE" in done.out and "Nothing was written" in done.out
    assert memories(project) == [] and inbox(project) == []


def test_sm9_yes_is_explicit_and_recorded(jay, project: Path) -> None:
    done = jay("learn", "retry.md", "--yes", "--json").json
    assert (done["status"], done["mode"], done["memories_affected"], done["by"]) == ("completed", "file", 1, "--yes")
    [operation] = done["operations"]
    assert operation["type"] == "CREATE" and (project / ".memory" / operation["memory_path"]).is_file()
    again = jay("learn", "retry.md", "--yes", "--json").json
    assert again["operations"][0]["type"] == "SKIP" and len(memories(project)) == 1


def test_the_plan_can_be_filled_in_elsewhere(jay, project: Path) -> None:
    assert jay("learn", "retry.md", "--plan", "plan.json").code == 0
    plan = json.loads((project / "plan.json").read_text("utf-8"))
    assert plan["questions"] and plan["proposals"][0]["decision"] is None
    plan["proposals"][0]["decision"] = "CREATE"
    (project / "plan.json").write_text(json.dumps(plan), "utf-8")
    done = jay("learn", "--apply", "plan.json")
    assert done.code == 0 and "1 created" in done.out
    assert len(memories(project)) == 1


def test_a_plan_that_was_filled_in_wrongly_names_the_field(jay, project: Path) -> None:
    jay("learn", "retry.md", "--plan", "plan.json")
    plan = json.loads((project / "plan.json").read_text("utf-8"))
    plan["proposals"][0]["decision"] = "DESTROY"
    (project / "plan.json").write_text(json.dumps(plan), "utf-8")
    done = jay("learn", "--apply", "plan.json")
    assert done.code == 2 and "plan.json" in done.err and "decision" in done.err
    (project / "plan.json").write_text("{", "utf-8")
    assert jay("learn", "--apply", "plan.json").code == 2
    assert memories(project) == []


def test_kept_proposals_wait_and_are_decided_one_by_one(jay, project: Path) -> None:
    (project / "two.md").write_text(
        RETRY + "\n" + "word " * 450 + "\n\n# Cache\n\n" + "Cache keys hold the version. " * 80, "utf-8"
    )
    assert "kept in the inbox" in jay("learn", "two.md", "--keep").out
    waiting = jay("inbox", "--json").json["proposals"]
    assert len(waiting) >= 2 and len(inbox(project)) == len(waiting)
    assert jay("inbox", "show", "1").code == 0
    assert jay("inbox", "edit", "1", "--topic", "net/http").code == 0
    assert "1 created" in jay("inbox", "accept", "1").out
    assert jay("inbox", "reject", "1").code == 0
    assert len(inbox(project)) == len(waiting) - 2 and len(memories(project)) == 1
    text = (project / ".memory" / "10-Memories" / memories(project)[0]).read_text("utf-8")
    assert "net/http" in text
    assert "waits" in jay("inbox", "accept", "99").err or jay("inbox", "accept", "99").code == 3


def test_one_undo_takes_a_decision_back_with_its_proposal(jay, project: Path) -> None:
    jay("learn", "retry.md", "--keep")
    before = inbox(project)
    jay("inbox", "accept", "1")
    assert inbox(project) == [] and len(memories(project)) == 1
    assert jay("undo").code == 0
    assert inbox(project) == before and memories(project) == []


def test_on_a_terminal_every_part_is_asked_about(on_terminal, project: Path) -> None:
    run = on_terminal("learn", "retry.md")
    shown = run.answer("c")
    assert "Retry" in shown and "exponential backoff" in shown and "CREATE" in shown
    assert memories(project) == []
    code, end = run.end()
    assert code == 0 and "1 created" in end and len(memories(project)) == 1


def test_on_a_terminal_words_can_be_changed_first(on_terminal, project: Path) -> None:
    run = on_terminal("learn", "retry.md")
    for said in ("?", "t", "net/retry", "l", "Backing off", "g", "pattern", "nonsense", ""):
        run.answer(said)
    assert run.end()[0] == 0
    [name] = memories(project)
    text = (project / ".memory" / "10-Memories" / name).read_text("utf-8")
    assert "Backing off" in text and "net/retry" in text and "PATTERN" in text


def test_ctrl_c_keeps_the_plan_and_writes_nothing_else(on_terminal, project: Path, jay) -> None:
    run = on_terminal("learn", "retry.md")
    run.interrupt()
    code, end = run.end()
    assert code == 130 and "kept in the inbox" in end and memories(project) == [] and len(inbox(project)) == 1
    assert "1 proposal" in jay("inbox", "list").out


def test_the_difference_to_the_memory_is_shown_side_by_side(on_terminal, project: Path, jay) -> None:
    jay("learn", "retry.md", "--yes")
    (project / "retry.md").write_text(RETRY.replace("jitter for", "jitter, at most 5 times, for"), "utf-8")
    run = on_terminal("learn", "retry.md", columns=120)
    shown = run.answer("u")
    assert "│" in shown and "at most 5 times" in shown
    assert run.end()[0] == 0
    text = (project / ".memory" / "10-Memories" / memories(project)[0]).read_text("utf-8")
    assert "## History" in text and "at most 5 times" in text


def test_sm18_files_of_a_folder_are_chosen_ten_to_a_page(on_terminal, project: Path) -> None:
    (project / "docs").mkdir()
    for number in range(1, 26):
        (project / "docs" / f"{number:02}.md").write_text(f"# Topic {number}\n\nText about subject{number}.\n", "utf-8")
    run = on_terminal("learn", "docs/")
    first = run.answer("1 3 11")
    assert "page 1/3, showing 1-10 of 25" in first and "0.0KB" in first
    assert "--- Continue to next page ---" in first and "15 more files remaining" in first
    second = run.answer("2")
    assert "page 2/3, showing 11-20 of 25" in second
    run.answer("a")
    assert run.end()[0] == 0
    assert len(memories(project)) == 3


def test_no_files_selected_is_said(on_terminal, project: Path) -> None:
    (project / "docs").mkdir()
    (project / "docs" / "a.md").write_text("# A\n\nText.\n", "utf-8")
    run = on_terminal("learn", "docs/")
    run.answer("")
    assert "No files selected. Exiting." in run.end()[1]


def test_the_inbox_walks_through_what_waits(on_terminal, project: Path, jay) -> None:
    jay("learn", "retry.md", "--keep")
    run = on_terminal("inbox")
    run.answer("s")
    code, end = run.end()
    assert code == 0 and "No memories created (all content skipped)" in end
    assert inbox(project) == [] and memories(project) == []


def test_hostile_text_cannot_move_the_cursor(jay, project: Path) -> None:
    (project / "evil.md").write_text("# Evil\x1b[2J\u202e\n\nText \x1b]0;x\x07 here.\n", "utf-8")
    for arguments in (("learn", "evil.md"), ("learn", "evil.md", "--keep"), ("inbox", "show", "1")):
        out = jay(*arguments).out
        assert "\x1b[2J" not in out and "\x1b]" not in out and "\u202e" not in out


def editor(project: Path, text: str) -> str:
    """A program that saves ``text``, to be an editor."""
    (project / "edited.txt").write_text(text, "utf-8")
    (project / "editor.py").write_text(
        "import pathlib, sys\npathlib.Path(sys.argv[1]).write_bytes(pathlib.Path('edited.txt').read_bytes())\n", "utf-8"
    )
    return f"{sys.executable} editor.py"


def two_parts(project: Path) -> None:
    folder = project / "docs"
    folder.mkdir()
    (folder / "retry.md").write_text(RETRY, "utf-8")
    (folder / "cache.md").write_text("# Cache\n\nCache keys hold the version of the schema.\n", "utf-8")


def test_on_a_terminal_the_text_is_edited_in_the_editor(on_terminal, project: Path) -> None:
    run = on_terminal("learn", "retry.md", EDITOR=editor(project, "# Retry\n\nWritten by hand.\n"))
    run.answer("e")
    assert "Written by hand." in run.answer("")
    assert run.end()[0] == 0
    assert "Written by hand." in (project / ".memory/10-Memories" / memories(project)[0]).read_text("utf-8")


@pytest.mark.parametrize("program", ["false", "no-such-editor-anywhere"])
def test_an_editor_that_fails_costs_nothing(on_terminal, project: Path, program: str) -> None:
    run = on_terminal("learn", "retry.md", EDITOR=program)
    run.answer("e")
    assert "ditor" in run.answer("")
    assert run.end()[0] == 0 and len(memories(project)) == 1


def test_ctrl_c_keeps_what_was_answered_so_far(on_terminal, project: Path, jay) -> None:
    two_parts(project)
    run = on_terminal("learn", "docs/")
    for said in ("all", "l", "Caching", "", "t", "net/retry"):
        run.answer(said)
    run.interrupt()
    code, end = run.end()
    assert code == 130 and "2 proposals kept" in end and memories(project) == []
    assert [one["title"] for one in jay("inbox", "--json").json["proposals"]] == ["Caching", "Retry"]
    assert [one["topic"] for one in jay("inbox", "--json").json["proposals"]][1] == "net/retry"


def test_whoever_quits_may_have_the_answers_carried_out(on_terminal, project: Path) -> None:
    two_parts(project)
    run = on_terminal("learn", "docs/")
    for said in ("all", "", "q", "y"):
        run.answer(said)
    code, end = run.end()
    assert code == 0 and "1 created" in end and "1 proposal to decide: scrubjay inbox" in end
    assert memories(project) == ["MEM-cache.md"] and len(inbox(project)) == 1


def test_changes_in_the_inbox_are_kept_when_somebody_leaves(on_terminal, project: Path, jay) -> None:
    two_parts(project)
    jay("learn", "docs/", "--keep")
    run = on_terminal("inbox")
    for said in ("l", "Caching", "", "t", "net/retry"):
        run.answer(said)
    run.interrupt()
    assert run.end()[0] == 130
    found = jay("inbox", "list", "--json").json["proposals"]
    assert (found[0]["title"], found[1]["topic"]) == ("Caching", "net/retry") and memories(project) == []


def test_a_waiting_proposal_can_be_changed_and_accepted_in_one_go(on_terminal, project: Path, jay) -> None:
    jay("learn", "retry.md", "--keep")
    run = on_terminal("inbox")
    for said in ("l", "Backing off", "g", "pattern", ""):
        run.answer(said)
    code, end = run.end()
    assert code == 0 and "1 created" in end
    assert "# Backing off" in (project / ".memory/10-Memories" / memories(project)[0]).read_text("utf-8")


def test_sm27_an_update_keeps_title_and_topic_unless_they_are_changed(on_terminal, project: Path, jay) -> None:
    jay("learn", "retry.md", "--yes")
    (project / "other.md").write_text(RETRY.replace("# Retry", "# Another heading").replace("for", "for all"), "utf-8")
    run = on_terminal("learn", "other.md")
    run.answer("u")
    assert run.end()[0] == 0
    assert "# Retry" in (project / ".memory/10-Memories" / memories(project)[0]).read_text("utf-8")


def test_the_difference_is_that_of_the_right_vault(on_terminal, project: Path, jay) -> None:
    """The same memory may be in two vaults (F25)."""
    jay("learn", "retry.md", "--yes")
    jay("learn", "retry.md", "--yes", "--scope", "user")
    (project / "retry.md").write_text(RETRY.replace("with jitter", "with much jitter"), "utf-8")
    run = on_terminal("learn", "retry.md", columns=80)
    shown = run.answer("q")
    assert "- Use exponential" in shown and "+ Use exponential" in shown
    run.end()


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "gbk"])
def test_f109_consoles_with_few_signs_show_plainer_ones(on_terminal, project: Path, jay, encoding: str) -> None:
    jay("learn", "retry.md", "--yes")
    (project / "retry.md").write_text(RETRY.replace("HTTP", "all HTTP"), "utf-8")
    run = on_terminal("learn", "retry.md", columns=120, PYTHONIOENCODING=encoding)
    shown = run.answer("u")
    assert run.end()[0] == 0
    if encoding == "ascii":
        assert "before" in shown and " | after" in shown and "\\u" not in shown


def test_a_pipe_is_not_asked(project: Path, on_terminal, jay) -> None:
    """Whose output goes elsewhere sees no question; the plan is printed."""
    assert "Nothing was written" in jay("learn", "retry.md").out
    done = jay("inbox")
    assert (done.code, done.out) == (0, "Nothing waits for a decision.\n")


def test_files_of_a_folder_are_selected_by_patterns(jay, project: Path) -> None:
    two_parts(project)
    (project / "docs" / "deep").mkdir()
    (project / "docs" / "deep" / "more.txt").write_text("Pools hold ten connections.\n", "utf-8")
    done = jay("learn", "docs/", "--select", "*.txt", "--select", "cache.md", "--json").json
    assert {one["source_file"] for one in done["content_map"]["segments"]} == {"deep/more.txt", "cache.md"}
    wrong = jay("learn", "docs/", "--select", "*.rst")
    assert wrong.code == 3 and "*.rst" in wrong.err
    assert jay("learn", "retry.md", "--select", "*").code == 2


def test_a_file_that_is_there_is_no_place_for_a_plan(jay, project: Path) -> None:
    assert jay("learn", "retry.md", "--plan", "retry.md").code == 4
    assert (project / "retry.md").read_text("utf-8") == RETRY
    plan = jay("learn", "retry.md", "--plan", "-").out
    assert (
        jay("learn", "--apply", "-", stdin=plan.replace('"decision": null', '"decision": "CREATE"').encode()).code == 0
    )
    assert len(memories(project)) == 1


def test_what_has_no_decision_stays_in_the_file(jay, project: Path) -> None:
    two_parts(project)
    jay("learn", "docs/", "--plan", "plan.json")
    plan = json.loads((project / "plan.json").read_text("utf-8"))
    plan["proposals"][0]["decision"] = "recommended"
    (project / "plan.json").write_text(json.dumps(plan), "utf-8")
    done = jay("learn", "--apply", "plan.json")
    assert done.code == 0 and "1 proposal without a decision in plan.json" in done.out and inbox(project) == []


def test_a_memory_that_changed_meanwhile_is_not_overwritten_and_the_exit_code_says_so(jay, project: Path) -> None:
    jay("learn", "retry.md", "--yes")
    (project / "retry.md").write_text(RETRY.replace("HTTP", "all HTTP"), "utf-8")
    jay("learn", "retry.md", "--plan", "plan.json")
    memory = project / ".memory/10-Memories" / memories(project)[0]
    memory.write_text(memory.read_text("utf-8").replace("jitter", "a little jitter"), "utf-8")
    text = (project / "plan.json").read_text("utf-8").replace('"decision": null', '"decision": "recommended"')
    (project / "plan.json").write_text(text, "utf-8")
    done = jay("learn", "--apply", "plan.json")
    assert done.code == 4 and "1 proposal to decide: scrubjay inbox" in done.out, done.out
    assert "a little jitter" in memory.read_text("utf-8") and len(inbox(project)) == 1


def test_skipped_parts_are_named_with_the_reason(jay, project: Path) -> None:
    jay("learn", "retry.md", "--yes")
    again = jay("learn", "retry.md", "--yes").out
    assert "1 skipped" in again and "  skipped   Retry: " in again
    assert "No memories created (all content skipped)" in again


def test_numbers_mean_what_the_list_of_that_scope_shows(jay, project: Path) -> None:
    jay("learn", "retry.md", "--keep", "--scope", "user")
    jay("learn", "Cache keys hold the version of the schema.", "--keep", "--scope", "project")
    for scope, title in (("user", "Retry"), ("project", "Cache keys")):
        assert title in jay("inbox", "list", "--scope", scope).out
        assert title in jay("inbox", "show", "1", "--scope", scope).out
    refused = jay("inbox", "accept", "--all")
    assert refused.code == 2 and "--scope" in refused.err and memories(project) == []
    assert jay("inbox", "accept", "1", "--scope", "project", "--json").json["by"] == "person"
    assert jay("inbox", "accept", "--all", "--scope", "user", "--json").json["by"] == "--all"
    assert len(memories(project)) == 1


def test_damaged_documents_of_the_inbox_are_named_and_left_alone(jay, project: Path) -> None:
    jay("learn", "retry.md", "--keep")
    path = project / ".memory/00-Inbox" / inbox(project)[0]
    damaged = path.read_text("utf-8").replace("action: CREATE", "action: DESTROY")
    path.write_text(damaged, "utf-8")
    done = jay("inbox", "list")
    assert "Nothing waits" in done.out and path.name in done.err
    assert path.read_text("utf-8") == damaged


def test_status_tells_what_waits(jay, project: Path) -> None:
    assert "inbox" not in jay("status").out
    jay("learn", "retry.md", "--keep")
    assert "1 proposal to decide (`scrubjay inbox` asks about them)" in jay("status").out
    assert [one["proposals"] for one in jay("status", "--json").json["scopes"] if one["scope"] == "project"] == [1]


def test_rejecting_what_is_gone_is_an_error(jay, project: Path) -> None:
    jay("learn", "retry.md", "--keep")
    name = inbox(project)[0]
    assert jay("inbox", "reject", name).code == 0
    assert jay("inbox", "reject", name).code == 3


def test_the_session_in_the_documentation_is_what_people_see(on_terminal, project: Path, jay) -> None:
    """``UPDATE_DOCS=1`` records it anew."""
    two_parts(project)
    retry = project / "docs" / "retry.md"
    retry.write_text(RETRY.replace("jitter", "jitter, at most 5 times,"), "utf-8")
    jay("learn", "docs/retry.md", "--yes")
    retry.write_text(RETRY.replace("jitter", "full jitter, at most 8 times,"), "utf-8")
    run = on_terminal("learn", "docs/", columns=104)
    for said in ("1-2", "t", "build/cache", "", "u"):
        run.answer(said)
    assert run.end()[0] == 0
    shown = re.sub(r"\b01[0-9A-HJKMNP-TV-Z]{24}\b", "01M8QSEPRBA3FSY0W2B9MMDJSK", run.seen).strip("\n")
    shown = "\n".join(line.rstrip() for line in shown.split("\n"))
    block = f"<!-- session -->\n```text\n$ scrubjay learn docs/\n{shown}\n```\n<!-- end of session -->"
    page = Path(__file__).parents[2] / "docs" / "learn.md"
    text = page.read_text("utf-8")
    start, end = text.index("<!-- session -->"), text.index("<!-- end of session -->") + len("<!-- end of session -->")
    if os.environ.get("UPDATE_DOCS"):
        page.write_text(text[:start] + block + text[end:], "utf-8")
    assert block == text[start:end] or os.environ.get("UPDATE_DOCS")


@pytest.mark.parametrize("action", ["accept", "reject", "edit", "show"])
def test_f7_a_copied_proposal_is_decided_by_its_number(jay, project: Path, action: str) -> None:
    """F7: the hint says to use the number, and the number works, though both documents have one id."""
    jay("learn", "retry.md", "--keep")
    [name] = inbox(project)
    folder = project / ".memory" / "00-Inbox"
    (folder / f"copy-{name}").write_bytes((folder / name).read_bytes())
    more = ("--title", "Better") if action == "edit" else ()
    done = jay("inbox", action, "1", "2", *more)
    assert done.code == 0, done.err
    assert len(inbox(project)) == (0 if action in ("accept", "reject") else 2)
    assert len(memories(project)) == (action == "accept")


def test_f14_what_was_done_is_said_although_the_rest_could_not_be_kept(
    jay, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F14: the disk is full after the first memory, for the inbox too."""
    from scrubjay.errors import Unavailable
    from scrubjay.vaults.folder import FolderVault

    (project / "notes").mkdir()
    for name in ("one", "two", "three"):
        (project / "notes" / f"{name}.md").write_text(f"# {name}\n\nAbout {name} alone.\n", "utf-8")
    real = FolderVault.write

    def full(self: FolderVault, path: str, text: str, **options: object) -> object:
        if path.startswith("00-Inbox/") or path.endswith(("three.md", "two.md")):
            raise Unavailable("The disk is full.")
        return real(self, path, text, **options)

    with monkeypatch.context() as patched:
        patched.setattr(FolderVault, "write", full)
        done = jay("learn", "notes", "--yes")
    assert done.code == 5
    assert "1 created" in done.out and "take it back with" in done.out and "to decide" not in done.out
    assert "2 of what was not done could not be kept in the inbox: The disk is full." in done.err
    assert len(memories(project)) == 1


def test_what_somebody_else_decided_is_not_said_to_wait(jay, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from scrubjay import Memory

    jay("learn", "retry.md", "--keep")
    real = Memory.apply

    def late(self: Memory, *arguments: object, **options: object) -> object:
        self.reject("1")
        return real(self, *arguments, **options)

    with monkeypatch.context() as patched:
        patched.setattr(Memory, "apply", late)
        done = jay("inbox", "accept", "1")
    assert "was decided already" in done.out and "to decide" not in done.out
