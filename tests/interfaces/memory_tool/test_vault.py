"""What a model writes is in a vault: found at once, taken back by undo, safe from others and from a crash."""

from __future__ import annotations

import multiprocessing
import os
import stat
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scrubjay import Memory, MemoryTool
from scrubjay.errors import BadInput
from scrubjay.interfaces.memory_tool import ToolResult
from tests.flows.secret_keys import github_pat, places_of
from tests.interfaces.memory_tool.conftest import Make

Ask = Callable[..., ToolResult]
NOTE = "/memories/travel.md"


def content(folder: Path, path: str = NOTE) -> str:
    return (folder / path[1:]).read_text("utf-8")


# --- search and undo ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["travel.md", "deep/er/travel.txt", "travel.xml", "travel.json"])
def test_mt_2_what_the_tool_wrote_is_found_at_once(name: str, ask: Ask, tool: MemoryTool, folder: Path) -> None:
    ask("create", path=f"/memories/{name}", file_text="The ferry to Visby leaves at noon.\n")
    hits = tool.memory.search("ferry Visby", abstain=False).hits
    assert [hit.path for hit in hits] == [f"memories/{name}"]
    tool.close()
    with Memory.open(folder, background=False) as memory:
        assert [hit.path for hit in memory.search("ferry Visby", abstain=False).hits] == [f"memories/{name}"]


def test_mt_2_what_changed_is_found_as_it_is_now(ask: Ask, tool: MemoryTool) -> None:
    ask("create", path=NOTE, file_text="The ferry leaves at noon.\n")
    ask("str_replace", path=NOTE, old_str="noon", new_str="midnight")
    assert "midnight" in tool.memory.search("ferry", abstain=False).hits[0].text
    ask("rename", old_path=NOTE, new_path="/memories/ferry.md")
    assert [hit.path for hit in tool.memory.search("ferry", abstain=False).hits] == ["memories/ferry.md"]
    ask("delete", path="/memories/ferry.md")
    assert not tool.memory.search("ferry", abstain=False).hits


def test_each_call_is_one_operation_that_undo_takes_back(ask: Ask, tool: MemoryTool, folder: Path) -> None:
    root = folder / "memories"

    def state() -> dict[str, bytes]:
        return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}

    (root / "pic.bin").write_bytes(b"\0\xff")
    states = [state()]
    for command, fields in [
        ("create", {"path": "/memories/d/a.md", "file_text": "one\n"}),
        ("insert", {"path": "/memories/d/a.md", "insert_line": 1, "insert_text": "two"}),
        ("str_replace", {"path": "/memories/d/a.md", "old_str": "one", "new_str": "1"}),
        ("rename", {"old_path": "/memories/pic.bin", "new_path": "/memories/d/e/pic.bin"}),
        ("rename", {"old_path": "/memories/d", "new_path": "/memories/f"}),
        ("delete", {"path": "/memories/f/a.md"}),
        ("delete", {"path": "/memories/f"}),
    ]:
        assert not ask(command, **fields).is_error
        states.append(state())
        assert states[-1] != states[-2]
    for before in states[-2::-1]:
        tool.memory.undo()
        assert state() == before


def test_the_command_line_undoes_a_deletion(ask: Ask, tool: MemoryTool, folder: Path) -> None:
    from scrubjay.interfaces.cli import run

    ask("create", path=NOTE, file_text="The ferry leaves at noon.\n")
    ask("delete", path=NOTE)
    tool.close()
    assert run(["undo", "--vault", str(folder)]) == 0
    assert content(folder) == "The ferry leaves at noon.\n"


def test_a_deletion_can_be_undone_after_the_index_was_lost(
    ask: Ask, tool: MemoryTool, own_home: Path, folder: Path
) -> None:
    import shutil

    ask("create", path=NOTE, file_text="x")
    ask("delete", path=NOTE)
    tool.close()
    shutil.rmtree(own_home / ".scrubjay/state")
    tool.memory.undo()
    assert content(folder) == "x"


def test_renaming_keeps_the_date_of_a_file(ask: Ask, folder: Path) -> None:
    ask("create", path=NOTE, file_text="x")
    os.utime(folder / NOTE[1:], (1_700_000_000, 1_700_000_000))
    ask("rename", old_path=NOTE, new_path="/memories/b.md")
    assert (folder / "memories/b.md").stat().st_mtime == 1_700_000_000


