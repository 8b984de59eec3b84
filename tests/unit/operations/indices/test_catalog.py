"""``memory-index.json`` as text: both generations, and what is left of a file that git merged or a crash tore."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.operations.indices.catalog import dump, load
from scrubjay.operations.indices.entries import IndexEntry, line

KEYS = (
    "id path title summary topic category keywords token_count created modified last_retrieved retrieval_count status"
)
DAY = st.dates().map(lambda day: day.isoformat())
LINE = st.text(max_size=40).map(line)


def entry(id: str, **fields: object) -> IndexEntry:
    return IndexEntry(id=id, path=f"10-Memories/{id}.md", **fields)  # type: ignore[arg-type]


ENTRIES = st.builds(
    IndexEntry,
    id=LINE.filter(bool),
    path=LINE,
    title=LINE,
    topic=LINE,
    tags=st.lists(LINE.filter(bool), max_size=3).map(tuple),
    keywords=st.lists(LINE.filter(bool), max_size=3).map(tuple),
    token_count=st.integers(0, 10**8),
    created=st.just("") | DAY,
    modified=st.just("") | DAY,
    last_retrieved=st.none() | DAY,
    retrieval_count=st.integers(0, 10**8),
)


@given(st.lists(ENTRIES, max_size=5))
def test_sm34_what_is_written_is_read_back(entries: list[IndexEntry]) -> None:
    catalog = load(dump(entries))
    assert catalog.whole and list(catalog.entries) == entries


def test_sm34_the_file_has_the_fields_of_the_format() -> None:
    found = json.loads(dump([entry("MEM-a", modified="2026-11-30", token_count=5)], prefix=".memory/"))
    assert list(found) == ["version", "generated_at", "entry_count", "total_tokens", "entries"]
    assert (found["version"], found["generated_at"], found["total_tokens"]) == ("1.0.0", "2026-11-30", 5)
    assert [key for key in found["entries"][0] if key in KEYS.split()] == KEYS.split()
    assert found["entries"][0]["path"] == ".memory/10-Memories/MEM-a.md"
    assert "tombstoned_at" not in found["entries"][0]


def test_sm34_a_tombstone_is_in_the_file_and_not_in_the_totals() -> None:
    gone = entry("MEM-a", status="tombstoned", tombstoned_at="2026-11-01", tombstone_reason="purge", token_count=9)
    found = json.loads(dump([gone, entry("MEM-b", token_count=2)]))
    assert (found["entry_count"], found["total_tokens"]) == (2, 2)
    assert (found["entries"][0]["tombstoned_at"], found["entries"][0]["tombstone_reason"]) == ("2026-11-01", "purge")
    assert load(dump([gone])).entries == (gone,)


@pytest.mark.parametrize("shape", [list, dict])
def test_sm34_the_other_generation_is_read(shape: type) -> None:
    """``version: 1``, entries as a mapping, times with a zone, counters as text."""
    row = {
        "id": "MEM-a",
        "path": ".memory/10-Memories/MEM-a.md",
        "created": "2026-05-01T10:00:00Z",
        "last_retrieved": "2026-06-02T23:59:59+02:00",
        "retrieval_count": "39",
        "category": None,
    }
    entries = [row] if shape is list else {"MEM-a": row}
    [found] = load(json.dumps({"version": 1, "generated_at": "2026-05-01T10:00:00Z", "entries": entries})).entries
    assert (found.created, found.last_retrieved, found.retrieval_count) == ("2026-05-01", "2026-06-02", 39)
    assert (found.category, found.status) == ("", "active")


def test_f106_lines_of_both_sides_give_every_row_and_the_higher_counter() -> None:
    ours = dump([entry("MEM-a", retrieval_count=3), entry("MEM-b")])
    theirs = dump([entry("MEM-a", retrieval_count=5), entry("MEM-c")])
    union = "\n".join([*ours.split("\n")[:-3], *theirs.split("\n")[5:]])
    with pytest.raises(ValueError, match="Expecting"):
        json.loads(union)
    catalog = load(union)
    assert catalog.whole
    assert sorted(catalog.by_id) == ["MEM-a", "MEM-b", "MEM-c"] and catalog.by_id["MEM-a"].retrieval_count == 5


def test_f49_of_a_torn_file_the_whole_rows_are_read() -> None:
    text = dump([entry("MEM-a", retrieval_count=4), entry("MEM-b")])
    catalog = load(text[: text.index("MEM-b") + 20])
    assert not catalog.whole and [found.retrieval_count for found in catalog.entries] == [4]
    marked = text.replace("  ]\n", "<<<<<<< HEAD\n  ]\n")
    assert not load(marked).whole and len(load(marked).entries) == 2


@pytest.mark.parametrize(
    "text", ["[]", "{}", "null", '{"entries": [7]}', '{"entries": [{"title": 1}, 2]}', "[" * 100_000, "\x00", "words"]
)
def test_f49_what_says_nothing_is_damaged(text: str) -> None:
    catalog = load(text)
    assert catalog.entries == () and not catalog.whole and not catalog.foreign


@pytest.mark.parametrize("text", ['[{"id": "ctx_1", "summary": "x"}]', '{"mine": 1}', '{"entries": 7}', '"text"', "1"])
def test_a_file_of_another_structure_is_another_programs(text: str) -> None:
    """Several programs keep a ``memory-index.json`` in ``.memory/``; some of them all their data."""
    assert load(text).foreign and load(text).entries == ()


def test_an_empty_file_has_nothing_to_lose() -> None:
    assert load("").whole and load("").entries == ()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("retrieval_count", "9" * 5000),
        ("retrieval_count", -4),
        ("retrieval_count", True),
        ("last_retrieved", "\ud800\ud800\ud800"),
        ("last_retrieved", ["2026-01-01"]),
        ("created", "2026\n## x"),
        ("keywords", "retry"),
        ("tags", {"a": 1}),
    ],
)
def test_a_row_of_nonsense_does_no_harm(field: str, value: object) -> None:
    [found] = load(json.dumps({"entries": [{"id": "MEM-a", field: value}]})).entries
    assert found == IndexEntry(id="MEM-a", path="")
    dump([found]).encode("utf-8")


@given(st.text(max_size=300))
def test_any_text_is_read_without_an_error(text: str) -> None:
    load(text)
