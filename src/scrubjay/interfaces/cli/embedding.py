"""Vectors that are missing: all of them at the end of ``ingest``, ``sync`` and ``reindex``, a few before a question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.progress import bar

if TYPE_CHECKING:
    from scrubjay.memory import Memory
    from scrubjay.operations.embedding import EmbedReport
    from scrubjay.operations.sync import SyncReport

FEW = 200
"""So many new records are embedded before a question is asked, since that loads the model anyway."""


def embed(invocation: Invocation, memory: Memory) -> EmbedReport:
    """Learns from the conversations that wait and computes all missing vectors, with a bar on a terminal, and says how
    it went."""
    from scrubjay.interfaces.render import conversations, health, language_model, objects

    with bar("Computing vectors") as progress:
        done = memory.drain(progress=progress)
    if not invocation.as_json:
        if done.learned is not None and (line := conversations.learned(done.learned)):
            invocation.answer({}, line)
        invocation.answer(objects.embedded(done), health.embedded(done))
    if done.learned is not None and done.learned.sessions and (line := language_model.warning(memory.usage())):
        invocation.warn(line)
    return done


def embed_few(memory: Memory) -> None:
    """Computes the vectors that wait if they are few; if they are many the answer says so."""
    if 0 < memory.waiting() < FEW:
        memory.drain()


def report(
    invocation: Invocation, reports: Mapping[str, SyncReport], embedded: EmbedReport | None, *, anew: bool = False
) -> None:
    """Says what was found on disk; ``anew`` when all of it was indexed anew."""
    from scrubjay.interfaces.render import health, objects

    answer = {
        "scopes": {scope: objects.synced(found) for scope, found in reports.items()},
        "embedded": objects.embedded(embedded) if embedded else None,
    }
    invocation.answer(answer, health.synced(reports, anew=anew))
    if not invocation.as_json:
        for scope, found in reports.items():
            for line in health.problems(found.problems):
                invocation.warn(f"{scope}: {line}")
