"""Dreaming: an agent's notebook is put in order while nobody uses it, by proposals (CC-D1 … CC-D4).

``gates`` says whether it is time, ``lock`` that nobody else dreams, ``consolidating`` what would be better (``dates``,
``doubles``, ``corrections``, ``overview``), ``steps`` carries out what was decided, ``running`` is the whole night.
"""

from __future__ import annotations

from scrubjay.operations.dream.report import Dream

ORIGIN = "dream"

__all__ = ["ORIGIN", "Dream"]
