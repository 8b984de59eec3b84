"""MT-7, SEC-1, F112: no path leads out of /memories, by its letters, by a link, or by what others put there."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay import MemoryTool
from scrubjay.errors import Refused
from scrubjay.interfaces.memory_tool import ToolResult
from scrubjay.interfaces.memory_tool.wording import DIALECTS
from tests.interfaces.memory_tool.conftest import Make

Ask = Callable[..., ToolResult]

OUTSIDE = "Path must start with /memories"
CLIMBS = "would escape /memories directory"
BAD = "Invalid path"

# The path, and what the refusal says. In the folder lie secret.md (beside /memories) and in /memories a.md, d/ and the
# links out (to a folder outside), note (to a file outside), trash (to the trash), dead (nowhere) and in (to d).
PATHS = [
    ("", OUTSIDE),
    ("a.md", OUTSIDE),
    ("memories/a.md", OUTSIDE),
    ("/", OUTSIDE),
    ("/etc/passwd", OUTSIDE),
    ("/memoriesX/a", OUTSIDE),
    ("/memories.bak", OUTSIDE),
    ("//memories/a.md", OUTSIDE),
    ("/Memories/a.md", OUTSIDE),
    ("file:///memories/a.md", OUTSIDE),
    (" /memories/a.md", OUTSIDE),
    ("/memories/..", CLIMBS),
    ("/memories/../secret.md", CLIMBS),
    ("/memories/../memories/a.md", CLIMBS),
    ("/memories/d/../a.md", CLIMBS),
    ("/memories/d/../../secret.md", CLIMBS),
    ("/memories/%2e%2e/secret.md", CLIMBS),
    ("/memories/%2E./secret.md", CLIMBS),
    ("/memories/..%2fsecret.md", CLIMBS),
    ("/memories/..%5csecret.md", CLIMBS),
    ("/memories/d%2fa.md", CLIMBS),
    ("/memories/%252e%252e%252fsecret.md", CLIMBS),
    ("/memories/%25252e%25252e/secret.md", CLIMBS),
    ("/memories/\uff0e\uff0e/secret.md", CLIMBS),
    ("/memories/\u2024\u2024/secret.md", CLIMBS),
    ("/memories/.\u200b./secret.md", CLIMBS),
    ("/memories/.\u00ad./secret.md", CLIMBS),
    ("/memories/\u2025/secret.md", CLIMBS),
    ("/memories/..\\secret.md", CLIMBS),
    ("/memories/d\\a.md", CLIMBS),
    ("/memories/\uff3ca.md", CLIMBS),
    ("/memories/.. /secret.md", CLIMBS),
    ("/memories/a.md\0.png", BAD),
    ("/memories/%00a.md", BAD),
    ("/memories/a\nb.md", BAD),
    ("/memories/a\x1b[2J.md", BAD),
    ("/memories/\u202egnp.md", BAD),
    ("/memories/\ud800.md", BAD),
    ("/memories/.tmp-1-2", BAD),
    ("/memories/.env", BAD),
    ("/memories/.git/config", BAD),
    ("/memories/d/.ssh/id", BAD),
    ("/memories/.scrubjay-0.tmp", BAD),
    ("/memories/...", BAD),
    ("/memories/CON", BAD),
    ("/memories/d/nul.txt", BAD),
    ("/memories/a.", BAD),
    ("/memories/a ", BAD),
    ("/memories/C:/x", BAD),
    ("/memories/" + "n" * 256, BAD),
    ("/memories/" + "d/" * 2000 + "x", BAD),
    ("/memories/out/passwd", "symlink"),
    ("/memories/out", "symlink"),
    ("/memories/note", "symlink"),
    ("/memories/trash/x", "symlink"),
    ("/memories/dead", "symlink"),
    ("/memories/dead/x", "symlink"),
]


def commands(path: str) -> list[dict[str, object]]:
    return [
        {"command": "view", "path": path},
        {"command": "create", "path": path, "file_text": "x"},
        {"command": "str_replace", "path": path, "old_str": "x", "new_str": "y"},
        {"command": "insert", "path": path, "insert_line": 0, "insert_text": "x"},
        {"command": "delete", "path": path},
        {"command": "rename", "old_path": path, "new_path": "/memories/new.md"},
        {"command": "rename", "old_path": "/memories/a.md", "new_path": path},
    ]


def prepared(folder: Path) -> None:
    root = folder / "memories"
    (folder / "secret.md").write_text("x", "utf-8")
    (folder / "90-Trash").mkdir()
    (root / "a.md").write_text("x", "utf-8")
    (root / "d").mkdir()
    outside = folder.parent / "outside"
    outside.mkdir()
    (outside / "passwd").write_text("x", "utf-8")
    (root / "out").symlink_to(outside)
    (root / "note").symlink_to(outside / "passwd")
    (root / "trash").symlink_to(folder / "90-Trash")
    (root / "dead").symlink_to(folder / "nothing")
    (root / "in").symlink_to("d")


def state(folder: Path) -> list[tuple[str, bytes]]:
    paths = sorted(path for path in folder.parent.rglob("*") if ".scrubjay" not in path.parts)
    return [(str(path), path.read_bytes() if path.is_file() else b"") for path in paths]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(("path", "says"), PATHS, ids=[ascii(path)[:40] for path, _ in PATHS])
def test_mt_7_sec_1_no_command_takes_a_path_that_leads_out(
    path: str, says: str, dialect: str, make: Make, folder: Path
) -> None:
    tool = make(dialect=dialect)
    prepared(folder)
    before = state(folder)
    for command in commands(path):
        result = tool.result(command)
        assert result.is_error
        assert says in result.text
        assert "\n" not in result.text
        result.text.encode("utf-8")
    assert state(folder) == before


@pytest.mark.parametrize(
    "path", ["/memories", "/memories/", "/memories/.", "/memories//", "/memories/./", "/memories/./."]
)
def test_mt_7b_the_root_is_protected_however_it_is_written(path: str, ask: Ask, folder: Path) -> None:
    (folder / "memories/a.md").write_text("x", "utf-8")
    assert ask("delete", path=path).text == "Error: Cannot delete the /memories directory itself"
    renamed = ask("rename", old_path=path, new_path="/memories/new")
    assert renamed.text == "Error: Cannot rename the /memories directory itself"
    onto = ask("rename", old_path="/memories/a.md", new_path=path)
    assert onto.text == "Error: The destination /memories already exists"
    assert ask("create", path=path, file_text="x").is_error
    assert ask("view", path=path).text.splitlines()[1].endswith("\t/memories")
    assert (folder / "memories/a.md").read_text("utf-8") == "x"


def test_mt_7b_the_root_is_not_deleted_through_a_link_to_it(ask: Ask, folder: Path) -> None:
    (folder / "memories/a.md").write_text("x", "utf-8")
    (folder / "memories/self").symlink_to(".")
    assert ask("delete", path="/memories/self").is_error
    assert ask("rename", old_path="/memories/self", new_path="/memories/b").is_error
    assert (folder / "memories/a.md").exists()


def test_sec_1_a_link_is_neither_shown_nor_opened_nor_removed(ask: Ask, folder: Path) -> None:
    root = folder / "memories"
    (root / "d").mkdir()
    (root / "a.md").write_text("x", "utf-8")
    (root / "inside").symlink_to("a.md")
    (root / "d/away").symlink_to("/etc")
    assert ask("view", path="/memories").text.count("\n") == 3
    assert ask("view", path="/memories/inside").text == "Error: Unsupported file type for /memories/inside"
    assert ask("str_replace", path="/memories/inside", old_str="x", new_str="y").is_error
    assert ask("delete", path="/memories/d").is_error
    assert ask("rename", old_path="/memories/d", new_path="/memories/e").is_error
    assert (root / "d/away").is_symlink()


def test_f112_a_root_that_is_a_link_is_refused(folder: Path, make: Make, tmp_path: Path) -> None:
    """A repository may ship ``memories`` as a link to somebody's keys."""
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys/id").write_text("x", "utf-8")
    folder.mkdir()
    (folder / "memories").symlink_to(tmp_path / "keys")
    with pytest.raises(Refused, match="link"):
        MemoryTool(folder)
    (folder / "memories").unlink()
    tool = make()
    (folder / "memories").rmdir()
    (folder / "memories").symlink_to(tmp_path / "keys")
    for command in commands("/memories/id"):
        assert tool.result(command).is_error
    assert tool.result({"command": "view", "path": "/memories"}).is_error
    assert (tmp_path / "keys/id").read_text("utf-8") == "x"


