"""What the host of an agent hands over by itself: summaries of its own (TR-10)."""

from __future__ import annotations

from scrubjay.memory import arguments
from scrubjay.memory.arguments import Moment
from scrubjay.memory.opened import Opened
from scrubjay.temporal import now


class Capturing(Opened):
    """The methods of ``Memory`` for what a host says without being asked."""

    def keep_summary(
        self, session_id: str, text: str, *, source: str = "claude-code", at: Moment | None = None
    ) -> bool:
        """Keeps a summary that a host made of a session as an episode, where no transcript has brought it already.

        Tells whether it was stored now. It goes where the conversation would.
        """
        from scrubjay.operations.ingest.summaries import keep_summary

        store = self._for_writing(None)
        return keep_summary(
            store,
            source=arguments.string(source, "source"),
            session_id=arguments.name(session_id, "session_id"),
            text=arguments.text(text),
            at=self._moment(at, "at") or now(),
        )
