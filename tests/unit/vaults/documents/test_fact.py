"""Facts as documents: both clocks, every field, any text."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.errors import BadInput
from scrubjay.types import Document, Fact, Interval, Source
from scrubjay.vaults.documents import fact as documents

moments = st.datetimes(datetime(1970, 1, 2), datetime(2100, 1, 1), timezones=st.just(UTC))
lines = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"]), min_size=1, max_size=40).filter(
    lambda text: text.strip() == text and bool(text)
)


def document(text: str) -> Document:
    return Document(path="40-Facts/fact/a.md", text=text, hash="", size=0, mtime_ns=0)


@given(lines, st.none() | lines, st.none() | moments, st.lists(lines.filter(lambda tag: "," not in tag), max_size=3))
def test_every_field_survives(text: str, subject: str | None, start: datetime | None, tags: list[str]) -> None:
    fact = Fact(
        id="01ARZ3NDEKTSV4RRFFQ69G5FAV",
        text=text,
        category="Preference",
        confidence=0.5,
        subject=subject,
        valid=Interval(start=start),
        recorded=Interval(start=datetime(2026, 1, 1, tzinfo=UTC)),
        tags=tuple(dict.fromkeys(tags)),
        source=Source(kind="session", ref="s1", message_ids=("m1", "m2")),
    )
    read = documents.read(document(documents.write(fact)))
    assert replace(read, path="") == fact


def test_closing_changes_only_the_closing_lines() -> None:
    fact = Fact(id="01ARZ3NDEKTSV4RRFFQ69G5FAV", text="The port is 8080.", recorded=Interval())
    written = documents.write(fact).replace("kind: fact", "kind: fact\n# a reader's own line\nrating: 5")
    moment = datetime(2026, 5, 1, tzinfo=UTC)
    closed = documents.close(
        written, replace(fact, superseded_by="X", superseded_from=moment, recorded=Interval(end=moment))
    )
    assert "# a reader's own line\nrating: 5" in closed
    read = documents.read(document(closed))
    assert read.superseded_by == "X"
    assert read.recorded.end == moment
    assert not read.current


def test_a_bad_field_is_named_with_its_file() -> None:
    broken = documents.write(Fact(id="x", text="a", valid=Interval(start=datetime(2026, 1, 1, tzinfo=UTC))))
    with pytest.raises(BadInput, match=r"40-Facts/fact/a\.md: valid_from"):
        documents.read(document(broken.replace("2026-01-01T00:00:00Z", "soon")))