def test_sec_1_a_device_a_pipe_or_a_socket_never_blocks(ask: Ask, folder: Path) -> None:
    os.mkfifo(folder / "memories/pipe")
    for command in commands("/memories/pipe")[:6]:
        assert ask(command.pop("command"), **command).is_error


def test_names_that_would_forge_a_listing_are_left_out(ask: Ask, folder: Path) -> None:
    root = folder / "memories"
    for name in ("a.md", "b\n4K\t\x1b[1mfake", os.fsdecode(b"\xff.md"), ".hidden", "c\u202e.md"):
        (root / name).write_text("x", "utf-8")
    assert [line.partition("\t")[2] for line in ask("view", path="/memories").text.splitlines()[1:]] == [
        "/memories",
        "/memories/a.md",
    ]


@given(st.text(max_size=60), st.sampled_from(["view", "delete", "create", "insert"]))
def test_mt_7e_whatever_a_path_is_the_answer_is_a_string(
    tmp_path_factory: pytest.TempPathFactory, tail: str, command: str
) -> None:
    folder = tmp_path_factory.getbasetemp() / "any" / "agent"
    tool = MemoryTool(folder)
    try:
        given = {"command": command, "path": f"/memories/{tail}", "file_text": "x", "insert_line": 0, "insert_text": ""}
        result = tool.result(given)
        result.text.encode("utf-8")
        assert "Traceback" not in result.text
        assert {path.name for path in folder.parent.iterdir()} == {"agent"}
    finally:
        tool.close()


