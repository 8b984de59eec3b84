"""What somebody wants to learn from (SM-8, SM-10)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.errors import BadInput, NotFound
from scrubjay.operations.learn.request import USAGE, parse


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("text", encoding="utf-8")
    (tmp_path / "with space").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("words", "mode", "shown"),
    [
        ("docs", "directory", "docs"),
        ("docs/", "directory", "docs"),
        ("-d docs", "directory", "docs"),
        ("-d with space", "directory", "with space"),
        ("./docs/../docs", "directory", "docs"),
        ("docs/a.md", "file", "docs/a.md"),
        ("-f docs/a.md", "file", "docs/a.md"),
        ("Use a/b testing for docs", "text", ""),
        ("docs/b.md", "text", ""),
        ("See https://example.org/", "text", ""),
        ("first line\ndocs/", "text", ""),
        ("nul \0 docs/", "text", ""),
        ("word " * 5000 + "/", "text", ""),
        ("-dash is text", "text", ""),
        (["use", "uv"], "text", ""),
    ],
)
def test_sm_8_the_first_match_wins(cwd: Path, words: str | list[str], mode: str, shown: str) -> None:
    found = parse(words, cwd=cwd)
    assert (found.mode, found.shown) == (mode, shown)


def test_sm_8_text_is_kept_as_it_is(cwd: Path) -> None:
    assert parse("  two\n\n  lines \n", cwd=cwd).text == "  two\n\n  lines \n"


@pytest.mark.parametrize(
    "words", ["--task 7", "--task=7", " --task 7 --category pattern", "--task 7 --category=[PATTERN]"]
)
def test_sm_8_a_task_comes_first(cwd: Path, words: str) -> None:
    found = parse(words, cwd=cwd)
    assert (found.mode, found.task) == ("task", 7)
    assert found.category == ("PATTERN" if "category" in words else None)
    assert parse("docs/", cwd=cwd, task=7).mode == "task"


@pytest.mark.parametrize(
    "words", [None, "", "  \n", [], "--task", "--task x", "--task -1", "--task 99999999", "--task ７"]
)
def test_sm_10_usage(cwd: Path, words: str | list[str] | None) -> None:
    with pytest.raises(BadInput) as caught:
        parse(words, cwd=cwd)
    assert caught.value.message == USAGE == "Usage: /learn <text or file path or directory> OR /learn --task N"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("-f missing.md", "File not found: missing.md"),
        ("-f docs", "File not found: docs"),
        ("missing/", "Directory not found: missing/"),
        ("-d missing", "Directory not found: missing"),
        ("-d docs/a.md", "Directory not found: docs/a.md"),
    ],
)
def test_sm_10_what_is_not_there(cwd: Path, words: str, message: str) -> None:
    with pytest.raises(NotFound) as caught:
        parse(words, cwd=cwd)
    assert caught.value.message == message


def test_a_path_object_is_never_text(cwd: Path) -> None:
    assert parse(cwd / "docs", cwd=cwd).mode == "directory"
    assert parse(Path("docs/a.md"), cwd=cwd).mode == "file"
    with pytest.raises(NotFound, match=r"File not found: .*gone"):
        parse(cwd / "gone", cwd=cwd)
    with pytest.raises(BadInput):
        parse(Path("a\nb"), cwd=cwd)


def test_a_category_is_a_word(cwd: Path) -> None:
    assert parse("x y", cwd=cwd, category="[standard]").category == "STANDARD"
    assert parse("x y", cwd=cwd, category=" ").category is None
    with pytest.raises(BadInput, match="no category"):
        parse("x y", cwd=cwd, category="a b; c")


def test_a_place_outside_is_shown_whole(cwd: Path) -> None:
    found = parse("../", cwd=cwd / "docs")
    assert found.shown == cwd.as_posix()


def test_a_pipe_is_no_file(cwd: Path) -> None:
    os.mkfifo(cwd / "pipe")
    assert parse("pipe", cwd=cwd).mode == "text"
    with pytest.raises(NotFound):
        parse("-f pipe", cwd=cwd)


@given(st.text())
def test_any_words(words: str) -> None:
    """SM-8, F109: whatever is typed is one of the four, or a sentence that says why not."""
    mode = ""
    try:
        mode = parse(words, cwd="/nowhere").mode
    except (BadInput, NotFound) as error:
        mode = error.message
    assert mode
