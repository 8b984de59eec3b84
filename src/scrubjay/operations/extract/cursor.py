"""How far a conversation was read (MX-12: idempotent per session and range of messages).

The index remembers it. Where the index was lost, the summary of the conversation says up to which message it goes: it
is written after the facts. What was read twice all the same is known by its id.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from scrubjay.operations.store import Store
from scrubjay.types import Message


@dataclass(frozen=True, slots=True)
class Cursor:
    """``until`` is the id of the last message that was read, ``facts`` how many facts the conversation gave so far, and
    ``hash`` that of the transcript when it had been read to its end."""

    until: str = ""
    facts: int = 0
    hash: str = ""

    def unread(self, messages: Sequence[Message]) -> int:
        """Where reading goes on; at the beginning when the last message is not there any more."""
        if not self.until:
            return 0
        return next((place + 1 for place, one in enumerate(messages) if one.id == self.until), 0)


def load(store: Store, key: str) -> Cursor:
    """Where reading the conversation ``key`` (``transcript.session_key``) stopped."""
    try:
        kept = json.loads(store.index.mark(_name(key)) or "{}")
        if kept:
            return Cursor(str(kept["until"]), int(kept["facts"]), str(kept.get("hash") or ""))
    except (ValueError, KeyError, TypeError):
        pass
    from scrubjay.operations import episodes

    own = episodes.own(store, key)
    return Cursor(own.until) if own is not None else Cursor()


def save(store: Store, key: str, cursor: Cursor) -> None:
    """Notes where reading stopped."""
    store.index.set_mark(_name(key), json.dumps(asdict(cursor)))


def _name(key: str) -> str:
    return f"extract {key}"
