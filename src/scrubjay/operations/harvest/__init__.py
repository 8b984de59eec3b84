"""What agents left for memory in a task's own files, as proposals (SM-38 … SM-40, XC-20). Off unless switched on.

Candidates come from ``.return-meta.json`` beside a task's artifacts and from ``specs/state.json``. Both are foreign
files: they are read with limits and never written. Nothing is decided here: a plan passes the gate like any other.
"""

from __future__ import annotations

from scrubjay.operations.harvest.candidates import Candidate
from scrubjay.operations.harvest.proposing import harvest

__all__ = ["Candidate", "harvest"]
