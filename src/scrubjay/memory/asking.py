"""What reads a memory: search, facts, history, documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from scrubjay.errors import NotFound, ScrubjayError
from scrubjay.memory import arguments
from scrubjay.memory.arguments import Moment
from scrubjay.memory.opened import Opened
from scrubjay.temporal import now
from scrubjay.types import Document, Entry, Fact, Layer, Operation, Query, Recall, Record
from scrubjay.vaults.visibility import is_document

if TYPE_CHECKING:
    from scrubjay.operations.store import Store
    from scrubjay.operations.versions import Version


class Asking(Opened):
    """The methods of ``Memory`` that read."""

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
        store, document = self._document(name)
        return document, store.index.record(name)

    def operations(self, limit: int = 50) -> list[Operation]:
        """What was done, newest first."""
        limit = arguments.whole(limit, "limit")
        found = [operation for store in self._stores for operation in store.index.operations(limit)]
        return sorted(found, key=lambda operation: operation.id, reverse=True)[:limit]

    def versions(self, name: str, *, limit: int = 50) -> list[Version]:
        """States of a document, newest first: git's commits where the vault is in a repository, else what the trash
        keeps. ``name`` is an id, a file name or a path."""
        from scrubjay.operations import versions

        store, document = self._document(name)
        return versions.versions(store, document, arguments.whole(limit, "limit"))

    def version(self, name: str, version: str) -> Version:
        """The state of a document whose id begins with ``version``. Raises ``NotFound``."""
        from scrubjay.operations import versions

        store, document = self._document(name)
        return versions.version(store, document, arguments.name(version, "version"))

    def similar(self, text: str) -> list[Fact]:
        """Current facts that say nearly the same as ``text``, best first: superseding one of them may be meant (MX-8).

        What differs in a number, a date, a name or a negation is another statement and not among them (F15, F16).
        """
        from scrubjay.operations import facts

        encoded, model = None, ""
        if self._embedder is not None:
            with suppress(ScrubjayError):  # without a model it is found by its words
                encoded, model = self._embedder.passages([arguments.text(text)]), self._embedder.name
        return [fact for store in self._stores for fact in facts.similar(store, arguments.text(text), encoded, model)]

    def documents(self, *, scopes: Iterable[str] | None = None) -> Iterator[tuple[str, Entry]]:
        """Every document with its scope, by scope and path; nothing is read."""
        for store in self._stores.chosen(arguments.optional_strings(scopes, "scopes")):
            for entry in sorted(store.vault.entries(), key=lambda entry: entry.path):
                yield store.scope, entry

    def document(self, scope: str, path: str) -> Document:
        """The document at a vault-relative ``path`` of a scope, as it is on disk.

        Raises ``NotFound`` for what is not there or is no document (the trash, hidden files), ``Refused`` for a path
        that leads out of the vault.
        """
        store = self._stores.chosen([arguments.name(scope, "scope")])[0]
        wanted = arguments.name(path, "path")
        if not is_document(wanted, self.settings.vault.suffixes):
            raise NotFound(f"{wanted} is no document of a vault.", hint="List the documents to see what there is.")
        return store.vault.read(wanted)

    def _document(self, name: str) -> tuple[Store, Document]:
        from scrubjay.operations import notes

        store = self._stores.with_name(arguments.name(name, "name"))
        record = store.index.record(name)
        return store, store.vault.read(record.path) if record else notes.find(store, name)
