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
    return lambda *arguments, columns=100: _terminal()(arguments, project, columns=columns)


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
    _, end = run.end()
    assert "kept in the inbox" in end and memories(project) == [] and len(inbox(project)) == 1
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


def test_the_session_in_the_documentation_is_what_people_see(on_terminal, project: Path, jay) -> None:
    """``UPDATE_DOCS=1`` records it anew."""
    jay("learn", "retry.md", "--yes")
    (project / "http.md").write_text(
        "# Retry\n\nUse exponential backoff with jitter for HTTP requests, at most 8 times.\n", "utf-8"
    )
    run = on_terminal("learn", "http.md", columns=104)
    for said in ("t", "net/http", "?", "u"):
        run.answer(said)
    assert run.end()[0] == 0
    shown = re.sub(r"\b01[0-9A-HJKMNP-TV-Z]{24}\b", "01M8QSEPRBA3FSY0W2B9MMDJSK", run.seen).strip()
    shown = "\n".join(line.rstrip() for line in shown.split("\n"))
    block = f"<!-- session -->\n```text\n$ scrubjay learn http.md\n{shown}\n```\n<!-- end of session -->"
    page = Path(__file__).parents[2] / "docs" / "learn.md"
    text = page.read_text("utf-8")
    start, end = text.index("<!-- session -->"), text.index("<!-- end of session -->") + len("<!-- end of session -->")
    if os.environ.get("UPDATE_DOCS"):
        page.write_text(text[:start] + block + text[end:], "utf-8")
    assert block == text[start:end] or os.environ.get("UPDATE_DOCS")
