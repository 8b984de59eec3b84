"""Conversations that wait to be read and summarised, as jobs in the index (F54, F57, F58).

A job survives restarts, is done by one process at a time, is tried again later and later after a failure, and at last
stays as a dead letter that ``status`` shows.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial

from scrubjay.errors import Conflict, NotFound, ScrubjayError, Unavailable
from scrubjay.operations import episodes
from scrubjay.operations.extract.conversation import LetGo, Route, Run, read
from scrubjay.operations.extract.reader import Extracted, Reader
from scrubjay.operations.store import Store
from scrubjay.ports import Job
from scrubjay.temporal import now
from scrubjay.vaults.documents import transcript as transcripts

READ = "extract"
SUMMARISE = "summarise"
LEASE_SECONDS = 300.0

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What works off the conversations of some stores: who reads them, and where facts go."""

    reader: Reader
    route: Route


def request(store: Store, paths: Iterable[str], *, summaries: bool = True) -> None:
    """Asks for the transcripts at ``paths`` to be read and, with ``summaries``, summarised; asking twice does no
    harm."""
    wanted = [path for path in paths if path]
    if wanted:
        with store.index.writing():
            for path in wanted:
                store.index.enqueue(READ, path)
                if summaries:
                    store.index.enqueue(SUMMARISE, path)


def waits(store: Store) -> bool:
    """Whether a conversation waits, or failed and will be tried again."""
    return any(job.kind in (READ, SUMMARISE) and job.state != "dead" for job in store.index.jobs())


def work(
    store: Store,
    desk: Desk,
    *,
    stop: Callable[[], bool] = lambda: False,
    resting: bool = True,
    progress: Progress | None = None,
) -> Extracted:
    """Reads what waits in ``store``, up to the limits of the settings, then summarises.

    ``resting`` leaves the summaries of conversations for later that are still going on.
    """
    report = Extracted()
    let_go = LetGo()
    waiting = sum(job.kind == READ and job.state != "dead" for job in store.index.jobs())
    limit = desk.reader.settings.per_run
    while not stop() and report.stored < limit and (job := store.index.claim(READ, lease_seconds=LEASE_SECONDS)):
        run = Run(reader=desk.reader, route=desk.route, stop=stop, keep=_keeper(store, job), let_go=let_go)
        task = partial(_read, store, job, run, report, limit)
        if not _attempt(store, job, report, task, stop=stop):
            continue
        if progress:
            progress(min(report.sessions, waiting), waiting)
    if desk.reader.settings.summaries:
        _summarise(store, desk, report, stop=stop, resting=resting)
    report.waiting = sum(job.kind == READ and job.state == "waiting" for job in store.index.jobs())
    return report


def tidy(store: Store, desk: Desk) -> Extracted:
    """Works off what still waits after everything was read anyway, dead letters too."""
    left = [job for job in store.index.jobs() if job.kind in (READ, SUMMARISE)]
    for job in left:
        if job.state == "dead":
            store.index.enqueue(job.kind, job.key)
    return work(store, desk, resting=False) if left else Extracted()


def unread(store: Store) -> list[str]:
    """Paths of all transcripts, those of the oldest conversations first."""
    found = (path for path, indexed in store.index.documents().items() if indexed.kind == transcripts.KIND)
    return sorted(found, key=lambda path: (path.rpartition("/")[2], path))


def _read(store: Store, job: Job, run: Run, report: Extracted, limit: int) -> bool:
    done, whole = read(store, job.key, run, room=limit - report.stored)
    report.add(done)
    return whole


def _summarise(store: Store, desk: Desk, report: Extracted, *, stop: Callable[[], bool], resting: bool) -> None:
    seen: set[int] = set()
    listing = store.index.documents()
    while not stop() and (job := store.index.claim(SUMMARISE, lease_seconds=LEASE_SECONDS)):
        if job.id in seen:  # still going on: it waits for the next run
            store.index.release(job)
            return
        seen.add(job.id)
        task = partial(_told, store, job, desk, report, resting, listing)
        _attempt(store, job, report, task, stop=stop)


def _told(store: Store, job: Job, desk: Desk, report: Extracted, resting: bool, listing: episodes.Listing) -> bool:
    report.episodes += episodes.refresh(store, job.key, desk.reader.summarizer, resting=resting, listing=listing)
    if not resting:
        return True
    session = transcripts.read(store.vault.read(job.key)).session
    return episodes.is_resting(session, now())


def _attempt(store: Store, job: Job, report: Extracted, task: Callable[[], bool], *, stop: Callable[[], bool]) -> bool:
    """Does a job's task; what goes wrong is noted in the job. Tells whether the task is done for good.

    What was interrupted because ``stop`` says so is no failure: the job is as it was.
    """
    try:
        with _kept(store, job):
            whole = task()
        if whole:
            store.index.finish(job)
            return True
        store.index.release(job)
    except NotFound:
        store.index.finish(job)  # the conversation is gone
    except ScrubjayError as error:
        if stop() and isinstance(error, Unavailable):
            store.index.release(job)
            return False
        # A refusal stays one; what is busy or unreachable may come back (F58).
        store.index.fail(job, str(error), retry=isinstance(error, (Unavailable, Conflict)))
        report.failures.append((job.key, str(error)))
    except Exception as error:  # noqa: BLE001 - an extractor may be anybody's code
        store.index.fail(job, f"{type(error).__name__}: {error}")
        report.failures.append((job.key, f"{type(error).__name__}: {error}"))
    return False


@contextmanager
def _kept(store: Store, job: Job) -> Iterator[None]:
    """Prolongs the lease of ``job`` while the block runs: a slow model must not lose it to another process (F57)."""
    done = threading.Event()

    def prolong() -> None:
        while not done.wait(LEASE_SECONDS / 4):
            with suppress(ScrubjayError):
                store.index.renew(job, lease_seconds=LEASE_SECONDS)

    thread = threading.Thread(target=prolong, name="scrubjay-lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _keeper(store: Store, job: Job) -> Callable[[], bool]:
    return lambda: store.index.renew(job, lease_seconds=LEASE_SECONDS)
