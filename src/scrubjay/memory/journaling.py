"""The log of a day (CC-P7)."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING

from scrubjay.errors import BadInput
from scrubjay.memory import arguments
from scrubjay.memory.opened import Opened
from scrubjay.temporal import now

if TYPE_CHECKING:
    from scrubjay.operations.store import Store
    from scrubjay.types import Document
    from scrubjay.vaults.dialects.claude_memory.logs import Happened


class Journaling(Opened):
    """The methods of ``Memory`` about what happened on a day."""

    def journal_add(self, text: str, *, scope: str | None = None) -> Document:
        """Adds a line to today's log and returns the log as read back. Without ``scope`` it is that of your private
        vault; ``notebook`` is the agent's. One ``undo`` takes it back."""
        from scrubjay.operations import journal

        store = self._for_writing(None) if scope is None else self._journal_store(scope)
        return self._woken(journal.add(store, arguments.text(text), now().astimezone(self.zone)))

    def journal(self, day: date | str | None = None, *, scope: str | None = None) -> list[Happened]:
        """What the log of ``day`` holds (a date, or text such as ``2026-05-08``; today where it is not given)."""
        from scrubjay.operations import journal

        store = self._for_writing(None) if scope is None else self._journal_store(scope)
        return journal.read(store, self._day(day))

    def _journal_store(self, scope: str) -> Store:
        return self._made(scope) if scope == "notebook" else self._stores.chosen([scope])[0]

    def _day(self, day: date | str | None) -> date:
        if day is None:
            return now().astimezone(self.zone).date()
        if isinstance(day, datetime):
            return day.astimezone(self.zone).date() if day.tzinfo else day.date()
        if isinstance(day, date):
            return day
        try:
            return date.fromisoformat(arguments.string(day, "day"))
        except ValueError:
            raise BadInput(f"{day!r} is no day.", hint="Write it as 2026-05-08.") from None
