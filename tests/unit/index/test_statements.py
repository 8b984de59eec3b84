"""Queries live in files, each with a name and a sentence."""

from __future__ import annotations

import re
from importlib import resources

import pytest

from scrubjay.index.sqlite.statements import blocks, source, sql

FILES = sorted(
    entry.name.removesuffix(".sql")
    for entry in resources.files("scrubjay.index.sqlite").iterdir()
    if entry.name.endswith(".sql")
)


@pytest.mark.parametrize("file", FILES)
def test_every_query_has_a_name_and_a_sentence(file: str) -> None:
    found = re.findall(r"^-- name: (.+)\n(-- [A-Z].*\.?)?", source(file), re.MULTILINE)
    assert found
    assert all(sentence for _, sentence in found)
    assert len({name for name, _ in found}) == len(found) == len(blocks(file))
    assert all(blocks(file).values())


def test_one_statement() -> None:
    assert sql("documents", "delete") == "DELETE FROM records WHERE key = :key"
