"""``scrubjay notebook`` on the command line, and what ``status`` says of notebooks (CC-F1, CC-L2, XC-3)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from scrubjay import Memory
from scrubjay.vaults.dialects.claude_memory.index import HIDDEN
from scrubjay.vaults.identity import claude_key
from tests.interfaces.conftest import Jay


@pytest.fixture
def folder(tmp_path: Path, own_home: Path) -> Path:
    """The notebook of a project in the current folder; it is not there yet."""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    return own_home / ".claude" / "projects" / claude_key(str(tmp_path.resolve())) / "memory"


def save(jay: Jay, name: str = "prefer-uv", *more: str) -> None:
    done = jay("notebook", "save", name, "Use uv.", "--type", "feedback", "-d", "Max prefers uv", *more)
    assert done.code == 0, done.err


def test_a_memory_is_saved_listed_shown_and_removed(jay: Jay, folder: Path) -> None:
    assert "0 memories" in jay("notebook").out
    assert not folder.exists()
    save(jay)
    assert "- [feedback] prefer-uv.md (" in jay("notebook", "list").out
    assert jay("notebook", "show").out == "- [Prefer uv](prefer-uv.md) — Max prefers uv\n"
    assert jay("notebook", "show", "prefer-uv").out.endswith("---\n\nUse uv.\n")
    assert "prefer-uv.md" in jay("search", "which tool is uv").out
    assert jay("notebook", "remove", "prefer_uv").out == "Removed prefer-uv.md\n"
    assert (folder / "MEMORY.md").read_bytes() == b""
    assert jay("undo").code == 0
    assert (folder / "prefer-uv.md").is_file()
    assert jay("notebook", "check").out == "Healthy: 1 file, 1 line.\n"


def test_what_is_there_changes_in_what_is_given(jay: Jay, folder: Path) -> None:
    save(jay)
    assert jay("notebook", "save", "prefer-uv", "--hook", "never pip").out == "Changed prefer-uv.md\n"
    assert (folder / "MEMORY.md").read_text("utf-8") == "- [Prefer uv](prefer-uv.md) — never pip\n"
    assert jay("notebook", "save", "prefer-uv", "-", stdin="Или так.\n".encode()).code == 0
    assert (folder / "prefer-uv.md").read_text("utf-8").endswith("---\n\nИли так.\n")
    assert jay("notebook", "save", "prefer-uv", "--hook", "never pip").out == "Nothing to change in prefer-uv.md\n"


def test_a_whole_topic_file_may_be_given(jay: Jay, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "in.md").write_text("---\nname: other\ndescription: Said there\ntype: user\n---\nBody.\n", "utf-8")
    answer = jay("--json", "notebook", "save", "mine", "--file", "in.md").json
    assert (answer["path"], answer["description"], answer["type"]) == ("mine.md", "Said there", "user")
    assert (folder / "mine.md").read_text("utf-8").endswith("---\n\nBody.\n")


def test_json(jay: Jay, folder: Path) -> None:
    save(jay)
    saved = jay("--json", "notebook", "save", "prefer-uv", "-d", "New").json
    assert (saved["action"], saved["path"], saved["message"], saved["hidden"]) == ("updated", "prefer-uv.md", None, [])
    listed = jay("--json", "notebook").json
    assert listed["path"] == str(folder)
    assert [(one["filename"], one["type"], one["description"]) for one in listed["memories"]] == [
        ("prefer-uv.md", "feedback", "New")
    ]
    assert listed["manifest"].startswith("- [feedback] prefer-uv.md (")
    assert [one["path"] for one in listed["index"]] == ["prefer-uv.md"]
    assert jay("--json", "notebook", "show").json["lines"] == 1
    assert jay("--json", "notebook", "show", "prefer-uv").json["path"] == "prefer-uv.md"


def test_check_names_what_is_wrong_with_exit_code_5_and_mends_it(jay: Jay, folder: Path) -> None:
    save(jay)
    (folder / "lost.md").write_text("---\nname: lost\ndescription: Lost words\n---\nx\n", "utf-8")
    (folder / "bad.md").write_text("---\nname: a\nname: b\n---\nx\n", "utf-8")
    index = folder / "MEMORY.md"
    long = "x" * 200
    index.write_text(
        index.read_text("utf-8") + f"- [Gone](gone.md)\n- [UV](prefer-uv.md)\n- [Bad](bad.md) {long}\n", "utf-8"
    )
    done = jay("notebook", "check")
    assert done.code == 5
    for line in (
        "lost.md: no line for it in MEMORY.md",
        "MEMORY.md:2: no file gone.md",
        "MEMORY.md:3: prefer-uv.md again",
        "MEMORY.md:4: 216 characters, more than 200",
        "bad.md: line 3 has the key 'name' a second time",
        "2 files without a description or a type",
    ):
        assert line in done.out
    found = jay("--json", "notebook", "check", "--mend").json
    assert not found["healthy"] and found["mended"]
    assert (found["missing"], found["dead"], found["twice"]) == ([], [], [])
    assert [one["path"] for one in found["overlong"]] == ["bad.md"]
    assert "- [Lost](lost.md) — Lost words\n" in index.read_text("utf-8")
    assert jay("--json", "notebook", "check", "--mend").json["mended"] is None


def test_cc_l2_a_long_index_is_told_after_the_write(jay: Jay, folder: Path) -> None:
    folder.mkdir(parents=True)
    lines = [f"- [M{number}](m{number}.md) — x\n" for number in range(190)]
    for number in range(190):
        (folder / f"m{number}.md").write_text("---\nname: m\ndescription: x\ntype: project\n---\nx\n", "utf-8")
    (folder / "MEMORY.md").write_text("".join(lines), "utf-8")
    done = jay("notebook", "save", "new", "Text.", "-d", "New", "--type", "user")
    assert (done.code, done.out) == (0, "Saved new.md\n")
    assert "MEMORY.md is close to its limit: 191 lines" in done.err and "about 140 lines" in done.err
    (folder / "MEMORY.md").write_text("".join(lines) + "Prose.\n" * 20, "utf-8")
    done = jay("notebook", "save", "newer", "Text.", "-d", "Newer", "--type", "user")
    assert "it no longer lists" in done.out
    assert HIDDEN.format(number=13) in (folder / "MEMORY.md").read_text("utf-8")
    assert "13 files not listed on purpose" in jay("notebook", "check").out


@pytest.mark.parametrize(
    "words",
    [
        ("save",),
        ("remove",),
        ("list", "x"),
        ("check", "x"),
        ("show", "x", "y"),
        ("list", "--title", "x"),
        ("show", "--flat"),
        ("list", "--mend"),
        ("save", "x", "y", "--file", "z"),
        ("save", "x", "--type", "skill"),
        ("save", "x", "y"),
        ("list", "--scope", "local"),
        ("list", "--scope", "nobody"),
    ],
)
def test_bad_input_is_code_2(jay: Jay, folder: Path, words: tuple[str, ...]) -> None:
    done = jay("notebook", *words)
    assert done.code == 2 and done.err
    assert not folder.exists()


def test_what_is_not_there_is_code_3(jay: Jay, folder: Path) -> None:
    assert jay("notebook", "show", "x").code == jay("notebook", "remove", "x").code == 3
    assert jay("notebook", "save", "x", "--file", "nothing.md").code == 3
    assert not folder.exists()


def test_the_home_folder_has_none(jay: Jay, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(own_home)
    done = jay("notebook")
    assert done.code == 2
    assert "Go into the project" in done.err


def test_xc_3_status_lists_every_notebook(jay: Jay, folder: Path, own_home: Path, tmp_path: Path) -> None:
    save(jay)
    (folder / "team").mkdir()
    for place in (
        own_home / ".claude" / "agent-memory" / "critic",
        tmp_path / ".claude" / "agent-memory-local" / "tester",
    ):
        place.mkdir(parents=True)
        (place / "MEMORY.md").write_text("", "utf-8")
        (place / "one.md").write_text("x\n", "utf-8")
    found = {one["scope"]: one for one in jay("--json", "status").json["notebooks"]}
    assert list(found) == ["notebook", "team", "agent:critic", "agent:tester"]
    assert found["notebook"]["path"] == str(folder)
    assert [one["memories"] for one in found.values()] == [1, 0, 1, 1]
    text = jay("status").out
    assert "Notebooks of the agent" in text and "agent:critic" in text
    assert jay("--vault", "somewhere", "--json", "status").json["notebooks"] == []


def test_forgetting_takes_the_line_too(jay: Jay, folder: Path) -> None:
    save(jay)
    assert jay("forget", "prefer-uv").code == 0
    assert (folder / "MEMORY.md").read_bytes() == b""
    assert jay("undo").code == 0
    assert "Max prefers uv" in (folder / "MEMORY.md").read_text("utf-8")


def test_f103_what_holds_on_another_branch_is_left_out_and_counted(jay: Jay, folder: Path, tmp_path: Path) -> None:
    head = tmp_path / ".git" / "HEAD"
    save(jay)
    save(jay, "new-build", "--branch", "feature/build-2")
    assert "  branch: feature/build-2\n" in (folder / "new-build.md").read_text("utf-8")
    listed = jay("--json", "notebook").json
    assert [one["filename"] for one in listed["memories"]] == ["prefer-uv.md"]
    assert listed["elsewhere"] == 1
    assert "1 more hold on other branches" in jay("notebook").out
    head.write_text("ref: refs/heads/feature/build-2\n", "utf-8")
    listed = jay("--json", "notebook").json
    assert (len(listed["memories"]), listed["elsewhere"]) == (2, 0)
    head.write_text("0123456789012345678901234567890123456789\n", "utf-8")
    assert jay("--json", "notebook").json["elsewhere"] == 1
    assert jay("notebook", "save", "new-build", "--branch", "main").code == 0
    assert "  branch: main\n" in (folder / "new-build.md").read_text("utf-8")


def test_cc_p5_the_memory_of_a_single_agent(jay: Jay, folder: Path, own_home: Path, tmp_path: Path) -> None:
    place = own_home / ".claude" / "agent-memory" / "shop-critic"
    place.mkdir(parents=True)
    (place / "one.md").write_text("---\nname: one\ndescription: First\n---\nx\n", "utf-8")
    assert "- one.md (" in jay("notebook", "--scope", "agent:shop:critic").out
    assert jay("notebook", "save", "two", "Text.", "-d", "Second", "--scope", "agent:shop-critic").code == 0
    assert (place / "MEMORY.md").read_text("utf-8") == "- [Two](two.md) — Second\n"
    assert sorted(path.name for path in place.iterdir()) == ["MEMORY.md", "one.md", "two.md"]
    assert jay("notebook", "check", "--scope", "agent:shop-critic").code == 5
    assert jay("undo").code == 0
    assert sorted(path.name for path in place.iterdir()) == ["one.md"]
    nearer = tmp_path / ".claude" / "agent-memory-local" / "shop-critic"
    nearer.mkdir(parents=True)
    assert "0 memories" in jay("notebook", "--scope", "agent:shop-critic").out
    done = jay("notebook", "--scope", "agent:nobody")
    assert (done.code, "There is no notebook 'agent:nobody' here." in done.err) == (2, True)
    assert not folder.exists()


def test_cc_l3_topic_files_are_not_loaded_when_a_session_starts(jay: Jay, folder: Path) -> None:
    save(jay)
    loaded = jay("--json", "notebook", "show").json
    assert loaded["text"] == "- [Prefer uv](prefer-uv.md) — Max prefers uv"
    assert "Use uv." not in loaded["text"]


def test_f103_what_holds_on_another_branch_is_not_selected(jay: Jay, folder: Path) -> None:
    save(jay, "uv-here")
    save(jay, "uv-there", "--branch", "other")
    with Memory.open(embedder=None, background=False) as memory:
        found = memory.select("does Max prefer uv?")
    assert [one.selected.filename for one in found.memories] == ["uv-here.md"]
