"""What changes a memory: facts, notes, conversations, and taking back."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from scrubjay.errors import BadInput
from scrubjay.ids import new_id
from scrubjay.memory import arguments
from scrubjay.memory.arguments import Moment
from scrubjay.memory.opened import PRIVATE, Opened
from scrubjay.temporal import now
from scrubjay.types import Fact, Interval, Note, Operation, Session, Source, StoredFact

if TYPE_CHECKING:
    from scrubjay.operations.ingest import IngestReport
    from scrubjay.operations.ingest.following import Followed
    from scrubjay.operations.store import Store
    from scrubjay.operations.sync import Progress
    from scrubjay.vaults.watch import Waiting


class Writing(Opened):
    """The methods of ``Memory`` that write."""

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

        self._reopen()
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
        store = self._for_conversations(scope)
        return self._taken(store, ingest.take_in(store, given, zone=self.zone, progress=progress))

    def follow(
        self, paths: Iterable[str | os.PathLike[str]], *, stop: Waiting, scope: str | None = None
    ) -> Iterator[Followed]:
        """Takes in what ``paths`` (transcripts and folders of them) hold, then what is added to them, until ``stop``,
        such as a ``threading.Event``, is set. What vanishes there stays in the memory.

        Yields what became of each path and of each change; what cannot be read is in its ``error``. Raises ``NotFound``
        for a missing path, ``Unavailable`` when the system cannot watch.
        """
        from scrubjay.operations.ingest.following import follow

        store = self._for_conversations(scope)
        given = [arguments.path(path, "paths") for path in paths]
        for followed in follow(store, given, stop, zone=self.zone):
            if followed.report is not None:
                self._taken(store, followed.report)
            yield followed

    def _taken(self, store: Store, report: IngestReport) -> IngestReport:
        """``report``, after facts and summaries of what is new were asked for."""
        self._to_be_read(store, [session.path for session in report.sessions if session.added])
        return self._woken(report)

    def _for_conversations(self, scope: str | None) -> Store:
        store = self._for_writing(scope)
        if store.scope == "project" and len(self._stores) > 1:
            raise BadInput(
                "Conversations are private and do not go into the project's vault.",
                hint="Leave out the scope, or use scope local or user.",
            )
        return store
