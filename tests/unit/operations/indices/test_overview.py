"""The two Markdown overviews as text: every part, and nothing in a memory that breaks them (SM-32, SM-33)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from scrubjay.operations.indices import overview, owned
from scrubjay.operations.indices.entries import IndexEntry, line

READERS = [MarkdownIt("commonmark"), MarkdownIt("gfm-like", {"linkify": False}), MarkdownIt("js-default")]
HOSTILE = [
    "a](http://evil) # <b> `x` | y",
    "[x](javascript:alert(1))",
    "![x](//evil/p.png)",
    "<script>alert(1)</script>",
    "see https://evil.example/a and www.evil.example",
    "`` ` ``` ~~~",
    "\\",
    "\\[x](y)",
    "%% hidden from here on",
    "$$ x",
    "&#91;x](http://evil) &lt;b&gt;",
    "a | b | c",
    "**__bold",
    "[[MEM-x|y]] #tag ==mark==",
    "---",
    "# heading",
    "- item",
    "<!-- open",
    "\u202egnp.exe",
]


def entry(id: str, **fields: Any) -> IndexEntry:
    return IndexEntry(id=id, path=fields.pop("path", f"10-Memories/{id}.md"), **fields)


def links(text: str, reader: MarkdownIt) -> list[str]:
    found = []
    for token in reader.parse(text):
        for child in token.children or []:
            assert child.type not in ("html_inline", "image", "code_inline")
            if child.type == "link_open":
                found.append(str(child.attrs["href"]))
        assert token.type not in ("html_block", "fence", "code_block", "table_open")
    return found


def headings(text: str) -> list[str]:
    tokens = READERS[0].parse(text)
    return [tokens[place + 1].content for place, token in enumerate(tokens) if token.type == "heading_open"]


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_in_a_memory_becomes_a_link_a_heading_or_markup(text: str, reader: MarkdownIt) -> None:
    shown = line(text)
    found = entry("MEM-a", title=shown, topic=shown.lower(), category=shown, tags=(shown,), created="2026-11-30")
    plain = entry("MEM-a", title="x", topic="x", category="x", tags=("x",), created="2026-11-30")
    for make in (overview.index, overview.listing):
        assert links(make([found]), reader) == links(make([plain]), reader)
        assert len(headings(make([found]))) == len(headings(make([plain])))


@given(st.text(max_size=60))
@example("a\\")
@example("_")
@example("&AMP;")
def test_a_title_is_shown_as_it_is_written(text: str) -> None:
    shown = line(text)
    if shown:
        [paragraph] = [token for token in READERS[0].parse(f"x {overview.inline(shown)}") if token.type == "inline"]
        assert {child.type for child in paragraph.children or []} <= {"text", "text_special"}
        assert "".join(child.content for child in paragraph.children or []) == f"x {shown}"


def test_words_keep_their_letters() -> None:
    for text in ("snake_case and C#, x = 1; 50 % of a:b, AT&T", "Кэш и ключи", "缓存键 — 版本"):
        assert overview.inline(text) == text


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("10-Memories/MEM-a.md", "10-Memories/MEM-a.md"),
        ("10-Memories/MEM-кэш.md", "10-Memories/MEM-кэш.md"),
        ("10-Memories/a b (c).md", "10-Memories/a%20b%20%28c%29.md"),
        ("10-Memories/50%.md", "10-Memories/50%25.md"),
        ("10-Memories/a#b?.md", "10-Memories/a%23b%3F.md"),
    ],
)
def test_links_lead_to_the_file_whatever_it_is_called(path: str, target: str) -> None:
    assert overview.target(path) == target
    assert links(f"[x](../{target})", READERS[0])[0].startswith("../10-Memories/")


def test_sm32_the_index_in_full() -> None:
    found = [
        entry("MEM-a", title="Retry", topic="python/http", category="PATTERN", created="2026-11-01", token_count=10),
        entry("MEM-b", title="Cache", category="STANDARD", created="2026-11-30", modified="2026-12-02", token_count=5),
        entry("MEM-c", title="Gone", status="tombstoned", created="2026-12-01", token_count=100),
    ]
    assert overview.index(found) == (
        "# Memory Vault Index\n\n"
        "## Quick Navigation\n\n- [Inbox](../00-Inbox/README.md)\n- [Memories](../10-Memories/README.md)\n"
        "- [Templates](../30-Templates/README.md)\n\n"
        "## Recent Memories\n\n- [MEM-b](../10-Memories/MEM-b.md) - Cache (2026-11-30)\n"
        "- [MEM-a](../10-Memories/MEM-a.md) - Retry (2026-11-01)\n\n"
        "## By Category\n\n### \\[TECHNIQUE\\]\n\n### \\[PATTERN\\]\n".replace("\\", "")
        + "\n- [MEM-a](../10-Memories/MEM-a.md) - Retry\n\n### [CONFIG]\n\n### [WORKFLOW]\n\n### [INSIGHT]\n\n"
        "### [STANDARD]\n\n- [MEM-b](../10-Memories/MEM-b.md) - Cache\n\n"
        "## By Topic\n\n### python/\n\n- [MEM-a](../10-Memories/MEM-a.md) - python/http\n\n"
        "### uncategorized/\n\n- [MEM-b](../10-Memories/MEM-b.md) - Cache\n\n"
        "## JSON Index\n\n- [memory-index.json](../memory-index.json)\n\n"
        "## Statistics\n\n- Total memories: 2\n- Topics: 1\n- Total tokens: 15\n- Last updated: 2026-12-02\n"
    )


def test_sm33_the_list_in_full() -> None:
    found = [
        entry("MEM-a", title="Retry", topic="python/http", tags=("PATTERN", "http"), created="2026-11-01"),
        entry("MEM-b", path="10-Memories/deep/MEM-b.md"),
        entry("MEM-c", status="tombstoned"),
    ]
    assert overview.listing(found) == (
        "# Memories\n\nThis folder holds 2 memories.\n\n## Contents\n\n"
        "### [MEM-a](MEM-a.md)\n\n**Title**: Retry  \n**Topic**: python/http  \n**Tags**: PATTERN, http  \n"
        "**Created**: 2026-11-01\n\n"
        "### [MEM-b](deep/MEM-b.md)\n\n**Title**: MEM-b  \n**Topic**:  \n**Tags**:  \n**Created**:\n\n"
        "## Navigation\n\n- [Up: the vault](../README.md)\n- [Index](../20-Indices/index.md)\n"
    )
    assert "holds 1 memory." in overview.listing(found[:1]) and "holds 0 memories." in overview.listing([])


def test_sm32_ten_recent_ones_and_undated_ones_last() -> None:
    found = [entry(f"MEM-{number:02}", created=f"2026-11-{number:02}") for number in range(1, 13)] + [entry("MEM-x")]
    recent = overview.index(found).split("## Recent Memories")[1].split("## By Category")[0]
    assert re.findall(r"\[MEM-(\d+)\]", recent) == [f"{number:02}" for number in range(12, 2, -1)]
    assert "undated" not in recent
    assert "(undated)" in overview.index([entry("MEM-x")])


def read_index(text: str) -> owned.Owned:
    return owned.read(text, overview.INDEX_TITLE, overview.INDEX_SECTIONS)


def read_list(text: str) -> owned.Owned:
    return owned.read(text, overview.LIST_TITLE, overview.LIST_SECTIONS)


ENTRIES = [entry(f"MEM-{name}", title=f"Title {name}", topic="a/b", created="2026-11-30") for name in "abc"]
OWN = "## Reading order\n\nStart with [[MEM-a]].\n\n```md\n## Statistics\n```"


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_own_sections_and_words_below_the_title_stay_where_they_are_shown(line_end: str) -> None:
    text = overview.index(ENTRIES).replace("Index\n", "Index\n\nRead this first.\n", 1) + f"\n{OWN}\n\n# Mine\n\nToo.\n"
    once = overview.index(ENTRIES[:1], read_index(text.replace("\n", line_end)))
    assert once.startswith("# Memory Vault Index\n\nRead this first.\n\n## Quick Navigation\n")
    assert once.endswith(f"- Last updated: 2026-11-30\n\n{OWN}\n\n# Mine\n\nToo.\n")
    assert overview.index(ENTRIES[:1], read_index(once)) == once


def test_sm33_navigation_is_last_and_its_text_is_kept() -> None:
    text = overview.listing(ENTRIES) + "- [Wiki](https://example.org)\n\n### Deeper\n\nMore.\n"
    made = overview.listing(ENTRIES[:1], read_list(text.replace("## Navigation", f"{OWN}\n\n## Navigation")))
    assert made.endswith("[Wiki](https://example.org)\n\n### Deeper\n\nMore.\n")
    assert made.index(OWN) < made.index("## Navigation")
    assert overview.listing(ENTRIES[:1], read_list(made)) == made


def test_f106_of_both_sides_lines_one_is_kept() -> None:
    ours = overview.index(ENTRIES[:2]) + f"\n{OWN}\n"
    theirs = overview.index(ENTRIES[1:]) + f"\n{OWN}\n"
    for text in (f"{ours}{theirs}", f"<<<<<<< HEAD\n{ours}=======\n{theirs}>>>>>>> left\n"):
        assert overview.index(ENTRIES, read_index(text)) == overview.index(ENTRIES) + f"\n{OWN}\n"
        assert not owned.has_more(text, overview.index(ENTRIES, read_index(text)))


def test_a_rule_below_a_heading_is_no_mark_of_a_conflict() -> None:
    text = overview.index(ENTRIES) + "\nMine too\n=======\n\nText.\n"
    assert "Mine too\n=======\n\nText.\n" in overview.index(ENTRIES, read_index(text))


@pytest.mark.parametrize(
    "text",
    [
        "# How we write memories\n\nShort.\n",
        "# Memories\n\nOf my grandmother.\n",
        "Memories\n",
        "## Contents\n\n# Memories\n",
        "# Memories\n\n```\n## Contents\n```\n",
    ],
)
def test_a_file_of_another_structure_is_not_ours(text: str) -> None:
    assert not read_list(text).ours


def test_what_would_be_lost_is_noticed() -> None:
    made = overview.index(ENTRIES)
    assert not owned.has_more(made, overview.index(ENTRIES[:1]))
    assert owned.has_more(made.replace("## By Topic", "A remark of mine.\n\n## By Topic"), overview.index(ENTRIES[:1]))
    assert owned.has_more(made + "- [x](https://example.org)\n", made)
