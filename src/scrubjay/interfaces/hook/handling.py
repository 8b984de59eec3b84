"""One event from stdin to the lines that answer it, and the note of what became of it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from scrubjay.interfaces.hook import answering, capture, choices, events, places, record

if TYPE_CHECKING:
    from pathlib import Path

DELIVERED = "Scrubjay's hook was run and heard:"
SAYING = frozenset({"SessionStart", "UserPromptSubmit"})


def answers(named: str) -> Iterator[bytes]:
    """The answers to the event on stdin, each better than the one before; none where there is nothing to say.

    Never raises: what goes wrong is in the log.
    """
    started = time.monotonic()
    event = events.parse(events.read(0), named)
    if event is None:
        return
    home = ""
    outcome, said = "", 0
    try:
        home = places.home(os.environ)
        project = places.project(event.cwd)
        chosen = choices.load(home, project, os.environ)
        if event.nonce:  # nobody's session
            yield answering.line(event.name, answering.block(DELIVERED, [("", [event.nonce])]))
            return
        outcome = _kept(event, home, chosen)
        for text in _texts(event, home, project, chosen):
            said = len(text)
            yield answering.line(event.name, text)
    except Exception as error:  # noqa: BLE001 - a hook never fails a session (HK-7)
        outcome = f"failed: {type(error).__name__}: {error}"
    if home:
        record.write(home, event, outcome, said=said, seconds=time.monotonic() - started)


def _kept(event: events.Event, home: str, chosen: choices.Choices) -> str:
    try:
        return capture.note(event, home, chosen)
    except OSError as error:  # a full disk keeps nobody from being told what is known
        return f"not kept: {error.strerror}"


def _texts(event: events.Event, home: str, project: Path | None, chosen: choices.Choices) -> Iterator[str]:
    """What the agent is told; nothing in a sub-agent, which gets no memory of the main one (CC-L3)."""
    if chosen.inject == "off" or event.alone or event.name not in SAYING:
        return
    stores = places.stores(home, project, chosen.index_path)
    if event.name == "SessionStart":
        from scrubjay.interfaces.hook import heads

        yield from heads.texts(event, stores, chosen, home=home)
    elif chosen.inject == "heads+recall":
        from scrubjay.interfaces.hook import recalling

        yield from recalling.texts(event, stores, chosen, home=home)
