"""What of a session is kept: what was said, without secrets, tool output by head and tail (MX §3.1, SEC-2, TR-10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from scrubjay.operations.redaction import Redaction
from scrubjay.text.graphemes import cut_before
from scrubjay.types import Message, Redacted, Session
from scrubjay.vaults.documents import transcript

TOOL_CHARACTERS = 2_048
"""Characters of a tool's output that are kept: half from its beginning, half from its end."""

# What a reader notes for ingestion alone; a transcript keeps the rest.
_PASSING = frozenset({"pieces", "visible", "reason", "unclosed"})


@dataclass(frozen=True, slots=True)
class Prepared:
    """``session`` is the session without its messages and without secrets. ``said`` goes into the transcript,
    ``summaries`` become episodes; ``empty`` counts messages without words. ``redacted`` are the secrets that were taken
    out, by message id, those of the session itself under ``""``."""

    session: Session
    said: tuple[Message, ...]
    summaries: tuple[Message, ...]
    empty: int
    redacted: Mapping[str, Sequence[Redacted]]


def prepared(session: Session) -> Prepared:
    """What of ``session`` is kept. Hidden messages, and what a program put into a conversation, are left out."""
    said: list[Message] = []
    summaries: list[Message] = []
    redacted: dict[str, Sequence[Redacted]] = {}
    empty = 0
    about = Redaction()
    for message in session.messages:
        if message.meta.get("visible") is False and not message.meta.get("derived"):
            continue
        if not transcript.clean(message.text).strip():
            empty += 1
            continue
        redaction = Redaction()
        clean = redaction.fields(message, ("text", "speaker", "meta"), place=f"message {message.id}")
        if redaction.found:
            redacted[message.id] = redaction.found
            about.knows(redaction)
        kept = replace(clean, text=trimmed(clean.text)) if message.role == "tool" else clean
        (summaries if message.meta.get("derived") else said).append(kept)
    bare = about.fields(replace(session, messages=()), ("title", "meta"))
    # A title may be the beginning of the first message, and end in the middle of a secret.
    bare = replace(bare, title=about.ending(bare.title, "title"))
    if about.found:
        redacted[""] = about.found
    return Prepared(bare, tuple(said), tuple(summaries), empty, redacted)


def kept_meta(message: Message) -> dict[str, object]:
    """What of a message's particulars a transcript keeps. Whoever has the role of a user is a person, unless it says
    otherwise: a program may prompt another."""
    kept = {name: value for name, value in message.meta.items() if name not in _PASSING}
    if message.role != "user" or kept.get("is_human"):
        kept.pop("is_human", None)
    return kept


def trimmed(text: str) -> str:
    """A tool's output of bearable length: its head and its tail, and how much stood between them."""
    if len(text) <= TOOL_CHARACTERS:
        return text
    half = TOOL_CHARACTERS // 2
    head, tail = cut_before(text, half), cut_before(text, len(text) - half)
    return f"{text[:head]}\n[… {tail - head:,} characters left out …]\n{text[tail:]}"


def plain(messages: Sequence[Message]) -> list[Message]:
    """``messages`` as a transcript stores them."""
    return [replace(message, meta=kept_meta(message)) for message in messages]
