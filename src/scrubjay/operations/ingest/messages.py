"""What of a session is kept: what was said, without secrets, tool output by head and tail (MX §3.1, SEC-2, TR-10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from scrubjay.text.graphemes import cut_before
from scrubjay.text.secrets import redact
from scrubjay.types import Message, Session
from scrubjay.vaults.documents import transcript

TOOL_CHARACTERS = 2_048
"""Characters of a tool's output that are kept: half from its beginning, half from its end."""

# What a reader notes for ingestion alone; a transcript keeps the rest.
_PASSING = frozenset({"pieces", "visible", "reason", "unclosed", "is_human"})


@dataclass(frozen=True, slots=True)
class Prepared:
    """``said`` goes into the transcript, ``summaries`` become episodes; ``empty`` counts messages without words,
    ``redacted`` secrets that were taken out."""

    said: tuple[Message, ...]
    summaries: tuple[Message, ...]
    empty: int
    redacted: int


def prepared(session: Session) -> Prepared:
    """What of ``session`` is kept. Hidden messages, and what a program put into a conversation, are left out."""
    said: list[Message] = []
    summaries: list[Message] = []
    empty = redacted = 0
    for message in session.messages:
        if message.meta.get("visible") is False and not message.meta.get("derived"):
            continue
        if not transcript.clean(message.text).strip():
            empty += 1
            continue
        text, found = redact(message.text)
        redacted += len(found)
        kept = replace(message, text=trimmed(text) if message.role == "tool" else text)
        (summaries if message.meta.get("derived") else said).append(kept)
    return Prepared(tuple(said), tuple(summaries), empty, redacted)


def kept_meta(message: Message) -> dict[str, object]:
    """What of a message's particulars a transcript keeps."""
    return {name: value for name, value in message.meta.items() if name not in _PASSING}


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
