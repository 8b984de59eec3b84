"""A tiny set, written by us, in the form of the real ones."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

# The benchmarks are no part of the package: tests find them beside the folder of tests.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

SAID = {
    "north": [
        ("Ann", "s1", "I adopted a grey cat named Pixel last week."),
        ("Bob", "s1", "Wonderful! Does Pixel like the new flat?"),
        ("Ann", "s1", "She does. The landlord painted the kitchen yellow."),
        ("Bob", "s2", "My marathon training starts on Monday."),
        ("Ann", "s2", "Then you need shoes. I know a shop in Harbour Street."),
    ],
    "south": [
        ("Cleo", "s1", "The violin lessons cost forty euros an hour."),
        ("Dan", "s1", "My bees made eleven jars of honey this summer."),
        ("Cleo", "s1", "Could I buy three jars?"),
        ("Dan", "s2", "The greenhouse roof broke in the storm."),
    ],
}
ASKED: list[tuple[str, str, list[str], str, dict[str, Any]]] = [
    ("north", "What is the name of the cat?", ["0"], "single", {}),
    ("north", "When does the marathon training start?", ["3", "gone"], "temporal", {}),
    ("north", "Which cat lives in which kitchen?", ["0", "2"], "multi", {"stale_memory_ids": ["1"]}),
    ("north", "Which car does Bob drive?", [], "single", {}),
    ("north", "What is the name of Bob's cat?", ["0"], "single", {"abstain": True}),
    ("south", "How many jars of honey did the bees make?", ["1"], "single", {}),
    ("south", "What do the violin lessons cost?", ["0"], "single", {}),
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder that holds the set ``tiny`` and the same under a name that ``benchmarks.speed`` takes texts from."""
    folder = tmp_path / "data"
    folder.mkdir()
    for name in ("tiny", "locomo"):
        write(folder / f"{name}.memories.jsonl", memories())
        write(folder / f"{name}.queries.jsonl", queries())
    return folder


def memories() -> Iterable[Mapping[str, Any]]:
    for corpus, said in SAID.items():
        for number, (speaker, session, text) in enumerate(said):
            caption = "a grey cat on a sofa" if number == 0 and corpus == "north" else None
            yield {
                "corpus_id": corpus,
                "memory_id": str(number),
                "text": text,
                "speaker": speaker,
                "time": f"2024-05-0{number + 1}T10:00:00",
                "session_id": session,
                "image_caption": caption,
            }


def queries() -> Iterable[Mapping[str, Any]]:
    for number, (corpus, text, gold, type_, extra) in enumerate(ASKED):
        yield {
            "corpus_id": corpus,
            "query_id": f"q{number}",
            "query": text,
            "type": type_,
            "gold_memory_ids": gold,
            "gold_session_ids": ["s1"],
            "lang": "en",
            **extra,
        }


def write(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
