"""Reading conversations from sessions, files and folders in whatever format they are, and going on where it stopped."""

from __future__ import annotations

import json
import os
import stat
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from functools import partial
from itertools import islice
from pathlib import Path

from scrubjay.errors import BadInput, NotFound, Unavailable
from scrubjay.operations.ingest.storing import Ingested, find, ingest, stored, withdraw
from scrubjay.operations.store import Store
from scrubjay.transcripts import jsonl
from scrubjay.transcripts.reading import Cursor, Report
from scrubjay.types import Problem, Redacted, Session
from scrubjay.vaults.documents import tombstone, transcript

BATCH = 20
REWINDING = ("claude-code", "codex", "gemini")
"""Sources whose conversations take back what was said."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport:
    """What became of everything handed over.

    ``problems`` names the lines that could not be used and the messages that got a new id; ``format`` is what the files
    were recognised as, ``files`` how many were looked at and ``unchanged`` how many of them needed no reading.
    ``unknown`` counts record types that no reader knows, ``skipped`` names files that were not read.
    """

    sessions: tuple[Ingested, ...]
    problems: tuple[Problem, ...] = ()
    format: str = ""
    files: int = 0
    unchanged: int = 0
    unknown: Mapping[str, int] = field(default_factory=dict)
    skipped: tuple[Problem, ...] = ()

    @property
    def added(self) -> int:
        """Messages stored now."""
        return sum(session.added for session in self.sessions)

    @property
    def known(self) -> int:
        """Messages that were stored before."""
        return sum(session.known for session in self.sessions)

    @property
    def renamed(self) -> int:
        """Messages stored now under a new id, because another text has theirs."""
        return sum(len(session.renamed) for session in self.sessions)

    @property
    def redacted(self) -> int:
        """Secrets that were taken out of what was stored now."""
        return sum(session.redacted for session in self.sessions)

    @property
    def secrets(self) -> tuple[Redacted, ...]:
        """Which secrets those were and where they stood; of each session the first few."""
        return tuple(one for session in self.sessions for one in session.secrets)

    @property
    def forgotten(self) -> int:
        """Messages left out because somebody had them, or their conversation, forgotten."""
        return sum(session.forgotten for session in self.sessions)

    @property
    def withdrawn(self) -> int:
        """Messages stored earlier that were marked now, because their conversation took them back."""
        return sum(session.withdrawn for session in self.sessions)

    @property
    def unusable(self) -> int:
        """Lines that could not be used."""
        return len(self.problems) - self.renamed


def take_in(
    store: Store,
    what: Session | Iterable[Session] | str | os.PathLike[str],
    *,
    zone: tzinfo,
    progress: Progress | None = None,
    only: Collection[Path] | None = None,
) -> IngestReport:
    """Ingests sessions, or those in a file or folder, in operations of at most ``BATCH`` sessions.

    A file that was read before is read on from where it ended, and not at all when it did not change; of a folder
    ``only`` these files are looked at. Raises
    ``NotFound`` for a missing file, ``BadInput`` for one in no known format; bad lines are reported.
    """
    if isinstance(what, Session):
        return _report(_stored(store, (what,), progress))
    if not isinstance(what, str | os.PathLike):
        return _report(_stored(store, what, progress))
    path = Path(what)
    format = _format(path)
    if not format:
        sessions, problems = read_file(store, path, zone=zone)
        return _report(_stored(store, sessions, progress), problems, name=path.name)
    return _read_on(store, path, zone, progress, only)


def read_file(store: Store, path: Path, *, zone: tzinfo) -> tuple[Sequence[Session], tuple[Problem, ...]]:
    """The sessions in a file of JSON Lines or a pipe, and its lines that cannot be used.

    Raises ``NotFound`` for a missing file, ``BadInput`` for what holds no message, ``Unavailable`` when it cannot be
    read.
    """
    try:
        name = _name(path)
        with path.open("rb") as file:
            read = jsonl.read(file, name, zone=zone, continues=partial(_continues, store))
    except (FileNotFoundError, NotADirectoryError):
        raise NotFound(f"There is no file {path}.", hint="Check the path.") from None
    except OSError as error:
        raise Unavailable(f"{path} cannot be read: {error.strerror}.", hint="Check its permissions.") from None
    return read.sessions, read.problems


def _read_on(
    store: Store, path: Path, zone: tzinfo, progress: Progress | None, only: Collection[Path] | None
) -> IngestReport:
    """The sessions of a transcript, an export or a folder of them; where reading ended is noted afterwards."""
    from scrubjay.transcripts import recognise

    mark = f"ingest {os.path.abspath(path)}"
    held = _held_back(store, mark)
    goes_on = all(map(partial(_is_forgotten, store), held))
    since = _cursor(store, mark) if goes_on else Cursor()
    reading = recognise.read(
        path, zone=zone, since=since, continues=partial(_continues, store), only=only if goes_on else None
    )
    done = _stored(store, reading, progress)
    found = reading.report
    done += withdraw(store, REWINDING, found.withdrawn)
    # Only now: whoever is killed before reads again what is stored already, and loses nothing.
    store.index.set_mark(mark, json.dumps(found.cursor.dump()))
    now_held = {one.held_by for one in done if one.held_by} | (held if goes_on else set())
    if now_held != held:
        store.index.set_mark(f"{mark} held back", json.dumps(sorted(now_held)))
    return _report(done, tuple(found.problems), read=found, name=path.name)


def _stored(store: Store, sessions: Iterable[Session], progress: Progress | None) -> list[Ingested]:
    done: list[Ingested] = []
    total = len(sessions) if isinstance(sessions, Sequence) else 0
    waiting: Iterator[Session] = iter(sessions)
    while batch := list(islice(waiting, BATCH)):
        done += ingest(store, batch)
        if progress:
            progress(len(done), max(total, len(done)))
    return done


def _report(
    done: Sequence[Ingested], problems: Sequence[Problem] = (), *, read: Report | None = None, name: str = ""
) -> IngestReport:
    renamed = (
        Problem(path=name or session.path, message=f"message id {id!r} was used for another text")
        for session in done
        for id in session.renamed
    )
    found = read or Report()
    return IngestReport(
        sessions=tuple(done),
        problems=(*problems, *renamed),
        format=found.format,
        files=found.files,
        unchanged=found.unchanged,
        unknown=dict(Counter(found.unknown).most_common()),
        skipped=tuple(Problem(path=one.path, message=one.reason) for one in found.skipped),
    )


def _format(path: Path) -> str:
    """What the file or folder is recognised as; empty for what only ``read_file`` can say something about."""
    from scrubjay.transcripts import recognise

    try:
        mode = path.stat().st_mode
    except OSError:
        return ""
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        return ""
    found = recognise.recognise(path)
    if found is None and stat.S_ISDIR(mode):
        raise BadInput(f"{path} holds no transcript in a known format.", hint="Name the file, or a folder inside.")
    return "" if found is None or (found.name == "jsonl" and stat.S_ISREG(mode)) else found.name


def _cursor(store: Store, mark: str) -> Cursor:
    try:
        kept = json.loads(store.index.mark(mark) or "{}")
        return Cursor.load(kept) if isinstance(kept, dict) else Cursor()
    except (ValueError, AttributeError):
        return Cursor()


def _held_back(store: Store, mark: str) -> frozenset[str]:
    """The forgotten conversations of which messages were read and left out. Once one of them is no longer forgotten,
    its file has to be read from the beginning."""
    try:
        kept = json.loads(store.index.mark(f"{mark} held back") or "[]")
        return frozenset(map(str, kept)) if isinstance(kept, list) else frozenset()
    except ValueError:
        return frozenset()


def _is_forgotten(store: Store, key: str) -> bool:
    known = store.index.document_with_id(key)
    return known is not None and known.kind == tombstone.KIND


def _name(path: Path) -> str:
    """What to call a file or pipe; raises ``BadInput`` for what is neither, since a device may never end."""
    mode = path.stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode) or str(path) == os.devnull):
        kind = "folder" if stat.S_ISDIR(mode) else "device"
        raise BadInput(f"{path} is a {kind}, not a file.", hint="Name the files to take in.")
    # A shell numbers its pipes as it likes: the number must not name a session.
    return "pipe" if path.name.isdigit() and stat.S_ISFIFO(mode) else path.name


def _continues(store: Store, session_id: str, texts: Sequence[str]) -> bool:
    """Whether a session read from a file before is stored under this id, and all that it says is among ``texts``."""
    document = find(store, "jsonl", session_id)
    if document is None:
        return False
    given = {transcript.checksum(text) for text in texts} | {transcript.FORGOTTEN}
    return all(sum in given for sum in stored(document).values())
