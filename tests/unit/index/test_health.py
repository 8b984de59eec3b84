"""What ``check`` sees and ``repair`` mends, tried on an index that was broken on purpose."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from scrubjay.index.sqlite import SqliteIndex
from scrubjay.ports import VectorRow

Open = Callable[..., SqliteIndex]

BREAKAGES = {
    "DELETE FROM lexemes_docsize WHERE id % 2": "not in the text index",
    "UPDATE totals SET records = 7": "records are not counted",
    "UPDATE totals SET lexemes = 7": "lexemes are not counted",
    "UPDATE totals SET embeddable = 7": "passages are not counted",
    "DELETE FROM documents": "belong to no document",
    "DELETE FROM waiting": "nor wait",
    "INSERT INTO vectors (key, model, vector) VALUES (99999, 1, x'0101')": "belong to no record",
    "UPDATE vectors SET vector = x'01'": "another size",
    "UPDATE models SET vectors = 9": "vectors are not counted",
    "INSERT INTO tokens (stamp, tokens) VALUES (99999, x'01')": "belong to no vector",
    "INSERT INTO tags (key, tag) VALUES (99999, 'x')": "tags belong to no record",
    "UPDATE records SET thread = 99": "belong to no thread",
    "INSERT INTO lexemes (lexemes, rowid, head, body) VALUES ('delete', 1, '', 'text 0')": "does not say",
}


@pytest.mark.parametrize("statement", BREAKAGES)
def test_inconsistencies_are_seen_and_mended(folder: Path, open_index: Open, filler: Any, statement: str) -> None:
    """F35, F39, F13: each kind of disagreement has its sentence, and after a repair and a sync none is left."""
    index = open_index()
    filler.put(index, "a.md", "text 0", "text 1", "text 2", tags=("t",))
    first = index.pending("m", 1)[0]
    index.put_vectors("m", [VectorRow(key=first.key, vector=b"\x01\x02")])
    assert index.check() == []
    connection = apsw.Connection(str(folder / "index-1.db"))
    connection.execute(statement)
    connection.close()
    assert [sentence for sentence in index.check() if BREAKAGES[statement] in sentence]
    index.repair()
    filler.put(index, "a.md", "text 0", "text 1", "text 2", tags=("t",))
    assert index.check() == []
    assert filler.find(index, "text") == ["text 0", "text 1", "text 2"]


def test_a_repair_loses_no_row(open_index: Open, filler: Any) -> None:
    """F12: 12,000 rows before, 12,000 after."""
    index = open_index(durability="normal")
    for number in range(12):
        filler.put(index, f"{number}.md", *(f"text {number} {n}" for n in range(1000)))
    repaired = index.repair()
    assert (repaired.before, repaired.after, repaired.left) == (12_000, 12_000, ())
    assert len(index.lexical(["text"], filler.everything, 20_000)) == 12_000
