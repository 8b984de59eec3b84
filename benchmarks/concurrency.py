"""Many processes, one memory: is every acknowledged write there, does every search succeed, and what does it cost?

Writers remember facts, readers search until the writers are done, each in a process of its own. The same number of
writes for a writer is then done by one writer alone; the ratio says what company costs.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier, Event
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import command, metrics
from scrubjay import Memory

_WORDS = "amber basalt cedar delta ember fjord garnet harbor indigo juniper kelp lagoon maple nectar onyx".split()
_PATIENCE = 3600.0


@dataclass(slots=True)
class Work:
    """What one process did: ids it was told are stored, milliseconds of each call, errors."""

    writer: bool
    acknowledged: list[str] = field(default_factory=list)
    milliseconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def sentence(writer: int, number: int) -> str:
    """A statement that no other writer and no other number gives."""
    first, second = _WORDS[number % len(_WORDS)], _WORDS[(number // len(_WORDS) + writer) % len(_WORDS)]
    return f"Crate {writer}-{number} holds {first} and {second} and stands on shelf {number * 7 % 90}."


def write(folder: Path, writer: int, writes: int, start: Barrier, results: Queue[Work]) -> None:
    """Remembers ``writes`` facts."""
    work = Work(writer=True)
    with _open(folder) as memory:
        start.wait(_PATIENCE)
        for number in range(writes):
            began = time.perf_counter()
            try:
                stored = memory.remember(sentence(writer, number))
            except Exception as error:  # noqa: BLE001  (whatever it is, it is what we count)
                work.errors.append(f"{type(error).__name__}: {error}")
                continue
            work.milliseconds.append((time.perf_counter() - began) * 1000)
            work.acknowledged.append(stored.id)
    results.put(work)


def read(folder: Path, reader: int, start: Barrier, done: Event, results: Queue[Work]) -> None:
    """Searches until the writers are done, at least once."""
    work = Work(writer=False)
    with _open(folder) as memory:
        start.wait(_PATIENCE)
        number = reader
        while not work.milliseconds or not done.is_set():
            began = time.perf_counter()
            try:
                memory.search(f"Which crate holds {_WORDS[number % len(_WORDS)]}?", abstain=False)
            except Exception as error:  # noqa: BLE001  (whatever it is, it is what we count)
                work.errors.append(f"{type(error).__name__}: {error}")
                if done.is_set():
                    break
            work.milliseconds.append((time.perf_counter() - began) * 1000)
            number += 1
    results.put(work)


def together(folder: Path, *, writers: int, writes: int, readers: int) -> dict[str, Any]:
    """Lets them work at the same time and looks at what is left."""
    processes = multiprocessing.get_context("spawn")
    start, done, results = processes.Barrier(writers + readers + 1), processes.Event(), processes.Queue()
    _open(folder).close()
    writing = [processes.Process(target=write, args=(folder, n, writes, start, results)) for n in range(writers)]
    reading = [processes.Process(target=read, args=(folder, n, start, done, results)) for n in range(readers)]
    for process in [*writing, *reading]:
        process.start()
    start.wait(_PATIENCE)
    began = time.perf_counter()
    work = [results.get(timeout=_PATIENCE) for _ in writing]
    seconds = time.perf_counter() - began
    done.set()
    work += [results.get(timeout=_PATIENCE) for _ in reading]
    for process in [*writing, *reading]:
        process.join()
    team = {"writers": writers, "readers": readers, "seconds": metrics.rounded(seconds)}
    return {**team, **_report(folder, work, seconds)}


def _report(folder: Path, work: Sequence[Work], seconds: float) -> dict[str, Any]:
    acknowledged = [id for one in work if one.writer for id in one.acknowledged]
    with closing(_open(folder)) as memory:
        indexed = {fact.id for fact in memory.facts(include_superseded=True)}
        memory.reindex()
        kept = {fact.id for fact in memory.facts(include_superseded=True)}
        findings = [str(finding) for finding in memory.doctor()]
    return {
        "acknowledged": len(acknowledged),
        "missing_in_the_index": len(set(acknowledged) - indexed),
        "missing_after_a_rebuild": len(set(acknowledged) - kept),
        "doctor": findings,
        "write_errors": [error for one in work if one.writer for error in one.errors],
        "read_errors": [error for one in work if not one.writer for error in one.errors],
        "writes_per_second": metrics.rounded(len(acknowledged) / seconds),
        "write_ms": metrics.times([spent for one in work if one.writer for spent in one.milliseconds]),
        "searches": sum(len(one.milliseconds) for one in work if not one.writer),
        "search_ms": metrics.times([spent for one in work if not one.writer for spent in one.milliseconds]),
    }


def _open(folder: Path) -> Memory:
    settings = {"models.embedder": "none"}
    return Memory.open(folder / "vault", home=folder / "home", settings=settings, background=False, zone=UTC)


def main(args: Sequence[str] | None = None) -> None:
    """The command."""
    parser = command.parser(__doc__)
    parser.add_argument("--writers", type=int, default=4)
    parser.add_argument("--writes", type=int, default=500, help="writes of each writer (default: 500)")
    parser.add_argument("--readers", type=int, default=2)
    given = parser.parse_args(args)
    with TemporaryDirectory(prefix="scrubjay-") as temporary:
        folder = Path(temporary)
        (folder / "many").mkdir()
        (folder / "one").mkdir()
        command.say(f"{given.writers} writers of {given.writes} and {given.readers} readers")
        many = together(folder / "many", writers=given.writers, writes=given.writes, readers=given.readers)
        command.say("one writer alone")
        one = together(folder / "one", writers=1, writes=given.writes, readers=0)
    ratio = {
        name: metrics.rounded(many["write_ms"][name] / one["write_ms"][name]) if one["write_ms"][name] else None
        for name in ("p50", "p95")
    }
    ratio["writes_per_second"] = metrics.rounded(many["writes_per_second"] / max(one["writes_per_second"], 1e-9))
    command.answer("concurrency", {"together": many, "alone": one, "together_to_alone": ratio})


if __name__ == "__main__":
    main()