def test_deleting_a_folder_that_holds_what_the_tool_cannot_name_changes_nothing(ask: Ask, folder: Path) -> None:
    for name in ("a.md", "b/.DS_Store"):
        (folder / "memories/d" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "memories/d" / name).write_text("x", "utf-8")
    refused = ask("delete", path="/memories/d")
    assert refused.is_error
    assert ".DS_Store" in refused.text
    assert (folder / "memories/d/a.md").exists()


def test_a_folder_without_files_is_deleted_and_renamed_too(ask: Ask, folder: Path) -> None:
    (folder / "memories/d/e").mkdir(parents=True)
    assert not ask("rename", old_path="/memories/d", new_path="/memories/x/y").is_error
    assert (folder / "memories/x/y/e").is_dir()
    assert not ask("delete", path="/memories/x").is_error
    assert list((folder / "memories").iterdir()) == []


# --- MT-4b, MT-6: options and modes ---------------------------------------------------------------------------------


def test_mt_4b_create_overwrites_where_that_is_wanted(make: Make, folder: Path) -> None:
    tool = make(overwrite=True)
    for text in ("one", "two", "two"):
        assert tool.call({"command": "create", "path": NOTE, "file_text": text}).startswith("File created")
    assert content(folder) == "two"
    tool.memory.undo()
    assert content(folder) == "one"
    (folder / "memories/d").mkdir()
    assert tool.result({"command": "create", "path": "/memories/d", "file_text": "x"}).is_error


@pytest.mark.skipif(sys.platform == "win32", reason="modes are of POSIX")
def test_mt_6_files_and_folders_are_for_their_owner_only(ask: Ask, folder: Path) -> None:
    old = os.umask(0)
    try:
        ask("create", path="/memories/a/b.md", file_text="x")
        ask("insert", path="/memories/a/b.md", insert_line=0, insert_text="y")
        ask("rename", old_path="/memories/a", new_path="/memories/c/d")
        ask("delete", path="/memories/c/d/b.md")
    finally:
        os.umask(old)
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in [folder, *folder.rglob("*")]}
    assert {oct(mode) for path, mode in modes.items() if path.is_dir()} == {"0o700"}
    assert {oct(mode) for path, mode in modes.items() if path.is_file()} == {"0o600"}


def test_mt_4b_no_edit_makes_a_file_too_large(make: Make, folder: Path) -> None:
    tool = make(most_bytes=100)
    assert not tool.result({"command": "create", "path": NOTE, "file_text": "é" * 50}).is_error
    for command in (
        {"command": "insert", "path": NOTE, "insert_line": 0, "insert_text": ""},
        {"command": "str_replace", "path": NOTE, "old_str": "é" * 50, "new_str": "é" * 51},
    ):
        assert "too large" in tool.result(command).text
    assert content(folder) == "é" * 50


# --- F10, F31, F55: others, and crashes ---------------------------------------------------------------------------


def test_f10_parallel_inserts_are_all_there(make: Make, folder: Path) -> None:
    tool = make()
    tool.call({"command": "create", "path": NOTE, "file_text": "# Log\n"})
    with ThreadPoolExecutor(8) as pool:
        calls = [
            pool.submit(
                tool.result, {"command": "insert", "path": NOTE, "insert_line": 1, "insert_text": f"line {number}"}
            )
            for number in range(24)
        ]
        assert not [call.result() for call in calls if call.result().is_error]
    assert sorted(content(folder).split("\n")[1:-1]) == sorted(f"line {number}" for number in range(24))


def insert_fifty(folder: str, home: str, name: str) -> None:
    os.environ["SCRUBJAY_HOME"] = home
    tool = MemoryTool(folder)
    for number in range(50):
        done = tool.result(
            {"command": "insert", "path": "/memories/MEMORY.md", "insert_line": 0, "insert_text": f"{name} {number}"}
        )
        assert not done.is_error, done.text
    tool.close()


