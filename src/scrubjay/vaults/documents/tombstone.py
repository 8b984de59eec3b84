"""What stays of a forgotten conversation or summary: its id, so that it is not taken in again, and no word of it.

It is a document like any other, so that it survives a lost index and comes along with a clone; `undo` retires it, and
whoever deletes it allows the conversation again.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from scrubjay.ids import derived_id
from scrubjay.temporal import format_time
from scrubjay.text import frontmatter
from scrubjay.types import Document
from scrubjay.vaults.layout import EPISODES

KIND = "tombstone"
STATUS = "tombstoned"
FOLDER = f"{EPISODES}/forgotten"
_FENCE = "```"
_WORDS = (
    "This was forgotten and is not taken in again. `scrubjay undo` brings it back while the trash has it; without this "
    "file it may be taken in again.\n"
)


def write(own_id: str, messages: Iterable[str], *, at: datetime) -> str:
    """The tombstone of the document with ``own_id``, whose messages had the ids ``messages``."""
    values: dict[str, object] = {"id": own_id, "kind": KIND, "status": STATUS, "forgotten": format_time(at)}
    marks = "".join(f"{mark(id)}\n" for id in messages)
    listed = f"\nIts messages, by a digest of their ids:\n\n{_FENCE}\n{marks}{_FENCE}\n" if marks else ""
    return frontmatter.compose(values, f"\n{_WORDS}{listed}")


def path_for(own_id: str) -> str:
    """Where it goes: named by a digest, because a title would tell what was forgotten."""
    return f"{FOLDER}/{derived_id('tombstone', own_id).lower()}.md"


def is_tombstone(document: Document) -> bool:
    """Whether ``document`` stands for something forgotten."""
    parsed = frontmatter.parse(document.text)
    return parsed.string("kind") == KIND and parsed.string("status") == STATUS


def marks(document: Document) -> frozenset[str]:
    """The digests of the ids of the messages that were forgotten with it."""
    parts = document.text.split(f"{_FENCE}\n")
    return frozenset(parts[1].split()) if len(parts) > 2 else frozenset()


def mark(message_id: str) -> str:
    """The digest by which a message is known again."""
    return derived_id("message", message_id)
