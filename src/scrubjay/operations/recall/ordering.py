"""The last word on order: decay moves, duplicates go, a fact stands before the messages it came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from scrubjay.config import DecaySettings
from scrubjay.operations.facts import content_hash
from scrubjay.operations.recall.trust import weight
from scrubjay.types import Record, Suppressed

# Characters of a line that tell it from other lines, and the fewest that do.
_BEGINNING = 40
_TELLING = 12


@dataclass(frozen=True, slots=True)
class Scored:
    """A record with its probability and the place each signal gave it."""

    record: Record
    score: float
    ranks: Mapping[str, int]


def order(scored: Sequence[Scored], *, now: datetime, settings: DecaySettings) -> list[Scored]:
    """``scored`` best first after decay, and what was taken back lower.

    Both re-order and never hide (F75): the score itself stays as it is.
    """
    return sorted(
        scored, key=lambda item: -item.score * decay(item.record, now=now, settings=settings) * weight(item.record)
    )


def decay(record: Record, *, now: datetime, settings: DecaySettings) -> float:
    """``floor + (1 − floor)·2^(−age/half-life)`` for facts of categories that age (spec §3.2), 1 for the rest."""
    days = settings.days(record.category) if record.layer == "facts" else None
    if not days or record.at is None:
        return 1.0
    age = max(0.0, (now - record.at).total_seconds() / 86_400)
    return settings.floor + (1 - settings.floor) * float(2.0 ** (-age / days))


def distinct(scored: Sequence[Scored]) -> tuple[list[Scored], list[Suppressed]]:
    """``scored`` without repetitions of the same words said at the same time or stated as the same fact (F22)."""
    seen: dict[tuple[str, ...], str] = {}
    kept: list[Scored] = []
    dropped: list[Suppressed] = []
    for item in scored:
        key = _identity(item.record)
        if key in seen:
            dropped.append(Suppressed(id=item.record.id, text=item.record.text, reason=f"same as {seen[key]}"))
        else:
            seen[key] = item.record.id
            kept.append(item)
    return kept, dropped


def facts_first(scored: Sequence[Scored]) -> list[Scored]:
    """A fact directly before the first of the messages that it was learned from."""
    result = list(scored)
    for fact in [item for item in scored if item.record.layer == "facts" and item.record.message_ids]:
        origin = next((i for i, item in enumerate(result) if _is_origin(item.record, fact.record)), None)
        place = result.index(fact)
        if origin is not None and origin < place:
            result.insert(origin, result.pop(place))
    return result


def echoes_last(scored: Sequence[Scored], limit: int) -> list[Scored]:
    """Behind everything else the summaries that repeat the words of the first ``limit`` hits: they would take the place
    of other evidence. The best hit stays where it is."""
    heard = [" ".join(item.record.text.split()) for item in scored[:limit] if item.record.layer == "chunks"]
    echoes = [item for item in scored[1:] if item.record.layer == "episodes" and _echoes(item.record.text, heard)]
    ids = {item.record.id for item in echoes}
    return [item for item in scored if item.record.id not in ids] + echoes


def _echoes(summary: str, heard: Sequence[str]) -> bool:
    """Whether a line of ``summary`` begins as a part of something ``heard`` does."""
    lines = (" ".join(line.split()) for line in summary.splitlines())
    begun = [said[:_BEGINNING] for line in lines if (said := line.partition(": ")[2] or line)]
    return any(len(beginning) >= _TELLING and beginning in text for beginning in begun for text in heard)


def _identity(record: Record) -> tuple[str, ...]:
    when = str(record.at) if record.layer == "chunks" else ""
    valid = f"{record.valid.start}/{record.valid.end}" if record.layer == "facts" else ""
    return record.layer, content_hash(record.text), when, valid


def _is_origin(record: Record, fact: Record) -> bool:
    return record.layer == "chunks" and bool(set(record.message_ids) & set(fact.message_ids))
