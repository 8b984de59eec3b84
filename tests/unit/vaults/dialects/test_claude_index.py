"""MEMORY.md: lines, what is loaded of it, what a writer is told, and what is taken out (CC-F1, CC-L1, CC-L2, F104)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.vaults.dialects.claude_memory import host, index, loading


def lines(number: int, first: int = 0) -> str:
    return "".join(f"- [M{place}](m{place}.md) — about {place}\n" for place in range(first, first + number))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("- [Title](file.md) — hook", ("Title", "file.md", "hook")),
        ("- [Title](file.md) – hook", ("Title", "file.md", "hook")),
        ("- [Title](file.md) - hook", ("Title", "file.md", "hook")),
        ("- [Title](file.md) -- hook", ("Title", "file.md", "hook")),
        ("- [Title](file.md): hook", ("Title", "file.md", "hook")),
        ("- [标题](文件.md)：说明", ("标题", "文件.md", "说明")),
        ("- [Title](file.md) → hook", ("Title", "file.md", "hook")),
        ("- [Title](file.md) | hook", ("Title", "file.md", "hook")),
        ("- [Title](file.md)", ("Title", "file.md", "")),
        ("* [Title](file.md) hook", ("Title", "file.md", "hook")),
        ("+ [Title](./file.md) — hook", ("Title", "file.md", "hook")),
        ("1. [Title](file.md) — hook", ("Title", "file.md", "hook")),
        ("12) [Title](file.md) — hook", ("Title", "file.md", "hook")),
        ("  - [Title](a/file.md) — hook", ("Title", "a/file.md", "hook")),
        ("- **[Title](file.md)** — hook", ("Title", "file.md", "hook")),
        ("- [x] [Title](file.md) — hook", ("Title", "file.md", "hook")),
        ("- 📌 [Title](file.md) — hook", ("Title", "file.md", "hook")),
        ("- ⚠️ **[Title](file.md)** — hook", ("Title", "file.md", "hook")),
        ("- [Title (x) [y]](file.md) — hook", ("Title (x) [y]", "file.md", "hook")),
        (r"- [Title \[y\]](file.md) — hook", ("Title [y]", "file.md", "hook")),
        ("- [Title](<my file.md>) — hook", ("Title", "my file.md", "hook")),
        ("- [Title](my%20file.md) — hook", ("Title", "my file.md", "hook")),
        ("- [Title](a(1).md) — hook", ("Title", "a(1).md", "hook")),
        ('- [Title](file.md "more") — hook', ("Title", "file.md", "hook")),
        ("- [Title](file.md#part) — hook", ("Title", "file.md", "hook")),
        ("- [Title](FILE.MD) — hook", ("Title", "FILE.MD", "hook")),
        ("- [[file]] — hook", ("file", "file.md", "hook")),
        ("- [[file.md|Title]] — hook", ("Title", "file.md", "hook")),
        ("- [Title](file.md) — hook ([more](other.md)).", ("Title", "file.md", "hook ([more](other.md)).")),
        ("- [Title](file.md) — hook <!-- pin -->", ("Title", "file.md", "hook")),
    ],
)
def test_cc_f1_lines_met_in_the_wild(line: str, expected: tuple[str, str, str]) -> None:
    (entry,) = index.parse(f"# Memory\n\n{line}\r\n").entries
    assert (entry.title, entry.path, entry.hook) == expected
    assert (entry.line, entry.heading, entry.text) == (3, "Memory", line)


@pytest.mark.parametrize(
    "line",
    [
        "Text about [Title](file.md)",
        "- Text about [Title](file.md)",
        "- [Title](https://example.org/file.md) — hook",
        "- [Title](file.txt) — hook",
        "- [Title]() — hook",
        "- plain",
        "| [Title](file.md) | hook |",
    ],
)
def test_what_is_no_entry_is_prose(line: str) -> None:
    found = index.parse(line + "\n")
    assert (found.entries, found.prose) == ((), (1,))


def test_lines_in_code_comments_and_frontmatter_are_nobodys() -> None:
    text = (
        "---\nname: x\n---\n<!--\n- [A](a.md)\n-->\n```\n- [B](b.md)\n```\n- [C](c.md)\n<!-- - [D](d.md) -->\n"
        "~~~md\n- [E](e.md)\n```\n~~~\n"
    )
    found = index.parse(text)
    assert [entry.path for entry in found.entries] == ["c.md"]
    assert index.without_entry(text, "b.md") == text
    assert index.with_entry(text, "a.md", "A", "") == text.replace("- [C](c.md)\n", "- [C](c.md)\n- [A](a.md)\n")


def test_headings_and_lines_that_go_on() -> None:
    text = "# One\n- [A](a.md) — a\n  goes on\n  - [N](n.md)\n## Two ##\n- [B](b.md)\n\n  aside\nText\n"
    found = index.parse(text)
    assert found.headings == ("One", "Two")
    assert [(entry.path, entry.heading, entry.line, entry.last) for entry in found.entries] == [
        ("a.md", "One", 2, 3),
        ("n.md", "One", 4, 4),
        ("b.md", "Two", 6, 6),
    ]
    assert index.without_entry(text, "a.md") == text.replace("- [A](a.md) — a\n  goes on\n", "")


def test_cc_f1_over_long_lines_are_named() -> None:
    text = f"- [A](a.md) — {'x' * 185}\n- [B](b.md) — {'x' * 186}\n"
    assert [entry.path for entry in index.parse(text).overlong] == []
    assert [entry.path for entry in index.parse(text.replace("x\n", "xyz\n")).overlong] == ["a.md", "b.md"]


def test_a_new_line_goes_to_the_end_in_the_manner_of_the_others() -> None:
    assert index.with_entry("", "a.md", "A", "hook") == "- [A](a.md) — hook\n"
    assert index.with_entry("# Memory", "a.md", "A", "") == "# Memory\n\n- [A](a.md)\n"
    assert index.with_entry("* [A](a.md): a", "b.md", "B", "b") == "* [A](a.md): a\n* [B](b.md): b\n"
    assert index.with_entry("- [A](a.md) – a\r\n", "b.md", "B", "b") == "- [A](a.md) – a\r\n- [B](b.md) – b\r\n"
    assert index.with_entry("- [A](a.md)\n\nText\n", "b.md", "B", "b") == "- [A](a.md)\n- [B](b.md) — b\n\nText\n"


def test_a_new_line_goes_under_its_heading() -> None:
    text = "## Feedback\n- [A](a.md)\n\n## Project\n- [B](b.md)\n"
    assert index.with_entry(text, "c.md", "C", "", heading="feedback").splitlines()[1:3] == [
        "- [A](a.md)",
        "- [C](c.md)",
    ]
    assert index.with_entry(text, "c.md", "C", "").splitlines()[-1] == "- [C](c.md)"


def test_a_known_line_changes_in_place_and_its_doubles_go() -> None:
    text = "- [A](a.md) — old 📌\n- [B](b.md)\n- [A2](./a.md)\n"
    assert index.with_entry(text, "a.md", "A", "new") == "- [A](a.md) — new 📌\n- [B](b.md)\n"
    assert index.with_entry("- [A](a.md) — old\n", "a.md", "A", "old") == "- [A](a.md) — old\n"


def test_cc_f1_a_line_is_written_short_and_cannot_forge_another() -> None:
    line = index.entry_line("a b (1).md", "T [x]\n- y", "word " * 100)
    assert line.startswith(r"- [T \[x\] - y](<a b (1).md>) — word word")
    assert len(line) <= host.LINE_TARGET and line.endswith("word…")
    (entry,) = index.parse(line).entries
    assert (entry.title, entry.path) == ("T [x] - y", "a b (1).md")
    assert len(index.entry_line("a.md", "A", "汉" * 500)) == host.LINE_TARGET
    assert index.entry_line("a.md", "x" * 160, "hook") == f"- [{'x' * 160}](a.md)"


TEXT = st.text(st.characters(codec="utf-8", categories=None), max_size=30)
PARTS = st.one_of(
    st.builds(lambda title, path, hook: f"- [{title}]({path}.md) — {hook}", TEXT, st.sampled_from("abc"), TEXT),
    st.sampled_from(
        ["# H", "```", "~~~", "<!--", "-->", "---", "x: y", "", "  more", "\t- [A](a.md)", "- [A](a.md): b"]
    ),
    TEXT,
)


@given(
    parts=st.lists(PARTS, max_size=12),
    ending=st.sampled_from(["\n", "\r\n", "\r"]),
    title=TEXT,
    hook=TEXT,
    path=st.sampled_from(["a.md", "new.md", "a b.md"]),
)
def test_any_text_takes_a_line_and_gives_it_back(
    parts: list[str], ending: str, title: str, hook: str, path: str
) -> None:
    text = ending.join(parts)
    assert "".join(line.text for line in loading.marked(text)) == text
    found = index.with_entry(text, path, title, hook)
    others = [entry.path for entry in index.parse(text).entries if entry.path != path]
    mine = [entry for entry in index.parse(found).entries if entry.path == path]
    if mine:  # in a text that ends in open code it is code
        assert len(mine) == 1
        assert [entry.path for entry in index.parse(found).entries if entry.path != path] == others
        gone = index.without_entry(found, path)
        assert [entry.path for entry in index.parse(gone).entries] == others
        assert index.with_entry(found, path, mine[0].title, mine[0].hook) == found
    index.loaded(text)
    index.evicted(text, {}, lines=3, bytes=50)


# --- loading


def test_cc_l1_frontmatter_and_block_comments_are_not_loaded() -> None:
    text = (
        "---\nname: x\n---\n<!-- one -->\n- [A](a.md) <!-- stays -->\n\n<!--\ntwo\n--> tail\n```\n<!-- code -->\n```\n"
        "  <!-- a --> <!-- b -->\nEnd <!-- stays\n"
    )
    assert index.loaded(text).text == "- [A](a.md) <!-- stays -->\n\n tail\n```\n<!-- code -->\n```\nEnd <!-- stays"


def test_cc_l1_a_comment_that_never_ends_hides_nothing() -> None:
    assert index.loaded("<!-- open\n- [A](a.md)\n").text == "<!-- open\n- [A](a.md)"


def test_cc_l1_two_hundred_lines_are_loaded_and_a_warning() -> None:
    assert index.loaded(lines(200)).warning == ""
    assert index.loaded(lines(200)).text == lines(200).rstrip()
    found = index.loaded(lines(201))
    assert (found.lines, found.over) == (201, True)
    assert found.text == lines(200) + f"\n{found.warning}"
    assert "201 lines" in found.warning and "limit of 200 lines was hit" in found.warning
    assert "bytes was hit" not in found.warning


def test_cc_l1_bytes_are_cut_after_a_whole_line_and_never_in_a_letter() -> None:
    line = "- [Ж](ж.md) — " + "ж" * 150 + "\n"
    found = index.loaded(line * 100)
    shown = found.text.removesuffix(found.warning).rstrip("\n")
    assert len(shown.encode()) <= host.INDEX_BYTES < len(shown.encode()) + len(line.encode())
    assert all(each == line.rstrip() for each in shown.split("\n"))
    assert "limit of 25,000 bytes was hit" in found.warning
    one = index.loaded("汉" * 10_000)
    assert one.text.startswith("汉" * 8333 + "\n\n> MEMORY.md has 1 lines")
    both = index.loaded(line * 300)
    assert "200 lines and of 25,000 bytes" in both.warning


def test_cc_l1_nothing_is_loaded_of_nothing() -> None:
    for text in ("", "\n\n", "<!-- x -->\n", "---\nname: x\n---\n"):
        assert index.loaded(text) == index.Loaded(text="", warning="", lines=0, bytes=0)


def test_cc_l2_the_messages() -> None:
    todo = " to about 140 lines: one line a memory, and what it says in its own file."
    assert index.measured(lines(179)) is None
    assert index.measured(lines(180)) == (
        "MEMORY.md is close to its limit: 180 lines and 5,429 bytes, of at most 200 lines and 25,000 bytes."
        f" Rewrite it{todo}"
    )
    assert index.measured(lines(201)) == (
        "MEMORY.md is over its limit: 201 lines and 6,101 bytes, of at most 200 lines and 25,000 bytes."
        f" What is beyond is not loaded. Rewrite it{todo}"
    )
    heavy = index.measured("- [A](a.md) — " + "x" * 400 + "\n" + lines(150).replace("about", "x" * 150))
    assert heavy is not None and "about 140 lines and 17,500 bytes" in heavy


def test_cc_l2_what_is_not_loaded_does_not_count() -> None:
    assert index.measured(lines(179) + "<!--\n" + "x\n" * 100 + "-->\n") is None


# --- eviction


def test_f104_an_index_that_fits_stays_as_it_is() -> None:
    text = lines(200)
    assert index.evicted(text, {}) == index.Evicted(text=text)


def test_f104_the_least_valuable_lines_go_and_are_counted() -> None:
    values = {f"m{place}.md": 1.0 for place in range(205)} | {"m3.md": 0.1, "m200.md": 0.2}
    found = index.evicted("# Memory\n" + lines(205), values)
    assert [entry.path for entry in found.hidden] == ["m3.md", "m200.md", "m0.md", "m1.md", "m2.md", "m4.md", "m5.md"]
    assert index.loaded(found.text).lines == 200
    assert found.text.splitlines()[-1] == index.HIDDEN.format(number=7)
    assert index.parse(found.text).hidden == 7
    again = index.evicted(found.text.replace("# Memory\n", "# Memory\n" + lines(3, 300)), values)
    assert len(again.hidden) == 3
    assert index.parse(again.text).hidden == 10
    assert again.text.count("more memories") == 1


def test_f104_pinned_lines_and_kept_paths_stay_even_when_worth_nothing() -> None:
    text = lines(210).replace("— about 0\n", "— about 0 📌\n").replace("— about 1\n", "— about 1 <!-- PIN -->\n")
    found = index.evicted(text, {}, keep=["m2.md", "./m3.md"])
    assert [entry.path for entry in found.hidden] == [f"m{place}.md" for place in range(4, 15)]


def test_f104_bytes_count_too() -> None:
    text = "".join(f"- [M{place}](m{place}.md) — {'ж' * 90}\n" for place in range(140))
    found = index.evicted(text, {})
    assert not index.loaded(found.text).over
    assert len(index.loaded(found.text).text.encode()) > host.INDEX_BYTES - 250


def test_f104_prose_is_not_taken_out() -> None:
    text = "Prose.\n" * 210 + lines(3)
    found = index.evicted(text, {}, keep=["m1.md"])
    assert [entry.path for entry in found.hidden] == ["m0.md", "m2.md"]
    assert found.text.startswith("Prose.\n" * 210 + "- [M1]")
    assert index.evicted("Prose.\n" * 210, {}).text == "Prose.\n" * 210


@given(st.integers(1, 60), st.integers(4, 40), st.integers(200, 3000), st.sets(st.integers(0, 60)))
def test_f104_it_fits_whenever_it_can(number: int, most: int, size: int, kept: set[int]) -> None:
    keep = [f"m{place}.md" for place in kept]
    found = index.evicted(lines(number), {}, keep=keep, lines=most, bytes=size)
    left = {entry.path for entry in index.parse(found.text).entries}
    assert left | {entry.path for entry in found.hidden} == {f"m{place}.md" for place in range(number)}
    assert left >= {path for path in keep if int(path[1:-3]) < number}
    fits = index.loaded(found.text).lines <= most and index.loaded(found.text).bytes <= size
    assert fits or left <= set(keep)


def test_the_line_of_what_is_hidden_goes_with_the_last() -> None:
    text = index.with_hidden(lines(2), 3)
    assert text == lines(2) + index.HIDDEN.format(number=3) + "\n"
    assert index.with_entry(text, "new.md", "New", "").splitlines()[2] == "- [New](new.md)"
    assert index.with_hidden(text, 0) == lines(2)
    assert index.with_hidden(lines(2), 0) == lines(2)


def test_a_huge_index_takes_no_time_to_speak_of() -> None:
    """Hostile sizes: what is quadratic would not end."""
    index.parse("<!--" * 50_000 + "\n" + "- [" * 50_000 + "\n" + "<!--\n" * 20_000)
    index.evicted(lines(20_000), {})
    index.loaded("```\n" * 20_000 + "<!-- x --> " * 20_000)


def test_real_indices(shared_data: Path) -> None:
    big = (shared_data / "vaults/XAIHT+Tlamatini/.claude/memory/MEMORY.md").read_text("utf-8")
    found = index.parse(big)
    assert (len(found.entries), found.prose, len(found.overlong)) == (135, (), 24)
    assert index.loaded(big).lines == 135
    small = (shared_data / "vaults/1pitaph+ai_job/.claude/memory/MEMORY.md").read_text("utf-8")
    (entry,) = index.parse(small).entries
    assert (entry.path, entry.heading) == ("project_stack.md", "Project")
    prose = (shared_data / "vaults/ActorForth+ActorForth/.claude/memory/MEMORY.md").read_text("utf-8")
    assert (index.parse(prose).entries, len(index.parse(prose).prose)) == ((), 124)
