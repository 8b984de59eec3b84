"""The content map (SM-19 … SM-24)."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.errors import BadInput
from scrubjay.operations.learn.mapping import content_map
from scrubjay.operations.learn.request import parse
from scrubjay.proposals import ContentMap
from scrubjay.text.lines import split_lines

VAULTS = Path(__file__).parents[4] / "../shared/data/vaults"
SENTENCE = "Pools keep connections open and queries wait for them. "


def write(root: Path, path: str, text: str | bytes) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))


def learned(words: object, cwd: Path, **options: object) -> ContentMap:
    return content_map(parse(words, cwd=cwd), **options)  # type: ignore[arg-type]


def test_sm_19_the_map_of_a_folder(tmp_path: Path) -> None:
    write(tmp_path, "notes/python/http/retry.md", f"# Retry HTTP calls\n\nUse backoff with jitter.\n\n{SENTENCE * 10}")
    write(tmp_path, "notes/empty.md", "\n \n")
    write(tmp_path, "notes/a.bin", b"\0\1")
    found = learned("notes", tmp_path)
    assert (found.mode, found.path, found.files_scanned, found.files_selected) == ("directory", "notes", 2, 2)
    assert {one.path: one.reason for one in found.skipped} == {
        "a.bin": "Not text: it holds NUL characters.",
        "empty.md": "Empty.",
    }
    (segment,) = found.segments
    assert (segment.id, segment.source_file, segment.source_lines) == ("seg-001", "python/http/retry.md", (1, 5))
    assert (segment.title, segment.topic) == ("Retry HTTP calls", "python/http")
    assert segment.summary == "Use backoff with jitter."
    assert found.total_tokens == segment.tokens
    assert 3 <= len(segment.key_terms) <= 5


@pytest.mark.parametrize(("words", "single"), [(384, True), (385, True), (386, False), (400, False)])
def test_sm_20_up_to_five_hundred_tokens_are_one_segment(tmp_path: Path, words: int, single: bool) -> None:
    """385 words are 500 tokens, 386 are 501."""
    text = f"# A\n\n{'word ' * 190}\n\n# B\n\n{'word ' * (words - 194)}"
    write(tmp_path, "a.md", text)
    text_map, file_map = learned(text, tmp_path), learned("a.md", tmp_path)
    for found in (text_map, file_map):
        assert (found.total_tokens <= 500) is single
        assert (len(found.segments) == 1) is single
        if single:
            assert found.segments[0].text == text.rstrip()


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("Max prefers uv over pip.\nMore.", "Max prefers uv over pip."),
        ("\n\n## **Retry** [HTTP](http://x) `calls`\n\nText", "Retry HTTP calls"),
        ("x" * 59 + " yz", "x" * 59),
        ("é" * 70, "é" * 60),
        ("x" * 58 + "👩‍👩‍👧 family", "x" * 58),
        ("数据库" * 30, "数据库" * 20),
        ("---\ntitle: T\n---\n\nПервая строка\nвторая", "Первая строка"),
        ("<!-- hidden -->\n\n---\n\nShown", "Shown"),
    ],
)
def test_sm_20_summary_is_the_first_line_or_sixty_characters(tmp_path: Path, text: str, summary: str) -> None:
    """F109: cut where a reader sees a boundary."""
    assert learned(text, tmp_path).segments[0].summary == summary


def test_sm_21_frontmatter_is_a_hint_and_no_segment(tmp_path: Path) -> None:
    text = "---\ntitle: Pools in depth\ntopic: Python/Async DB\ndescription: All about pools.\n---\n\n" + SENTENCE * 12
    write(tmp_path, "x.md", text)
    (segment,) = learned("./", tmp_path).segments
    assert (segment.title, segment.topic, segment.summary) == ("Pools in depth", "python/async-db", "All about pools.")
    assert segment.source_lines == (7, 7)
    assert "title:" not in segment.text


def test_sm_21_a_folder_has_one_segment_a_file_and_cuts_large_ones_at_sections(tmp_path: Path) -> None:
    sections = "".join(f"## Part {name} of it\n\n{SENTENCE * 20}\n\n" for name in "ABC")
    write(tmp_path, "small.md", f"# Small file\n\n## One\n\n{SENTENCE * 20}\n\n## Two\n\n{SENTENCE * 20}")
    write(tmp_path, "large.md", f"# Large file\n\n{SENTENCE * 12}\n\n{sections}")
    found = learned("./", tmp_path)
    assert [(segment.source_file, segment.title) for segment in found.segments] == [
        ("large.md", "Large file"),
        ("large.md", "Part A of it"),
        ("large.md", "Part B of it"),
        ("large.md", "Part C of it"),
        ("small.md", "Small file"),
    ]


def test_sm_21_code_is_named_after_its_functions(tmp_path: Path) -> None:
    sum_ = " + ".join(["x"] * 240)
    methods = "".join(
        f"    # {name}s the queue\n    def {name}(self, x):\n        return {sum_}\n\n" for name in ("fill", "stop")
    )
    function = f'def start(x):\n    """Start a job."""\n    return {sum_}\n'
    source = f'"""Jobs."""\n\nimport os\n\n\n{function}\n\nclass Queue:\n{methods}'
    write(tmp_path, "src/app/jobs.py", source)
    found = learned("src", tmp_path)
    assert [segment.title for segment in found.segments] == [
        "start (app/jobs.py)",
        "Queue.fill (app/jobs.py)",
        "Queue.stop (app/jobs.py)",
    ]
    assert [segment.summary for segment in found.segments] == ["Jobs.", "fills the queue", "stops the queue"]
    assert not {"return", "import", "class"} & {term for segment in found.segments for term in segment.key_terms}


def test_titles_tell_segments_apart(tmp_path: Path) -> None:
    text = "".join(f"# {name} guide to it\n\n## Usage\n\n{SENTENCE * 30}\n\n" for name in ("First", "Second", "First"))
    titles = [segment.title for segment in learned(text, tmp_path).segments]
    assert titles == ["Usage (First guide to it)", "Usage (Second guide to it)", "Usage (First guide to it) (2)"]


def test_titles_of_several_files_are_told_apart_by_the_file(tmp_path: Path) -> None:
    for name in ("a/377.md", "b/377.md", "b/378.md"):
        write(tmp_path, f"errors/{name}", "The full text of the error is below.\n")
    titles = [segment.title for segment in learned("errors", tmp_path).segments]
    said = "The full text of the error is below"
    assert titles == [said, f"{said} (b/377.md)", f"{said} (b/378.md)"]


def test_sm_21_imports_say_nothing_of_what_code_does(tmp_path: Path) -> None:
    lines = "\n".join(f"from package import name{number}" for number in range(60))
    write(tmp_path, "src/jobs.py", f"import os\n{lines}\n\nLIMIT = 5\n")
    assert learned("src/jobs.py", tmp_path).segments[0].title == "src/jobs.py: LIMIT = 5"


def test_selected_files_only(tmp_path: Path) -> None:
    for name in ("a.md", "b.md", "c.md"):
        write(tmp_path, name, f"words of {name}")
    seen: list[tuple[int, int]] = []
    found = learned("./", tmp_path, selected=["c.md", "a.md"], progress=lambda done, all_: seen.append((done, all_)))
    assert [segment.source_file for segment in found.segments] == ["a.md", "c.md"]
    assert (found.files_scanned, found.files_selected) == (3, 2)
    assert seen == [(0, 2), (1, 2), (2, 2)]
    with pytest.raises(BadInput) as caught:
        learned("./", tmp_path, selected=[])
    assert caught.value.message == "No files selected. Exiting."
    with pytest.raises(BadInput, match=r"\.\./x\.md is not among the files"):
        learned("./", tmp_path, selected=["../x.md"])


def test_a_file_that_cannot_be_learned_from_is_named(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "Привет".encode("cp1251"))
    write(tmp_path, "secret.md", "secret")
    (tmp_path / "link.md").symlink_to(tmp_path / "secret.md")
    for name, reason in (("a.md", "Not UTF-8"), ("link.md", "symbolic link")):
        found = learned(name, tmp_path)
        assert found.segments == ()
        assert found.skipped[0].path == name
        assert reason in found.skipped[0].reason


def test_a_large_file_that_was_named_is_read(tmp_path: Path) -> None:
    write(tmp_path, "a.md", f"# A\n\n{SENTENCE * 4000}")
    assert learned("a.md", tmp_path).segments


def test_a_missing_file_is_pointed_out(tmp_path: Path) -> None:
    assert learned("notes/a.md", tmp_path).notices == ("There is no file notes/a.md, so it was taken as text.",)
    for path in ("/nowhere/notes", "./notes", "../notes", "~/notes"):
        assert learned(path, tmp_path).notices == (f"There is no file {path}, so it was taken as text.",)
    assert learned("use and/or", tmp_path).notices == ()


def test_what_says_nothing_is_named(tmp_path: Path) -> None:
    write(tmp_path, "docs/a.md", "---\ntitle: A\n---\n\n")
    write(tmp_path, "docs/b.md", "\n \n")
    write(tmp_path, "docs/c.md", "Something.")
    for asked in ("docs", "docs/a.md", "docs/b.md"):
        assert {(one.path.rpartition("/")[2], one.reason) for one in learned(asked, tmp_path).skipped} <= {
            ("a.md", "Empty."),
            ("b.md", "Empty."),
        }
        assert learned(asked, tmp_path).skipped


def test_older_versions_of_a_memory_are_not_learned(tmp_path: Path) -> None:
    text = "# Retry\n\nFive times.\n\n## History\n\n### Previous Version (2026-01-02)\n\nThree times.\n"
    write(tmp_path, "MEM-retry.md", text)
    (segment,) = learned("MEM-retry.md", tmp_path).segments
    assert segment.text == "# Retry\n\nFive times."
    write(tmp_path, "history.md", "# Project\n\n## History\n\nIt began in 2020.")
    assert "It began" in learned("history.md", tmp_path).segments[0].text


@pytest.mark.parametrize("text", ["\ufeffone\r\ntwo", "nul \0 inside", "half \ud83d a pair", "a\u2028b"])
def test_f109_hostile_text(tmp_path: Path, text: str) -> None:
    (segment,) = learned(text, tmp_path).segments
    assert not {"\ufeff", "\r", "\0"} & set(segment.text)
    json.dumps(asdict(segment), ensure_ascii=False).encode("utf-8")


def test_russian_and_chinese(tmp_path: Path) -> None:
    write(
        tmp_path, "Базы данных/миграции.md", "# Миграция базы\n\nСхема базы меняется миграцией. База не теряет строки."
    )
    write(tmp_path, "数据库/迁移.md", "# 数据库迁移方案\n\n数据库迁移需要回滚。数据库迁移失败时恢复。")
    russian, chinese = learned("./", tmp_path).segments
    assert (russian.topic, russian.title) == ("базы-данных", "Миграция базы")
    assert "миграция" in russian.key_terms
    assert (chinese.topic, chinese.title, chinese.summary) == (
        "数据库",
        "数据库迁移方案",
        "数据库迁移需要回滚。数据库迁移失败时恢复。",
    )
    assert chinese.key_terms[0] == "数据库迁移"


PARTS = st.sampled_from(
    [
        "# H\n",
        "## Two words\n",
        "\n\n",
        SENTENCE * 30,
        "```\ncode\n```\n",
        "- item\n",
        "数据库。" * 60,
        "👩‍👩‍👧",
        "\r\n",
        "\u2028",
        "\ud800",
        "\0",
    ]
)


@given(st.lists(PARTS, max_size=12).map("".join), st.sampled_from(["a.md", "a.py", "a.rst", "a.json", "a.txt"]))
def test_sm_19_lines_are_exact_and_nothing_is_lost(text: str, name: str) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        root = Path(folder)
        write(root, name, text.encode("utf-8", "surrogatepass"))
        found = learned(name, root)
        again = learned(name, root)
    assert found == again
    if not found.segments:
        return
    source = text.replace("\r\n", "\n").replace("\ud800", "\ufffd")
    lines = split_lines(source)
    for segment in found.segments:
        first, last = segment.source_lines
        assert "".join(lines[first - 1 : last]).strip() == segment.text.strip()
        assert segment.title
        assert segment.summary
        assert len(segment.key_terms) <= 5
    kept = "".join("".join(segment.text.split()) for segment in found.segments)
    assert kept == "".join(source.split())


@pytest.mark.skipif(not VAULTS.is_dir(), reason="the shared vaults are not here")
@pytest.mark.parametrize("tree", ["ru_react", "zh_javaguide/docs"])
def test_real_folders_are_mapped_the_same_in_another_process(tree: str) -> None:
    """The same input gives the same bytes, whatever the seed of the hashes."""
    script = (
        "import sys, hashlib; from scrubjay.operations.learn import request, mapping;"
        "print(hashlib.sha256(repr(mapping.content_map(request.parse(sys.argv[1], cwd='.'))).encode()).hexdigest())"
    )
    seeds = ("0", "1")
    runs = [
        subprocess.run(
            [sys.executable, "-c", script, str(VAULTS / tree)],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in seeds
    ]
    assert runs[0] == runs[1]


@pytest.mark.skipif(not VAULTS.is_dir(), reason="the shared vaults are not here")
@pytest.mark.parametrize("tree", ["ru_react", "zh_javaguide/docs"])
def test_real_titles_hold_no_markup(tree: str) -> None:
    found = learned(str(VAULTS / tree), Path.cwd())
    titles = [segment.title for segment in found.segments]
    assert len(set(titles)) == len(titles)
    for segment in found.segments:
        for shown in (segment.title, segment.summary):
            assert shown.strip()
            assert not any(mark in shown for mark in ("](", "{/*", "<!--", "**"))
        assert segment.key_terms
