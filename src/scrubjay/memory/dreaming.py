"""Putting an agent's notebook in order (CC-D1 … CC-D4)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from scrubjay.memory import arguments
from scrubjay.memory.opened import Opened
from scrubjay.memory.opening import current_folder
from scrubjay.temporal import now
from scrubjay.vaults.dialects.claude_memory import paths

if TYPE_CHECKING:
    from scrubjay.operations.dream import Dream
    from scrubjay.operations.store import Store
    from scrubjay.types import Fact, Operation
    from scrubjay.vaults.dialects.claude_memory.topics import Topic


class Dreaming(Opened):
    """The methods of ``Memory`` that dream."""

    def dream(
        self,
        *,
        scope: str = "notebook",
        dry_run: bool = False,
        force: bool = False,
        cap: int | None = None,
        session: str = "",
    ) -> Dream:
        """Looks for what would make the notebook of ``scope`` better, does what is safe, and lets the rest wait in the
        inbox. One ``undo`` takes a dream back.

        Nothing happens before its gates are open (a day and five sessions since the last dream, and nobody else
        dreaming), unless ``force``. ``dry_run`` changes nothing. ``session`` is the id of the session that is going
        on. Raises ``BadInput`` where there is no such notebook.
        """
        from scrubjay.operations.dream.gates import Night
        from scrubjay.operations.dream.running import Wish, dream
        from scrubjay.operations.notebook.writing import require_notebook

        store = self._stores.chosen([arguments.string(scope, "scope")])[0]
        require_notebook(store)
        settings = self.settings.dream
        here = self._project if self._project is not None else current_folder()
        host = paths.host_settings(self._project, os.environ)
        night = Night(
            allowed=settings.enabled and host.dream is not False,
            memory_on=paths.auto_memory(here, os.environ, host).enabled,
            environ=os.environ,
            last=None,
            looked=None,
            transcripts=paths.transcripts_of(here, os.environ),
            current=session,
        )
        wish = Wish(
            accept=settings.accept if store.scope != "team" else "none",
            cap=settings.cap if cap is None else arguments.whole(cap, "cap"),
            zone=self.zone,
            dry_run=dry_run,
            force=force,
            facts=self._private_facts(),
            team=self._team_topics() if store.scope == "notebook" else (),
        )
        return self._woken(dream(store, night, wish))

    def dreams(self, limit: int = 10) -> list[Operation]:
        """What dreams did, newest first."""
        found = [each for store in self._stores for each in store.index.operations(1000) if each.verb == "dream"]
        return sorted(found, key=lambda each: each.id, reverse=True)[:limit]

    def _private_facts(self) -> tuple[Fact, ...]:
        from scrubjay.operations import facts
        from scrubjay.ports import Filter

        moment = now()
        where = Filter(layers=frozenset({"facts"}), as_of=moment, known_at=moment)
        own: list[Store] = [store for store in self._stores if not store.dialect]
        return tuple(fact for store in own for fact in facts.current(store, where=where))

    def _team_topics(self) -> tuple[tuple[str, Topic], ...]:
        from scrubjay.operations.dream.consolidating import gather

        team = next((store for store in self._stores if store.scope == "team"), None)
        return tuple(gather(team).memories.items()) if team is not None else ()
