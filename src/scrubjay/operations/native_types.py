"""What a category of one design is called in the others (XC-5).

For export and for readers of other programs only: the map is lossy, so the native value always stands beside it and is
the only one that is ever stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_MAP: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "technique": {"memory_type": "procedural", "agent_type": "feedback"},
        "workflow": {"memory_type": "procedural", "agent_type": "feedback"},
        "pattern": {"memory_type": "procedural", "agent_type": "project"},
        "config": {"memory_type": "semantic", "agent_type": "reference", "fact_category": "Infrastructure"},
        "infrastructure": {"memory_type": "semantic", "agent_type": "reference"},
        "insight": {"memory_type": "semantic", "agent_type": "project"},
        "preference": {"agent_type": "user"},
        "identity": {"agent_type": "user"},
        "process": {"agent_type": "feedback"},
        "decision": {"agent_type": "project"},
        "failuremode": {"memory_type": "episodic", "agent_type": "feedback"},
    }
)
_NOTHING: Mapping[str, str] = MappingProxyType({})


def counterparts(native_type: str) -> Mapping[str, str]:
    """What ``native_type`` would be elsewhere: ``memory_type`` (semantic, episodic, procedural), ``agent_type`` (user,
    feedback, project, reference), ``fact_category``. Empty for what has no counterpart, such as a category of the
    user's own."""
    return _MAP.get("".join(letter for letter in native_type.casefold() if letter.isalpha()), _NOTHING)
