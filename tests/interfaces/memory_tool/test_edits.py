"""MT-5, MT-7 c and d, F109: what create, str_replace and insert make of a text, whatever its line ends."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from scrubjay import MemoryTool
from scrubjay.interfaces.memory_tool import ToolResult
from scrubjay.interfaces.memory_tool.edits import Insertion, Replacement
from scrubjay.interfaces.memory_tool.wording import Refusal, Wording
from scrubjay.text.secrets import scan

Ask = Callable[..., ToolResult]
WORDING = Wording("docs")
ODD = st.sampled_from(["\n", "\r\n", "\r", "\u2028", "\u2029", "\x0b", "\x0c", "\x1c", "\u0085", "\ufeff", "\0", "\t"])
PIECES = st.one_of(ODD, st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=12))
TEXTS = st.lists(PIECES, max_size=12).map("".join)


@pytest.fixture(scope="module")
def open_tool(tmp_path_factory: pytest.TempPathFactory) -> MemoryTool:
    return MemoryTool(tmp_path_factory.mktemp("edits") / "agent", home=tmp_path_factory.mktemp("home"))


names = count()


def path_for() -> str:
    return f"/memories/{next(names)}.md"


def stored(tool: MemoryTool, path: str) -> str:
    return (Path(tool.memory.scopes["user"]) / path[1:]).read_bytes().decode("utf-8")


@settings(max_examples=60)
@given(text=TEXTS)
def test_mt_5_view_after_create_gives_the_text(open_tool: MemoryTool, text: str) -> None:
    assume(not scan(text) and len(text) < 10_000)
    path = path_for()
    assert not open_tool.result({"command": "create", "path": path, "file_text": text}).is_error
    assert stored(open_tool, path) == text
    view = open_tool.call({"command": "view", "path": path})
    head, rows = view.split("\n", 1)
    assert head == f"Here's the content of {path} with line numbers:"
    assert "\n".join(row.partition("\t")[2] for row in rows.split("\n")) == text
    assert [int(row[:6]) for row in rows.split("\n")] == list(range(1, text.count("\n") + 2))


@given(before=TEXTS, old=TEXTS.filter(bool), new=TEXTS, after=TEXTS)
def test_mt_5_str_replace_changes_one_place_and_nothing_else(before: str, old: str, new: str, after: str) -> None:
    text = before + old + after
    edit = Replacement("/memories/a", old, new, WORDING)
    places = sum(text.startswith(old, place) for place in range(len(text)))
    if places > 1:
        with pytest.raises(Refusal, match="Multiple occurrences"):
            edit(text)
        return
    changed = edit(text)
    assert changed == before + new + after
    rows = edit.snippet(changed).split("\n")
    numbers = [int(row[:6]) for row in rows]
    lines = changed.split("\n")
    assert [row.partition("\t")[2] for row in rows] == [lines[number - 1] for number in numbers]
    changed_line = before.count("\n") + 1
    assert numbers == list(range(max(1, changed_line - 2), min(len(lines), changed_line + 2) + 1))


@given(text=TEXTS, addition=TEXTS, line=st.integers(min_value=-2, max_value=20))
def test_mt_5_insert_puts_lines_in_and_keeps_all_others(text: str, addition: str, line: int) -> None:
    lines = text.split("\n")
    total = len(lines) - (not lines[-1])
    insertion = Insertion(line, addition, WORDING)
    if not 0 <= line <= total:
        with pytest.raises(Refusal, match=rf"Invalid `insert_line` parameter: {line}\..*\[0, {total}\]"):
            insertion(text)
        return
    changed = insertion(text)
    assert changed.endswith("\n")
    kept = lines[:total]
    assert (
        changed
        == "\n".join([*kept[:line], addition.rstrip("\n"), *kept[line:]]).rstrip("\n")
        + changed[len(changed.rstrip("\n")) :]
    )
    body = changed[:-1].split("\n")
    assert [*kept[:line], *addition.rstrip("\n").split("\n"), *kept[line:]] in (body, [*body, ""])


@pytest.mark.parametrize(
    ("text", "line", "addition", "expected"),
    [
        ("", 0, "a", "a\n"),
        ("", 0, "", "\n"),
        ("one", 1, "two", "one\ntwo\n"),
        ("one\n", 1, "two\n\n\n", "one\ntwo\n"),
        ("one\n", 0, "zero\r\n", "zero\r\none\n"),
        ("one\r\ntwo\r\n", 1, "x", "one\r\nx\ntwo\r\n"),
        ("a\u2028b\x0bc\x0cd\n", 1, "e\u2028f", "a\u2028b\x0bc\x0cd\ne\u2028f\n"),
        ("one\n\n", 2, "two", "one\n\ntwo\n"),
    ],
)
def test_mt_5_insert(text: str, line: int, addition: str, expected: str) -> None:
    assert Insertion(line, addition, WORDING)(text) == expected


def test_mt_7c_insert_keeps_every_line_end_but_its_own(ask: Ask, folder: Path) -> None:
    place = folder / "memories/a.md"
    place.write_bytes("a\u2028b\x0bc\r\nd".encode())
    assert not ask("insert", path="/memories/a.md", insert_line=2, insert_text="e").is_error
    assert place.read_bytes() == "a\u2028b\x0bc\r\nd\ne\n".encode()
    assert not ask("str_replace", path="/memories/a.md", old_str="\r\nd", new_str="\r\nD").is_error
    assert place.read_bytes() == "a\u2028b\x0bc\r\nD\ne\n".encode()


def test_mt_7d_an_empty_old_str_stands_nowhere(ask: Ask, folder: Path) -> None:
    (folder / "memories/a.md").write_text("x", "utf-8")
    assert ask("str_replace", path="/memories/a.md", old_str="", new_str="y").text == (
        "No replacement was performed, old_str `` did not appear verbatim in /memories/a.md."
    )


@pytest.mark.parametrize("new", [{}, {"new_str": ""}, {"new_str": None}])
def test_mt_4b_without_new_str_the_text_is_cut_out(new: dict[str, object], ask: Ask, folder: Path) -> None:
    (folder / "memories/a.md").write_text("keep this, not that", "utf-8")
    assert not ask("str_replace", path="/memories/a.md", old_str=", not that", **new).is_error
    assert (folder / "memories/a.md").read_text("utf-8") == "keep this"


def test_mt_5_lines_of_several_places_are_where_they_begin(ask: Ask, folder: Path) -> None:
    (folder / "memories/a.md").write_text("aa\nb\naaa\n", "utf-8")
    assert "in lines: 1, 3, 3. Please" in ask("str_replace", path="/memories/a.md", old_str="aa", new_str="").text
    (folder / "memories/b.md").write_text("x\nx\nx\n", "utf-8")
    assert "in lines: 1, 2. Please" in ask("str_replace", path="/memories/b.md", old_str="x\nx", new_str="").text


def test_an_error_is_never_endless(ask: Ask, folder: Path) -> None:
    (folder / "memories/a.md").write_text("x\n" * 50_000, "utf-8")
    assert len(ask("str_replace", path="/memories/a.md", old_str="x", new_str="").text) < 2_000
    assert len(ask("str_replace", path="/memories/a.md", old_str="y" * 90_000, new_str="").text) < 3_000
    assert len(ask("view", path="/memories/" + "y" * 90_000).text) < 1_000
    assert len(ask("y" * 90_000).text) < 1_000


def test_mt_5_create_makes_parents_and_never_overwrites(ask: Ask, folder: Path) -> None:
    assert not ask("create", path="/memories/a/b/c.md", file_text="1").is_error
    assert ask("create", path="/memories/a/b/c.md", file_text="2").is_error
    assert ask("create", path="/memories/a/b", file_text="2").text == "Error: File /memories/a/b already exists"
    under = ask("create", path="/memories/a/b/c.md/d.md", file_text="2")
    assert under.text == "Error: Invalid path /memories/a/b/c.md/d.md: /memories/a/b/c.md is a file."
    assert ask("rename", old_path="/memories/a/b/c.md", new_path="/memories/a/b/c.md/d").is_error
    assert (folder / "memories/a/b/c.md").read_text("utf-8") == "1"


def test_f109_halves_of_a_character_are_joined_and_a_lone_one_is_replaced(ask: Ask, folder: Path) -> None:
    assert not ask("create", path="/memories/a.md", file_text="\ud83d\ude00 \ud83d").is_error
    assert (folder / "memories/a.md").read_bytes() == "😀 \ufffd".encode()
    assert not ask("str_replace", path="/memories/a.md", old_str="\ud83d\ude00", new_str="Jānis/太郎").is_error
    assert (folder / "memories/a.md").read_bytes() == "Jānis/太郎 \ufffd".encode()
    ask("str_replace", path="/memories/a.md", old_str="\udc00", new_str="x").text.encode("utf-8")


def test_f109_names_in_every_script(ask: Ask, folder: Path) -> None:
    for name in ("Jānis/太郎.md", "привет мир.md", "it's 100%.md", "é.md", "🙂.txt"):
        assert not ask("create", path=f"/memories/{name}", file_text="x").is_error
        assert f"/memories/{name}" in ask("view", path="/memories").text
        assert not ask("delete", path=f"/memories/{name}").is_error
    (folder / "memories/e\u0301.md").write_text("from a Mac", "utf-8")
    assert "from a Mac" in ask("view", path="/memories/é.md").text
