"""What becomes of conversations: facts with their evidence, and summaries (MX-12)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from scrubjay.errors import BadInput, NotFound, ScrubjayError
from scrubjay.memory import arguments
from scrubjay.memory.opened import PRIVATE, Opened

if TYPE_CHECKING:
    from scrubjay.operations.extract import Extracted
    from scrubjay.operations.store import Store
    from scrubjay.operations.sync import Progress
    from scrubjay.ports import Summarizer
    from scrubjay.types import Record


class Conversing(Opened):
    """The methods of ``Memory`` about conversations that are stored."""

    def extract(
        self,
        sessions: Iterable[str] | str | None = None,
        *,
        scope: str | None = None,
        again: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Extracted:
        """Learns facts from conversations, and says of each statement what became of it.

        ``sessions`` are ids of sessions, file names or paths of transcripts; every conversation by default, from where
        reading stopped, or from its beginning with ``again``. Facts go to the vault of their conversation, those about
        the person to the user's own. With ``scope`` ``project`` they become proposals in the vault that the project
        shares. ``dry_run`` writes nothing.
        """
        from scrubjay.operations import extract

        desk = self._desk()
        route = desk.route
        if scope is not None:
            target = self._stores.chosen([arguments.string(scope, "scope")])[0]

            def route(_store: Store, _category: str) -> Store:
                return target

        run = extract.Run(
            reader=desk.reader,
            route=route,
            again=again or scope is not None,
            aside=scope is not None,
            dry_run=dry_run,
            let_go=extract.LetGo(),
        )
        total = extract.Extracted()
        paths = self._transcripts(sessions)
        for place, (store, path) in enumerate(paths):
            room = self.settings.extract.per_run - total.stored
            try:
                done, whole = extract.read(store, path, run, room=room)
                total.add(done)
                total.waiting += not whole
                if not dry_run and whole and scope is None:
                    total.episodes += self._summarised(store, path, desk.reader.summarizer)
            except ScrubjayError as error:
                total.failures.append((path, str(error)))
            if progress:
                progress(place + 1, len(paths))
        if sessions is None and scope is None and not dry_run and not total.waiting and not total.failures:
            for store in self._stores:
                total.add(replace(extract.tidy(store, desk), sessions=0))  # each was counted above
        return self._woken(total)

    def evidence(self, id: str) -> list[Record]:
        """The messages that bear the fact ``id`` out, where their conversation is stored here."""
        from scrubjay.ids import derived_id
        from scrubjay.operations import facts

        fact = facts.get(self._stores.of_fact(arguments.name(id, "id")), id)
        ids = [derived_id(fact.source.ref, message, "0") for message in fact.source.message_ids]
        found = (store.index.record(id) for id in ids for store in self._stores)
        return [record for record in found if record is not None and record.layer == "chunks"]

    def _summarised(self, store: Store, path: str, summarizer: Summarizer) -> bool:
        from scrubjay.operations import episodes

        return self.settings.extract.summaries and episodes.refresh(store, path, summarizer, resting=False)

    def _transcripts(self, sessions: Iterable[str] | str | None) -> list[tuple[Store, str]]:
        """The transcripts that are meant. Raises ``NotFound`` for a name of none, ``BadInput`` for one of several."""
        from scrubjay.operations import extract

        listed = [
            (store, path)
            for store in self._stores
            if store.scope in PRIVATE or len(self._stores) == 1
            for path in extract.unread(store)
        ]
        if sessions is None:
            return listed
        names = [sessions] if isinstance(sessions, str) else list(arguments.strings(sessions, "sessions"))
        return [self._transcript(listed, name) for name in names]

    def _transcript(self, listed: list[tuple[Store, str]], name: str) -> tuple[Store, str]:
        from pathlib import PurePosixPath

        def named(store: Store, path: str) -> bool:
            indexed = store.index.document(path)
            key = indexed.id if indexed is not None else ""
            file = PurePosixPath(path).name
            return name in (path, file, file.removesuffix(".transcript.md"), key, key.partition(":")[2])

        found = [(store, path) for store, path in listed if named(store, path)]
        if not found:
            raise NotFound(f"No conversation is called {name!r}.", hint="Use the id of a session, or a path.")
        if len(found) > 1:
            shown = ", ".join(path for _, path in found[:5])
            raise BadInput(f"{name!r} names {len(found)} conversations.", hint=f"Say which one: {shown}")
        return found[0]
