"""The memory of an agent: one door to everything Scrubjay does. The command line and every server go through it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from scrubjay.config import Settings
from scrubjay.errors import BadInput
from scrubjay.ids import new_id
from scrubjay.memory import arguments, opening
from scrubjay.memory.arguments import Moment
from scrubjay.memory.stores import Stores
from scrubjay.temporal import now
from scrubjay.types import (
    Document,
    Fact,
    Interval,
    Layer,
    Note,
    Operation,
    Query,
    Recall,
    Record,
    Session,
    Source,
    StoredFact,
)

if TYPE_CHECKING:
    from scrubjay.operations.bundle import BundleReport
    from scrubjay.operations.embedding import EmbedReport
    from scrubjay.operations.health import Finding, Status
    from scrubjay.operations.ingest import IngestReport
    from scrubjay.operations.store import Store
    from scrubjay.operations.sync import Progress, SyncReport
    from scrubjay.ports import Embedder, Reranker

PRIVATE = frozenset({"user", "local"})

Result = TypeVar("Result")


class Memory:
    """What an agent remembers, in one or several vaults.

    Open it with ``Memory.open()`` and close it, best with ``with``. Every method raises a subclass of
    ``ScrubjayError`` for what cannot be done; what was not found, was known already or is not answered is a value.
    One instance may be used from several threads.
    """

    def __init__(
        self,
        stores: Sequence[Store],
        *,
        settings: Settings,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
        background: bool = True,
        zone: tzinfo = UTC,
    ) -> None:
        from scrubjay.operations.worker import Worker

        self.settings = settings
        self.zone = zone
        self._stores = Stores(stores, settings.write.default_scope)
        self._embedder = embedder
        self._reranker = reranker
        self._worker = Worker(self._stores, lambda: self._embedder, background=background)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str] | None = None,
        *,
        home: str | os.PathLike[str] | None = None,
        settings: Mapping[str, object] | None = None,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
        sync: bool = True,
        background: bool = True,
        zone: tzinfo | None = None,
    ) -> Self:
        """Opens a memory.

        Without arguments it is the one that the command line would find from the current folder: the user's vault,
        and inside a project that project's private and shared vaults. ``path`` names a single vault instead, any
        folder of Markdown. ``home`` replaces ``SCRUBJAY_HOME``. ``settings`` maps keys such as ``recall.limit`` to
        values. ``embedder`` and ``reranker`` replace the configured models. ``sync`` takes in what changed on disk
        since the last time. ``background`` lets a thread compute vectors. ``zone`` is the user's time zone, for
        "yesterday" in questions and for times without one; it defaults to the machine's.
        """
        from scrubjay.models import registry

        arguments.zone(zone, "zone")
        arguments.model(embedder, "embedder", "name", "dimensions", "passages", "query")
        arguments.model(reranker, "reranker", "name", "scores")
        overrides = arguments.mapping(settings, "settings")
        places = opening.find(
            arguments.path(path, "path") if path is not None else None,
            arguments.path(home, "home") if home is not None else None,
            opening.current_folder(path),
            os.environ,
        )
        chosen = opening.settings(places, os.environ, overrides)
        stores = [opening.open_store(place, chosen) for place in places.stores]
        memory = cls(
            stores,
            settings=chosen,
            embedder=embedder if embedder is not None else registry.embedder(chosen.models, os.environ),
            reranker=reranker if reranker is not None else registry.reranker(chosen.models, os.environ),
            background=background,
            zone=zone if zone is not None else _local_zone(),
        )
        try:
            if sync:
                memory.sync()
        except BaseException:
            memory.close()
            raise
        return memory

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stops background work after the batch at hand and closes the indexes. Closing twice is harmless."""
        self._worker.close()
        for store in self._stores:
            store.index.close()

    # --- writing -----------------------------------------------------------------------------------------------

    def remember(
        self,
        text: str,
        *,
        category: str = "Fact",
        confidence: float = 0.9,
        subject: str | None = None,
        predicate: str | None = None,
        object: str | None = None,
        valid_from: Moment | None = None,
        valid_to: Moment | None = None,
        tags: Iterable[str] = (),
        source: Source | None = None,
        scope: str | None = None,
    ) -> StoredFact:
        """Remembers one self-contained statement and returns it as read back, with what was done (``action``).

        The same statement again changes nothing (``known``). The opposite of a current statement supersedes it in a
        private scope; in a shared one, and wherever the same subject and predicate get another object, the others
        are named in ``conflicts``. Times without a zone are the user's.
        """
        from scrubjay.operations import facts

        category = arguments.string(category, "category").strip() or "Fact"
        store = self._for_writing(scope, category)
        fact = Fact(
            id=new_id(),
            text=arguments.text(text),
            category=category,
            confidence=arguments.number(confidence, "confidence"),
            subject=subject,
            predicate=predicate,
            object=object,
            valid=Interval(start=self._moment(valid_from, "valid_from"), end=self._moment(valid_to, "valid_to")),
            recorded=Interval(start=now()),
            tags=arguments.strings(tags, "tags"),
            source=arguments.source(source, "source"),
            scope=store.scope,
        )
        if fact.valid.empty:
            raise BadInput("valid_to must come after valid_from.")
        return self._woken(facts.remember(store, fact, settle=store.scope in PRIVATE or len(self._stores) == 1))

    def note(
        self,
        title: str,
        body: str,
        *,
        topic: str = "",
        tags: Iterable[str] = (),
        source: str = "",
        scope: str | None = None,
    ) -> Note:
        """Writes a new note (``10-Memories/MEM-<slug>.md``) and returns it as read back.

        Exactly the same note again changes nothing and is returned as it is.
        """
        from scrubjay.operations import notes

        draft = Note(
            id="",
            title=arguments.string(title, "title"),
            body=arguments.text(body),
            topic=arguments.string(topic, "topic").strip("/"),
            tags=arguments.strings(tags, "tags"),
            source=arguments.string(source, "source"),
        )
        return self._woken(notes.write(self._for_writing(scope), draft))

    def supersede(
        self,
        id: str,
        text: str,
        *,
        category: str | None = None,
        confidence: float | None = None,
        subject: str | None = None,
        predicate: str | None = None,
        object: str | None = None,
        valid_from: Moment | None = None,
        valid_to: Moment | None = None,
        tags: Iterable[str] | None = None,
    ) -> StoredFact:
        """Replaces a current fact by a new one, from ``valid_from`` on (now by default); the old one is kept.

        What is not given is inherited. Raises ``NotFound``, ``Conflict`` with the current id for a fact that was
        superseded already, ``BadInput`` for an empty text.
        """
        from scrubjay.operations import facts

        given = {
            "text": arguments.text(text),
            "category": (arguments.optional_string(category, "category") or "").strip() or None,
            "confidence": None if confidence is None else arguments.number(confidence, "confidence"),
            "subject": subject,
            "predicate": predicate,
            "object": object,
            "valid_from": self._moment(valid_from, "valid_from"),
            "valid_to": self._moment(valid_to, "valid_to"),
            "tags": arguments.optional_strings(tags, "tags"),
        }
        store = self._stores.of_fact(arguments.name(id, "id"))
        changes = {key: value for key, value in given.items() if value is not None}
        return self._woken(facts.supersede(store, id, changes))

    def retract(self, id: str) -> Fact:
        """Says that a fact was never true: it leaves every answer and stays in its history."""
        from scrubjay.operations import facts

        return facts.retract(self._stores.of_fact(arguments.name(id, "id")), id)

    def forget(self, name: str) -> Operation:
        """Retires a fact, note, conversation or message to the trash and out of every index; ``undo`` brings it back.

        ``name`` is an id from a search, a file name or a path.
        """
        from scrubjay.operations import forget

        return forget.forget(self._stores.with_name(arguments.name(name, "name")), name)

    def undo(self, id: str | None = None) -> Operation:
        """Takes back the newest operation that was not undone yet, or the one named. Undoing an undo redoes it.

        Raises ``NotFound`` when there is nothing to undo, ``Conflict`` when a file changed since.
        """
        from scrubjay.operations import editing

        store, operation = self._stores.undoable(arguments.optional_string(id, "id"))
        return self._woken(editing.undo(store, operation))

    def ingest(
        self,
        what: Session | Iterable[Session] | str | os.PathLike[str],
        *,
        scope: str | None = None,
        progress: Progress | None = None,
    ) -> IngestReport:
        """Takes in conversations: sessions, or a file of them. Each message is stored once, however often it comes.

        The report's counts are read back from the transcripts. Conversations never go to a shared scope.
        """
        from scrubjay.operations import ingest

        given = arguments.sessions(what, "what")
        store = self._for_writing(scope)
        if store.scope == "project" and len(self._stores) > 1:
            raise BadInput(
                "Conversations are private and do not go into the project's vault.",
                hint="Leave out the scope, or use scope local or user.",
            )
        return self._woken(ingest.take_in(store, given, zone=self.zone, progress=progress))

    # --- asking ------------------------------------------------------------------------------------------------

    def search(
        self,
        query: str | Query,
        *,
        limit: int | None = None,
        layers: Iterable[Layer] | None = None,
        scopes: Iterable[str] | None = None,
        tags: Iterable[str] = (),
        category: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        as_of: Moment | None = None,
        known_at: Moment | None = None,
        include_superseded: bool = False,
        abstain: bool | None = None,
        budget: int | None = None,
        explain: bool = False,
    ) -> Recall:
        """Ranked, dated, cited evidence for a question, or an abstention with its reason.

        ``layers`` are some of facts, notes, episodes, chunks. ``as_of`` asks what was true then, ``known_at`` what
        was believed then. ``budget`` bounds ``Recall.text``, the block for an agent, in tokens. ``explain`` adds
        what was suppressed and why.
        """
        from scrubjay.operations.recall.search import Ranking, recall

        if not isinstance(query, Query):
            defaults = self.settings.recall
            query = Query(
                text=arguments.string(query, "query"),
                limit=defaults.limit if limit is None else limit,
                layers=arguments.layers(layers, "layers"),
                scopes=None if scopes is None else frozenset(arguments.strings(scopes, "scopes")),
                tags=frozenset(arguments.strings(tags, "tags")),
                category=category,
                since=self._moment(since, "since"),
                until=self._moment(until, "until"),
                as_of=self._moment(as_of, "as_of"),
                known_at=self._moment(known_at, "known_at"),
                include_superseded=include_superseded,
                abstain=defaults.abstain if abstain is None else abstain,
                budget=defaults.budget if budget is None else budget,
                explain=explain,
            )
        ranking = Ranking(embedder=self._embedder, reranker=self._reranker, settings=self.settings, zone=self.zone)
        return recall(self._stores.chosen(query.scopes), query, ranking)

    def facts(
        self,
        *,
        category: str | None = None,
        tags: Iterable[str] = (),
        scopes: Iterable[str] | None = None,
        as_of: Moment | None = None,
        known_at: Moment | None = None,
        include_superseded: bool = False,
    ) -> list[Fact]:
        """Facts that hold (at ``as_of``, as believed at ``known_at``), oldest first."""
        from scrubjay.operations import facts
        from scrubjay.ports import Filter

        moment = now()
        where = Filter(
            layers=frozenset({"facts"}),
            as_of=self._moment(as_of, "as_of") or moment,
            known_at=self._moment(known_at, "known_at") or moment,
            tags=frozenset(arguments.strings(tags, "tags")),
            category=arguments.optional_string(category, "category"),
            include_superseded=include_superseded,
        )
        chosen = self._stores.chosen(arguments.optional_strings(scopes, "scopes"))
        found = [fact for store in chosen for fact in facts.current(store, where=where)]
        return sorted(found, key=lambda fact: fact.id)

    def history(self, id: str) -> list[Fact]:
        """Every version of a fact, oldest first, whichever of them ``id`` names."""
        from scrubjay.operations import facts

        return facts.chain(self._stores.of_fact(arguments.name(id, "id")), id)

    def show(self, name: str) -> tuple[Document, Record | None]:
        """The document that ``name`` means (id, file name, path), and the record in it when ``name`` is its id."""
        from scrubjay.operations import notes

        store = self._stores.with_name(arguments.name(name, "name"))
        record = store.index.record(name)
        return (store.vault.read(record.path) if record else notes.find(store, name)), record

    def operations(self, limit: int = 50) -> list[Operation]:
        """What was done, newest first."""
        limit = arguments.whole(limit, "limit")
        found = [operation for store in self._stores for operation in store.index.operations(limit)]
        return sorted(found, key=lambda operation: operation.id, reverse=True)[:limit]

    # --- upkeep ------------------------------------------------------------------------------------------------

    def sync(self, *, progress: Progress | None = None) -> dict[str, SyncReport]:
        """Brings every index to what its vault holds now; unchanged files are not read. A report for each scope."""
        from scrubjay.operations.sync import sync

        reports = {store.scope: sync(store, progress=progress) for store in self._stores}
        if any(report.anything for report in reports.values()):
            self._worker.wake()
        return reports

    def reindex(self, *, progress: Progress | None = None) -> dict[str, SyncReport]:
        """Builds every index anew beside the old one and swaps it in; searches go on meanwhile."""
        from scrubjay.operations.sync import rebuild

        reports = {store.scope: rebuild(store, progress=progress) for store in self._stores}
        self._worker.wake()
        return reports

    def drain(self, *, progress: Progress | None = None) -> EmbedReport:
        """Waits until no vector is missing, or says in ``error`` why some stay missing."""
        return self._worker.drain(progress)

    def waiting(self) -> int:
        """How many records wait for a vector."""
        model = self._embedder.name if self._embedder is not None else ""
        return sum(store.index.pending_count(model) for store in self._stores) if model else 0

    def status(self) -> list[Status]:
        """How each store is: where, how much, what waits, what is wrong."""
        from scrubjay.operations import health

        return [health.status(store, self._embedder) for store in self._stores]

    def doctor(self, *, repair: bool = False) -> list[Finding]:
        """Looks for damage and, with ``repair``, mends what can be mended without losing anything."""
        from scrubjay.operations import health

        return [finding for store in self._stores for finding in health.examine(store, self._embedder, repair=repair)]

    def export(self, target: str | os.PathLike[str], *, scopes: Iterable[str] | None = None) -> BundleReport:
        """Writes a lossless bundle of documents with a Portable AI Memory file beside them (spec §8.8)."""
        from scrubjay.operations import bundle

        return bundle.export(
            self._stores.chosen(arguments.optional_strings(scopes, "scopes")), arguments.path(target, "target")
        )

    def import_(self, source: str | os.PathLike[str], *, scope: str | None = None) -> BundleReport:
        """Takes in a bundle or a PAM file; what is there already stays as it is, conflicts are reported.

        The documents of a bundle go back to their own scope where it is open. What was shared with a project is
        shared again only for ``scope="project"``. A ``scope`` takes in all of it.
        """
        from scrubjay.operations import bundle

        given = arguments.path(source, "source")
        default = self._for_writing(scope)
        own = () if scope is not None else [store for store in self._stores if store.scope in PRIVATE]
        return self._woken(bundle.import_(default, given, own=own, others=list(self._stores)))

    @property
    def scopes(self) -> dict[str, str]:
        """Each scope of this memory and where its vault is."""
        return {store.scope: store.vault.name for store in self._stores}

    def _for_writing(self, scope: str | None, category: str = "") -> Store:
        return self._stores.for_writing(arguments.optional_string(scope, "scope"), category)

    def _moment(self, value: Moment | None, name: str) -> datetime | None:
        return arguments.moment(value, name, zone=self.zone)

    def _woken(self, result: Result) -> Result:
        self._worker.wake()
        return result


def _local_zone() -> tzinfo:
    try:
        zone = datetime.now().astimezone().tzinfo
    except (ValueError, OverflowError, OSError):  # TZ may say anything, such as UTC+25
        return UTC
    return zone if zone is not None else UTC
