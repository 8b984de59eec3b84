"""What the tests of readers need: files of JSON Lines, and a reading of them with its report."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from scrubjay.transcripts import recognise
from scrubjay.transcripts.reading import Cursor, Report
from scrubjay.types import Message, Session

Write = Callable[..., Path]
Take = Callable[..., "Taken"]


class Taken:
    """Everything that a reading gave."""

    def __init__(self, sessions: list[Session], report: Report) -> None:
        self.sessions = sessions
        self.report = report

    @property
    def session(self) -> Session:
        (session,) = self.sessions
        return session

    @property
    def messages(self) -> list[Message]:
        return [message for session in self.sessions for message in session.messages]

    @property
    def texts(self) -> list[str]:
        return [message.text for message in self.messages]

    @property
    def ids(self) -> list[str]:
        return [message.id for message in self.messages]

    def of(self, *roles: str) -> list[str]:
        return [message.text for message in self.messages if message.role in roles]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes records, one a line (a string stands as it is), to a file below the test's folder."""

    def write_(name: str, *records: Any, end: str = "\n") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in records]
        path.write_text("\n".join(lines) + end, encoding="utf-8")
        return path

    return write_


@pytest.fixture
def take() -> Take:
    """Reads a file, folder or zip to its end."""

    def take_(path: Path, since: Cursor | None = None) -> Taken:
        reading = recognise.read(path, zone=UTC, since=since)
        return Taken(list(reading), reading.report)

    return take_
