"""MT-3, MT-4b, MT-8: what a model sees of folders, texts and pictures."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.interfaces.memory_tool import ToolResult
from scrubjay.interfaces.memory_tool.viewing import PAGE, size
from tests.interfaces.memory_tool.conftest import Make

Ask = Callable[..., ToolResult]
HEAD = "Here's the content of /memories/a.md with line numbers:\n"


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0B"),
        (1, "1B"),
        (812, "812B"),
        (1023, "1023B"),
        (1024, "1K"),
        (1536, "1.5K"),
        (2048, "2K"),
        (2100, "2.1K"),
        (4096, "4K"),
        (1024**2 - 1, "1024.0K"),
        (1024**2, "1M"),
        (1024**2 * 3 // 2, "1.5M"),
        (1024**3, "1G"),
        (1024**4, "1024G"),
    ],
)
def test_mt_3_sizes(count: int, shown: str) -> None:
    assert size(count) == shown


@given(st.integers(min_value=1, max_value=2**50))
def test_mt_3_a_size_is_near_what_it_stands_for(count: int) -> None:
    shown = size(count)
    unit = 1024 ** "BKMG".index(shown[-1])
    assert abs(float(shown[:-1]) * unit - count) <= unit * 0.051


@pytest.mark.parametrize("dialect", ["docs", "sdk"])
def test_mt_3_a_listing_line_by_line(dialect: str, make: Make, folder: Path) -> None:
    tool = make(dialect=dialect)
    root = folder / "memories"
    for path, content in {
        "b.md": "x" * 812,
        "B.md": "x" * 1536,
        "a/z.md": "",
        "a/deep/three.md": "not shown: the third level",
        "a.md": "x" * 2048,
        "node_modules/p.js": "x",
        ".hidden/x": "x",
        "a/.secret": "x",
        "日本.md": "x",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content, "utf-8")
    stat = {path: size((root / path).stat().st_size) for path in ("", "a", "a/deep", "node_modules")}
    lines = tool.call({"command": "view", "path": "/memories"}).split("\n")
    assert lines[1:] == [
        f"{stat['']}\t/memories",
        "1.5K\t/memories/B.md",
        f"{stat['a']}\t/memories/a/",
        f"{stat['a/deep']}\t/memories/a/deep/",
        "0B\t/memories/a/z.md",
        "2K\t/memories/a.md",
        "812B\t/memories/b.md",
        *([f"{stat['node_modules']}\t/memories/node_modules/", "1B\t/memories/node_modules/p.js"] * (dialect == "sdk")),
        "1B\t/memories/日本.md",
    ]
    inner = tool.call({"command": "view", "path": "/memories/a/"}).split("\n")
    assert inner[0].startswith("Here're the files and directories up to 2 levels deep in /memories/a, excluding")
    assert inner[1:] == [
        f"{stat['a']}\t/memories/a",
        f"{stat['a/deep']}\t/memories/a/deep/",
        "26B\t/memories/a/deep/three.md",
        "0B\t/memories/a/z.md",
    ]


def test_mt_8_the_root_is_there_at_once_and_an_empty_one_is_listed(make: Make, folder: Path) -> None:
    tool = make()
    root = folder / "memories"
    assert root.is_dir()
    listed = tool.call({"command": "view", "path": "/memories"})
    assert listed.split("\n")[1:] == [f"{size(root.stat().st_size)}\t/memories"]
    root.rmdir()  # somebody cleaned up: a tool that lives on makes it again
    assert not tool.result({"command": "view", "path": "/memories"}).is_error
    assert root.is_dir()


def test_mt_8_the_trash_is_beside_the_root_and_not_in_it(ask: Ask, folder: Path) -> None:
    ask("create", path="/memories/a.md", file_text="x")
    ask("delete", path="/memories/a.md")
    assert (folder / "90-Trash").is_dir()
    assert ask("view", path="/memories").text.count("\n") == 1


@pytest.mark.parametrize(
    ("wanted", "shown"),
    [
        (None, [1, 2, 3, 4]),
        ([], [1, 2, 3, 4]),
        ([1, 2], [1, 2]),
        ([2, -1], [2, 3, 4]),
        ([0, 2], [1, 2]),
        ([-5, 1], [1]),
        ([3, 2], []),
        ([9, 12], []),
        ([3, 99], [3, 4]),
        ([2.0, 3.0], [2, 3]),
    ],
)
def test_mt_2_a_range_of_lines(wanted: list[int] | None, shown: list[int], ask: Ask, folder: Path) -> None:
    (folder / "memories/a.md").write_text("1\n2\n3\n", "utf-8")
    rows = [f"{number:>6}\t{number if number < 4 else ''}" for number in shown]
    assert ask("view", path="/memories/a.md", view_range=wanted).text == HEAD + "\n".join(rows)


def test_mt_3_lines_end_at_the_line_feed_alone(ask: Ask, folder: Path) -> None:
    text = "a\u2028b\x0bc\x0cd\u0085e\rf\r\ng"
    (folder / "memories/a.md").write_bytes(text.encode("utf-8"))
    assert ask("view", path="/memories/a.md").text == f"{HEAD}     1\ta\u2028b\x0bc\x0cd\u0085e\rf\r\n     2\tg"


def test_mt_3_an_empty_file_has_one_empty_line(ask: Ask, folder: Path) -> None:
    (folder / "memories/a.md").touch()
    assert ask("view", path="/memories/a.md").text == f"{HEAD}     1\t"


def paged(ask: Ask) -> tuple[list[tuple[int, str]], int]:
    """All rows of a.md as a model would gather them, following what each answer says; and how many views it took."""
    rows: list[tuple[int, str]] = []
    wanted: list[int] | None = None
    for views in range(1, 500):
        text = ask("view", path="/memories/a.md", **({"view_range": wanted} if wanted else {})).text
        assert len(text) <= PAGE
        rows += [(int(number), line) for number, line in re.findall(r"^ *(\d+)\t(.*)$", text, re.MULTILINE)]
        on = re.search(r"Go on with view_range \[(\d+), (-?\d+)\]", text.rpartition("\n")[2])
        if on is None:
            return rows, views
        wanted = [int(on[1]), int(on[2])]
    raise AssertionError("it never ends")


def test_mt_4b_a_long_text_is_paged_at_line_ends(ask: Ask, folder: Path) -> None:
    lines = [f"line {number} {'x' * (number % 90)}" for number in range(1, 2001)]
    (folder / "memories/a.md").write_text("\n".join(lines), "utf-8")
    rows, views = paged(ask)
    assert rows == list(enumerate(lines, 1))
    assert 6 < views < 12


def test_mt_4b_a_line_longer_than_a_page_is_cut_and_the_rest_goes_on(ask: Ask, folder: Path) -> None:
    (folder / "memories/a.md").write_text(f"first\n{'y' * 50_000}\nlast", "utf-8")
    rows, _ = paged(ask)
    assert [number for number, _ in rows] == [1, 2, 3]
    cut = ask("view", path="/memories/a.md", view_range=[2, 3]).text
    found = re.search(r"\[The first ([\d,]+) of 50,000 characters of line 2 are shown\.\]", cut)
    assert found
    assert cut.count("y") == int(found[1].replace(",", "")) + "Go on with view_range".count("y")
    assert rows[0][1], rows[2][1] == ("first", "last")


@given(st.lists(st.integers(min_value=0, max_value=4000), min_size=1, max_size=60))
def test_mt_4b_every_line_is_reached_by_following_the_answers(
    tmp_path_factory: pytest.TempPathFactory, lengths: list[int]
) -> None:
    from scrubjay import MemoryTool

    folder = tmp_path_factory.getbasetemp() / "paged"
    tool = MemoryTool(folder)
    (folder / "memories/a.md").write_text("\n".join("z" * length for length in lengths), "utf-8")
    rows, _ = paged(lambda command, **fields: tool.result({"command": command, **fields}))
    assert [(number, len(line)) for number, line in rows] == list(enumerate(lengths, 1))


def test_mt_4b_a_range_ends_where_it_was_to_end(ask: Ask, folder: Path) -> None:
    (folder / "memories/a.md").write_text("\n".join(["x" * 1000] * 100), "utf-8")
    assert "Go on with view_range [25, 60]." in ask("view", path="/memories/a.md", view_range=[10, 60]).text


@pytest.mark.parametrize("name", ["a.png", "b.JPG", "c.jpeg"])
def test_mt_4b_a_picture_is_refused_or_shown(name: str, make: Make, folder: Path) -> None:
    data = b"\x89PNG\r\n\x1a\n1" if name.endswith("png") else b"\xff\xd8\xff1"
    plain, showing = make(), make(images=True)
    (folder / "memories" / name).write_bytes(data)
    refused = plain.result({"command": "view", "path": f"/memories/{name}"})
    assert (refused.is_error, refused.image) == (True, None)
    shown = showing.result({"command": "view", "path": f"/memories/{name}"})
    assert shown.image is not None
    assert (shown.is_error, shown.image.data) == (False, data)
    assert [block["type"] for block in shown.content] == ["text", "image"]


def test_mt_4b_what_is_only_called_a_picture_is_none(make: Make, folder: Path) -> None:
    tool = make(images=True)
    (folder / "memories/a.png").write_text("not a picture", "utf-8")
    (folder / "memories/b.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"0" * 6_000_000)
    for path in ("/memories/a.png", "/memories/b.png"):
        assert tool.result({"command": "view", "path": path}).is_error


def test_f109_a_text_in_an_old_encoding_is_read_and_left_alone(ask: Ask, folder: Path) -> None:
    place = folder / "memories/a.md"
    place.write_bytes("Привет, мир! Как дела у тебя сегодня?\n".encode("cp1251"))
    before = place.read_bytes()
    assert "Привет, мир!" in ask("view", path="/memories/a.md").text
    assert ask("insert", path="/memories/a.md", insert_line=0, insert_text="x").is_error
    assert place.read_bytes() == before
