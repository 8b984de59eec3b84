"""Memories that a newer fact contradicts: the sentence is marked, never taken out unasked (F16, F88, CC-D3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from scrubjay.operations.learn.differences import Statements
from scrubjay.text.polarity import stance
from scrubjay.types import Fact

MARK = "Contradicted on"


def contradicted(body: str, written: datetime, facts: Sequence[Fact]) -> list[tuple[str, Fact]]:
    """Sentences of ``body`` of which a fact learned after ``written`` says the opposite, and the fact."""
    newer = [(fact, stance(fact.text)) for fact in facts if (_said(fact) or written) > written]
    found = []
    for statement in Statements(body).all:
        for fact, meant in newer:
            if statement.stance.opposes(meant) and MARK not in statement.text:
                found.append((statement.text, fact))
                break
    return found


def marked(body: str, found: Iterable[tuple[str, Fact]]) -> str:
    """``body`` with a note behind each of those sentences."""
    for sentence, fact in found:
        at = body.find(sentence)
        if at < 0:
            continue  # its letters are written otherwise; a remark says it
        end = at + len(sentence)
        day = _said(fact)
        when = f" {day:%Y-%m-%d}" if day else ""
        body = f"{body[:end]} ({MARK}{when}: {fact.text}){body[end:]}"
    return body


def _said(fact: Fact) -> datetime | None:
    return fact.valid.start or fact.recorded.start
