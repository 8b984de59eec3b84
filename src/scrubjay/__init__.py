"""Scrubjay: long-term memory for AI agents. What was learned, where it came from, when it was true.

    from scrubjay import Memory

    with Memory.open() as memory:
        memory.remember("Max prefers uv over pip.", category="Preference")
        print(memory.search("which package manager?").text)

Names are loaded on first use, so that importing the package does nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scrubjay.errors import ScrubjayError
    from scrubjay.interfaces.memory_tool import MemoryTool
    from scrubjay.memory import Memory
    from scrubjay.proposals import Decision, Plan, Proposal
    from scrubjay.types import Fact, Hit, Message, Note, Query, Recall, Session, StoredFact

_HOMES = {
    "Decision": "scrubjay.proposals",
    "Fact": "scrubjay.types",
    "Hit": "scrubjay.types",
    "Memory": "scrubjay.memory",
    "MemoryTool": "scrubjay.interfaces.memory_tool",
    "Message": "scrubjay.types",
    "Note": "scrubjay.types",
    "Plan": "scrubjay.proposals",
    "Proposal": "scrubjay.proposals",
    "Query": "scrubjay.types",
    "Recall": "scrubjay.types",
    "ScrubjayError": "scrubjay.errors",
    "Session": "scrubjay.types",
    "StoredFact": "scrubjay.types",
}

__all__ = [
    "Decision",
    "Fact",
    "Hit",
    "Memory",
    "MemoryTool",
    "Message",
    "Note",
    "Plan",
    "Proposal",
    "Query",
    "Recall",
    "ScrubjayError",
    "Session",
    "StoredFact",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'scrubjay' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
