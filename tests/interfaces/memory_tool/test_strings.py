"""MT-2, MT-4, XC-22: every string of the contract, in both dialects, asked for through the door that models use."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from scrubjay import MemoryTool
from scrubjay.errors import NotFound
from scrubjay.interfaces.memory_tool.wording import DIALECTS, ERRORS, SUCCESSES
from scrubjay.vaults.tree import Tree
from tests.interfaces.memory_tool.conftest import Make


@dataclass(frozen=True)
class Scene:
    """What is there, what is asked, and what the answer is in each dialect; one string where they agree."""

    key: str
    input: dict[str, Any]
    docs: str
    sdk: str = ""
    before: Callable[[Path], object] = bool  # nothing
    options: dict[str, Any] = field(default_factory=dict)
    whole: bool = True

    def expected(self, dialect: str) -> str:
        return self.docs if dialect == "docs" or not self.sdk else self.sdk


def file(name: str, text: str = "one\ntwo\n") -> Callable[[Path], object]:
    def write(root: Path) -> None:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode("utf-8"))

    return write


def data(name: str, content: bytes) -> Callable[[Path], object]:
    return lambda root: (root / name).write_bytes(content)


def folder(name: str) -> Callable[[Path], object]:
    return lambda root: (root / name).mkdir(parents=True)


def link(name: str, target: str) -> Callable[[Path], object]:
    return lambda root: (root / name).symlink_to(target)


def ask(command: str, path: str = "/memories/a.md", **fields: object) -> dict[str, Any]:
    return {"command": command, "path": path, **fields}


PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 8
MISSING = "The path /memories/a.md does not exist. Please provide a valid path."
SNIPPET = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
TWICE = file("a.md", "x\ny\nx\n")

SCENES = [
    Scene(
        "folder",
        ask("view", "/memories"),
        "Here're the files and directories up to 2 levels deep in /memories, "
        "excluding hidden items and node_modules:\nSIZE\t/memories",
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:\nSIZE\t/memories",
    ),
    Scene(
        "file",
        ask("view"),
        "Here's the content of /memories/a.md with line numbers:\n     1\tone\n     2\ttwo\n     3\t",
        before=file("a.md"),
    ),
    Scene(
        "image",
        ask("view", "/memories/a.png"),
        "The file /memories/a.png is an image (image/png).",
        before=data("a.png", PNG),
        options={"images": True},
    ),
    Scene("created", ask("create", file_text="x"), "File created successfully at: /memories/a.md"),
    Scene(
        "replaced",
        ask("str_replace", old_str="two", new_str="2"),
        f"{SNIPPET}\n     1\tone\n     2\t2\n     3\t",
        before=file("a.md"),
    ),
    Scene(
        "inserted",
        ask("insert", insert_line=0, insert_text="zero"),
        "The file /memories/a.md has been edited.",
        before=file("a.md"),
    ),
    Scene("deleted", ask("delete"), "Successfully deleted /memories/a.md", before=file("a.md")),
    Scene(
        "renamed",
        {"command": "rename", "old_path": "/memories/a.md", "new_path": "/memories/b/c.md"},
        "Successfully renamed /memories/a.md to /memories/b/c.md",
        before=file("a.md"),
    ),
    Scene("view missing", ask("view"), MISSING),
    Scene(
        "create exists",
        ask("create", file_text="x"),
        "Error: File /memories/a.md already exists",
        "File /memories/a.md already exists",
        before=file("a.md"),
    ),
    Scene("replace missing", ask("str_replace", old_str="x", new_str="y"), f"Error: {MISSING}", MISSING),
    Scene(
        "replace folder",
        ask("str_replace", old_str="x", new_str="y"),
        f"Error: {MISSING}",
        "The path /memories/a.md is not a file.",
        before=folder("a.md"),
    ),
    Scene(
        "not verbatim",
        ask("str_replace", old_str="three", new_str="3"),
        "No replacement was performed, old_str `three` did not appear verbatim in /memories/a.md.",
        before=file("a.md"),
    ),
    Scene(
        "several",
        ask("str_replace", old_str="x", new_str="z"),
        "No replacement was performed. Multiple occurrences of old_str `x` in lines: 1, 3. Please ensure it is unique",
        before=TWICE,
    ),
    Scene(
        "insert missing",
        ask("insert", insert_line=0, insert_text="x"),
        "Error: The path /memories/a.md does not exist",
        MISSING,
    ),
    Scene(
        "insert folder",
        ask("insert", insert_line=0, insert_text="x"),
        "Error: The path /memories/a.md does not exist",
        "The path /memories/a.md is not a file.",
        before=folder("a.md"),
    ),
    Scene(
        "bad line",
        ask("insert", insert_line=5, insert_text="x"),
        "Error: Invalid `insert_line` parameter: 5. It should be within the range of lines of the file: [0, 2]",
        "Invalid `insert_line` parameter: 5. It should be within the range [0, 2].",
        before=file("a.md"),
    ),
    Scene(
        "delete missing",
        ask("delete"),
        "Error: The path /memories/a.md does not exist",
        "The path /memories/a.md does not exist",
    ),
    Scene(
        "rename missing",
        {"command": "rename", "old_path": "/memories/a.md", "new_path": "/memories/b.md"},
        "Error: The path /memories/a.md does not exist",
        "The path /memories/a.md does not exist",
    ),
    Scene(
        "rename exists",
        {"command": "rename", "old_path": "/memories/a.md", "new_path": "/memories/a.md"},
        "Error: The destination /memories/a.md already exists",
        "The destination /memories/a.md already exists",
        before=file("a.md"),
    ),
    Scene(
        "too many lines",
        ask("view"),
        "File /memories/a.md exceeds maximum line limit of 999,999 lines.",
        before=file("a.md", "\n" * 999_999),
    ),
    Scene(
        "outside",
        ask("view", "/etc/passwd"),
        "Error: Path must start with /memories, got: /etc/passwd",
        "Path must start with /memories, got: /etc/passwd",
    ),
    Scene(
        "escapes",
        ask("view", "/memories/../x"),
        "Error: Path /memories/../x would escape /memories directory",
        "Path /memories/../x would escape /memories directory",
    ),
    Scene(
        "link",
        ask("view", "/memories/out/passwd"),
        "Error: Path would escape /memories directory via symlink",
        "Path would escape /memories directory via symlink",
        before=link("out", "/etc"),
    ),
    Scene(
        "delete root",
        ask("delete", "/memories/"),
        "Error: Cannot delete the /memories directory itself",
        "Cannot delete the /memories directory itself",
    ),
    Scene(
        "rename root",
        {"command": "rename", "old_path": "/memories/.", "new_path": "/memories/b"},
        "Error: Cannot rename the /memories directory itself",
        "Cannot rename the /memories directory itself",
    ),
    Scene(
        "unsupported",
        ask("view", "/memories/pipe"),
        "Error: Unsupported file type for /memories/pipe",
        "Unsupported file type for /memories/pipe",
        before=lambda root: os.mkfifo(root / "pipe"),
    ),
    Scene(
        "bad path",
        ask("create", "/memories/CON", file_text="x"),
        "Error: Invalid path /memories/CON: it holds 'CON', a name that Windows reserves.",
        "Invalid path /memories/CON: it holds 'CON', a name that Windows reserves.",
    ),
    Scene(
        "inside itself",
        {"command": "rename", "old_path": "/memories/a", "new_path": "/memories/a/b"},
        "Error: Cannot rename /memories/a to a path inside itself",
        "Cannot rename /memories/a to a path inside itself",
        before=folder("a"),
    ),
    Scene(
        "image file",
        ask("view", "/memories/a.png"),
        "Error: The file /memories/a.png is an image, and images are not shown here.",
        "The file /memories/a.png is an image, and images are not shown here.",
        before=data("a.png", PNG),
    ),
    Scene(
        "not text",
        ask("view", "/memories/a.bin"),
        "Error: The file /memories/a.bin is not text.",
        "The file /memories/a.bin is not text.",
        before=data("a.bin", b"\x00\x01\x02\xff"),
    ),
    Scene(
        "not utf-8",
        ask("str_replace", old_str="x", new_str="y"),
        "Error: The file /memories/a.md is not UTF-8 text, so it was not changed.",
        "The file /memories/a.md is not UTF-8 text, so it was not changed.",
        before=data("a.md", "приветx".encode("cp1251")),
    ),
    Scene(
        "too large to view",
        ask("view"),
        "Error: The file /memories/a.md is too large to view: 17M.",
        "The file /memories/a.md is too large to view: 17M.",
        before=file("a.md", "x" * (17 * 1024 * 1024)),
    ),
    Scene(
        "too large",
        ask("create", file_text="x" * 2048),
        "Error: The file /memories/a.md would be too large: 2K, where 1K is the most.",
        "The file /memories/a.md would be too large: 2K, where 1K is the most.",
        options={"most_bytes": 1024},
    ),
    Scene("unknown command", ask("format"), "Error: Unknown command: format", "Unknown command: format"),
    Scene("no input", {}, "Error: The input must be an object with a command."),
    Scene("missing field", ask("create"), "Error: The command create needs `file_text`."),
    Scene(
        "wrong field",
        ask("insert", insert_line="2", insert_text="x"),
        "Error: Invalid `insert_line` parameter: it should be a whole number.",
        "Invalid `insert_line` parameter: it should be a whole number.",
        before=file("a.md"),
    ),
    Scene("lines left", ask("view"), "[Lines 1 to 2", before=file("a.md", f"{'y' * 7000}\n" * 9), whole=False),
    Scene("line cut", ask("view"), "[The first ", before=file("a.md", "y" * 20_000), whole=False),
    Scene(
        "items left",
        ask("view", "/memories"),
        "more are not shown. View a directory inside.]",
        before=lambda root: [(root / f"{'n' * 90}{number}").touch() for number in range(200)],
        whole=False,
    ),
]
# Told by tests of their own: what a file system or another program does, and what programs ask.
ELSEWHERE = {"cleared", "redacted", "vanished", "failed"}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("scene", SCENES, ids=[scene.key for scene in SCENES])
def test_mt_4_every_string(scene: Scene, dialect: str, make: Make, folder: Path) -> None:
    tool = make(dialect=dialect, **scene.options)
    scene.before(folder / "memories")
    result = tool.result(scene.input)
    expected = scene.expected(dialect)
    if dialect == "sdk" and not scene.sdk:
        expected = expected.removeprefix("Error: ")
    text = re.sub(r"\n\S+\t", "\nSIZE\t", result.text) if scene.key == "folder" else result.text
    assert text == expected if scene.whole else expected in text
    assert result.is_error == (scene.key in ERRORS)
    if result.is_error:
        assert tool.call(scene.input) == result.text


def test_mt_4_no_string_is_without_a_scene() -> None:
    assert {scene.key for scene in SCENES} | ELSEWHERE == SUCCESSES.keys() | ERRORS.keys()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_mt_4_a_file_that_vanishes_while_it_is_viewed(
    dialect: str, make: Make, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = make(dialect=dialect)
    file("a.md")(folder / "memories")

    def gone(*_: object, **__: object) -> bytes:
        raise NotFound("gone")

    monkeypatch.setattr(Tree, "read", gone)
    text = "The file /memories/a.md no longer exists (may have been deleted or renamed concurrently)."
    result = tool.result(ask("view"))
    assert (result.text.removeprefix("Error: "), result.is_error) == (text, True)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_mt_2_clear_all_memory_is_for_programs(dialect: str, make: Make, folder: Path) -> None:
    tool = make(dialect=dialect)
    file("a/b.md")(folder / "memories")
    assert tool.result({"command": "clear_all_memory"}).is_error
    assert tool.clear_all_memory() == "All memory cleared"
    assert list((folder / "memories").iterdir()) == []
    tool.memory.undo()
    assert (folder / "memories/a/b.md").read_text("utf-8") == "one\ntwo\n"


def test_an_unknown_dialect_is_refused(folder: Path) -> None:
    from scrubjay.errors import BadInput

    with pytest.raises(BadInput, match="klingon"):
        MemoryTool(folder, dialect="klingon")  # type: ignore[arg-type]
