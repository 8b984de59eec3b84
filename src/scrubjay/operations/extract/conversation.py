"""One conversation read from where reading stopped: candidates found, weighed, compared, stored or proposed (MX-12)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from scrubjay.operations.extract import cursor, proposing, settling
from scrubjay.operations.extract.cursor import Cursor
from scrubjay.operations.extract.evidence import Evidence, gather
from scrubjay.operations.extract.known import Gone, gone
from scrubjay.operations.extract.reader import STORED, Extracted, Found, Reader
from scrubjay.operations.extract.withdrawing import withdraw
from scrubjay.operations.hearing import audible, testifies
from scrubjay.operations.store import Store
from scrubjay.types import Document, Message
from scrubjay.vaults.documents import transcript as transcripts
from scrubjay.vaults.documents.transcript import Transcript

BATCH = 40
"""Messages that an extractor is given at once, beside those before them."""
CONTEXT = 6
"""Messages before them, so that "yes, that one" can be understood."""

PRIVATE = frozenset({"user", "local"})

Route = Callable[[Store, str], Store]
"""Where a fact of a category goes that was said in a conversation of a store."""


class LetGo:
    """What stores were told to let go of, looked up once a run."""

    def __init__(self) -> None:
        self._known: dict[int, Gone] = {}

    def of(self, store: Store) -> Gone:
        """The facts and proposals that are gone from ``store``."""
        if id(store) not in self._known:
            self._known[id(store)] = gone(store)
        return self._known[id(store)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run over conversations: who reads, where facts go, when to stop, and how the work's lease is prolonged.

    ``again`` reads from the beginning, ``dry_run`` writes nothing. ``aside`` leaves the place where reading stopped, as
    when statements are read for a vault that others share.
    """

    reader: Reader
    route: Route = lambda store, _: store
    stop: Callable[[], bool] = lambda: False
    keep: Callable[[], bool] = lambda: True
    again: bool = False
    dry_run: bool = False
    aside: bool = False
    let_go: LetGo


def read(store: Store, path: str, run: Run, *, room: int) -> tuple[Extracted, bool]:
    """Reads the transcript at ``path``; the report, and whether it was read to its end.

    It is left early when ``run.stop`` says so, when the lease is lost, or when ``room`` facts were stored: the cursor
    says where to go on. Raises ``NotFound`` when the transcript is gone, ``Unavailable`` when a model cannot answer.
    """
    report = Extracted(sessions=1)
    indexed = store.index.document(path)
    at = cursor.load(store, indexed.id) if indexed else Cursor()
    if indexed and at.hash == indexed.hash and not run.again:
        return report, True
    document = store.vault.read(path)
    found = transcripts.read(document)
    key = transcripts.session_key(found.session)
    facts = at.facts
    start = at.unread(found.session.messages)
    if not run.dry_run:
        _withdraw(store, key, found.session.messages[:start], run)
    for before, batch in _batches(found.session.messages, 0 if run.again else start):
        if run.stop() or not run.keep() or report.stored >= room:
            return report, False
        done = _batch(store, document, found, before, batch, run, room=max(run.reader.settings.per_session - facts, 0))
        report.messages += len(batch)
        report.found += done
        facts += sum(one.outcome in STORED for one in done)
        if not run.dry_run and not run.aside:
            cursor.save(store, key, Cursor(until=batch[-1].id, facts=facts))
    if found.session.messages and not run.dry_run and not run.aside:
        cursor.save(store, key, Cursor(until=found.session.messages[-1].id, facts=facts, hash=document.hash))
    return report, True


def _withdraw(store: Store, key: str, messages: Sequence[Message], run: Run) -> None:
    """Trusts less what was taken back since it was read."""
    undone = [message.id for message in messages if message.meta.get("branch") == "dead"]
    targets = {id(target): target for target in (store, run.route(store, "Preference")) if target.scope in PRIVATE}
    withdraw(targets.values(), key, undone)


def _batches(messages: Sequence[Message], start: int) -> Iterator[tuple[Sequence[Message], Sequence[Message]]]:
    """The messages from ``start`` on, some at a time, each time with those before them."""
    for first in range(start, len(messages), BATCH):
        yield messages[max(first - CONTEXT, 0) : first], messages[first : first + BATCH]


def _batch(
    store: Store,
    document: Document,
    found: Transcript,
    before: Sequence[Message],
    batch: Sequence[Message],
    run: Run,
    *,
    room: int,
) -> list[Found]:
    context = audible(before)
    spoken = audible(batch)
    if not any(testifies(message) for message in spoken):
        return []
    heard = [*context, *spoken]
    candidates = run.reader.extractor.candidates(heard, zone=run.reader.zone)
    # What a model proposed at the end of the last batch may be agreed to at the beginning of this one.
    answered = [message for message in context[-1:] if message.role == "assistant"]
    gathered = list(gather(found.session, [*answered, *spoken], candidates, heard, run.reader))
    done = [one for one in gathered if isinstance(one, Found)]
    for target, evidence in _by_target(store, gathered, run):
        if target.scope in PRIVATE:
            let_go = run.let_go.of(target)
            title = found.session.title or found.session.id
            done += settling.settle(target, evidence, run.reader, let_go, room=room, title=title, dry_run=run.dry_run)
        else:
            done += proposing.propose(target, evidence, found.session, run.let_go.of(target), dry_run=run.dry_run)
        room -= sum(one.outcome in STORED for one in done)
    places = {placed.message.id: placed.start for placed in found.placed}
    return [
        replace(one, path=document.path, line=document.text.count("\n", 0, places.get(one.candidate.message_id, 0)) + 1)
        for one in done
    ]


def _by_target(store: Store, gathered: Sequence[Evidence | Found], run: Run) -> list[tuple[Store, list[Evidence]]]:
    """The statements by the store that each goes to, in order."""
    targets: dict[int, tuple[Store, list[Evidence]]] = {}
    for one in gathered:
        if isinstance(one, Evidence):
            target = run.route(store, one.fact.category)
            targets.setdefault(id(target), (target, []))[1].append(one)
    return list(targets.values())
