"""Live conversations: taken in as they are written, each file read on from where it ended (TR-0).

A line that is half written waits for its end, a file that was replaced is read anew without doubling anything, a new
one is taken in, and one that vanished changes nothing: the memory outlives its sources.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path

from scrubjay.errors import NotFound, ScrubjayError
from scrubjay.operations.ingest.sources import IngestReport, take_in
from scrubjay.operations.store import Store
from scrubjay.vaults.watch import Waiting, changed

_BESIDE = ("-wal", "-shm", "-journal")


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """What became of a path, or of files in it that ``changed`` (none of them when it was read for the first time)."""

    path: Path
    changed: tuple[Path, ...] = ()
    report: IngestReport | None = None
    error: ScrubjayError | None = None


def follow(store: Store, paths: Sequence[Path], stop: Waiting, *, zone: tzinfo) -> Iterator[Followed]:
    """Takes in ``paths``, then every change of them until ``stop`` is set.

    Raises ``NotFound`` for a missing path, and ``Unavailable`` when the system cannot watch one.
    """
    for path in paths:
        if not path.exists():
            raise NotFound(f"There is nothing at {path}.", hint="Check the path.")
    begun = False
    for touched in changed(paths, stop):
        if not begun:
            # Only now: what is written from here on is seen as a change.
            begun = True
            for path in paths:
                if stop.is_set():
                    return
                yield _taken(store, path, (), zone)
            continue
        for path in paths:
            mine = tuple(sorted(_transcripts(path, touched)))
            if mine:
                yield _taken(store, path, mine, zone)
            if stop.is_set():
                return


def _taken(store: Store, path: Path, mine: tuple[Path, ...], zone: tzinfo) -> Followed:
    try:
        report = take_in(store, path, zone=zone, only=mine or None)
    except ScrubjayError as error:
        return Followed(path=path, changed=mine, error=error)
    return Followed(path=path, changed=mine, report=report)


def _transcripts(path: Path, touched: set[Path]) -> set[Path]:
    """Which of ``touched`` belong to ``path`` and are still there; a database for the files beside it."""
    found = set()
    for one in touched:
        ending = next((ending for ending in _BESIDE if one.name.endswith(ending)), "")
        file = one.with_name(one.name.removesuffix(ending)) if ending else one
        inside = file.is_relative_to(path.resolve()) or file == path.absolute()
        if inside and file.exists():
            found.add(file)
    return found
