"""Benchmark sets as data: ``<set>.memories.jsonl`` and ``<set>.queries.jsonl``, grouped by corpus.

A memory has ``corpus_id, memory_id, text`` and may have ``speaker, time, session_id, image_caption``. A query has
``corpus_id, query_id, query, type, gold_memory_ids`` and may have ``gold_session_ids, abstain, stale_memory_ids,
exclude_memory_ids, lang``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from scrubjay.temporal import parse_time

Unit = Literal["memory", "session"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One memory of a set: what was said, by whom, when, in which session."""

    id: str
    text: str
    speaker: str = ""
    at: datetime | None = None
    session: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question with the pieces (or sessions) that answer it; ``excluded`` are pieces that no longer hold."""

    id: str
    text: str
    type: str
    gold: frozenset[str] = frozenset()
    gold_sessions: frozenset[str] = frozenset()
    excluded: frozenset[str] = frozenset()
    unanswerable: bool = False
    language: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """Memories that belong together and the questions asked of them."""

    id: str
    pieces: tuple[Piece, ...]
    questions: tuple[Question, ...]


def exists(folder: Path, name: str) -> bool:
    """Whether both files of a set are there."""
    return _file(folder, name, "memories").is_file() and _file(folder, name, "queries").is_file()


def read(folder: Path, name: str, *, corpora: int | None = None) -> list[Corpus]:
    """The corpora of a set in the order of its file, at most ``corpora`` of them.

    Evidence that the corpus does not hold is dropped, so that no question asks for what was never there.
    """
    memories: dict[str, list[Piece]] = {}
    for row in _rows(_file(folder, name, "memories")):
        memories.setdefault(str(row["corpus_id"]), []).append(_piece(row))
    chosen = list(memories)[:corpora]
    questions: dict[str, list[Question]] = {id: [] for id in chosen}
    known = {id: {piece.id for piece in memories[id]} for id in chosen}
    for row in _rows(_file(folder, name, "queries")):
        corpus = str(row["corpus_id"])
        if corpus in questions:
            questions[corpus].append(_question(row, known[corpus]))
    return [Corpus(id=id, pieces=tuple(memories[id]), questions=tuple(questions[id])) for id in chosen]


def unit_of(corpora: Sequence[Corpus]) -> Unit:
    """What evidence is named by: sessions where no question of the set names a memory."""
    named = any(question.gold for corpus in corpora for question in corpus.questions)
    return "memory" if named else "session"


def default_form(name: str) -> Literal["chunks", "facts"]:
    """How the memories of a set are stored if nobody says: statements as facts, all else as what was said."""
    return "facts" if name.startswith(("factconsolidation", "precisionmem")) else "chunks"


def _piece(row: Mapping[str, Any]) -> Piece:
    caption = row.get("image_caption")
    text = str(row["text"]) + (f" [shares a photo: {caption}]" if caption else "")
    return Piece(
        id=str(row["memory_id"]),
        text=text,
        speaker=str(row.get("speaker") or ""),
        at=parse_time(str(row["time"]), zone=UTC) if row.get("time") else None,
        session=str(row.get("session_id") or ""),
    )


def _question(row: Mapping[str, Any], known: set[str]) -> Question:
    excluded = {*_names(row, "stale_memory_ids"), *_names(row, "exclude_memory_ids")}
    return Question(
        id=str(row["query_id"]),
        text=str(row["query"]),
        type=str(row.get("type") or "all"),
        gold=frozenset(_names(row, "gold_memory_ids")) & known,
        gold_sessions=frozenset(_names(row, "gold_session_ids")),
        excluded=frozenset(excluded) & known,
        unanswerable=bool(row.get("abstain")),
        language=str(row.get("lang") or ""),
    )


def _names(row: Mapping[str, Any], key: str) -> list[str]:
    return [str(name) for name in row.get(key) or ()]


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def _file(folder: Path, name: str, kind: str) -> Path:
    return folder / f"{name}.{kind}.jsonl"
