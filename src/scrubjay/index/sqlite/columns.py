"""Records as rows: which columns there are, and how a value becomes one and comes back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from scrubjay.index.sqlite.weighing import clean
from scrubjay.ports import IndexedRecord
from scrubjay.types import ALWAYS, Interval, Record

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

# In the order of ``encode``. ``key`` and ``document`` come from elsewhere.
COLUMNS = (
    "id", "hash", "layer", "thread", "seq", "at", "valid_start", "valid_end", "recorded_start", "recorded_end",
    "superseded_from", "retracted", "low_trust", "length", "category", "category_key", "speaker", "head", "body",
    "position", "passage", "start", '"end"', "line", "last_line", "role", "message_ids", "title", "headings", "topic",
    "tags", "supersedes", "superseded_by", "subject", "subject_key", "predicate", "object", "confidence", "native_type",
    "scope", "text",
)  # fmt: skip


def micros(moment: datetime | None) -> int | None:
    """Microseconds since 1970 UTC."""
    return None if moment is None else (moment - EPOCH) // _MICROSECOND


def moment(value: int | None) -> datetime | None:
    """The aware UTC time of ``micros``."""
    return None if value is None else EPOCH + timedelta(microseconds=value)


def passage_hash(item: IndexedRecord) -> bytes:
    """Identifies what a vector is made of; for records without a passage, their text."""
    text = item.passage or item.record.text
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()[:16]


def fold(passage: str, text: str) -> str:
    """``passage`` without the ``text`` inside it: most passages repeat the text after a short lead."""
    place = passage.find(text) if text else -1
    rest = passage if place < 0 else passage[:place] + passage[place + len(text) :]
    return f"{place}:{rest}"


def unfold(folded: str, text: str) -> str:
    """The passage that ``fold`` was given."""
    number, _, rest = folded.partition(":")
    place = int(number)
    return rest if place < 0 else rest[:place] + text + rest[place:]


def name_key(name: str) -> str:
    """Tags, categories and subjects are told apart regardless of case and of blanks around them."""
    return clean(name.strip().casefold())


def encode(item: IndexedRecord, *, position: int) -> list[Any]:
    """The values of ``COLUMNS`` for a record; its thread is left for the caller to number."""
    record = item.record
    text = clean(record.text)
    valid, recorded = record.valid, record.recorded
    return [
        clean(record.id),
        passage_hash(item),
        record.layer,
        None,
        record.seq,
        micros(record.at),
        micros(valid.start),
        micros(valid.end),
        micros(recorded.start),
        micros(recorded.end),
        micros(record.superseded_from),
        int(record.retracted),
        int(record.trust == "low"),
        len(item.head) + len(item.body),
        clean(record.category),
        name_key(record.category) or None,
        clean(record.speaker),
        clean(" ".join(item.head)),
        clean(" ".join(item.body)),
        position,
        fold(clean(item.passage), text) if item.passage else None,
        record.start,
        record.end,
        record.line,
        record.last_line,
        record.role,
        _pack(record.message_ids),
        clean(record.title),
        _pack(record.headings),
        clean(record.topic),
        _pack(record.tags),
        _optional(record.supersedes),
        _optional(record.superseded_by),
        _optional(record.subject),
        name_key(record.subject) if record.subject else None,
        _optional(record.predicate),
        _optional(record.object),
        float(record.confidence),
        clean(record.native_type),
        clean(record.scope),
        text,
    ]


def decode(row: Sequence[Any]) -> Record:
    """The record in a row of the view ``described`` (its first column, the key, is skipped)."""
    (
        _, id_, layer, path, text, start, end, line, last_line, title, headings, topic, tags, category, thread, seq,
        role, speaker, message_ids, at, valid_start, valid_end, recorded_start, recorded_end, superseded_from,
        supersedes, superseded_by, retracted, subject, predicate, object_, confidence, low_trust, native_type, scope,
        *_rest,
    ) = row  # fmt: skip
    return Record(
        id=id_,
        layer=layer,
        path=path,
        text=text,
        start=start,
        end=end,
        line=line,
        last_line=last_line,
        title=title,
        headings=_unpack(headings),
        topic=topic,
        tags=_unpack(tags),
        category=category,
        thread=thread,
        seq=seq,
        role=role,
        speaker=speaker,
        message_ids=_unpack(message_ids),
        at=moment(at),
        valid=_interval(valid_start, valid_end),
        recorded=_interval(recorded_start, recorded_end),
        superseded_from=moment(superseded_from),
        supersedes=supersedes,
        superseded_by=superseded_by,
        retracted=bool(retracted),
        subject=subject,
        predicate=predicate,
        object=object_,
        confidence=confidence,
        trust="low" if low_trust else "normal",
        native_type=native_type,
        scope=scope,
    )


def _optional(text: str | None) -> str | None:
    return None if text is None else clean(text)


def _pack(strings: Sequence[str]) -> str:
    return json.dumps([clean(text) for text in strings], ensure_ascii=False, separators=(",", ":")) if strings else ""


def _unpack(packed: str) -> tuple[str, ...]:
    return tuple(json.loads(packed)) if packed else ()


def _interval(start: int | None, end: int | None) -> Interval:
    return ALWAYS if start is None and end is None else Interval(start=moment(start), end=moment(end))