@pytest.mark.parametrize(
    "given",
    [
        None,
        [],
        "view",
        {},
        {"command": None},
        {"command": 3},
        {"command": ["view"]},
        {"command": "view"},
        {"command": "view", "path": 3},
        {"command": "view", "path": None},
        {"command": "view", "path": "/memories/a.md", "view_range": "1-2"},
        {"command": "view", "path": "/memories/a.md", "view_range": [1]},
        {"command": "view", "path": "/memories/a.md", "view_range": [1, "2"]},
        {"command": "view", "path": "/memories/a.md", "view_range": [1, 2, 3]},
        {"command": "view", "path": "/memories/a.md", "view_range": [True, 2]},
        {"command": "view", "path": "/memories/a.md", "view_range": [float("nan"), 2]},
        {"command": "view", "path": "/memories/a.md", "view_range": [float("inf"), 2]},
        {"command": "create", "path": "/memories/b.md", "file_text": b"x"},
        {"command": "create", "path": "/memories/b.md"},
        {"command": "str_replace", "path": "/memories/a.md", "new_str": "x"},
        {"command": "str_replace", "path": "/memories/a.md", "old_str": "x", "new_str": 3},
        {"command": "insert", "path": "/memories/a.md", "insert_line": 1.5, "insert_text": "x"},
        {"command": "insert", "path": "/memories/a.md", "insert_line": True, "insert_text": "x"},
        {"command": "insert", "path": "/memories/a.md", "insert_line": -1, "insert_text": "x"},
        {"command": "insert", "path": "/memories/a.md", "insert_line": 10**400, "insert_text": "x"},
        {"command": "rename", "old_path": "/memories/a.md"},
        {"command": "__class__", "path": "/memories/a.md"},
        {"command": "clear_all_memory"},
    ],
)
def test_mt_7e_input_that_is_none_is_an_error_and_never_a_traceback(given: object, make: Make, folder: Path) -> None:
    tool = make()
    (folder / "memories/a.md").write_text("x", "utf-8")
    result = tool.result(given)  # type: ignore[arg-type]
    assert result.is_error
    assert result.text.startswith("Error: ")
    assert (folder / "memories/a.md").read_text("utf-8") == "x"
