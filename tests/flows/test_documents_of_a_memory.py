"""Listing and reading the documents of a memory's vaults."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from scrubjay import Memory, ScrubjayError
from scrubjay.errors import BadInput, NotFound, Refused


def test_documents_are_listed_by_path_and_read(memory: Memory) -> None:
    memory.note("Tea", "Oolong steeps for four minutes.")
    memory.remember("The gate opens at six.")
    listed = [(scope, entry.path) for scope, entry in memory.documents()]
    assert [scope for scope, _ in listed] == ["user"] * len(listed)
    assert [path for _, path in listed] == sorted(path for _, path in listed)
    assert "40-Facts/fact/the-gate-opens-at-six.md" in {path for _, path in listed}
    assert "Oolong" in memory.document("user", "10-Memories/MEM-tea.md").text


@pytest.mark.parametrize(
    "path", ["../secret.md", "/etc/passwd", "a/../../secret.md", "90-Trash/x/receipt.md", ".obsidian/app.md", "a.py",
             "link.md", "missing.md", "a\0b.md", "10-Memories"],
)  # fmt: skip
def test_nothing_but_documents_of_the_vault_is_read(
    open_memory: Callable[..., Memory], tmp_path: Path, path: str
) -> None:
    """F112: no path leads out of the vault, and links are not followed out of it."""
    memory = open_memory()
    memory.remember("The gate opens at six.")
    (tmp_path / "secret.md").write_text("secret", encoding="utf-8")
    (tmp_path / "vault" / "link.md").symlink_to(tmp_path / "secret.md")
    with pytest.raises((NotFound, Refused)):
        memory.document("user", path)


def test_a_scope_that_is_not_here_is_no_document(memory: Memory) -> None:
    """F99: an unknown scope never widens."""
    with pytest.raises(BadInput):
        memory.document("project", "a.md")


def test_a_text_is_learned_as_it_is_whatever_it_looks_like(memory: Memory, tmp_path: Path) -> None:
    """A text from an agent never makes a file be read (SM-8 is for what a person types)."""
    secret = tmp_path / "secret.txt"
    secret.write_text("the hidden words", encoding="utf-8")
    for text in (str(secret), f"-f {secret}", f"{tmp_path}/", "--task 4"):
        plan = memory.learn(text=text)
        assert plan.mode == "text"
        assert "hidden" not in repr(plan)
    with pytest.raises(ScrubjayError):
        memory.learn(text=" ")