def test_f55_two_agents_lose_none_of_a_hundred_lines(make: Make, folder: Path, own_home: Path) -> None:
    """Two processes, fifty lines each, into one MEMORY.md."""
    make().call({"command": "create", "path": "/memories/MEMORY.md", "file_text": ""})
    spawn = multiprocessing.get_context("spawn")
    home = str(own_home / ".scrubjay")
    agents = [spawn.Process(target=insert_fifty, args=(str(folder), home, name)) for name in ("one", "two")]
    for agent in agents:
        agent.start()
    for agent in agents:
        agent.join()
    assert [agent.exitcode for agent in agents] == [0, 0]
    expected = {f"{name} {number}" for name in ("one", "two") for number in range(50)}
    assert set(content(folder, "/memories/MEMORY.md").split("\n")) - {""} == expected


def test_f55_a_change_by_another_program_is_kept(make: Make, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An editor that knows no lock saves between reading and writing: the edit is made anew of what is there."""
    from scrubjay.operations.editing import Edits

    tool = make()
    tool.call({"command": "create", "path": NOTE, "file_text": "one\ntwo\n"})
    meddled: list[int] = []
    keep = Edits._keep

    def meddling(self: Edits, path: str) -> str:
        kept = keep(self, path)
        if not meddled:
            meddled.append(1)
            (folder / NOTE[1:]).write_text("zero\none\ntwo\n", "utf-8")
        return kept

    monkeypatch.setattr(Edits, "_keep", meddling)
    done = tool.result({"command": "str_replace", "path": NOTE, "old_str": "two", "new_str": "2"})
    assert done.text.endswith("     1\tzero\n     2\tone\n     3\t2\n     4\t")
    assert (meddled, content(folder)) == ([1], "zero\none\n2\n")


def test_f31_a_write_that_fails_leaves_the_file_as_it_was(
    make: Make, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = make()
    tool.call({"command": "create", "path": NOTE, "file_text": "one\n"})

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        for command in (
            {"command": "str_replace", "path": NOTE, "old_str": "one", "new_str": "1"},
            {"command": "create", "path": "/memories/b.md", "file_text": "x"},
        ):
            failed = tool.result(command)
            assert failed.is_error
            assert "disk is full" in failed.text
    assert content(folder) == "one\n"
    assert [path.name for path in (folder / "memories").iterdir()] == ["travel.md"]


@pytest.mark.parametrize("dialect", ["docs", "sdk"])
def test_mt_4_a_memory_that_cannot_be_opened_is_an_error_and_views_go_on(
    dialect: str, make: Make, folder: Path, tmp_path: Path
) -> None:
    """ "failed" in the table of strings: what is wrong in a sentence, in the manner of the dialect."""
    (tmp_path / "home").write_text("a file where a folder should be", "utf-8")
    tool = make(home=tmp_path / "home", dialect=dialect)
    (folder / "memories/a.md").write_text("x", "utf-8")
    failed = tool.result({"command": "create", "path": NOTE, "file_text": "x"})
    assert failed.is_error
    assert failed.text.startswith("Error: ") == (dialect == "docs")
    assert not tool.result({"command": "view", "path": "/memories/a.md"}).is_error


# --- SEC-2 -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", ["docs", "sdk"])
def test_sec_2_a_secret_is_taken_out_before_it_is_stored(
    dialect: str, make: Make, folder: Path, own_home: Path
) -> None:
    tool, secret = make(dialect=dialect), github_pat()
    note = "[Taken out before it was stored, because it looks like a secret: github-pat in line 2.]"
    created = tool.call({"command": "create", "path": NOTE, "file_text": f"The bot\nuses {secret}.\n"})
    assert created == f"File created successfully at: {NOTE}\n{note}"
    assert content(folder) == "The bot\nuses ‹redacted:github-pat›.\n"
    inserted = tool.call({"command": "insert", "path": NOTE, "insert_line": 1, "insert_text": secret})
    assert inserted == f"The file {NOTE} has been edited.\n{note}"
    replaced = tool.call({"command": "str_replace", "path": NOTE, "old_str": "The bot", "new_str": f"It\n{secret}"})
    assert replaced.endswith(note)
    assert secret not in replaced
    assert tool.result({"command": "create", "path": f"/memories/{secret}.md", "file_text": "x"}).is_error
    assert tool.result({"command": "rename", "old_path": NOTE, "new_path": f"/memories/{secret}"}).is_error
    tool.close()
    assert places_of(secret, folder, own_home) == []


def test_sec_2_a_secret_in_two_halves_is_found_when_they_meet(make: Make, folder: Path) -> None:
    tool, secret = make(), github_pat()
    tool.call({"command": "create", "path": NOTE, "file_text": f"{secret[:20]}#{secret[20:]}\n"})
    tool.call({"command": "str_replace", "path": NOTE, "old_str": "#", "new_str": ""})
    assert content(folder) == "‹redacted:github-pat›\n"


def test_sec_2_what_was_there_before_is_not_touched_by_an_edit_elsewhere(make: Make, folder: Path) -> None:
    tool, secret = make(), github_pat()
    (folder / NOTE[1:]).write_text(f"key {secret}\n\nThe ferry leaves at noon.\n", "utf-8")
    answer = tool.call({"command": "str_replace", "path": NOTE, "old_str": "noon", "new_str": "one"})
    assert "looks like a secret" not in answer
    assert content(folder) == f"key {secret}\n\nThe ferry leaves at one.\n"


# --- what else can be served ---------------------------------------------------------------------------------------


def test_a_folder_itself_is_served_as_the_root(make: Make, tmp_path: Path) -> None:
    notebook = tmp_path / "notebook"
    notebook.mkdir()
    (notebook / "MEMORY.md").write_text("- [Tests](tests.md)\n", "utf-8")
    tool = make(notebook, inside="")
    assert "/memories/MEMORY.md" in tool.call({"command": "view", "path": "/memories"})
    tool.call({"command": "create", "path": "/memories/tests.md", "file_text": "Prefer real databases.\n"})
    assert (notebook / "tests.md").exists()
    assert tool.memory.search("databases", abstain=False).hits[0].path == "tests.md"
    tool.call({"command": "delete", "path": "/memories/tests.md"})
    assert "90-Trash" not in tool.call({"command": "view", "path": "/memories"})
    for path in ("/memories/90-Trash", "/memories/90-trash/x.md", "/memories/00-Inbox/x.md"):
        for command in ("view", "create", "delete"):
            assert tool.result({"command": command, "path": path, "file_text": "x"}).is_error
    assert tool.clear_all_memory() == "All memory cleared"
    tool.memory.undo()
    assert (notebook / "MEMORY.md").exists()


def test_a_vault_that_others_read_is_written_to_only_when_that_is_meant(make: Make, tmp_path: Path) -> None:
    vault = tmp_path / "project/.memory"
    vault.mkdir(parents=True)
    (vault / "a.md").write_text("Deploys happen on Friday.\n", "utf-8")
    tool = make(vault, inside="")
    assert "Friday" in tool.call({"command": "view", "path": "/memories/a.md"})
    refused = tool.result({"command": "create", "path": "/memories/b.md", "file_text": "x"})
    assert refused.is_error
    assert "shared" in refused.text
    assert not (vault / "b.md").exists()
    sharing = make(vault, inside="", shared=True)
    assert not sharing.result({"command": "create", "path": "/memories/b.md", "file_text": "x"}).is_error


def test_a_folder_with_a_vault_of_its_own_is_not_mistaken_for_it(tmp_path: Path) -> None:
    (tmp_path / ".memory").mkdir()
    for inside in ("memories", ""):
        with pytest.raises(BadInput, match=r"\.memory"):
            MemoryTool(tmp_path, inside=inside)


def test_a_vault_that_comes_later_into_the_folder_is_not_written_to(make: Make, folder: Path) -> None:
    tool = make()
    (folder / ".memory").mkdir()
    assert tool.result({"command": "create", "path": NOTE, "file_text": "x"}).is_error
    assert list((folder / ".memory").iterdir()) == []


def test_shared_says_no_more_than_that_for_a_private_folder(make: Make, folder: Path) -> None:
    assert not make(shared=True).result({"command": "create", "path": NOTE, "file_text": "x"}).is_error


def test_a_tool_goes_on_after_it_was_closed(make: Make, folder: Path) -> None:
    with make() as tool:
        tool.call({"command": "create", "path": NOTE, "file_text": "one"})
    tool.call({"command": "str_replace", "path": NOTE, "old_str": "one", "new_str": "two"})
    assert content(folder) == "two"


def test_importing_the_tool_does_not_load_the_sdk() -> None:
    import subprocess

    code = (
        "import sys; from scrubjay import MemoryTool; print(sorted({'anthropic', 'apsw', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.strip() == "[]"
