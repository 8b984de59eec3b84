"""What a reader is given, and what it hands back besides sessions: where it stopped, what it could not use (TR-0)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import tzinfo
from typing import Any

from scrubjay.types import Problem, Session

MOST_PROBLEMS = 1000  # that are kept with their words; more are only counted
_MOST_KINDS = 200  # different record types that are told apart
_OTHERS = "(others)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """How far a file was read. ``offset`` is the byte after the last whole line and ``line`` its number.

    ``head`` is a digest of the first bytes: another file under the same name is read from its beginning. ``mark`` is
    the reader's own, such as the id of the last record.
    """

    offset: int
    size: int
    mtime_ns: int
    head: str = ""
    line: int = 0
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where reading stopped, by absolute path of each file."""

    files: Mapping[str, Position] = field(default_factory=dict)

    def dump(self) -> dict[str, dict[str, Any]]:
        """The cursor as plain values, to be kept as JSON."""
        return {path: {one.name: getattr(at, one.name) for one in fields(at)} for path, at in self.files.items()}

    @classmethod
    def load(cls, kept: Mapping[str, Mapping[str, object]]) -> Cursor:
        """The cursor that ``dump`` gave; an entry that is damaged is left out, so that its file is read again."""
        files = {}
        for path, values in kept.items():
            known = {one.name: values.get(one.name) for one in fields(Position)}
            if all(type(known[one.name]).__name__ == one.type for one in fields(Position)):
                files[path] = Position(**known)  # type: ignore[arg-type] # each was compared with its field
        return cls(files)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was not read, and why."""

    path: str
    reason: str


@dataclass(slots=True)
class Report:
    """What became of everything that was read; complete once the reading has come to its end.

    ``unknown`` counts record types that no reader knows, ``dropped`` what was left out on purpose, by reason.
    ``pending`` names files whose last line was half written and is left for next time. ``withdrawn`` are messages,
    as (session, message), that an earlier reading gave, or may have given, and that what was read now has undone.
    """

    format: str = ""
    sessions: int = 0
    messages: int = 0
    files: int = 0
    unchanged: int = 0
    problems: list[Problem] = field(default_factory=list)
    more_problems: int = 0
    unknown: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    skipped: list[Skipped] = field(default_factory=list)
    pending: list[str] = field(default_factory=list)
    withdrawn: list[tuple[str, str]] = field(default_factory=list)
    positions: dict[str, Position] = field(default_factory=dict)

    @property
    def cursor(self) -> Cursor:
        """Where the next reading may go on."""
        return Cursor(dict(self.positions))

    def problem(self, path: str, message: str, line: int = 0) -> None:
        """Notes something that could not be used."""
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(Problem(path=path, message=message, line=line))
        else:
            self.more_problems += 1

    def checkpoint(self) -> tuple[int, int, Counter[str], Counter[str]]:
        """How the counts of a file stand before it is read."""
        return len(self.problems), self.more_problems, self.unknown.copy(), self.dropped.copy()

    def restore(self, before: tuple[int, int, Counter[str], Counter[str]]) -> None:
        """Forgets what was counted since ``before``: the file is read once more, and as a whole."""
        kept, self.more_problems, self.unknown, self.dropped = before
        del self.problems[kept:]

    def unfamiliar(self, kind: object) -> None:
        """Counts a record type that is not known."""
        name = str(kind)[:60].encode("utf-8", "replace").decode("utf-8") if isinstance(kind, str) else "(none)"
        if name not in self.unknown and len(self.unknown) >= _MOST_KINDS:
            name = _OTHERS
        self.unknown[name] += 1


@dataclass(slots=True)
class Context:
    """One reading: the zone of times without one, where the last one stopped, its report, what was seen so far.

    ``seen`` holds what tells records that are the same in whatever file they stand (TR-9); ``notes`` is what readers
    looked up beside a file and need again for the next one. ``continues`` says whether a session of JSON Lines that
    names none is stored, with all its texts among those given.
    """

    zone: tzinfo
    since: Cursor = field(default_factory=Cursor)
    report: Report = field(default_factory=Report)
    seen: set[Hashable] = field(default_factory=set)
    notes: dict[str, Any] = field(default_factory=dict)
    continues: Callable[[str, Sequence[str]], bool] | None = None


class Reading:
    """Sessions one after another, each once; ``report`` is complete when they have come to their end."""

    def __init__(self, sessions: Iterator[Session], report: Report) -> None:
        self.report = report
        self._sessions = sessions

    def __iter__(self) -> Iterator[Session]:
        for session in self._sessions:
            self.report.sessions += 1
            self.report.messages += len(session.messages)
            yield session
