"""A person edits what was remembered: file, index and answers stay one (F8, F54)."""

from __future__ import annotations

from pathlib import Path

import pytest

from scrubjay import Memory
from scrubjay.errors import Conflict
from scrubjay.operations.editing import editing


def test_reading_a_page_and_writing_it_back_changes_nothing(memory: Memory, tmp_path: Path) -> None:
    """F8."""
    fact = memory.remember("The gate opens at six.")
    path = tmp_path / "vault" / fact.path
    path.write_bytes(path.read_bytes())
    memory.sync()
    assert [found.id for found in memory.facts()] == [fact.id]


def test_an_edited_fact_answers_with_the_new_words(memory: Memory, tmp_path: Path) -> None:
    fact = memory.remember("The gate opens at six.")
    path = tmp_path / "vault" / fact.path
    path.write_text(path.read_text("utf-8").replace("six", "seven"), "utf-8")
    memory.sync()
    assert memory.search("when does the gate open", abstain=False).hits[0].text == "The gate opens at seven."
    assert memory.history(fact.id)[0].text == "The gate opens at seven."


def test_a_stale_write_is_refused(memory: Memory, tmp_path: Path) -> None:
    """F54, F108: what was read before somebody else's change is never written over it."""
    fact = memory.remember("The gate opens at six.")
    document, _ = memory.show(fact.id)
    path = tmp_path / "vault" / fact.path
    path.write_text(path.read_text("utf-8") + "\nAnd closes at ten.\n", "utf-8")
    store = memory._stores[0]
    with pytest.raises(Conflict), editing(store, "test", "test") as edits:
        edits.replace(document, document.text + "mine")
    assert "And closes at ten." in path.read_text("utf-8")


def test_a_note_keeps_every_byte_a_person_wrote(memory: Memory, tmp_path: Path) -> None:
    """F30: nothing rewrites a document that it only reads."""
    folder = tmp_path / "vault"
    folder.mkdir(exist_ok=True)
    odd = b"---\r\ntitle: a #b\r\ntags: x, y\r\n---\r\n---\r\n# Twice\r\n\r\ntrailing  \r\n"
    (folder / "odd.md").write_bytes(odd)
    memory.sync()
    memory.search("twice", abstain=False)
    memory.reindex()
    assert (folder / "odd.md").read_bytes() == odd


def test_reading_never_freshens_a_memory(memory: Memory, tmp_path: Path) -> None:
    """F92: only a change moves the date."""
    note = memory.note("Gate", "The gate opens at six.")
    path = tmp_path / "vault" / note.path
    before = path.read_bytes(), path.stat().st_mtime_ns
    for _ in range(3):
        memory.search("gate", abstain=False)
        memory.show(note.path)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
