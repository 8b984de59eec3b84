"""Reading notes of every dialect (SM-3, SM-4, R-COM-3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.types import Document, Note
from scrubjay.vaults.documents import note as notes


def read(text: str, path: str = "10-Memories/MEM-some-file.md") -> Note:
    return notes.read(Document(path=path, text=text, hash="", size=len(text), mtime_ns=0))


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ('---\ntitle: "Said"\nname: other\n---\n# Heading\n', "Said"),
        ("---\nname: A real name\n---\n# Heading\n", "A real name"),
        ("---\nname: mem_some-file\ndescription: What it is about. More.\n---\n# Heading\n", "What it is about."),
        ("---\nname: MEM-some-file\n---\n# Heading\n", "Heading"),
        ("---\ntags: [a]\n---\n\n## Second level\n", "Second level"),
        ("---\naliases: [Other, More]\n---\nText.\n", "Other"),
        ("---\naliases: Other, More\n---\nText.\n", "Other"),
        ("Text.\n", "MEM-some-file"),
        ("", "MEM-some-file"),
        ("---\ntitle: [a, b]\n---\n# Heading\n", "Heading"),
        ("---\ntitle:\n---\n# Heading\n", "Heading"),
        ("Text.\n\n## Extension (2026-12-01)\n\n### Deep\n", "MEM-some-file"),
        ("Text.\n\n## History\n\n### Previous Version (2026-12-01)\n\n#### Old\n", "MEM-some-file"),
        ("## History of Rome\n\nText.\n", "History of Rome"),
    ],
)
def test_the_title_is_the_first_that_says_something(text: str, title: str) -> None:
    assert read(text).title == title


@pytest.mark.parametrize(
    ("field", "tags"),
    [
        ("tags: [PATTERN, http]", ("PATTERN", "http")),
        ("tags: neovim, lsp", ("neovim", "lsp")),
        ("tags:\n- a\n- b", ("a", "b")),
        ("tags:\n  - a\n  - b", ("a", "b")),
        ('tags: ["#a", "#b/c"]', ("a", "b/c")),
        ("tags: #a #b", ("a", "b")),
        ('tags: "#a, #b"', ("a", "b")),
        ("tag: a", ("a",)),
        ("tags: a b", ("a b",)),
        ('tags: ["[PATTERN]", x]', ("PATTERN", "x")),
        ("tags: [a, a]", ("a",)),
        ('tags: ["#"]', ("#",)),
        ("tags: [1, true, null]", ("1", "True", "None")),
        ("tags:", ()),
        ("metadata:\n  tags: [a, b]", ("a", "b")),
        ("tags: [x]\nmetadata:\n  tags: [a, b]", ("x",)),
    ],
)
def test_r_com_3_tags_in_every_style(field: str, tags: tuple[str, ...]) -> None:
    assert read(f"---\n{field}\n---\nText.\n").tags == tags


def test_sm3_the_oldest_dialect_keeps_its_id_as_a_further_field() -> None:
    note = read("---\nid: MEM-2026-02-11-001\ndate: 2026-02-11\nlast_updated: 2026-02-13\n---\nText.\n")
    assert (note.id, note.created, note.modified) == ("MEM-some-file", "2026-02-11", "2026-02-13")
    assert note.extra == {"id": "MEM-2026-02-11-001"}


def test_sm4_further_fields_stay_as_they_are() -> None:
    note = read(
        "---\ntitle: t\nkeywords: a, b\nsummary: One line\nretrieval_count: 39\nlast_retrieved:\nstatus: tombstoned\n"
        "tombstoned_at: 2026-05-02\nmood: calm\n---\nText.\n"
    )
    assert (note.keywords, note.summary, note.status) == (("a", "b"), "One line", "tombstoned")
    assert list(note.extra) == [
        "keywords", "summary", "retrieval_count", "last_retrieved", "status", "tombstoned_at", "mood",
    ]  # fmt: skip
    assert note.extra["retrieval_count"] == 39 and note.extra["last_retrieved"] is None


@given(st.text(max_size=200), st.sampled_from(["", "---\n", "---\ntags: ", "---\nmetadata:\n  "]))
def test_any_text_is_a_note(text: str, before: str) -> None:
    note = read(before + text)
    assert note.title and isinstance(note.tags, tuple)
