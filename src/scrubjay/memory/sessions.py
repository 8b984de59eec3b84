"""What a session leaves in the agent's notebook (CC-E1 … CC-E4)."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from scrubjay.memory import arguments
from scrubjay.memory.conversing import Conversing
from scrubjay.memory.opening import current_folder
from scrubjay.memory.stores import PERSONAL
from scrubjay.memory.writing import Writing
from scrubjay.temporal import now
from scrubjay.vaults.dialects.claude_memory import instructions, paths

if TYPE_CHECKING:
    from scrubjay.operations.notebook.running import Noted
    from scrubjay.types import Fact


class Sessions(Writing, Conversing):
    """The method of ``Memory`` that notes down what sessions said."""

    def note_session(self, path: str | os.PathLike[str] | None = None, *, asked: bool = False) -> Noted:
        """Brings the notebook up to what was learned from sessions; ``path`` names a transcript to take in first.

        Unless ``asked`` it writes only where the setting ``notebook.write`` lets it: by default while the agent's own
        memory is switched off. A transcript of a sub-agent is taken in and not noted down. One ``undo`` takes it back.
        """
        from scrubjay.operations.notebook import running, writing

        if path is not None:
            file = arguments.path(path, "path")
            if asked:
                self.ingest(file)
                self.extract()
            if file.name.startswith("agent-") or "subagents" in file.parts:
                return running.Noted(reason="The transcript is a sub-agent's.")
        here = self._project if self._project is not None else current_folder()
        host = paths.auto_memory(here, os.environ, paths.host_settings(self._project, os.environ))
        if not asked and not writing.may_write_unasked(self.settings.notebook.write, host_writes=host.enabled):
            return running.Noted(
                reason="The agent's own memory is on, and the setting `notebook.write` leaves it alone."
            )
        store = self._made("notebook")
        current, gone = self._learned()
        return self._woken(running.run(store, current, gone, known=instructions.read(here), asked=asked))

    def _learned(self) -> tuple[list[Fact], list[Fact]]:
        """Facts of our own private vaults that hold, and those that were replaced or taken back, oldest first. What is
        kept about the user everywhere belongs into a project's notebook only as far as it is about the person."""
        from scrubjay.operations import facts
        from scrubjay.ports import Filter

        moment = now()
        own = [store for store in self._stores if not store.dialect and store.scope != "project"]
        where = Filter(layers=frozenset({"facts"}), as_of=moment, known_at=moment)
        every = [
            fact
            for store in own
            for fact in facts.current(store, where=replace(where, include_superseded=True))
            if len(own) == 1 or store.scope != "user" or fact.category.casefold() in PERSONAL
        ]
        holding = {fact.id for store in own for fact in facts.current(store, where=where)}
        current = sorted((fact for fact in every if fact.id in holding), key=lambda fact: fact.id)
        texts = {fact.text for fact in current}
        return current, [fact for fact in every if fact.id not in holding and fact.text not in texts]
