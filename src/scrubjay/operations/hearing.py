"""What of a conversation may become a fact: who said it, and whether it may be remembered (TR-5, TR-7, TR-62, TR-63).

People testify, and so does what a service saved at their request. Programs do not: no tool, no model, nobody who was
quoted, nothing that a memory had recalled. A model's proposal counts when a person agreed to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scrubjay.text.agreement import agrees
from scrubjay.transcripts import fences
from scrubjay.types import Candidate, Message
from scrubjay.vaults.documents.transcript import FORGOTTEN

UNDONE = 0.5
"""What is left of the confidence in something said on a branch that was abandoned (TR-5)."""

_RECALLED = "memory-context"


def audible(messages: Sequence[Message]) -> list[Message]:
    """What an extractor may hear, each without blocks that a host or a memory put into it."""
    return [spoken for message in messages if _was_said(message) and (spoken := _own_words(message)).text.strip()]


def is_human(message: Message) -> bool:
    """Whether a person wrote it."""
    return message.role == "user" and message.meta.get("is_human") is not False and "candidate" not in message.meta


def testifies(message: Message) -> bool:
    """Whether what it says may become a fact by itself."""
    return is_human(message) or bool(message.meta.get("candidate"))


def confirmed(message: Message, messages: Sequence[Message]) -> bool:
    """Whether ``message`` is a model's, and a person agreed to it in the next message of ``messages``."""
    place = next((place for place, one in enumerate(messages) if one.id == message.id), len(messages))
    after = messages[place + 1] if place + 1 < len(messages) else None
    return message.role == "assistant" and after is not None and is_human(after) and agrees(after.text)


def quoted(candidate: Candidate, message: Message) -> bool:
    """Whether the quote stands in the message, whatever the blanks between its words (MX-12)."""
    quote = " ".join(candidate.quote.split())
    return bool(quote) and quote in " ".join(message.text.split())


def weighed(candidate: Candidate, message: Message) -> Candidate:
    """The candidate with less confidence where its message was undone."""
    if message.meta.get("branch") != "dead":
        return candidate
    return replace(candidate, confidence=round(candidate.confidence * UNDONE, 3))


def _was_said(message: Message) -> bool:
    about = message.meta
    return (
        message.text != FORGOTTEN
        and about.get("visible") is not False
        and not about.get("do_not_remember")
        and not about.get("derived")
        and not fences.is_of_host(message.text)
        and (message.role in ("user", "assistant") or bool(about.get("candidate")))
    )


def _own_words(message: Message) -> Message:
    """``message`` without injected blocks. After a recall's tag that nothing closes, nobody can tell who speaks."""
    stripped = fences.strip_blocks(message.text)
    text = stripped.text
    if _RECALLED in stripped.unclosed:
        text = text[: text.lower().find(_RECALLED)].rstrip("< \n")
    return message if text == message.text else replace(message, text=text)
