"""How far a piece of a conversation is to be trusted: what tools said, and what was taken back, less (SEC-3, TR-5)."""

from __future__ import annotations

from scrubjay.types import Record


def remark(record: Record) -> str:
    """What a reader should know about a piece of low trust; empty for any other."""
    if record.trust != "low":
        return ""
    if record.layer != "chunks":
        return "low trust"
    return "low trust: taken back later in the conversation" if _taken_back(record) else "low trust: from a tool"


def weight(record: Record) -> float:
    """What the probability of a piece is multiplied with when hits are put into order: 1, or less if it was taken
    back. The probability itself stays as it is, and nothing is hidden."""
    return record.confidence if _taken_back(record) else 1.0


def _taken_back(record: Record) -> bool:
    return record.layer == "chunks" and record.confidence < 1.0
